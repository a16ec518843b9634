"""A note's key -> the note as it is now, what the index holds of it, and whether the two agree."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from shared.errors import NoteUnreadable
from shared.indexing.revision import note_revision
from shared.model.index import IndexRecord, IndexStatus, StoredRecord
from shared.model.limits import MOST_TEXT_BYTES
from shared.model.notes import Note, NoteKey
from shared.ports.stores import Store


class Finding(StrEnum):
    """What is the matter with a note's index."""

    MISSING = "missing"
    """There is a note and no record."""
    STALE = "stale"
    """The record is of another revision of the note."""
    OUTDATED = "outdated"
    """The record is of another index version: another chunker or embedding model."""
    PENDING = "pending"
    """Chunks wait for vectors."""
    FAILED = "failed"
    """The model refused this revision."""
    REJECTED = "rejected"
    """The note itself cannot be indexed; recorded, and nothing to do until somebody changes it."""
    ORPHANED = "orphaned"
    """There is no note; a record or chunks may be left of one."""


WAITING_FOR_VECTORS = (Finding.PENDING, Finding.OUTDATED, Finding.FAILED)
"""Of notes that keywords find: all that can be done for them is to embed."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a note and its index stand."""

    note: Note | None
    """None: there is none, or none that can be read."""
    revision: str
    """Empty: there is no note."""
    fault: str | None
    """What is wrong with the note, in words its owner can act on; None: nothing."""
    held: StoredRecord
    finding: Finding | None
    """None: note and index agree, as far as the record tells."""

    @property
    def chunk_count(self) -> int:
        """How many chunks the record counts."""
        return self.held.record.chunk_count if self.held.record else 0


def read_standing(key: NoteKey, *, store: Store, index_version: str) -> Standing:
    """Two reads: the record, then the note, so that a record that agrees with the note was not read too late."""
    held = store.read_record(key.tenant_id, key.note_id)
    note, revision, fault = _read_note(key, store)
    return Standing(
        note=note,
        revision=revision,
        fault=fault,
        held=held,
        finding=_judge(revision, fault, held.record, index_version),
    )


def revision_now(key: NoteKey, store: Store) -> str:
    """Of the note as it is, whatever the index holds of it; empty: there is none. One read."""
    return _read_note(key, store)[1]


def _read_note(key: NoteKey, store: Store) -> tuple[Note | None, str, str | None]:
    try:
        note = store.get_note(key.tenant_id, key.note_id)
    except NoteUnreadable as bad:
        return None, f"unreadable:{bad.field}", bad.message
    if note is None:
        return None, "", None
    size = len(note.text.encode())
    fault = f"text: expected at most {MOST_TEXT_BYTES} bytes, got {size}" if size > MOST_TEXT_BYTES else None
    return note, note_revision(note), fault


def _judge(revision: str, fault: str | None, record: IndexRecord | None, index_version: str) -> Finding | None:
    if not revision:
        return Finding.ORPHANED
    if record is None:
        return Finding.MISSING
    if record.note_revision != revision:
        return Finding.STALE
    if fault is not None:
        return Finding.REJECTED if record.status == IndexStatus.FAILED else Finding.STALE
    if _is_outdated(record.index_version, index_version):
        return Finding.OUTDATED
    return {IndexStatus.PENDING: Finding.PENDING, IndexStatus.FAILED: Finding.FAILED}.get(record.status)


def _is_outdated(held: str, wanted: str) -> bool:
    """Without an embedder, vectors of any model are better than none: only another chunker makes them outdated."""
    if wanted.endswith(":none:0"):
        return held.partition(":")[0] != wanted.partition(":")[0]
    return held != wanted
