"""A range without notes grows step by step."""

from __future__ import annotations

from shared.model.questions import TimeRange
from shared.retrieval.candidates import widened
from tests.retrieval.samples import days_ago


def test_a_range_grows_on_either_side_and_ends_with_any_time() -> None:
    assert list(widened(TimeRange(days_ago(11), days_ago(10)))) == [
        ("7 days around", TimeRange(days_ago(18), days_ago(3))),
        ("30 days around", TimeRange(days_ago(41), days_ago(-20))),
        ("any time", None),
    ]


def test_an_open_side_stays_open() -> None:
    assert next(widened(TimeRange(None, days_ago(10))))[1] == TimeRange(None, days_ago(3))
