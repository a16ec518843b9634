"""A time range in which nothing was written -> the nearest wider one in which something was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.model.questions import TimeRange

ANY_TIME = "any time"

STEPS: tuple[tuple[str, timedelta | None], ...] = (
    ("7 days around", timedelta(days=7)),
    ("30 days around", timedelta(days=30)),
    (ANY_TIME, None),
)
"""What the answer says, and by how much the range grows on either side; None: no range is left."""


@dataclass(frozen=True, slots=True)
class Widened:
    """The step that found something. `range` None: any time."""

    step: str
    range: TimeRange | None


def widen(named: TimeRange, holds: Callable[[TimeRange | None], bool]) -> Widened | None:
    """`holds` says whether anything lies in a range; it is asked step after step. None: nothing does."""
    for step, margin in STEPS:
        wider = None if margin is None else TimeRange(_moved(named.start, -margin), _moved(named.end, margin))
        if holds(wider):
            return Widened(step, wider)
    return None


def _moved(bound: datetime | None, by: timedelta) -> datetime | None:
    return None if bound is None else bound + by
