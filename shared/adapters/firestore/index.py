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
from dataclasses import dataclass
from functools import partial
from typing import Any

from shared.adapters.firestore.connection import Connection, last, pool
from shared.adapters.firestore.corpus import Corpus, Places, stamp, touch
from shared.adapters.firestore.documents import CODEC, chunk_fields, place_key, record_fields
from shared.adapters.firestore.errors import CommitTooBig
from shared.adapters.firestore.protocol import Is, Query, Where, change, delete, put, values_of, vector_of
from shared.errors import Conflict
from shared.model.index import Coverage, IndexChange, IndexRecord, IndexStatus, StoredChunk, StoredRecord, Vector
from shared.model.notes import Folder

BATCH = 20
"""Chunks of one commit. One of prose has some 200 index entries and 100 KB with them, twice that where it replaces
another; tests hold the largest notes to half of what production takes.
"""


class Index:
    """`shared.ports.stores.IndexStore` on Firestore."""

    _connection: Connection
    _corpus: Corpus
    _places: Places

    def read_record(self, tenant_id: str, note_id: str) -> StoredRecord:
        found = self._connection.read(self._connection.name(tenant_id, "index", note_id))
        if found is None:
            return StoredRecord(None, None)
        fields, time = values_of(found), found.update_time
        place = Folder(fields["vault"], fields["folder"]) if "vault" in fields else None
        token = Token(note_id=note_id, seconds=time.seconds, nanos=time.nanos, place=place)
        return StoredRecord(CODEC.load(IndexRecord, fields), str(token))

    def stored_chunks(self, tenant_id: str, note_id: str) -> tuple[StoredChunk, ...]:
        query = Query(
            collection="chunks",
            where=(Where("noteId", Is.EQUAL, note_id),),
            fields=("position", "textHash", "indexVersion", "noteRevision", "embedded"),
        )
        documents = self._connection.query(self._connection.tenant(tenant_id), query)
        found = [{"chunkId": last(each.name), **values_of(each)} for each in documents]
        found.sort(key=lambda fields: fields["position"])
        return tuple(CODEC.load(StoredChunk, fields, has_vector=fields["embedded"]) for fields in found)

    def read_vectors(self, tenant_id: str, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        wanted = [self._connection.name(tenant_id, "chunks", chunk_id) for chunk_id in chunk_ids]
        found = self._connection.lookup(wanted, ("embedding",))
        return {
            last(name): vector_of(document.fields["embedding"])
            for name, document in found.items()
            if "embedding" in document.fields
        }

    def apply(self, tenant_id: str, change: IndexChange) -> str | None:
        """A worker that another overtakes between two commits gets Conflict."""
        commits = _Commits(self._connection, tenant_id, change)
        before, after = commits.place_before, commits.place
        try:
            if after is not None and after != before:
                self._places.arriving(tenant_id, after)
            moved = commits.run()
            if after is not None and after != before:
                self._places.arrived(tenant_id, after)
            if before is not None and after != before:
                self._places.left(tenant_id, before)
        finally:
            self._corpus.forget(tenant_id)
        if change.record is None:
            return None
        return str(Token(note_id=change.note_id, seconds=moved.seconds, nanos=moved.nanos, place=after))

    def coverage(self, tenant_id: str) -> Coverage:
        """By counting on both sides: while deletions are on their way, their records still count among the states."""
        states = (IndexStatus.INDEXED, IndexStatus.PENDING, IndexStatus.FAILED)
        queries = [
            Query(collection="notes"),
            *(Query(collection="index", where=(Where("status", Is.EQUAL, status.value),)) for status in states),
        ]
        count = partial(self._connection.count, self._connection.tenant(tenant_id))
        notes, indexed, pending, failed = pool().map(count, queries)
        missing = max(0, notes - indexed - pending - failed)
        return Coverage(notes=notes, indexed=indexed, pending=pending, failed=failed, missing=missing)


@dataclass(frozen=True, slots=True)
class Token:
    """State of a note's record, as `apply` expects it."""

    note_id: str
    seconds: int
    """With `nanos`: the document's update time, which every write that changes it moves."""
    nanos: int
    place: Folder | None
    """The folder in which the note lies; None: in none, it has no chunks. Here, so that moving a note costs no read."""

    def __str__(self) -> str:
        place = None if self.place is None else [self.place.vault, self.place.folder]
        return json.dumps([self.note_id, self.seconds, self.nanos, place], ensure_ascii=False)

    @classmethod
    def parse(cls, text: str, note_id: str) -> Token:
        """Raises Conflict for the token of another note."""
        owner, seconds, nanos, place = json.loads(text)
        if owner != note_id:
            raise Conflict("the token is of another note")
        return cls(owner, seconds, nanos, None if place is None else Folder(*place))


class _Commits:
    """The commits of one change."""

    def __init__(self, connection: Connection, tenant_id: str, wanted: IndexChange) -> None:
        self._connection, self._tenant_id, self._wanted = connection, tenant_id, wanted
        self._record = self._name("index", wanted.note_id)
        self._before = None if wanted.expected is None else Token.parse(wanted.expected, wanted.note_id)
        self.place_before = None if self._before is None else self._before.place
        chunks = (*(put.chunk for put in wanted.put), *wanted.patch)
        if chunks:
            self.place: Folder | None = Folder(chunks[0].vault, chunks[0].folder)
        else:
            self.place = self.place_before if wanted.record is not None and wanted.record.chunk_count else None

    def run(self) -> Any:  # noqa: ANN401
        """The record's update time after them. Raises Conflict when it has moved."""
        writes = list(self._chunks())
        waiting, held = [writes[start : start + BATCH] for start in range(0, len(writes), BATCH)] or [[]], None
        while True:
            batch, *later = waiting
            own = [self._guard(held)] if later else self._last(held)
            try:
                reply = self._connection.commit([*own, *batch])
            except CommitTooBig:
                if len(batch) < 2:
                    raise
                half = len(batch) // 2
                waiting = [batch[:half], batch[half:], *later]
                continue
            moved = reply.write_results[0].update_time
            if not later:
                return moved
            waiting, held = later, moved if moved.seconds else None

    def _chunks(self) -> Iterator[Any]:
        for chunk_id in self._wanted.remove:
            yield delete(self._name("chunks", chunk_id))
        for each in self._wanted.put:
            fields = {**chunk_fields(self._tenant_id, each.chunk), "embedded": each.vector is not None}
            if each.vector is not None:
                fields["embedding"] = each.vector
            yield put(self._name("chunks", each.chunk.chunk_id), fields)
        for chunk in self._wanted.patch:
            yield change(self._name("chunks", chunk.chunk_id), chunk_fields(self._tenant_id, chunk))
        for chunk_id, vector in self._wanted.vectors:
            yield change(self._name("chunks", chunk_id), {"embedding": vector, "embedded": True})

    def _guard(self, held: Any | None) -> Any:  # noqa: ANN401
        """A write for all batches but the last. It fails unless the record is as `held` (update time; None: as the
        change expects it), and moves it: two workers whose batches alternate would mix two revisions.
        """
        record = self._wanted.record
        if record is None and self._before is None:
            return self._expecting(delete(self._record), held)
        fields = {"writing": uuid.uuid4().hex}
        if record is None or held is not None or self._before is not None:
            write = change(self._record, fields)
        else:  # a record that agrees with no note, until the last batch
            begun = IndexRecord(
                note_revision="",
                status=IndexStatus.PENDING,
                chunk_count=0,
                index_version="",
                indexed_at=record.indexed_at,
            )
            write = put(self._record, {**fields, **record_fields(self._record, begun)})
        touch(write)
        return self._expecting(write, held)

    def _last(self, held: Any | None) -> list[Any]:  # noqa: ANN401
        """The record as it shall be, guarded like the others; a stamp where none is left to tell of the change."""
        record = self._wanted.record
        if record is None:
            digest = hashlib.sha256(self._wanted.note_id.encode()).hexdigest()
            return [self._expecting(delete(self._record), held), stamp(self._connection, self._tenant_id, digest)]
        fields = record_fields(self._record, record)
        if self.place is not None:
            fields |= {**CODEC.dump(self.place), "place": place_key(self.place)}
        write = put(self._record, fields)
        touch(write)
        return [self._expecting(write, held)]

    def _expecting(self, write: Any, held: Any | None) -> Any:  # noqa: ANN401
        if held is not None:
            write.current_document.update_time.CopyFrom(held)
        elif self._before is None:
            write.current_document.exists = False
        else:
            write.current_document.update_time.seconds = self._before.seconds
            write.current_document.update_time.nanos = self._before.nanos
        return write

    def _name(self, collection: str, document_id: str) -> str:
        return self._connection.name(self._tenant_id, collection, document_id)
