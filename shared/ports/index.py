"""The index: as saving, sweeping and searching need it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from shared.model.index import Coverage, IndexChange, IndexedChunk, IndexRecord, StoredChunk, StoredRecord, Vector
from shared.model.notes import NoteKey
from shared.model.retrieval import CorpusStats, Neighbour, Restriction
from shared.ports.pages import Page


class IndexStore(Protocol):
    """The index of the notes, as the indexer sees it."""

    def read_record(self, tenant_id: str, note_id: str) -> StoredRecord: ...

    def stored_chunks(self, tenant_id: str, note_id: str) -> tuple[StoredChunk, ...]:
        """Every chunk stored for the note, by position, whatever revision."""
        ...

    def read_vectors(self, tenant_id: str, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        """Of those that exist and have one."""
        ...

    def apply(self, tenant_id: str, change: IndexChange) -> str | None:
        """The record's new token (None if removed). Raises Conflict when the record moved, having changed nothing
        that a reader who compares revisions could see.
        """
        ...

    def coverage(self, tenant_id: str) -> Coverage: ...


class SweepStore(Protocol):
    """Enumerations across all tenants, for reconcile. Cursors are opaque and stay valid while data changes."""

    def note_keys(
        self, *, limit: int, cursor: str | None = None, changed_since: datetime | None = None
    ) -> Page[NoteKey]:
        """Keys of notes; with `changed_since` only those whose `updatedAt` is not older."""
        ...

    def record_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        """Keys of index records, whether or not their note still exists."""
        ...

    def unfinished_keys(self, *, limit: int) -> tuple[NoteKey, ...]:
        """Keys of records whose status is not `indexed`: those that wait for vectors, then failed ones, each oldest
        `indexed_at` first. However many have failed for good, none that waits is left out for them.
        """
        ...

    def orphan_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        """Note ids that have chunks and no index record. Cheap when there are none."""
        ...

    def read_bookmark(self, name: str) -> str | None:
        """A small text kept between reconcile calls."""
        ...

    def write_bookmark(self, name: str, value: str | None) -> None: ...


class SearchStore(Protocol):
    """The index as retrieval sees it. `restriction` is obeyed strictly by every method that takes it; a store that
    cannot search by all of it looks at a bounded number of chunks and may bring fewer than there are.

    Returned chunks carry in `terms` only the counts of the `stems` given. Chunks of a half-written
    revision may come back: callers compare `note_revision` with `live_records`.
    """

    def nearest(
        self,
        tenant_id: str,
        vector: Vector,
        *,
        limit: int,
        stems: Sequence[str],
        restriction: Restriction,
        index_version: str,
    ) -> tuple[Neighbour, ...]:
        """The chunks of this index version with the greatest cosine, best first."""
        ...

    def postings(
        self, tenant_id: str, stem: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        """At most `limit` chunks that contain `stem`: all if no more contain it, else the newest by `created_at`.

        A store may look for a restriction's scopes among the `limit` newest of the stem only.
        """
        ...

    def recent(
        self, tenant_id: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        """The newest chunks by `created_at`, newest first."""
        ...

    def document_frequencies(self, tenant_id: str, stems: Sequence[str]) -> Mapping[str, int]:
        """In how many of the tenant's chunks each stem stands."""
        ...

    def stats(self, tenant_id: str) -> CorpusStats: ...

    def read_vectors(self, tenant_id: str, chunk_ids: Sequence[str]) -> Mapping[str, Vector]: ...

    def note_chunks(self, tenant_id: str, note_id: str, *, stems: Sequence[str]) -> tuple[IndexedChunk, ...]:
        """Every chunk stored for the note, by position, whatever revision."""
        ...

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        """Records of those notes that still exist: what is not in here must not be cited."""
        ...
