"""Times of new files -> the time that many of them share, as a copy leaves it.

What the system says of a file is when it was last changed, and after a copy, when it was copied. One file alone does
not tell which; many that were changed in one minute were hardly written in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

MINUTE = timedelta(minutes=1)
LEAST_FILES = 3
"""Files of one minute from which on they count as copied: a person may save two."""
LEAST_SHARE = 1 / 3
"""Least share of these files among all: in a large folder some were always changed in one minute."""


@dataclass(frozen=True, slots=True)
class SharedTime:
    """Files that have one time, to a minute."""

    files: int
    time: datetime
    """Time of the first of them."""


def shared_time(times: Iterable[datetime]) -> SharedTime | None:
    """Returns the time that most files share, and how many they are; None if too few share one."""
    oldest_first = sorted(times)
    most_files = 0
    start_of_most = 0
    start = 0
    for end, time in enumerate(oldest_first):
        while time - oldest_first[start] > MINUTE:
            start += 1
        files = end + 1 - start
        if files > most_files:
            most_files = files
            start_of_most = start

    if most_files < LEAST_FILES or most_files < LEAST_SHARE * len(oldest_first):
        return None
    return SharedTime(most_files, oldest_first[start_of_most])
