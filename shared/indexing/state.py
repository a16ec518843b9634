"""A note's key -> the note as it is now, what the index holds of it, and whether the two agree; and an index record ->
the record after the next step of the work.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from shared.errors import NoteUnreadable
from shared.model.index import IndexRecord, IndexStatus, StoredRecord
from shared.model.limits import MAX_TEXT_BYTES
from shared.model.notes import Note, NoteKey
from shared.ports.stores import Store

LEASE = timedelta(seconds=60)
"""How long a worker may be silent before another takes over. One whose embedding call takes longer, retries included,
pays for that batch in vain: its write fails, and the other's is kept.
"""

MIN_RETRY = timedelta(minutes=5)
MAX_RETRY = timedelta(hours=24)


class IndexProblem(StrEnum):
    """What is the matter with a note's index."""

    MISSING = "missing"
    """There is a note and no record."""
    STALE = "stale"
    """The record is of another revision of the note."""
    OUTDATED = "outdated"
    """The record is of another index version: another chunker or embedding model."""
    SUPERSEDED = "superseded"
    """The chunks keep vectors of an index version that nobody asks for any more."""
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


@dataclass(frozen=True, slots=True)
class IndexState:
    """Where a note and its index stand."""

    note: Note | None
    """None: there is none, or none that can be read."""
    revision: str
    """Empty: there is no note."""
    fault: str | None
    """What is wrong with the note, in words its owner can act on; None: nothing."""
    held: StoredRecord
    problem: IndexProblem | None
    """None: note and index agree, as far as the record tells."""


def read_state(key: NoteKey, *, store: Store, index_version: str, keeps: str = "") -> IndexState:
    """Two reads: the record, then the note, so that a record that agrees with the note was not read too late.
    `keeps`: the index version whose vectors chunks keep beside their own; empty: none.
    """
    held = store.read_record(key.tenant_id, key.note_id)
    note, revision, fault = _read_note(key, store)
    problem = _judge(revision, fault, held.record, index_version)
    record = held.record
    if problem is None and record and record.index_version == index_version and record.kept not in ("", keeps):
        problem = IndexProblem.SUPERSEDED
    return IndexState(note=note, revision=revision, fault=fault, held=held, problem=problem)


def revision_now(key: NoteKey, store: Store) -> str:
    """The revision of the note as it is now; empty: there is none. One read."""
    return _read_note(key, store)[1]


def _read_note(key: NoteKey, store: Store) -> tuple[Note | None, str, str | None]:
    try:
        note = store.get_note(key.tenant_id, key.note_id)
    except NoteUnreadable as bad:
        return None, f"unreadable:{bad.field}", bad.message
    if note is None:
        return None, "", None
    size = len(note.text.encode())
    fault = f"text: expected at most {MAX_TEXT_BYTES} bytes, got {size}" if size > MAX_TEXT_BYTES else None
    return note, note_revision(note), fault


def _judge(revision: str, fault: str | None, record: IndexRecord | None, index_version: str) -> IndexProblem | None:
    if not revision:
        return IndexProblem.ORPHANED
    if record is None:
        return IndexProblem.MISSING
    if record.note_revision != revision:
        return IndexProblem.STALE
    if fault is not None:
        is_known = (record.status, record.index_version) == (IndexStatus.FAILED, index_version)
        return IndexProblem.REJECTED if is_known else IndexProblem.STALE
    held, wanted = record.index_version, index_version
    if wanted.endswith(":none:0"):
        # Without an embedder, vectors of any model are better than none: only another chunker makes them outdated.
        held, wanted = held.partition(":")[0], wanted.partition(":")[0]
    if held != wanted:
        return IndexProblem.OUTDATED
    return {IndexStatus.PENDING: IndexProblem.PENDING, IndexStatus.FAILED: IndexProblem.FAILED}.get(record.status)


def note_revision(note: Note) -> str:
    """16 hex digits that change exactly when the note's chunks could: with its title, text, vault, path, tags,
    creation time or language. `updated_at` is left out, so saving the same content again is no new revision.
    """
    created = note.created_at.astimezone(UTC).isoformat()
    content = [note.title, note.text, note.vault, note.path, note.tags, created, note.lang]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


def begun(
    held: IndexRecord | None, revision: str, index_version: str, *, chunk_count: int, now: datetime
) -> IndexRecord:
    """The record of a revision that is being indexed; failed attempts at the same one still count."""
    record = IndexRecord(revision, IndexStatus.PENDING, chunk_count, index_version=index_version, indexed_at=now)
    if held is None or (held.note_revision, held.index_version) != (revision, index_version):
        return record
    return replace(record, error=held.error, attempts=held.attempts)


def leased(record: IndexRecord, now: datetime) -> IndexRecord:
    """Waiting for vectors that the caller is about to embed."""
    return replace(record, status=IndexStatus.PENDING, indexed_at=now, lease_until=now + LEASE)


def finished(record: IndexRecord, now: datetime, index_version: str) -> IndexRecord:
    """The index holds the whole revision."""
    done = replace(record, status=IndexStatus.INDEXED, index_version=index_version, indexed_at=now, lease_until=None)
    return replace(done, error=None, attempts=0)


def set_back(record: IndexRecord, now: datetime, *, error: str, status: IndexStatus) -> IndexRecord:
    """An attempt failed: `pending_embeddings` when the model was away, `failed` when it refused."""
    return replace(record, status=status, indexed_at=now, lease_until=None, error=error, attempts=record.attempts + 1)


def is_leased(record: IndexRecord | None, now: datetime) -> bool:
    """Whether another worker may be embedding this note."""
    return record is not None and record.lease_until is not None and now < record.lease_until


def is_due(record: IndexRecord, now: datetime) -> bool:
    """Whether a sweep should take up an unfinished record again.

    A pending one as soon as no worker holds its lease. A failed one five minutes after the first refusal, and
    after twice that time with each further one, up to a day: a key gets mended, a blocked text stays blocked. A
    record that failed without any attempt is never due: the note itself is at fault, and changing it makes a new
    revision.
    """
    if record.status == IndexStatus.PENDING:
        return not is_leased(record, now)
    if record.attempts == 0:
        return False
    wait = min(MIN_RETRY * (1 << min(record.attempts - 1, 16)), MAX_RETRY)
    return now >= record.indexed_at + wait
