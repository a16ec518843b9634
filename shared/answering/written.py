"""Passages -> when they were written: a section whose heading names a day counts as written on that day."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

from shared.model.index import IndexedChunk
from shared.times.dates import days_in

MIN_APART = timedelta(days=1)
"""Least difference between the times of two notes: the files of one import differ by moments, which means nothing."""


def written_at(chunk: IndexedChunk) -> datetime:
    """Returns the day of a chunk's section, or else the time of its note."""
    return section_day(chunk) or chunk.created_at


def section_day(chunk: IndexedChunk) -> datetime | None:
    """Returns the last complete date in the headings above a chunk; None if there is no such date."""
    last_day: datetime | None = None
    days = sorted(days_in(chunk.heading_path), key=lambda day: day.start)
    for day in days:
        if day.year is None or day.day is None:
            continue
        with suppress(ValueError):  # no such day
            last_day = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return last_day
