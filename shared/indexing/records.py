"""An index record -> the record after the next step of the work."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from shared.model.index import IndexRecord, IndexStatus

LEASE = timedelta(seconds=60)
"""How long a worker may be silent before another takes over. One whose embedding call takes longer, retries included,
pays for that batch in vain: its write fails, and the other's stands.
"""

FIRST_RETRY = timedelta(minutes=5)
LAST_RETRY = timedelta(hours=24)


def begun(
    held: IndexRecord | None, revision: str, index_version: str, *, chunk_count: int, now: datetime
) -> IndexRecord:
    """The record of a revision that is being indexed; failed attempts at the same one still count."""
    record = IndexRecord(
        note_revision=revision,
        status=IndexStatus.PENDING,
        chunk_count=chunk_count,
        index_version=index_version,
        indexed_at=now,
    )
    if held is None or (held.note_revision, held.index_version) != (revision, index_version):
        return record
    return replace(record, error=held.error, attempts=held.attempts)


def rejected(revision: str, index_version: str, now: datetime, *, error: str) -> IndexRecord:
    """The note itself is at fault: failed without an attempt."""
    return IndexRecord(
        note_revision=revision,
        status=IndexStatus.FAILED,
        chunk_count=0,
        index_version=index_version,
        indexed_at=now,
        error=error,
    )


def leased(record: IndexRecord, now: datetime) -> IndexRecord:
    """Waiting for vectors that the caller is about to embed."""
    return replace(record, status=IndexStatus.PENDING, indexed_at=now, lease_until=now + LEASE)


def finished(record: IndexRecord, now: datetime) -> IndexRecord:
    """The index holds the whole revision."""
    return replace(record, status=IndexStatus.INDEXED, indexed_at=now, lease_until=None, error=None, attempts=0)


def set_back(record: IndexRecord, now: datetime, *, error: str, status: IndexStatus) -> IndexRecord:
    """An attempt failed: `pending_embeddings` when the model was away, `failed` when it refused."""
    return replace(record, status=status, indexed_at=now, lease_until=None, error=error, attempts=record.attempts + 1)


def is_leased(record: IndexRecord | None, now: datetime) -> bool:
    """Whether another worker may be embedding this note."""
    return record is not None and record.lease_until is not None and now < record.lease_until


def is_due(record: IndexRecord, now: datetime) -> bool:
    """Whether a sweep should take up an unfinished record again.

    A pending one as soon as nobody holds its lease. A failed one five minutes after the first refusal, and after twice
    that time with each further one, up to a day: a key gets mended, a blocked text stays blocked. A record that failed
    without any attempt is never due: the note itself is at fault, and changing it makes a new revision.
    """
    if record.status == IndexStatus.PENDING:
        return not is_leased(record, now)
    if record.attempts == 0:
        return False
    wait = min(FIRST_RETRY * (1 << min(record.attempts - 1, 16)), LAST_RETRY)
    return now >= record.indexed_at + wait
