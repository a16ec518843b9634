"""How many there are of something, as people say it."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """`1 note`, `2 notes`, `10,000 sample notes`: of nouns that take an s."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
