"""An index record -> the record after the next step of the work: leases, attempts, and when a sweep takes it up.

    claimed              a worker begins; it holds a lease, and its attempt is counted
    awaiting_vectors     the words are stored; the vectors wait for another worker
    leased               the words are stored; this worker embeds, and renews its lease with each batch
    finished             the index holds everything
    postponed            the model is unavailable, or the budget for embedding is used up
    refused              the model or the store refused the note
    at_fault             the note itself cannot be indexed
    waiting_for_budget   the index may write nothing more today

`work` names a revision and an index version (`work_of`): attempts at other work say nothing about it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from shared.model.clocks import is_ahead, is_running
from shared.model.index import IndexRecord, IndexStatus

LEASE = timedelta(seconds=60)
"""Silence after which a worker counts as dead and another takes over. One whose embedding call takes
longer, retries included, pays for that batch in vain: its write fails, and the other's is kept.
"""

MIN_RETRY = timedelta(minutes=5)
MAX_RETRY = timedelta(hours=24)
MAX_WAIT = MAX_RETRY + LEASE
"""Longest time that a record waits: one that is due later was written by a clock that was ahead."""
MAX_DOUBLINGS = 16
"""Doublings of MIN_RETRY that are computed: fewer already exceed MAX_RETRY."""


# -- Transitions


def claimed(record: IndexRecord | None, work: str, *, now: datetime) -> IndexRecord:
    """Returns the record of a note that one worker begins with. It names what the index holds until that changes.

    The attempt is counted here, before the note is cut: whatever kills the worker counts.
    """
    attempts = attempts_at(record, work)
    error = None
    if record is not None and attempts:
        error = record.error
    if is_leased(record, now):
        attempts = max(0, attempts - 1)  # its worker is overtaken, and not dead
    elif is_suspect(record, work, now):
        error = f"indexing this note has ended its worker ({attempts} times)"
    record = replace(
        record or _empty(now),
        attempts=attempts + 1,
        attempted=work,
        error=error,
    )
    return leased(record, now)


def awaiting_vectors(
    record: IndexRecord,
    revision: str,
    index_version: str,
    *,
    chunk_count: int,
    now: datetime,
) -> IndexRecord:
    """Returns the record of a revision whose words the index holds, and whose vectors wait for another worker.

    The attempt has ended well. `index_version`: the one by whose vectors the chunks are found meanwhile.
    """
    return replace(
        record,
        note_revision=revision,
        status=IndexStatus.PENDING,
        chunk_count=chunk_count,
        index_version=index_version,
        indexed_at=now,
        lease_until=None,
        attempts=max(0, record.attempts - 1),
        due_at=now,
    )


def leased(record: IndexRecord, now: datetime) -> IndexRecord:
    """Returns the record of a note that its worker may hold for another LEASE.

    If the worker dies, a note whose last attempt failed waits longer.
    """
    lease_until = now + LEASE
    due_at = lease_until
    if record.attempts > 1:
        due_at += _back_off(record.attempts - 1)
    return replace(
        record,
        status=IndexStatus.PENDING,
        indexed_at=now,
        lease_until=lease_until,
        due_at=due_at,
    )


def finished(record: IndexRecord, now: datetime, index_version: str) -> IndexRecord:
    """Returns the record of a revision that the index holds whole."""
    return replace(
        record,
        status=IndexStatus.INDEXED,
        index_version=index_version,
        indexed_at=now,
        lease_until=None,
        error=None,
        attempts=0,
        attempted="",
        due_at=None,
    )


def postponed(
    record: IndexRecord,
    now: datetime,
    *,
    error: str,
    due_at: datetime | None = None,
) -> IndexRecord:
    """Returns the record of a note that waits for vectors until `due_at`, or with None until the model is available
    again.

    An outage does not count as an attempt.
    """
    return replace(
        record,
        status=IndexStatus.PENDING,
        indexed_at=now,
        lease_until=None,
        error=error,
        attempts=max(0, record.attempts - 1),
        due_at=due_at or now,
    )


def refused(record: IndexRecord, now: datetime, *, error: str) -> IndexRecord:
    """Returns the record of a revision that the model, or the store, refused once more."""
    attempts = record.attempts
    if record.lease_until is None:  # nobody has counted this one
        attempts += 1
    return replace(
        record,
        status=IndexStatus.FAILED,
        indexed_at=now,
        lease_until=None,
        error=error,
        attempts=attempts,
        due_at=now + _back_off(attempts),
    )


def at_fault(revision: str, index_version: str, now: datetime, *, error: str) -> IndexRecord:
    """Returns the record of a note that cannot be indexed.

    Nothing is tried, and it is never due, until somebody changes the note.
    """
    return IndexRecord(
        note_revision=revision,
        status=IndexStatus.FAILED,
        chunk_count=0,
        index_version=index_version,
        indexed_at=now,
        error=error,
    )


def waiting_for_budget(
    record: IndexRecord | None,
    work: str,
    *,
    now: datetime,
    due_at: datetime,
    error: str,
) -> IndexRecord:
    """Returns the record of a note that is not indexed before `due_at`.

    It names the revision that the index still holds, so that this one is found until then; none was tried.
    """
    attempts = attempts_at(record, work)
    stays_suspect = is_suspect(record, work, now)
    if record is None:
        record = _empty(now)
    elif record.error == error and record.due_at is not None and now < record.due_at:
        return record
    lease_until = None
    if stays_suspect:
        lease_until = record.lease_until  # nobody has tried it since
    elif record.lease_until is not None:
        attempts = max(0, attempts - 1)
    return replace(
        record,
        status=IndexStatus.PENDING,
        error=error,
        lease_until=lease_until,
        attempts=attempts,
        attempted=work,
        due_at=due_at,
    )


def _empty(now: datetime) -> IndexRecord:
    """Returns the record of a note that has nothing in the index."""
    return IndexRecord("", IndexStatus.PENDING, 0, index_version="", indexed_at=now)


# -- Questions about a record


def work_of(revision: str, index_version: str) -> str:
    """Names the work of indexing this revision by this version."""
    return f"{revision} {index_version}"


def attempts_at(record: IndexRecord | None, work: str) -> int:
    """Counts the attempts at this work that have not ended well."""
    if record is None:
        return 0
    attempted = record.attempted or work_of(record.note_revision, record.index_version)
    if attempted != work:
        return 0
    return record.attempts


def lacks_words(record: IndexRecord) -> bool:
    """Reports whether the index does not hold the words of the revision that was tried, or waits, to be indexed."""
    return bool(record.attempted) and not record.attempted.startswith(f"{record.note_revision} ")


def is_leased(record: IndexRecord | None, now: datetime) -> bool:
    """Reports whether another worker may be at this note."""
    return record is not None and is_running(record.lease_until, now, length=LEASE)


def is_suspect(record: IndexRecord | None, work: str, now: datetime) -> bool:
    """Reports whether a worker died at this work: its lease has run out and nobody has taken it away."""
    if record is None or record.lease_until is None or is_leased(record, now):
        return False
    return attempts_at(record, work) > 0


def when_due(record: IndexRecord) -> datetime | None:
    """Returns when a sweep takes up the record again, or None for never.

    A pending one at once when nobody holds its lease. A refused one five minutes after the first refusal, and after
    twice that time with each further one, up to a day: a blocked text stays blocked. One that failed without any
    attempt never: the note itself is at fault, and changing it makes a new revision.
    """
    if record.status is IndexStatus.INDEXED or record.due_at is not None:
        return record.due_at
    # Written before records had the field `due_at`.
    if record.status is IndexStatus.PENDING:
        return record.lease_until or record.indexed_at
    if record.attempts:
        return record.indexed_at + _back_off(record.attempts)
    return None


def is_due(record: IndexRecord, now: datetime) -> bool:
    """Reports whether a sweep should take up an unfinished record now."""
    due_at = when_due(record)
    if due_at is None or is_leased(record, now):
        return False
    return now >= due_at or is_ahead(due_at - MAX_WAIT, now)


def _back_off(attempts: int) -> timedelta:
    doublings = min(attempts - 1, MAX_DOUBLINGS)
    return min(MIN_RETRY * (1 << doublings), MAX_RETRY)
