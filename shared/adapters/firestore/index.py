"""The index of one note, `tenants/{tenant}/index/{note}` and its chunks, and how a change of it becomes commits.

A commit is limited to 10 MiB with the index entries that it adds and removes, and to about 10,000 of these; the
emulator counts neither. A change of more chunks than BATCH goes in several commits: each is guarded by the record's
update time, which all but the last only move, and the record is written last. A batch that Firestore refuses as too
big goes in halves.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

from shared.adapters.firestore.client import CommitTooBig, pool
from shared.adapters.firestore.connection import Connection
from shared.adapters.firestore.corpus import Corpus
from shared.adapters.firestore.documents import (
    CODEC,
    chunk_fields,
    entity,
    folder_key,
    record_fields,
    vector_in,
    whole_note_of,
)
from shared.adapters.firestore.protocol import (
    SLOTS,
    Query,
    Where,
    change,
    delete,
    expect,
    id_of,
    put,
    token_of,
    values_of,
    verify,
)
from shared.errors import Conflict
from shared.model.index import (
    Coverage,
    IndexChange,
    IndexRecord,
    IndexStatus,
    IndexWrites,
    StoredChunk,
    StoredRecord,
    Vector,
)
from shared.model.notes import Folder, Note

BATCH = 20
"""Chunks of one commit. One of prose has some 200 index entries and 100 KB with them, twice that where it replaces
another; tests hold the largest notes to half of what production takes.
"""


class Index(Corpus):
    """The index of `shared.ports.stores.Store` on Firestore."""

    def read_record(self, tenant_id: str, note_id: str) -> StoredRecord:
        found = self._db.read(self._db.name(tenant_id, "index", note_id))
        if found is None:
            return StoredRecord(None, None)
        fields = values_of(found)
        place = Folder(fields["vault"], fields["folder"]) if "vault" in fields else None
        token = _token(note_id, token_of(found.update_time), place)
        return StoredRecord(CODEC.load(IndexRecord, fields), token)

    def stored_chunks(self, tenant_id: str, note_id: str) -> tuple[StoredChunk, ...]:
        query = Query(
            collection="chunks",
            where=(Where("noteId", "==", note_id),),
            fields=("position", "textHash", "indexVersion", "noteRevision", "embedded", "kept"),
        )
        found = self._db.query(self._db.parent(tenant_id), query)
        found.sort(key=lambda each: each.fields["position"].integer_value)
        return tuple(
            entity(StoredChunk, each, has_vector=each.fields["embedded"].boolean_value)
            for each in found
        )

    def read_vectors(
        self, tenant_id: str, chunk_ids: Sequence[str], index_version: str | None = None
    ) -> Mapping[str, Vector]:
        wanted = [self._db.name(tenant_id, "chunks", chunk_id) for chunk_id in chunk_ids]
        found = self._db.lookup(wanted, (*SLOTS, *SLOTS.values())).values()
        vectors = {id_of(each): vector_in(each, index_version) for each in found}
        return {chunk_id: vector for chunk_id, vector in vectors.items() if vector is not None}

    def apply(
        self, tenant_id: str, change: IndexChange, *, counted: IndexWrites | None = None
    ) -> str | None:
        """A worker that another overtakes between two commits gets Conflict."""
        commits = _Commits(self._db, tenant_id, change, counted)
        before, after = commits.place_before, commits.place
        entered, left = (after, before) if after != before else (None, None)
        try:
            if entered is not None and self._folder(tenant_id, entered) not in self._db.ensured:
                self._entered(tenant_id, entered, commits.note, counted)
            updated = commits.run()
            if entered is not None:
                self._entered(tenant_id, entered, commits.note, counted)
            if left is not None:
                self._left(tenant_id, left, counted)
        finally:
            self._forget(tenant_id)
        return None if change.record is None else _token(change.note_id, updated, after)

    # A folder `folders/{id}` is written when its first note comes and removed when its last has gone, so that saving
    # notes writes nothing that other notes of the folder write too. Whoever brings a note looks after its commit
    # whether the folder is still there; whoever takes the last one away marks the folder, looks once more whether it is
    # empty, and removes it if it was not touched since the mark. So of two that meet one sees the other. Killed in
    # between, a folder may stay without notes, never a note without its folder.

    def _entered(
        self, tenant_id: str, place: Folder, note: str, counted: IndexWrites | None
    ) -> None:
        """After the commit with which a note came to `place`, and before it unless the folder is known. A read.

        `note`: name of the note if that must exist, else empty. Raises Conflict when it is gone.
        """
        folder = put(self._folder(tenant_id, place), CODEC.dump(place))
        stamp = _stamp(self._db, tenant_id, folder_key(place))
        self._db.ensure([folder, stamp], unless="leaving", needs=note, counted=counted)

    def _left(self, tenant_id: str, place: Folder, counted: IndexWrites | None) -> None:
        """After the commit with which a note left `place`. A read, and of its last note two more and two writes."""
        if not self._is_empty(tenant_id, place):
            return
        name = self._folder(tenant_id, place)
        try:
            reply = self._db.commit([change(name, {"leaving": True})], counted=counted)
            mark = token_of(reply.write_results[0].update_time)
            last = [expect(change(name, {"leaving": False}), mark)]
            if self._is_empty(tenant_id, place):
                stamp = _stamp(self._db, tenant_id, folder_key(place))
                last = [expect(delete(name), mark), stamp]
            self._db.commit(last, counted=counted)
        except Conflict:
            return  # somebody else has removed it, or opened it again
        self._db.ensured.discard(name)

    def _is_empty(self, tenant_id: str, place: Folder) -> bool:
        where = (Where("place", "==", folder_key(place)),)
        query = Query(collection="index", where=where, limit=1, fields=())
        return not self._db.query(self._db.parent(tenant_id), query)

    def _folder(self, tenant_id: str, place: Folder) -> str:
        return self._db.name(tenant_id, "folders", folder_key(place))

    def coverage(self, tenant_id: str) -> Coverage:
        """By counting on both sides: while deletions are on their way, their records still count among the states."""
        states = (IndexStatus.INDEXED, IndexStatus.PENDING, IndexStatus.FAILED)
        queries = [
            Query(collection="notes"),
            *(
                Query(collection="index", where=(Where("status", "==", status.value),))
                for status in states
            ),
        ]
        count = partial(self._db.count, self._db.parent(tenant_id))
        notes, indexed, pending, failed = pool().map(count, queries)
        missing = max(0, notes - indexed - pending - failed)
        return Coverage(
            notes=notes, indexed=indexed, pending_embeddings=pending, failed=failed, missing=missing
        )

    def latest_notes(self, tenant_id: str, *, limit: int) -> tuple[Note, ...]:
        query = Query(collection="notes", order=("-updatedAt",), limit=limit)
        found = []
        for document in self._db.query(self._db.parent(tenant_id), query):
            note = whole_note_of(document)
            if isinstance(note, Note):
                found.append(note)
        return tuple(found)

    def count_outdated(self, tenant_id: str, index_version: str) -> int:
        """Without records of which a part is still to be written, which name no version."""
        where = (Where("indexVersion", "not_in", ["", index_version]),)
        return self._db.count(self._db.parent(tenant_id), Query(collection="index", where=where))


def _token(note_id: str, updated: str, place: Folder | None) -> str:
    """State of a note's record, as `apply` expects it. `updated`: the document's. `place`: the folder in which the note
    lies; None: in none, it has no chunks. Here, so that moving a note costs no read.
    """
    folder = None if place is None else [place.vault, place.folder]
    return json.dumps([note_id, updated, folder], ensure_ascii=False)


class _Commits:
    """The commits of one change."""

    def __init__(
        self,
        connection: Connection,
        tenant_id: str,
        wanted: IndexChange,
        counted: IndexWrites | None,
    ) -> None:
        """Raises Conflict for the token of another note."""
        self._db, self._tenant_id, self._wanted = connection, tenant_id, wanted
        self._counted = counted
        self._record = self._name("index", wanted.note_id)
        self.note = self._name("notes", wanted.note_id) if wanted.needs_note else ""
        """Name of the note that must exist; empty: none must."""
        self._held: str | None = None
        """The record's update time before the next commit; None: there is no record."""
        self.place_before: Folder | None = None
        if wanted.expected is not None:
            owner, self._held, folder = json.loads(wanted.expected)
            if owner != wanted.note_id:
                raise Conflict("the token is of another note")
            self.place_before = None if folder is None else Folder(*folder)
        self.place: Folder | None = None
        first = next(chain((put.chunk for put in wanted.put), wanted.patch), None)
        if first is not None:
            self.place = Folder(first.vault, first.folder)
        elif wanted.record is not None and wanted.record.chunk_count:
            self.place = self.place_before

    def run(self) -> str:
        """Returns the record's update time after them. Raises Conflict when it has moved.

        Writes are made batch by batch: those of the largest note together would be 100 MB.
        """
        wanted = self._wanted
        left = len(wanted.remove) + len(wanted.put) + len(wanted.patch) + len(wanted.vectors)
        writes = self._chunks()
        waiting = list(islice(writes, BATCH))
        size = BATCH
        while True:
            batch = waiting[:size]
            is_last = len(batch) == left
            own = self._last() if is_last else [self._guard()]
            try:
                condition = [verify(self.note)] if self.note else []
                reply = self._db.commit(
                    [expect(own[0], self._held), *own[1:], *batch, *condition],
                    counted=self._counted,
                )
            except CommitTooBig:
                if len(batch) < 2:
                    raise
                size = (len(batch) + 1) // 2
                continue
            moved = reply.write_results[0].update_time
            if is_last:
                return token_of(moved)
            self._held = token_of(moved) if moved.seconds else None
            left -= len(batch)
            waiting = waiting[size:]
            if not waiting:
                waiting = list(islice(writes, BATCH))
                size = BATCH

    def _chunks(self) -> Iterator[Any]:
        for chunk_id in self._wanted.remove:
            yield delete(self._name("chunks", chunk_id))
        for each in self._wanted.put:
            fields = {
                **chunk_fields(self._tenant_id, each.chunk),
                "embedded": each.vector is not None,
            }
            if each.vector is not None:
                fields["embedding"] = each.vector
            if each.second_vector is not None:
                fields["kept"], fields["keptEmbedding"] = each.second_vector
            yield put(self._name("chunks", each.chunk.chunk_id), fields)
        for chunk in self._wanted.patch:
            yield change(self._name("chunks", chunk.chunk_id), chunk_fields(self._tenant_id, chunk))
        for chunk_id, vector in self._wanted.vectors:
            yield change(self._name("chunks", chunk_id), {"embedding": vector, "embedded": True})

    def _guard(self) -> Any:  # noqa: ANN401
        """For each batch but the last: moves the record, for two workers' alternating batches would mix revisions."""
        record = self._wanted.record
        if record is None and self._held is None:
            return delete(self._record)
        fields = {"writing": uuid.uuid4().hex}
        if record is None or self._held is not None:
            return _touch(change(self._record, fields))
        begun = IndexRecord(  # it agrees with no note, until the last batch
            note_revision="",
            status=IndexStatus.PENDING,
            chunk_count=0,
            index_version="",
            indexed_at=record.indexed_at,
            due_at=record.due_at or record.indexed_at,
        )
        return _touch(put(self._record, {**fields, **record_fields(self._record, begun)}))

    def _last(self) -> list[Any]:
        """The record as it shall be; a stamp where none is left to tell of the change."""
        record = self._wanted.record
        if record is None:
            digest = hashlib.sha256(self._wanted.note_id.encode()).hexdigest()
            return [delete(self._record), _stamp(self._db, self._tenant_id, digest)]
        fields = record_fields(self._record, record)
        if self.place is not None:
            fields |= {**CODEC.dump(self.place), "place": folder_key(self.place)}
        return [_touch(put(self._record, fields))]

    def _name(self, collection: str, document_id: str) -> str:
        return self._db.name(self._tenant_id, collection, document_id)


def _stamp(connection: Connection, tenant_id: str, digest: str) -> Any:  # noqa: ANN401
    """The write that tells of what leaves no newer record behind: a record that goes, a folder that comes or goes. Each
    goes to one of 256 documents, drawn by the first digits of its digest: one document takes a write a second.
    """
    return _touch(change(connection.name(tenant_id, "changes", digest[:2]), {}, existing=False))


def _touch(write: Any) -> Any:  # noqa: ANN401
    """The write, which also sets `changedAt` to the commit's time: by the newest one a tenant's revision is known."""
    write.update_transforms.add(field_path="changedAt").set_to_server_value = 1  # REQUEST_TIME
    return write
