"""A note's text -> its chunks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from shared.indexing.cuts import FITS, TARGET, Unit, cut
from shared.language.lengths import tokens
from shared.language.sentences import sentences
from shared.markdown.blocks import Block, Kind, sections
from shared.markdown.frontmatter import split
from shared.model.index import Chunk

CHUNKER_VERSION = "md6"
"""Part of the index version: raise it with every change of what `chunk` returns for some text, or of what a store keeps
of it. Only texts that are cut differently are embedded again.
"""

MAX_SECTIONS = 5000
"""A note of more is cut as if it had no headings: each section is a chunk at least, embedded with title and headings,
so that 900 KB of two-letter sections would be 150,000 chunks and a bill a hundred times that of its text.
"""

_LONG_SENTENCE = TARGET / 4
_LONG_WORD = 64
_WORD = re.compile(rf"\S{{1,{_LONG_WORD}}}\s*|\s+")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")

Slices: TypeAlias = Iterator[tuple[str, int, int]]


@dataclass(frozen=True, slots=True)
class Chunker:
    """A way to cut. The product has one; evaluation compares others."""

    name: str
    cuts: Callable[[str, int, str], Slices]
    """Text, where its body begins, language -> (heading path, start, end) of the chunks."""


def _markdown(text: str, begin: int, lang: str) -> Slices:
    found = sections(text, begin)
    if len(found) > MAX_SECTIONS:
        yield from by_sentences(text, begin, lang)
        return
    for section in found:
        for start, end in _slices(text, section.blocks, lang):
            yield section.heading_path, start, end


def by_sentences(text: str, begin: int, lang: str) -> Slices:
    """Cuts by sentences, without regard to Markdown."""
    if text[begin:].strip():
        for start, end in _slices(text, [Block(Kind.PROSE, begin, len(text))], lang):
            yield "", start, end


MARKDOWN = Chunker("markdown", _markdown)


def chunk(text: str, *, chunker: Chunker = MARKDOWN, lang: str = "en") -> tuple[Chunk, ...]:
    """Chunks in the order of the text; `chunk.text == text[chunk.start:chunk.end]`, without blanks around it.

    Frontmatter is no part of any chunk, nor what is meant as such. MARKDOWN keeps to headings, blocks and sentences:
    about 256 tokens (of four UTF-8 bytes), at most 512, of which up to 15% (or one sentence) repeats the chunk before,
    within the same section. Headings are in `heading_path` and not in the text, but for those with nothing under them.
    Changing a word changes one or two chunks, unless the word is a heading's: that is part of all chunks below it.

    A note without text gives one empty chunk: its title, which is indexed with every chunk, can then be found.
    `lang` (ISO 639-1) helps to tell where sentences end.
    """
    begin = split(text).shown_from
    found = [
        Chunk(position=position, heading_path=path, text=text[start:end], start=start, end=end)
        for position, (path, start, end) in enumerate(chunker.cuts(text, begin, lang))
    ]
    return tuple(found) or (Chunk(position=0, heading_path="", text="", start=begin, end=begin),)


def _slices(text: str, blocks: Iterable[Block], lang: str) -> Iterator[tuple[int, int]]:
    """(start, end) of the chunks that the blocks make, each with its overlap, without blanks around it."""
    units = [unit for block in blocks for unit in _units(text, block, lang)]
    for first, after in cut(text, units):
        if span := trimmed(text, units[first].start, units[after - 1].end):
            yield span


def trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The slice without blanks around it; None if there is nothing else."""
    content = text[start:end].strip()
    start = text.index(content[:1], start)
    return (start, start + len(content)) if content else None


def _units(text: str, block: Block, lang: str) -> Iterator[Unit]:
    is_prose = block.kind in (Kind.PROSE, Kind.LIST)
    if block.kind is not Kind.PROSE and tokens(text[block.start : block.end]) <= FITS:
        yield Unit(start=block.start, end=block.end, level=0, is_prose=is_prose, named_until=block.end)
        return
    if block.kind is Kind.LINES:
        runs = [[*(found.start() for found in _LINE.finditer(text, block.start, block.end)), block.end]]
    else:
        items, runs = [block.start, block.end] if block.kind is Kind.PROSE else [*block.items, block.end], []
        for start, end in pairwise(items):
            inner = [start + stop for _, stop in sentences(text[start:end], lang=lang)[:-1]]
            runs.append([start, *inner, end])
    for bounds in runs:
        for place, (start, end) in enumerate(pair for pair in pairwise(bounds) if pair[0] < pair[1]):
            yield from _words(text, start, end, level=min(place, 1), is_prose=is_prose)


def _words(text: str, start: int, end: int, *, level: int, is_prose: bool) -> Iterator[Unit]:
    """The piece, which begins its block at level 0; an overlong one by words."""
    if tokens(text[start:end]) <= _LONG_SENTENCE:
        yield Unit(start=start, end=end, level=level, is_prose=is_prose, named_until=end)
        return
    for found in _WORD.finditer(text, start, end):
        opens = found.start() == start
        yield Unit(
            start=found.start(),
            end=found.end(),
            level=level if opens else 2,
            is_prose=is_prose,
            named_until=end if opens else found.end() + _LONG_WORD,
        )
