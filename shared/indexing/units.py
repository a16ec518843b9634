"""Blocks -> units that are not cut, and runs of units -> the slices that become chunks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from shared.indexing.cuts import FITS, TARGET, Unit, cut
from shared.language.estimates import tokens
from shared.language.sentences import sentences
from shared.markdown.blocks import Block, Kind

_LONG_SENTENCE = TARGET / 4
_LONG_WORD = 64
_WORD = re.compile(rf"\S{{1,{_LONG_WORD}}}\s*|\s+")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")


def units_of(text: str, blocks: Iterable[Block], lang: str) -> list[Unit]:
    """All units of the blocks in order; each ends where the next one of its block begins."""
    return [unit for block in blocks for unit in _units(text, block, lang)]


def slices(text: str, units: list[Unit]) -> Iterator[tuple[int, int]]:
    """(start, end) of the chunks that the units make, each with its overlap, without blanks around it."""
    for first, after in cut(text, units):
        span = trimmed(text, units[first].start, units[after - 1].end)
        if span:
            yield span


def trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The slice without blanks around it; None if there is nothing else."""
    content = text[start:end].strip()
    start = text.index(content[:1], start)
    return (start, start + len(content)) if content else None


def _units(text: str, block: Block, lang: str) -> Iterator[Unit]:
    if block.kind is not Kind.PROSE and tokens(text[block.start : block.end]) <= FITS:
        yield Unit(start=block.start, end=block.end, level=0, is_prose=block.kind is Kind.LIST, named_until=block.end)
    elif block.kind is Kind.PROSE:
        yield from _sentences(text, block.start, block.end, lang)
    elif block.kind is Kind.LINES:
        lines = (found.start() for found in _LINE.finditer(text, block.start, block.end))
        yield from _pieces(text, [*lines, block.end], is_prose=False)
    else:
        for start, end in pairwise([*block.items, block.end]):
            yield from _sentences(text, start, end, lang)


def _sentences(text: str, start: int, end: int, lang: str) -> Iterator[Unit]:
    ends = [start + sentence_end for _, sentence_end in sentences(text[start:end], lang=lang)]
    yield from _pieces(text, [start, *ends[:-1], end], is_prose=True)


def _pieces(text: str, bounds: list[int], *, is_prose: bool) -> Iterator[Unit]:
    """The pieces between the bounds, the first of which begins the block; overlong ones by words."""
    level = 0
    for start, end in pairwise(bounds):
        if start == end:
            continue
        yield from _words(text, Unit(start=start, end=end, level=level, is_prose=is_prose, named_until=end))
        level = 1


def _words(text: str, unit: Unit) -> Iterator[Unit]:
    if tokens(text[unit.start : unit.end]) <= _LONG_SENTENCE:
        yield unit
        return
    for found in _WORD.finditer(text, unit.start, unit.end):
        opens = found.start() == unit.start
        level, named_until = (unit.level, unit.end) if opens else (2, found.end() + _LONG_WORD)
        yield Unit(start=found.start(), end=found.end(), level=level, is_prose=unit.is_prose, named_until=named_until)
