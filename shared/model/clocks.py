"""Stored moments beside the clock of now.

A machine's clock can be ahead for a while, and what it stored then lies in the future once the clock is right. Such a
moment says nothing of what has happened: it counts as never.
"""

from __future__ import annotations

from datetime import datetime, timedelta

TOLERANCE = timedelta(minutes=5)
"""By how much the clocks of two machines may differ."""


def is_ahead(moment: datetime, now: datetime) -> bool:
    """Reports whether the time of a past event lies in the future."""
    return moment > now + TOLERANCE


def is_running(until: datetime | None, now: datetime, *, length: timedelta) -> bool:
    """Reports whether a term of `length` that ends at `until` has begun and not ended. None is no term."""
    if until is None or is_ahead(until - length, now):
        return False
    return now < until
