"""Dates as people write them, so that a question that names one finds the note."""

from __future__ import annotations

from datetime import datetime

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def date_in_words(when: datetime) -> str:
    """`8 May 2023`: the day in `when`'s own zone, in English, whatever the locale."""
    return f"{when.day} {_MONTHS[when.month - 1]} {when.year}"
