"""Measures how far the index has followed a tenant's notes, or one of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shared.errors import NotFound
from shared.indexing.state import note_revision
from shared.model.index import Coverage, IndexStatus, NoteState
from shared.model.notes import NoteKey
from shared.ports.freshness import Freshness, freshness
from shared.ports.stores import Store

if TYPE_CHECKING:  # counting needs no indexer
    from shared.indexing.pipeline import Indexer

LATEST = 500
"""Notes changed last that are compared with their records."""
LATEST_BILLED = 20
"""Limit instead of LATEST where each costs three billed reads."""


def measure_coverage(
    store: Store,
    tenant_id: str,
    *,
    index_version: str,
    previous_version: str | None = None,
) -> Coverage:
    """Counts a tenant's notes by the state of their index.

    A note counts as indexed while the index holds what it says now, as far as the notes changed last tell.

    previous_version: index version of the previous model while the model changes; None if it does not.
    """
    coverage = store.coverage(tenant_id)
    outdated = store.count_outdated(tenant_id, index_version)
    stale = min(_count_stale(tenant_id, store), coverage.indexed)
    searched_version = index_version
    if previous_version is not None and outdated:
        searched_version = previous_version
    return replace(
        coverage,
        indexed=coverage.indexed - stale,
        stale=stale,
        outdated=outdated,
        index_version=index_version,
        searched_version=searched_version,
    )


def _count_stale(tenant_id: str, store: Store) -> int:
    """Counts those of the most recently changed notes that are indexed as they were before the change."""
    limit = LATEST
    if store.bills_reads:
        limit = LATEST_BILLED
    notes = store.latest_notes(tenant_id, limit=limit)
    if not notes:
        return 0
    records = store.live_records(tenant_id, [note.note_id for note in notes])
    stale = 0
    for note in notes:
        record = records.get(note.note_id)
        if record is None or record.status is not IndexStatus.INDEXED:
            continue
        if freshness(note_revision(note), record) is Freshness.EDITED:
            stale += 1
    return stale


def read_note_state(indexer: Indexer, key: NoteKey) -> NoteState:
    """Returns how far the index has followed a note. Raises NotFound if there is no such note."""
    state = indexer.state(key)
    if not state.revision:
        raise NotFound(f"no note {key.note_id!r}")
    is_current = freshness(state.revision, state.record) is Freshness.CURRENT
    return NoteState(state.record, current=is_current)
