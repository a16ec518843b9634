"""When an unfinished note is taken up again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from shared.indexing.state import begun, is_due, is_leased, leased
from shared.model.index import IndexRecord, IndexStatus
from tests.indexing.world import START

PENDING = IndexRecord("r1", IndexStatus.PENDING, 3, "c:m:4", START)
SECOND = timedelta(seconds=1)


def failed(attempts: int) -> IndexRecord:
    return replace(PENDING, status=IndexStatus.FAILED, attempts=attempts)


def test_a_lease_holds_for_a_minute() -> None:
    record = leased(PENDING, START)
    assert is_leased(record, START + 59 * SECOND)
    assert not is_leased(record, START + 60 * SECOND)
    assert not is_leased(PENDING, START)
    assert not is_leased(None, START)


@pytest.mark.parametrize(("attempts", "minutes"), [(1, 5), (2, 10), (3, 20), (9, 1280), (10, 1440), (500, 1440)])
def test_a_refused_one_waits_twice_as_long_each_time_up_to_a_day(attempts: int, minutes: int) -> None:
    due_at = START + timedelta(minutes=minutes)
    assert not is_due(failed(attempts), due_at - SECOND)
    assert is_due(failed(attempts), due_at)


def test_a_note_at_fault_is_never_due() -> None:
    assert not is_due(failed(0), START + timedelta(days=1000))


@pytest.mark.parametrize(
    ("revision", "version", "attempts"), [("r1", "c:m:4", 4), ("r2", "c:m:4", 0), ("r1", "d:m:4", 0)]
)
def test_attempts_count_for_one_revision_in_one_index_version(revision: str, version: str, attempts: int) -> None:
    record = begun(failed(4), revision, version, chunk_count=7, now=START)
    assert (record.attempts, record.chunk_count, record.note_revision) == (attempts, 7, revision)
