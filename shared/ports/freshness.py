"""Compares what was read of a note with the note as it is now.

The index follows a saved note after a moment; a deleted note has no live record from the moment of its deletion. If
that moment matters, read the note itself (`shared.indexing.state.revision_now`) and compare by `compare`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import Enum, auto
from typing import TypeAlias

from shared.model.index import IndexedChunk, IndexRecord
from shared.ports.stores import ConversationStore, SearchStore

NoteRevision: TypeAlias = tuple[str, str]
"""Id of a note and the revision of it that was read."""


class Freshness(Enum):
    """State of a note since it was read."""

    CURRENT = auto()
    EDITED = auto()
    DELETED = auto()


def compare(revision: str, current_revision: str | None) -> Freshness:
    """Compares the revision that was read with the note's own; None if the note does not exist."""
    if current_revision is None:
        return Freshness.DELETED
    if current_revision == revision:
        return Freshness.CURRENT
    return Freshness.EDITED


def freshness(revision: str, record: IndexRecord | None) -> Freshness:
    """Compares the revision that was read with the note's live record; None if the note does not exist."""
    current_revision = None
    if record is not None:
        current_revision = record.note_revision
    return compare(revision, current_revision)


def current(
    store: SearchStore | ConversationStore,
    tenant_id: str,
    revisions: Collection[NoteRevision],
) -> Mapping[NoteRevision, Freshness]:
    """Returns the state of each note since its revision was read. Reads each note's record once."""
    note_ids = sorted({note_id for note_id, _ in revisions})
    if not note_ids:
        return {}
    records = store.live_records(tenant_id, note_ids)
    states = {}
    for note_id, revision in revisions:
        states[note_id, revision] = freshness(revision, records.get(note_id))
    return states


def revision_of(chunk: IndexedChunk) -> NoteRevision:
    """Returns the note's revision that the chunk belongs to."""
    return chunk.note_id, chunk.note_revision


def current_chunks(
    store: SearchStore,
    tenant_id: str,
    chunks: Collection[IndexedChunk],
) -> tuple[IndexedChunk, ...]:
    """Returns the chunks that belong to their notes as they are now. Reads each note's record once."""
    states = current(store, tenant_id, [revision_of(chunk) for chunk in chunks])
    return tuple(chunk for chunk in chunks if states[revision_of(chunk)] is Freshness.CURRENT)
