"""A note's text -> its chunks: runs of units (sentences, items, lines, whole small tables), and where they are cut.

Packing units until a chunk is full moves every later cut when one word is added. Here a boundary is a cut because of
what is around it and nothing else: its rank, drawn from a number or its first words, is the lowest for `WINDOW`
tokens to both sides (local minima, as in content-defined chunking of files). Cuts are at least `WINDOW` apart and
twice that on average, and an edit further away cannot move them.

An edited word changes its chunk, and the next one where it is repeated there. Only an edit that takes away a cut (its
first word, or the full stop before it) can change three: in one case of ten both sides have a boundary that the lost
one kept down. Tried to avoid that, without gain: asymmetric windows, thresholds, thinning, ranks from all words.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TypeAlias

from shared.language.lengths import tokens
from shared.language.sentences import sentences
from shared.markdown.blocks import Block, Kind, sections
from shared.markdown.frontmatter import split
from shared.model.index import Chunk

CHUNKER_VERSION = "md7"
"""Part of the index version: raise it with every change of what `chunk` returns for some text, or of what a store keeps
of it. Only texts that are cut differently are embedded again.
"""

MAX_SECTIONS = 5000
"""A note of more is cut as if it had no headings: each section is a chunk at least, embedded with title and headings,
so that 900 KB of two-letter sections would be 150,000 chunks and a bill a hundred times that of its text.
"""

TARGET = 256
"""Tokens of a chunk, on average, where the text is long enough to be cut."""
FITS = 1.5 * TARGET
"""Tokens that are not cut if they belong together: a section, a table, a list, a piece of code."""
OVERLAP = 0.15
"""Share of the target that a chunk repeats of the one before it, in whole units."""
WINDOW = 108
"""Tokens. A little under half the target: together with the overlap, chunks then have the target's size."""
_MAX_TOKENS = 464
_MAX_REPEATED = 48
"""Tokens of a sentence that is repeated though it alone is longer than the overlap."""

_NAMED = 400
"""Characters from a unit's start that are looked at for its rank."""
_NUMBER = re.compile(r"\w*\d\w*")
_WORD = re.compile(r"\w+")

_LONG_SENTENCE = TARGET / 4
_LONG_WORD = 64
_PIECE = re.compile(rf"\S{{1,{_LONG_WORD}}}\s*|\s+")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")

Slices: TypeAlias = Iterator[tuple[str, int, int]]


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of text that is not cut: a sentence, a list item, a line of code, a whole small table."""

    start: int
    end: int
    level: int
    """What begins here: 0 a block, 1 a sentence, item or line, 2 a word within an overlong one. Lower is cut first."""
    is_prose: bool
    """Whether the next chunk may repeat it for context."""
    named_until: int
    """The end of the words that rank the boundary at `start`: of the whole sentence, even if it is in pieces."""


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
        for place, (start, end) in enumerate([pair for pair in pairwise(bounds) if pair[0] < pair[1]]):
            yield from _words(text, start, end, level=min(place, 1), is_prose=is_prose)


def _words(text: str, start: int, end: int, *, level: int, is_prose: bool) -> Iterator[Unit]:
    """The piece, which begins its block at level 0; an overlong one by words."""
    if tokens(text[start:end]) <= _LONG_SENTENCE:
        yield Unit(start=start, end=end, level=level, is_prose=is_prose, named_until=end)
        return
    for found in _PIECE.finditer(text, start, end):
        opens = found.start() == start
        yield Unit(
            start=found.start(),
            end=found.end(),
            level=level if opens else 2,
            is_prose=is_prose,
            named_until=end if opens else found.end() + _LONG_WORD,
        )


def cut(text: str, units: Sequence[Unit]) -> list[tuple[int, int]]:
    """The chunks as (first unit, unit after the last), overlaps included; at least one for at least one unit.

    A chunk is longer than 512 tokens only if one of its units is.
    """
    starts = [unit.start for unit in units] + [units[-1].end]
    positions = [0.0, *accumulate([tokens(text[start:end]) for start, end in pairwise(starts)])]
    begins = [0]
    if positions[-1] > FITS:
        # Units in the order of cutting: by level, then by what tells one from others and is seldom edited.
        keys = [(each.level, *_name(text[each.start : min(each.named_until, each.start + _NAMED)])) for each in units]
        order = {key: rank for rank, key in enumerate(sorted(set(keys)))}
        ranks = [order[key] for key in keys]
        bounds = pairwise([0, *_minima(ranks, positions), len(units)])
        begins = [begin for first, after in bounds for begin in _filled(first, after, ranks, positions)]
    repeated = [_first_repeated(units, positions, previous, begin) for previous, begin in pairwise(begins)]
    return list(zip([0, *repeated], [*begins[1:], len(units)], strict=True))


def _name(text: str) -> tuple[int, ...]:
    """The hashes of its numbers, smallest first, then those of its words in their order. What has no number comes
    after what has one: where sentences are made to a pattern, numbers tell them apart.

    Nearly always the first hash or two decide, so that edits of other words do not move a cut.
    """
    numbers = sorted(map(_hash, _NUMBER.findall(text)))
    return (not numbers, *numbers, *map(_hash, _WORD.findall(text)))


@lru_cache(maxsize=20_000)
def _hash(word: str) -> int:
    """The rank of a word, whatever its case. Long words come first: short ones begin many sentences and tell little."""
    folded = word.lower()
    return zlib.crc32(folded.encode("utf-8", "surrogatepass")) | (len(folded) < 4) << 32


def _minima(ranks: Sequence[int], positions: Sequence[float]) -> list[int]:
    """Units ranked lowest within the window to both sides; of equal ones the first. Both ends are lower than all."""
    lowered = [-1, *ranks[1:], -1]
    lower_left, lower_right = [0] * len(lowered), [0] * len(lowered)  # the nearest lower ones
    rising: list[int] = []
    for here, rank in enumerate(lowered):
        while rising and lowered[rising[-1]] > rank:
            lower_right[rising.pop()] = here
        lower_left[here] = rising[-1] if rising else 0
        rising.append(here)
    return [
        here
        for here in range(1, len(ranks))
        if positions[here] - positions[lower_left[here]] >= WINDOW
        and positions[lower_right[here]] - positions[here] >= WINDOW
    ]


def _filled(first: int, after: int, ranks: Sequence[int], positions: Sequence[float]) -> list[int]:
    """`first`, and further cuts before `after` while what is left is too long: the lowest rank, and of equal ones the
    nearest to the target, from 0.6 to 1.4 targets on.
    """
    found = [first]
    while positions[after] - positions[first] > _MAX_TOKENS and after - first > 1:
        origin = positions[first]
        low = bisect_left(positions, origin + 0.6 * TARGET, first + 1, after)
        high = bisect_right(positions, origin + 1.4 * TARGET, low, after)
        if low < high:
            first = min(range(low, high), key=lambda at: (ranks[at], abs(positions[at] - origin - TARGET)))
        else:
            first = max(first + 1, bisect_right(positions, origin + _MAX_TOKENS, first + 1, after) - 1)
        found.append(first)
    return found


def _first_repeated(units: Sequence[Unit], positions: Sequence[float], previous: int, begin: int) -> int:
    """From which unit on the chunk from `begin` repeats the one from `previous`: prose only, and no more than the
    overlap; but one whole sentence if it is not very long.
    """
    first = begin
    while first - 1 > previous and units[first - 1].is_prose:
        length = positions[begin] - positions[first - 1]
        is_one_sentence = first == begin and units[first - 1].level < 2
        if length > (_MAX_REPEATED if is_one_sentence else OVERLAP * TARGET):
            break
        first -= 1
    return first
