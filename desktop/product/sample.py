"""Sample notes whose dates follow the day on which they are loaded, so that "last week" has its notes on any day."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

WRITTEN_ON = ".written-on"
"""File in a folder of samples with the day for which they were written; a folder without it stays as it is."""

_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)", re.ASCII)


def dated(sample: Path, home: Path, today: date) -> Path:
    """Copies the samples into `home` and returns the folder to load.

    Every date like 2026-11-09, in names and texts, moves by the whole weeks between the day for which
    the samples were written and today, so that weekdays stay what they are. Samples without such a
    day are not copied.
    """
    try:
        written_on = date.fromisoformat((sample / WRITTEN_ON).read_text("utf-8").strip())
    except (OSError, ValueError):
        return sample

    weeks = timedelta(weeks=(today - written_on).days // 7)
    place = home / "sample"
    for file in sorted(sample.rglob("*.md")):
        target = place / _moved(file.relative_to(sample).as_posix(), weeks)
        # A start that died has made some, and somebody may have changed them.
        if file.is_file() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(_moved(file.read_text("utf-8"), weeks), "utf-8")

    return place


def _moved(text: str, by: timedelta) -> str:
    """Returns the text with every date moved."""

    def later(day: re.Match[str]) -> str:
        try:
            return (date.fromisoformat(day[0]) + by).isoformat()
        except (ValueError, OverflowError):
            return day[0]

    return _DAY.sub(later, text)
