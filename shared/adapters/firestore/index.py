"""The index of a note, `tenants/{tenant}/index/{note}` and its chunks, and the commits that change it.

A commit is limited to 10 MiB with the index entries that it adds and removes, and to about 10,000 of these; the
emulator counts neither. A change of more chunks than BATCH therefore takes several commits:

1. Each commit requires the record's update time that the commit before it left.
2. All commits but the last only move that time; the last one writes the record.
3. A commit that Firestore refuses as too big is halved.
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
    OWN_VECTOR,
    SECOND_VECTOR,
    VERSION_FIELDS,
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
    ChunkPut,
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
"""Chunks of one commit. A chunk of prose has some 200 index entries and 100 KB with them, twice that if it replaces
another; tests check that the largest notes need at most half of what production accepts.
"""


class FirestoreIndex(Corpus):
    """The index of `shared.ports.stores.Store` on Firestore."""

    def read_record(self, tenant_id: str, note_id: str) -> StoredRecord:
        name = self._db.name(tenant_id, "index", note_id)
        document = self._db.read(name)
        if document is None:
            return StoredRecord(None, None)
        fields = values_of(document)
        folder = None
        if "vault" in fields:
            folder = Folder(fields["vault"], fields["folder"])
        record = CODEC.load(IndexRecord, fields)
        updated = token_of(document.update_time)
        token = _token(note_id, updated, folder)
        return StoredRecord(record, token)

    def stored_chunks(self, tenant_id: str, note_id: str) -> tuple[StoredChunk, ...]:
        query = Query(
            collection="chunks",
            where=(Where("noteId", "==", note_id),),
            fields=("position", "textHash", "indexVersion", "noteRevision", "embedded", "kept"),
        )
        documents = self._db.find(tenant_id, query)
        documents.sort(key=_position)
        chunks = []
        for document in documents:
            has_vector = document.fields["embedded"].boolean_value
            chunks.append(entity(StoredChunk, document, has_vector=has_vector))
        return tuple(chunks)

    def read_vectors(
        self,
        tenant_id: str,
        chunk_ids: Sequence[str],
        index_version: str | None = None,
    ) -> Mapping[str, Vector]:
        names = [self._db.name(tenant_id, "chunks", chunk_id) for chunk_id in chunk_ids]
        fields = (*VERSION_FIELDS.keys(), *VERSION_FIELDS.values())
        vectors = {}
        for document in self._db.lookup(names, fields).values():
            vector = vector_in(document, index_version)
            if vector is not None:
                vectors[id_of(document)] = vector
        return vectors

    def apply(
        self,
        tenant_id: str,
        change: IndexChange,
        *,
        counted: IndexWrites | None = None,
    ) -> str | None:
        """Raises Conflict also if another worker changes the record between two commits of this one."""
        commits = _Commits(self._db, tenant_id, change, counted)
        arrived_in = None
        left = None
        if commits.folder != commits.folder_before:
            arrived_in = commits.folder
            left = commits.folder_before
        try:
            if arrived_in is not None:
                name = self._folder_name(tenant_id, arrived_in)
                if name not in self._db.ensured:
                    self._note_arrived(tenant_id, arrived_in, commits.note, counted)
            updated = commits.run()
            if arrived_in is not None:
                self._note_arrived(tenant_id, arrived_in, commits.note, counted)
            if left is not None:
                self._note_left(tenant_id, left, counted)
        finally:
            self._forget(tenant_id)
        if change.record is None:
            return None
        return _token(change.note_id, updated, commits.folder)

    # The document `folders/{key}` is written when a folder's first note arrives and removed when its last one has left,
    # so saving a note writes nothing that other notes of the folder write too.
    # 1. A worker that brings a note checks after its commit that the folder still exists, and makes it again if not.
    # 2. A worker that takes the last note away marks the folder, checks once more that it is empty, and removes it
    #    unless another worker has touched it since the mark.
    # So of two workers that meet, one sees the other. If a worker is killed in between, a folder without notes may
    # remain, but never a note without its folder.

    def _note_arrived(
        self,
        tenant_id: str,
        folder: Folder,
        note: str,
        counted: IndexWrites | None,
    ) -> None:
        """Makes the folder of a note unless it exists. Called before the note's commit too if the folder is unknown.

        Costs a read. Raises Conflict if the note is gone.

        note: name of the note if that must exist, else empty.
        """
        folder_write = put(self._folder_name(tenant_id, folder), CODEC.dump(folder))
        stamp = _stamp(self._db, tenant_id, folder_key(folder))
        self._db.ensure(
            [folder_write, stamp],
            unless="leaving",
            needs=note,
            counted=counted,
        )

    def _note_left(self, tenant_id: str, folder: Folder, counted: IndexWrites | None) -> None:
        """Removes the folder that a note has left if it is empty now. Costs a read, then two reads and two writes."""
        if not self._is_empty(tenant_id, folder):
            return
        name = self._folder_name(tenant_id, folder)
        mark = change(name, {"leaving": True})
        try:
            reply = self._db.commit([mark], counted=counted)
            marked = reply.write_results[0].update_time
            if self._is_empty(tenant_id, folder):
                removal = delete(name)
                stamp = _stamp(self._db, tenant_id, folder_key(folder))
                writes = [removal, stamp]
            else:
                unmark = change(name, {"leaving": False})
                writes = [unmark]
            expect(writes[0], token_of(marked))
            self._db.commit(writes, counted=counted)
        except Conflict:
            return  # another worker has removed the folder, or brought a note
        self._db.ensured.discard(name)

    def _is_empty(self, tenant_id: str, folder: Folder) -> bool:
        where = (Where("place", "==", folder_key(folder)),)
        query = Query(
            collection="index",
            where=where,
            limit=1,
            fields=(),
        )
        return not self._db.find(tenant_id, query)

    def _folder_name(self, tenant_id: str, folder: Folder) -> str:
        return self._db.name(tenant_id, "folders", folder_key(folder))

    def coverage(self, tenant_id: str) -> Coverage:
        """Counts notes and records: the record of a deleted note counts among the states until it is removed."""
        queries = [Query(collection="notes")]
        for status in (IndexStatus.INDEXED, IndexStatus.PENDING, IndexStatus.FAILED):
            has_status = Where("status", "==", status.value)
            queries.append(Query(collection="index", where=(has_status,)))
        parent = self._db.parent(tenant_id)
        count = partial(self._db.count, parent)
        notes, indexed, pending, failed = pool().map(count, queries)
        without_record = notes - indexed - pending - failed
        missing = max(0, without_record)
        return Coverage(
            notes=notes,
            indexed=indexed,
            pending_embeddings=pending,
            failed=failed,
            missing=missing,
        )

    def latest_notes(self, tenant_id: str, *, limit: int) -> tuple[Note, ...]:
        query = Query(
            collection="notes",
            order=("-updatedAt",),
            limit=limit,
        )
        notes = []
        for document in self._db.find(tenant_id, query):
            note = whole_note_of(document)
            if isinstance(note, Note):
                notes.append(note)
        return tuple(notes)

    def count_outdated(self, tenant_id: str, index_version: str) -> int:
        """Leaves out records that are being written in several commits: they name no version yet."""
        is_other = Where("indexVersion", "not_in", ["", index_version])
        query = Query(collection="index", where=(is_other,))
        parent = self._db.parent(tenant_id)
        return self._db.count(parent, query)


def _position(chunk: Any) -> int:  # noqa: ANN401
    position: int = chunk.fields["position"].integer_value
    return position


def _token(note_id: str, updated: str, folder: Folder | None) -> str:
    """Returns the token of a note's record for `apply`. It names the folder, so that moving a note costs no read.

    updated: `token_of` the record's document.
    folder: folder of the note; None if it has no chunks.
    """
    names = None
    if folder is not None:
        names = [folder.vault, folder.folder]
    return json.dumps([note_id, updated, names], ensure_ascii=False)


class _Commits:
    """The commits of one change."""

    def __init__(
        self,
        connection: Connection,
        tenant_id: str,
        change: IndexChange,
        counted: IndexWrites | None,
    ) -> None:
        """Raises Conflict for the token of another note."""
        self._db = connection
        self._tenant_id = tenant_id
        self._change = change
        self._counted = counted
        self._record_name = self._name("index", change.note_id)
        self.note = ""
        """Name of the note that must exist; empty if none must."""
        if change.needs_note:
            self.note = self._name("notes", change.note_id)
        self._record_token: str | None = None
        """The record's update time before the next commit; None if there is no record."""
        self.folder_before: Folder | None = None
        """Folder of the note before the change; None if it had no chunks."""
        if change.expected is not None:
            owner, self._record_token, names = json.loads(change.expected)
            if owner != change.note_id:
                raise Conflict("the token is of another note")
            if names is not None:
                self.folder_before = Folder(*names)
        self.folder = self._folder_after()
        """Folder of the note after the change; None if it will have no chunks."""

    def _folder_after(self) -> Folder | None:
        put_chunks = (chunk_put.chunk for chunk_put in self._change.put)
        written_chunks = chain(put_chunks, self._change.patch)
        first_chunk = next(written_chunks, None)
        if first_chunk is not None:
            return Folder(first_chunk.vault, first_chunk.folder)

        record = self._change.record
        has_chunks = record is not None and record.chunk_count > 0
        if has_chunks:
            return self.folder_before
        return None

    def run(self) -> str:
        """Makes all commits and returns the record's update time after them. Raises Conflict if another worker moved it.

        Writes are made batch by batch: those of the largest note together would be 100 MB.
        """
        change = self._change
        changed = (change.remove, change.put, change.patch, change.vectors)
        unwritten = sum(map(len, changed))
        condition = []
        if self.note:
            condition.append(verify(self.note))
        writes = self._chunk_writes()
        waiting = list(islice(writes, BATCH))
        size = BATCH
        while True:
            batch = waiting[:size]
            is_last = len(batch) == unwritten
            if is_last:
                record_writes = self._final_writes()
            else:
                record_writes = [self._moving_write()]
            expect(record_writes[0], self._record_token)
            try:
                writes_of_commit = [*record_writes, *batch, *condition]
                reply = self._db.commit(writes_of_commit, counted=self._counted)
            except CommitTooBig:
                if len(batch) < 2:
                    raise
                size = (len(batch) + 1) // 2
                continue
            update_time = reply.write_results[0].update_time
            if is_last:
                return token_of(update_time)
            self._record_token = None
            if update_time.seconds:  # 0 if the record does not exist
                self._record_token = token_of(update_time)
            unwritten -= len(batch)
            waiting = waiting[size:]
            if not waiting:
                waiting = list(islice(writes, BATCH))
                size = BATCH

    def _chunk_writes(self) -> Iterator[Any]:
        for chunk_id in self._change.remove:
            name = self._chunk_name(chunk_id)
            yield delete(name)
        for chunk_put in self._change.put:
            name = self._chunk_name(chunk_put.chunk.chunk_id)
            yield put(name, self._put_fields(chunk_put))
        for chunk in self._change.patch:
            name = self._chunk_name(chunk.chunk_id)
            fields = chunk_fields(self._tenant_id, chunk)
            yield change(name, fields)
        for chunk_id, vector in self._change.vectors:
            name = self._chunk_name(chunk_id)
            yield change(name, {OWN_VECTOR: vector, "embedded": True})

    def _put_fields(self, chunk_put: ChunkPut) -> Mapping[str, object]:
        """Returns the document of a chunk with its vectors."""
        fields = dict(chunk_fields(self._tenant_id, chunk_put.chunk))
        vector = chunk_put.vector
        fields["embedded"] = vector is not None
        if vector is not None:
            fields[OWN_VECTOR] = vector
        if chunk_put.second_vector is not None:
            second_version, second_vector = chunk_put.second_vector
            version_field = VERSION_FIELDS[SECOND_VECTOR]
            fields[version_field] = second_version
            fields[SECOND_VECTOR] = second_vector
        return fields

    def _moving_write(self) -> Any:  # noqa: ANN401
        """Makes the write of every commit but the last. It moves the record's update time.

        Otherwise the alternating commits of two workers would mix revisions.
        """
        record = self._change.record
        if record is None and self._record_token is None:
            return delete(self._record_name)
        fields: dict[str, object] = {"writing": uuid.uuid4().hex}
        if record is None or self._record_token is not None:
            return _touch(change(self._record_name, fields))
        unfinished = IndexRecord(  # it agrees with no note, until the last commit
            note_revision="",
            status=IndexStatus.PENDING,
            chunk_count=0,
            index_version="",
            indexed_at=record.indexed_at,
            due_at=record.due_at or record.indexed_at,
        )
        fields.update(record_fields(self._record_name, unfinished))
        return _touch(put(self._record_name, fields))

    def _final_writes(self) -> list[Any]:
        """Makes the writes of the last commit: the record, or its removal and a stamp."""
        record = self._change.record
        if record is None:
            removal = delete(self._record_name)
            note_id = self._change.note_id.encode()
            digest = hashlib.sha256(note_id).hexdigest()
            stamp = _stamp(self._db, self._tenant_id, digest)
            return [removal, stamp]
        fields = record_fields(self._record_name, record)
        if self.folder is not None:
            fields.update(CODEC.dump(self.folder))
            fields["place"] = folder_key(self.folder)
        write = put(self._record_name, fields)
        return [_touch(write)]

    def _name(self, collection: str, document_id: str) -> str:
        return self._db.name(self._tenant_id, collection, document_id)

    def _chunk_name(self, chunk_id: str) -> str:
        return self._name("chunks", chunk_id)


def _stamp(connection: Connection, tenant_id: str, digest: str) -> Any:  # noqa: ANN401
    """Makes the write that records a change which leaves no newer record: a record that goes, a folder that comes or goes.

    The first digits of `digest` choose one of 256 documents, because one document takes a write a second.
    """
    name = connection.name(tenant_id, "changes", digest[:2])
    stamp = change(name, {}, existing=False)
    return _touch(stamp)


def _touch(write: Any) -> Any:  # noqa: ANN401
    """Has the write set `changedAt` to the commit's time; the newest one is the tenant's revision. Returns the write."""
    transform = write.update_transforms.add(field_path="changedAt")
    transform.set_to_server_value = 1  # REQUEST_TIME
    return write
