"""A range without notes grows step by step, and says by which."""

from __future__ import annotations

from shared.model.questions import TimeRange
from shared.retrieval.candidates.widening import widen
from tests.retrieval.samples import days_ago

NAMED = TimeRange(days_ago(11), days_ago(10))


def test_the_first_step_that_finds_something_is_taken() -> None:
    found = widen(NAMED, lambda around: around is not None and around.contains(days_ago(30)))
    assert found is not None
    assert found.step == "30 days around"
    assert found.range == TimeRange(days_ago(41), days_ago(-20))


def test_the_last_step_is_any_time() -> None:
    found = widen(NAMED, lambda around: around is None)
    assert found is not None
    assert (found.step, found.range) == ("any time", None)


def test_an_open_side_stays_open() -> None:
    found = widen(TimeRange(None, days_ago(10)), lambda _: True)
    assert found is not None
    assert (found.step, found.range) == ("7 days around", TimeRange(None, days_ago(3)))


def test_nothing_anywhere_is_not_widened() -> None:
    assert widen(NAMED, lambda _: False) is None
