"""The index of one note: `tenants/{tenant}/index/{note}` and its chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from shared.adapters.firestore import names
from shared.adapters.firestore.documents import record_of
from shared.adapters.firestore.requests.connection import Connection, pool
from shared.adapters.firestore.requests.errors import CommitTooBig
from shared.adapters.firestore.requests.protocol import vector_of
from shared.adapters.firestore.requests.queries import Is, Query, Where
from shared.adapters.firestore.searching.corpus import Corpus
from shared.adapters.firestore.writing.commits import Commits, Token
from shared.adapters.firestore.writing.packing import halves
from shared.adapters.firestore.writing.places import Places
from shared.model.index import Coverage, IndexChange, IndexStatus, StoredChunk, StoredRecord, Vector


class Index:
    """`shared.ports.index.IndexStore` on Firestore."""

    _connection: Connection
    _corpus: Corpus
    _places: Places

    def read_record(self, tenant_id: str, note_id: str) -> StoredRecord:
        found = self._connection.read(self._connection.name(tenant_id, "index", note_id))
        if found is None:
            return StoredRecord(None, None)
        return StoredRecord(record_of(found), str(Token.of(found)))

    def stored_chunks(self, tenant_id: str, note_id: str) -> tuple[StoredChunk, ...]:
        query = Query(
            collection="chunks",
            where=(Where("noteId", Is.EQUAL, note_id),),
            fields=("position", "textHash", "indexVersion", "noteRevision", "embedded"),
        )
        documents = self._connection.query(self._connection.tenant(tenant_id), query)
        return tuple(
            StoredChunk(
                chunk_id=names.last(document.name),
                text_hash=document.fields["textHash"].string_value,
                index_version=document.fields["indexVersion"].string_value,
                note_revision=document.fields["noteRevision"].string_value,
                has_vector=document.fields["embedded"].boolean_value,
            )
            for document in sorted(documents, key=lambda each: each.fields["position"].integer_value)
        )

    def read_vectors(self, tenant_id: str, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        wanted = [self._connection.name(tenant_id, "chunks", chunk_id) for chunk_id in chunk_ids]
        found = self._connection.lookup(wanted, ("embedding",))
        return {
            names.last(name): vector_of(document.fields["embedding"])
            for name, document in found.items()
            if "embedding" in document.fields
        }

    def apply(self, tenant_id: str, change: IndexChange) -> str | None:
        """One commit where the change weighs no more than `packing.MOST` (some 40 chunks), else several, each guarded
        by the record's update time, which all but the last only move. A worker that another overtakes gets Conflict.
        """
        commits = Commits(self._connection, tenant_id, change)
        try:
            if commits.entered is not None:
                self._places.arriving(tenant_id, commits.entered)
            stamp = self._commit_all(commits)
            if commits.entered is not None:
                self._places.arrived(tenant_id, commits.entered)
            if commits.left is not None:
                self._places.left(tenant_id, commits.left)
        finally:
            self._corpus.forget(tenant_id)
        if change.record is None:
            return None
        return str(
            Token(
                note_id=change.note_id,
                seconds=stamp.seconds,
                nanos=stamp.nanos,
                place=commits.place,
                heaviest=commits.heaviest,
            )
        )

    def _commit_all(self, commits: Commits) -> Any:  # noqa: ANN401
        """The update time of the record. A batch that Firestore finds too big goes in halves."""
        waiting, held = commits.batches(), None
        while True:
            batch, *later = waiting
            writes = [commits.guard(held)] if later else commits.last(held)
            try:
                reply = self._connection.commit([*writes, *batch])
            except CommitTooBig:
                if len(batch) < 2:
                    raise
                waiting = [*halves(batch), *later]
                continue
            stamp = reply.write_results[0].update_time
            if not later:
                return stamp
            waiting, held = later, stamp if stamp.seconds else None

    def coverage(self, tenant_id: str) -> Coverage:
        """By counting on both sides: while deletions are on their way, their records still count among the states."""
        parent = self._connection.tenant(tenant_id)
        queries = [
            Query(collection="notes"),
            *(
                Query(collection="index", where=(Where("status", Is.EQUAL, status.value),))
                for status in (IndexStatus.INDEXED, IndexStatus.PENDING, IndexStatus.FAILED)
            ),
        ]
        notes, indexed, pending, failed = pool().map(partial(self._connection.count, parent), queries)
        missing = max(0, notes - indexed - pending - failed)
        return Coverage(notes=notes, indexed=indexed, pending=pending, failed=failed, missing=missing)
