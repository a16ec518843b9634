"""When an unfinished note is taken up again, and what counts as an attempt at it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from shared.indexing.records import (
    at_fault,
    attempts_at,
    awaiting_vectors,
    claimed,
    finished,
    is_due,
    is_leased,
    is_suspect,
    leased,
    postponed,
    refused,
    waiting_for_budget,
    when_due,
    work_of,
)
from shared.model.index import IndexRecord, IndexStatus
from tests.indexing.world import START

VERSION = "c:m:4"
WORK = work_of("r1", VERSION)
PENDING = IndexRecord("r1", IndexStatus.PENDING, 3, VERSION, START)
SECOND = timedelta(seconds=1)
LEASE = timedelta(seconds=60)


def failed(attempts: int) -> IndexRecord:
    """Make a record as it was written before records said when they are due."""
    return replace(PENDING, status=IndexStatus.FAILED, attempts=attempts)


def killed(times: int) -> IndexRecord:
    """The record after so many workers died at its note, the last one at START."""
    record = None
    for death in range(times):
        now = START - (times - 1 - death) * timedelta(days=1)
        record = claimed(record, WORK, now=now)
    assert record is not None
    return record


def test_a_lease_holds_for_a_minute() -> None:
    record = leased(PENDING, START)
    assert is_leased(record, START + 59 * SECOND)
    assert not is_leased(record, START + LEASE)
    assert not is_leased(PENDING, START)
    assert not is_leased(None, START)


BACK_OFF = [
    (1, 5),
    (2, 10),
    (3, 20),
    (9, 1280),
    (10, 1440),
    (500, 1440),
]


@pytest.mark.parametrize(("attempts", "minutes"), BACK_OFF)
def test_a_refused_one_waits_twice_as_long_each_time_up_to_a_day(
    attempts: int, minutes: int
) -> None:
    record = refused(replace(PENDING, attempts=attempts - 1), START, error="blocked")
    assert record.attempts == attempts
    due_at = START + timedelta(minutes=minutes)
    assert record.due_at == due_at
    for waiting in (record, failed(attempts)):
        assert not is_due(waiting, due_at - SECOND)
        assert is_due(waiting, due_at)


def test_a_refusal_of_work_that_was_claimed_counts_once() -> None:
    assert refused(claimed(None, WORK, now=START), START, error="blocked").attempts == 1


def test_a_note_at_fault_is_never_due() -> None:
    for record in (
        failed(0),
        at_fault("r1", VERSION, START, error="text: too long"),
    ):
        assert when_due(record) is None
        assert not is_due(record, START + timedelta(days=1000))


def test_notes_put_off_by_a_clock_that_was_ahead_are_due() -> None:
    assert is_due(replace(PENDING, due_at=START + timedelta(days=400)), START)
    assert not is_due(replace(PENDING, due_at=START + timedelta(hours=23)), START)


def test_a_death_counts_and_each_but_the_first_makes_the_note_wait_longer() -> None:
    for deaths, minutes in ((1, 0), (2, 5), (3, 10), (4, 20)):
        record = killed(deaths)
        assert record.attempts == deaths
        assert record.due_at == START + LEASE + timedelta(minutes=minutes)
        assert not is_suspect(record, WORK, START)
        assert is_suspect(record, WORK, START + LEASE)


def test_a_note_says_that_it_has_ended_its_worker() -> None:
    record = claimed(killed(2), WORK, now=START + LEASE)
    assert record.error == "indexing this note has ended its worker (2 times)"


def test_a_suspect_that_waits_for_another_days_writes_stays_suspect() -> None:
    later = START + LEASE
    tomorrow = START + timedelta(days=1)
    record = waiting_for_budget(
        killed(2),
        WORK,
        now=later,
        due_at=tomorrow,
        error="used up",
    )
    assert record.attempts == 2
    assert record.due_at == tomorrow
    assert not is_due(record, later)
    assert is_suspect(record, WORK, tomorrow)
    claim = claimed(killed(2), WORK, now=later)
    record = waiting_for_budget(
        claim,
        WORK,
        now=later,
        due_at=tomorrow,
        error="used up",
    )
    assert not is_suspect(record, WORK, tomorrow), "it was cut, and its worker lives"


def test_a_worker_that_is_overtaken_is_not_dead() -> None:
    record = claimed(killed(1), WORK, now=START + SECOND)
    assert record.attempts == 1
    assert record.error is None


def test_a_claim_names_what_the_index_holds_until_that_changes() -> None:
    finished_record = finished(PENDING, START, VERSION)
    record = claimed(finished_record, work_of("r2", VERSION), now=START)
    assert record.note_revision == "r1"
    assert record.chunk_count == 3
    assert record.index_version == VERSION
    assert record.status is IndexStatus.PENDING
    fresh = claimed(None, WORK, now=START)
    assert fresh.note_revision == ""
    assert fresh.chunk_count == 0
    assert fresh.index_version == ""


@pytest.mark.parametrize(
    ("revision", "version", "attempts"),
    [("r1", VERSION, 4), ("r2", VERSION, 0), ("r1", "d:m:4", 0)],
)
def test_attempts_count_for_one_revision_in_one_index_version(
    revision: str, version: str, attempts: int
) -> None:
    work = work_of(revision, version)
    assert attempts_at(failed(4), work) == attempts
    assert attempts_at(killed(4), work) == attempts
    claim = claimed(failed(4), work, now=START)
    record = awaiting_vectors(claim, revision, version, chunk_count=7, now=START)
    assert record.attempts == attempts
    assert record.chunk_count == 7
    assert record.note_revision == revision


def test_an_outage_is_no_attempt() -> None:
    record = postponed(claimed(None, WORK, now=START), START, error="away")
    assert record.attempts == 0
    assert record.due_at == START
    assert record.lease_until is None
    assert not is_suspect(record, WORK, START + LEASE)
    tomorrow = START + timedelta(hours=12)
    assert postponed(record, START, error="budget", due_at=tomorrow).due_at == tomorrow
