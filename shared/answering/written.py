"""Passages -> when they were written: a section whose heading names a day counts as written on that day."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

from shared.model.index import IndexedChunk
from shared.times.dates import days_in


def written(chunk: IndexedChunk) -> datetime:
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
