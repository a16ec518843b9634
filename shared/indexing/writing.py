"""Writes a note's index: each write expects the record as the last one left it, and is counted by the budget."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from shared.errors import Conflict
from shared.indexing.diff import Changes, WantedChunk, WantedNote
from shared.model.index import (
    ChunkPut,
    IndexChange,
    IndexRecord,
    IndexWrites,
    LazyCollection,
    Vector,
)
from shared.model.notes import NoteKey
from shared.ports.budgets import WriteBudget
from shared.ports.stores import Store


class _Unlimited:
    """`WriteBudget` without limit or price."""

    def check(self, tenant_id: str) -> None:
        pass

    def reserved(self, tenant_id: str, most: IndexWrites) -> AbstractContextManager[IndexWrites]:  # noqa: ARG002
        return nullcontext(IndexWrites())

    def add(self, tenant_id: str, made: IndexWrites) -> None:
        pass


UNLIMITED: WriteBudget = _Unlimited()


class NoteWriter:
    """Writes the index of a note that exists, one step after the other."""

    def __init__(
        self,
        store: Store,
        key: NoteKey,
        *,
        token: str | None,
        counted: IndexWrites,
    ) -> None:
        """Makes a writer.

        token: token of the record that the first step expects.
        counted: counts to which written documents are added.
        """
        self._store = store
        self._key = key
        self._token = token
        self._counted = counted

    def write_chunks(
        self,
        record: IndexRecord,
        wanted: WantedNote,
        changes: Changes,
        *,
        index_version: str,
        second_version: str,
    ) -> None:
        """Brings the stored chunks to the wanted ones, and the record to `record`.

        The words of a chunk are counted when the store reads it. Raises Conflict, also if a vector that is to be
        reused has gone.
        """
        vectors = self._stored_vectors(changes.reuse, index_version)
        second_vectors = self._stored_vectors(changes.reuse_second, second_version)

        def put(chunk: WantedChunk) -> ChunkPut:
            second_vector = None
            if chunk.chunk_id in second_vectors:
                second_vector = (second_version, second_vectors[chunk.chunk_id])
            return ChunkPut(wanted.indexed(chunk), vectors.get(chunk.chunk_id), second_vector)

        change = IndexChange(
            self._key.note_id,
            self._token,
            record,
            put=LazyCollection(changes.put, put),
            patch=LazyCollection(changes.patch, wanted.indexed),
            remove=changes.remove,
            needs_note=True,
        )
        self._apply(change)

    def write_record(
        self,
        record: IndexRecord,
        *,
        vectors: Sequence[tuple[str, Vector]] = (),
    ) -> None:
        """Writes the record, and before it vectors (chunk id, vector) into stored chunks. Raises Conflict."""
        change = IndexChange(
            self._key.note_id,
            self._token,
            record,
            vectors=tuple(vectors),
            needs_note=True,
        )
        self._apply(change)

    def _apply(self, change: IndexChange) -> None:
        self._token = self._store.apply(self._key.tenant_id, change, counted=self._counted)

    def _stored_vectors(self, donors: Mapping[str, str], version: str) -> Mapping[str, Vector]:
        """Returns chunk id -> the vector by `version` of the stored chunk that `donors` names. Raises Conflict."""
        if not donors:
            return {}
        donor_ids = sorted(set(donors.values()))
        vectors = self._store.read_vectors(self._key.tenant_id, donor_ids, version)
        if len(vectors) < len(donor_ids):
            raise Conflict("a stored vector went before it could be reused")
        return {chunk_id: vectors[donor_id] for chunk_id, donor_id in donors.items()}


COMMIT = 20
"""Chunks that a store writes in one commit, or more. Each commit writes the record too."""
FOLDERS = 6
"""Documents that a store writes beside a note's own where it comes to a folder and leaves another."""


def most_writes(
    changes: Changes,
    waiting_texts: Mapping[str, Sequence[str]],
    batch_size: int,
) -> IndexWrites:
    """Returns how many documents the changes write at most after the claim, and then the vectors of the texts.

    waiting_texts: text to embed -> ids of the chunks that share it.
    """
    removed = len(changes.remove)
    chunks = len(changes.put) + len(changes.patch)
    writes = chunks + math.ceil((chunks + removed) / COMMIT) + 1 + FOLDERS
    if waiting_texts:
        # Each batch writes the record, and each vector its chunk.
        vectors = sum(map(len, waiting_texts.values()))
        writes += vectors + math.ceil(vectors / COMMIT)
        writes += math.ceil(len(waiting_texts) / batch_size)
    return IndexWrites(writes=writes, deletes=removed + 1)


@dataclass(frozen=True, slots=True)
class SmallWrites:
    """Changes that no budget refuses: of a record alone, and removals. They are counted all the same."""

    store: Store
    budget: WriteBudget

    def write_record(
        self,
        key: NoteKey,
        record: IndexRecord,
        *,
        expected: str | None,
        needs_note: bool,
    ) -> str | None:
        """Writes a record and returns its token. Raises Conflict.

        expected: token of the record that was read.
        """
        return self._apply(key, IndexChange(key.note_id, expected, record, needs_note=needs_note))

    def clear(self, key: NoteKey, *, expected: str | None, record: IndexRecord | None) -> bool:
        """Removes every chunk of the note and leaves `record`; with None it leaves no record.

        Returns False if there was nothing to do. Raises Conflict if the record has changed since it was read.
        """
        stored_chunks = self.store.stored_chunks(key.tenant_id, key.note_id)
        if not stored_chunks and expected is None and record is None:
            return False
        change = IndexChange(
            key.note_id,
            expected,
            record,
            remove=tuple([chunk.chunk_id for chunk in stored_chunks]),
            needs_note=record is not None,
        )
        self._apply(key, change)
        return True

    def _apply(self, key: NoteKey, change: IndexChange) -> str | None:
        counted = IndexWrites()
        try:
            return self.store.apply(key.tenant_id, change, counted=counted)
        finally:
            if counted != IndexWrites():
                self.budget.add(key.tenant_id, counted)
