"""Compares what was read of a note with the note's index record as it is now.

The index follows a saved note after a moment; a deleted note has no live record from the moment of its deletion.
Where that moment matters, read the note itself (`shared.indexing.state.revision_now`).
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum, auto

from shared.model.index import IndexedChunk, IndexRecord
from shared.ports.stores import SearchStore


class Freshness(Enum):
    """State of a note since it was read."""

    CURRENT = auto()
    EDITED = auto()
    DELETED = auto()


def freshness(revision: str, record: IndexRecord | None) -> Freshness:
    """Compares the revision that was read with the note's live record; None: the note does not exist."""
    if record is None:
        return Freshness.DELETED
    if record.note_revision == revision:
        return Freshness.CURRENT
    return Freshness.EDITED


def is_current(chunk: IndexedChunk, record: IndexRecord | None) -> bool:
    """Reports whether a chunk belongs to its note as it is now."""
    return freshness(chunk.note_revision, record) is Freshness.CURRENT


def current_chunks(
    store: SearchStore, tenant_id: str, chunks: Collection[IndexedChunk]
) -> tuple[IndexedChunk, ...]:
    """Returns the chunks that belong to their notes as they are now. Reads each note's record once."""
    if not chunks:
        return ()
    note_ids = sorted({chunk.note_id for chunk in chunks})
    records = store.live_records(tenant_id, note_ids)
    return tuple(chunk for chunk in chunks if is_current(chunk, records.get(chunk.note_id)))
