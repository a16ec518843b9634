"""A search that found nothing -> why."""

from __future__ import annotations

from typing import Protocol

from shared.model.notes import ListedNote
from shared.model.retrieval import RefusalReason, Restriction
from shared.ports.index import SearchStore
from shared.ports.pages import Page
from shared.retrieval.candidates.pool import Pool


class NotesAndIndex(SearchStore, Protocol):
    """The index, and whether there are notes behind it."""

    def list_notes(
        self, tenant_id: str, *, limit: int, token: str | None = None, vault: str | None = None
    ) -> Page[ListedNote]: ...


def why_nothing(pool: Pool, restriction: Restriction, *, tenant_id: str, store: NotesAndIndex) -> RefusalReason:
    """The reason that nothing was found in `restriction`, whatever the threshold. Costs a read or two."""
    if pool.candidates:
        return _why_none_holds(pool, tenant_id, store)
    if pool.stats.chunk_count == 0:
        has_notes = store.list_notes(tenant_id, limit=1).items
        return RefusalReason.INDEX_PENDING if has_notes else RefusalReason.NO_NOTES
    if restriction.created is not None:
        anytime = Restriction(scopes=restriction.scopes)
        if store.recent(tenant_id, limit=1, stems=(), restriction=anytime):
            return RefusalReason.TIME_RANGE_EMPTY
    return RefusalReason.NO_CANDIDATES


def _why_none_holds(pool: Pool, tenant_id: str, store: SearchStore) -> RefusalReason:
    """Candidates were there, but none is related to the question or none is of its note's current revision."""
    live = store.live_records(tenant_id, sorted({candidate.chunk.note_id for candidate in pool.candidates}))
    chunks = [candidate.chunk for candidate in pool.candidates]
    rewritten = any(
        chunk.note_id in live and live[chunk.note_id].note_revision != chunk.note_revision for chunk in chunks
    )
    return RefusalReason.INDEX_PENDING if rewritten else RefusalReason.NO_CANDIDATES
