"""A note's key -> the note as it is now, its index record, and whether the two agree."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from shared.errors import NoteUnreadable
from shared.indexing.records import attempts_at, is_due, is_suspect, work_of
from shared.indexing.versions import NO_EMBEDDER
from shared.model.index import IndexRecord, IndexStatus, StoredRecord
from shared.model.limits import MAX_TEXT_BYTES
from shared.model.notes import Note, NoteKey
from shared.ports.stores import Store


class IndexProblem(StrEnum):
    """Problem of a note's index."""

    MISSING = "missing"
    """There is a note and no record."""
    STALE = "stale"
    """The record is of another revision of the note."""
    OUTDATED = "outdated"
    """The record is of another index version: another chunker or embedding model."""
    SUPERSEDED = "superseded"
    """The chunks hold second vectors of an index version that nobody asks for any more."""
    PENDING = "pending"
    """Chunks wait for vectors."""
    FAILED = "failed"
    """The model refused this revision."""
    REJECTED = "rejected"
    """The note itself cannot be indexed; recorded, and nothing to do until somebody changes it."""
    ORPHANED = "orphaned"
    """There is no note; a record or chunks may be left of one."""


WAITING_FOR_VECTORS = (IndexProblem.PENDING, IndexProblem.OUTDATED, IndexProblem.FAILED)
"""Problems of notes that keywords find: all that can be done for them is to embed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexState:
    """State of a note and its index."""

    note: Note | None
    """The note; None if there is no readable note."""
    revision: str
    """Revision of the note; empty if there is no note."""
    fault: str | None
    """Fault of the note, in words that help its owner to repair it; None if it has none."""
    stored: StoredRecord
    """The record and its token, as read before the note."""
    problem: IndexProblem | None
    """Problem of the index; None if the record agrees with the note."""
    index_version: str
    """The one that the index should be of."""

    @property
    def record(self) -> IndexRecord | None:
        """The stored record; None if there is no record."""
        return self.stored.record

    @property
    def work(self) -> str:
        """Name of the work of indexing the note as it is now."""
        return work_of(self.revision, self.index_version)

    @property
    def bytes_to_index(self) -> int:
        """Bytes of the text that is to be indexed; 0 if there is nothing to index."""
        if self.note is None or self.fault is not None or self.problem is None:
            return 0
        return len(self.note.text.encode())

    @property
    def deaths(self) -> int:
        """Attempts at this work that have not ended well; of a suspect, mostly deaths of its workers."""
        return attempts_at(self.record, self.work)

    def is_suspect(self, now: datetime) -> bool:
        """Reports whether a worker died at indexing what the note says now."""
        return is_suspect(self.record, self.work, now)

    def is_put_off(self, now: datetime) -> bool:
        """Reports whether this work has been tried, or must wait, and is not due again."""
        record = self.record
        if record is None or is_due(record, now):
            return False
        if self.problem in (IndexProblem.PENDING, IndexProblem.FAILED):
            return True
        return record.attempted == self.work


def read_state(
    key: NoteKey,
    *,
    store: Store,
    index_version: str,
    second_version: str = "",
) -> IndexState:
    """Reads the state of a note and its index.

    Two reads: the record, then the note, so that a record that agrees with the note was not read too late.
    `second_version`: index version by which chunks hold second vectors; empty: none.
    """
    stored = store.read_record(key.tenant_id, key.note_id)
    note, revision, fault = _read_note(key, store)
    problem = _problem_of(
        stored.record,
        revision=revision,
        fault=fault,
        index_version=index_version,
        second_version=second_version,
    )
    return IndexState(
        note=note,
        revision=revision,
        fault=fault,
        stored=stored,
        problem=problem,
        index_version=index_version,
    )


def revision_now(key: NoteKey, store: Store) -> str:
    """Returns the current revision of the note; empty if there is no note. Takes one read."""
    _, revision, _ = _read_note(key, store)
    return revision


def _read_note(key: NoteKey, store: Store) -> tuple[Note | None, str, str | None]:
    """Returns the note, its revision, and its fault."""
    try:
        note = store.get_note(key.tenant_id, key.note_id)
    except NoteUnreadable as problem:
        revision = f"unreadable:{problem.field}"
        return None, revision, problem.message
    if note is None:
        return None, "", None
    fault = None
    size = len(note.text.encode())
    if size > MAX_TEXT_BYTES:
        fault = f"text: expected at most {MAX_TEXT_BYTES} bytes, got {size}"
    return note, note_revision(note), fault


def _problem_of(
    record: IndexRecord | None,
    *,
    revision: str,
    fault: str | None,
    index_version: str,
    second_version: str,
) -> IndexProblem | None:
    if not revision:
        return IndexProblem.ORPHANED
    if record is None:
        return IndexProblem.MISSING
    if record.note_revision != revision:
        return IndexProblem.STALE
    if fault is not None:
        if record.status is IndexStatus.FAILED and record.index_version == index_version:
            return IndexProblem.REJECTED
        return IndexProblem.STALE
    if _is_outdated(record.index_version, index_version):
        return IndexProblem.OUTDATED
    if record.status is IndexStatus.PENDING:
        return IndexProblem.PENDING
    if record.status is IndexStatus.FAILED:
        return IndexProblem.FAILED
    has_second_vectors = record.second_version not in ("", second_version)
    if has_second_vectors and record.index_version == index_version:
        return IndexProblem.SUPERSEDED
    return None


def _is_outdated(stored_version: str, index_version: str) -> bool:
    if index_version.endswith(NO_EMBEDDER):
        # Without an embedder, vectors of any model are better than none: only another chunker makes them outdated.
        return stored_version.partition(":")[0] != index_version.partition(":")[0]
    return stored_version != index_version


def note_revision(note: Note) -> str:
    """Returns 16 hex digits that change exactly when the note's chunks could.

    That is with its title, text, vault, path, tags, creation time or language. `updated_at` is left out, so saving
    the same content again is no new revision.
    """
    created_at = note.created_at.astimezone(UTC)
    content = json.dumps(
        [
            note.title,
            note.text,
            note.vault,
            note.path,
            note.tags,
            created_at.isoformat(),
            note.lang,
        ],
    )
    digest = hashlib.sha256(content.encode()).hexdigest()
    return digest[:16]
