"""How many there are of something, as people say it."""

from __future__ import annotations

from collections.abc import Mapping

_NOUNS = {
    "unreadableNote": "unreadable note",
    "trashedNote": "note in the trash",
    "feedback": "rating",
    "usage": "usage day",
}
"""Type of an export's line -> what a person calls it, where that is another word."""


def counted(count: int, noun: str) -> str:
    """`1 note`, `2 notes`, `10,000 sample notes`: of nouns that take an s."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def counted_lines(counts: Mapping[str, int]) -> str:
    """Of an export, by type: `2 notes, 1 session`; empty where there are none."""
    return ", ".join(counted(count, _NOUNS.get(kind, kind)) for kind, count in counts.items())
