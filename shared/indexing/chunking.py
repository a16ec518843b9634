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
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, islice, pairwise
from typing import TypeAlias

from shared.indexing.versions import BY_STRUCTURE
from shared.language.lengths import BYTES_PER_TOKEN, tokens
from shared.language.sentences import iterate_sentences
from shared.markdown.blocks import Block, BlockKind, sections
from shared.markdown.frontmatter import split
from shared.model.index import Chunk

MAX_SECTIONS = 5000
"""A note with more sections is cut as if it had no headings. Each section makes at least one chunk, which is embedded
with title and headings: 900 KB of two-letter sections would be 150,000 chunks, at a hundred times the price of the
text.
"""

TARGET = 256
"""Tokens of a chunk, on average, where the text is long enough to be cut."""
FITS = 1.5 * TARGET
"""Most tokens of what belongs together and is not cut: a section, a table, a list, a piece of code."""
OVERLAP = 0.15
"""Share of the target that a chunk repeats of the one before it, in whole units."""
WINDOW = 108
"""Tokens on either side of a cut within which no boundary ranks lower. A little under half the target: together with
the overlap, chunks then have the target's size.
"""
MIN_FILLED = 0.6 * TARGET
"""Tokens after which the next cut is looked for in a text without natural cuts."""
MAX_FILLED = 1.4 * TARGET
_MAX_TOKENS = 464
_MAX_REPEATED = 48
"""Most tokens of a single sentence that is repeated although it is longer than the overlap."""

_NAMED = 400
"""Characters from a unit's start that are looked at for its rank."""
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"\w+")

_LONG_NAME = 4
"""Letters from which a word is a good name of a sentence."""
_LONG_SENTENCE = TARGET / 4
"""Tokens from which a sentence is cut by its words."""
_LONG_WORD = 64
_WORD_LEVEL = 2
"""Level of a word within an overlong sentence."""
_PIECE = re.compile(rf"\S{{1,{_LONG_WORD}}}\s*|\s+")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")

_HASH_BITS = 35
"""Bits of one more than a hash, which has 33."""
_FLAG_BITS = _HASH_BITS + 1

Slices: TypeAlias = Iterator[tuple[str, int, int]]


class Units:
    """The units of a section: pieces of text that are not cut, in order.

    In columns of machine integers: a note of short words has 400,000 units, and as objects they would take 150 bytes
    each. All columns have the same length.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = array("i")
        self.ends = array("i")
        self.levels = bytearray()
        """Rank of what begins here: 0 a block, 1 a sentence, item or line, 2 a word within an overlong one.

        The lower is cut first.
        """
        self.is_prose = bytearray()
        """1 where the next chunk may repeat the unit for context."""
        self.named_until = array("i")
        """The end of the words that rank the boundary at the start: of the whole sentence, even if it is in pieces."""

    def __len__(self) -> int:
        return len(self.starts)

    def add(self, start: int, end: int, *, level: int, is_prose: bool, named_until: int) -> None:
        self.starts.append(start)
        self.ends.append(end)
        self.levels.append(level)
        self.is_prose.append(is_prose)
        self.named_until.append(min(named_until, start + _NAMED))

    def positions(self) -> array[float]:
        """Returns the tokens before each unit, and last those of all units."""
        text = self.text
        bounds = chain(self.starts, self.ends[-1:])
        if text.isascii():
            origin = self.starts[0]
            lengths_before = ((bound - origin) / BYTES_PER_TOKEN for bound in bounds)
            return array("d", lengths_before)
        lengths = (tokens(text[start:end]) for start, end in pairwise(bounds))
        return array("d", accumulate(lengths, initial=0.0))


@dataclass(frozen=True, slots=True)
class Chunker:
    """A way to cut. The product has one; evaluation compares others."""

    name: str
    cuts: Callable[[str, int, str], Slices]
    """Text, where its body begins, language -> (heading path, start, end) of the chunks."""


def _markdown(text: str, begin: int, lang: str) -> Slices:
    first_sections = tuple(islice(sections(text, begin), MAX_SECTIONS + 1))
    if len(first_sections) > MAX_SECTIONS:
        yield from by_sentences(text, begin, lang)
        return
    for section in first_sections:
        for start, end in _slices(text, section.blocks, lang):
            yield section.heading_path, start, end


def by_sentences(text: str, begin: int, lang: str) -> Slices:
    """Cuts by sentences, without regard to Markdown."""
    if not text[begin:].strip():
        return
    block = Block(BlockKind.PROSE, begin, len(text))
    for start, end in _slices(text, [block], lang):
        yield "", start, end


MARKDOWN = Chunker(BY_STRUCTURE, _markdown)


def chunk(text: str, *, chunker: Chunker = MARKDOWN, lang: str = "en") -> tuple[Chunk, ...]:
    """Cuts a text into chunks, in order; `chunk.text == text[chunk.start:chunk.end]`, without blanks around it.

    Frontmatter is no part of any chunk, nor what is meant as such. MARKDOWN keeps to headings, blocks and sentences:
    about 256 tokens (of four UTF-8 bytes), at most 512, of which up to 15% (or one sentence) repeats the chunk before,
    within the same section. Headings are in `heading_path` and not in the text, but for those with nothing under them.
    Changing a word changes one or two chunks, unless the word is a heading's: that is part of all chunks below it.

    A note without text gives one empty chunk: its title, which is indexed with every chunk, can then be found.
    `lang` (ISO 639-1) helps to tell where sentences end.
    """
    begin = split(text).shown_from
    chunks: list[Chunk] = []
    for heading_path, start, end in chunker.cuts(text, begin, lang):
        chunks.append(
            Chunk(
                position=len(chunks),
                heading_path=heading_path,
                text=text[start:end],
                start=start,
                end=end,
            ),
        )
    if not chunks:
        chunks.append(
            Chunk(
                position=0,
                heading_path="",
                text="",
                start=begin,
                end=begin,
            )
        )
    return tuple(chunks)


def _slices(text: str, blocks: Iterable[Block], lang: str) -> Iterator[tuple[int, int]]:
    """Yields (start, end) of the chunks that the blocks make, each with its overlap, without blanks around it."""
    units = Units(text)
    for block in blocks:
        _add_block(units, block, lang)
    for first, after in cut(units):
        start = units.starts[first]
        end = units.ends[after - 1]
        span = trimmed(text, start, end)
        if span is not None:
            yield span


def trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Returns the slice without blanks around it; None if it holds nothing but blanks."""
    content = text[start:end].strip()
    if not content:
        return None
    start = text.index(content[0], start)
    return start, start + len(content)


def _add_block(units: Units, block: Block, lang: str) -> None:
    """Adds the units of a block: the whole block if it fits and is no prose, else its sentences, items or lines."""
    text = units.text
    start = block.start
    end = block.end
    is_lines = block.kind is BlockKind.LINES
    fits = tokens(text[start:end]) <= FITS
    if fits and block.kind is not BlockKind.PROSE:
        units.add(
            start,
            end,
            level=0,
            is_prose=not is_lines,
            named_until=end,
        )
        return
    if is_lines:
        line_starts = (line.start() for line in _LINE.finditer(text, start, end))
        _add_pieces(units, line_starts, end, is_prose=False)
        return
    run_bounds = [start, end]
    if block.kind is BlockKind.LIST:
        run_bounds = [*block.items, end]
    for run_start, run_end in pairwise(run_bounds):
        sentence_starts = _sentence_starts(text, run_start, run_end, lang)
        _add_pieces(units, sentence_starts, run_end, is_prose=True)


def _sentence_starts(text: str, start: int, end: int, lang: str) -> Iterator[int]:
    """Yields where the pieces of `text[start:end]` begin: `start`, then the end of each sentence but the last."""
    yield start
    sentences = iterate_sentences(text[start:end], lang=lang)
    for sentence, _ in pairwise(sentences):
        _, sentence_end = sentence
        yield start + sentence_end


def _add_pieces(units: Units, starts: Iterable[int], end: int, *, is_prose: bool) -> None:
    """Adds the pieces between the starts, the last up to `end`. The first begins a block, the others are of level 1."""
    level = 0
    for start, piece_end in pairwise(chain(starts, [end])):
        if start < piece_end:
            _add_words(units, start, piece_end, level=level, is_prose=is_prose)
            level = 1


def _add_words(units: Units, start: int, end: int, *, level: int, is_prose: bool) -> None:
    """Adds a piece of this level whole, or an overlong one by its words, which are of level 2 but for the first."""
    text = units.text
    is_overlong = tokens(text[start:end]) > _LONG_SENTENCE
    if not is_overlong:
        units.add(
            start,
            end,
            level=level,
            is_prose=is_prose,
            named_until=end,
        )
        return
    named_until = end
    for word in _PIECE.finditer(text, start, end):
        word_start, word_end = word.span()
        if word_start > start:
            level = _WORD_LEVEL
            named_until = word_end + _LONG_WORD
        units.add(
            word_start,
            word_end,
            level=level,
            is_prose=is_prose,
            named_until=named_until,
        )


def cut(units: Units) -> list[tuple[int, int]]:
    """Returns the chunks as (first unit, unit after the last), overlaps included; at least one for at least one unit.

    A chunk is longer than 512 tokens only if one of its units is.
    """
    positions = units.positions()
    begins = _begins(units, positions)
    chunks: list[tuple[int, int]] = []
    first = 0
    previous_begin = 0
    for begin, after in pairwise([*begins, len(units)]):
        if begin > 0:
            first = _first_repeated(units, positions, previous_begin, begin)
        chunks.append((first, after))
        previous_begin = begin
    return chunks


def _begins(units: Units, positions: Sequence[float]) -> list[int]:
    """Returns the units with which chunks begin, overlaps left out."""
    if positions[-1] <= FITS:
        return [0]
    ranks = Ranks(units)
    bounds = [0, *_minima(ranks, positions), len(units)]
    begins = []
    for first, after in pairwise(bounds):
        run_begins = _filled(first, after, ranks, positions)
        begins.extend(run_begins)
    return begins


class Ranks:
    """The order in which boundaries are cut: by level, then by what tells one from others and is seldom edited.

    That is the name of the words behind the boundary. Nearly always a boundary's level and first hash decide, which
    are packed into one integer; the rest of the name is computed for the few pairs that agree so far.
    """

    def __init__(self, units: Units) -> None:
        self._units = units
        text = units.text[units.starts[0] : units.ends[-1]]
        self._has_numbers = _DIGIT.search(text) is not None
        self._firsts = array("q", map(self._first, range(len(units))))

    def is_lower(self, unit: int, other: int) -> bool:
        """Reports whether the boundary before `unit` is cut rather than that before `other`."""
        first = self._firsts[unit]
        first_of_other = self._firsts[other]
        if first != first_of_other:
            return first < first_of_other
        words = self._words(unit)
        words_of_other = self._words(other)
        return words != words_of_other and _name(words) < _name(words_of_other)

    def _words(self, unit: int) -> str:
        start = self._units.starts[unit]
        end = self._units.named_until[unit]
        return self._units.text[start:end]

    def _first(self, unit: int) -> int:
        """Returns level, whether there is no number, and the first hash; without any word what is less than all."""
        text = self._units.text
        start = self._units.starts[unit]
        end = self._units.named_until[unit]
        level = self._units.levels[unit] << _FLAG_BITS
        if self._has_numbers and _DIGIT.search(text, start, end) is not None:
            name = _name(text[start:end])
            first_number = name[1]
            return level | (1 + first_number)
        without_number = level | (1 << _HASH_BITS)
        word = _WORD.search(text, start, end)
        if word is None:
            return without_number
        return without_number | (1 + _hash(word[0]))


@lru_cache(maxsize=1_000)
def _name(text: str) -> tuple[int, ...]:
    """Returns the hashes of the numbers, smallest first, then those of all words in their order.

    A text without numbers comes after one that has some: where sentences are made to a pattern, numbers tell them apart.

    Nearly always the first hash or two decide, so that edits of other words do not move a cut. Kept for a while: where
    many boundaries agree in the first hash, one is compared with many.
    """
    words = _WORD.findall(text)
    word_hashes = map(_hash, words)
    numbers = filter(_has_digit, words)
    number_hashes = sorted(map(_hash, numbers))
    return (not number_hashes, *number_hashes, *word_hashes)


def _has_digit(word: str) -> bool:
    return not word.isalpha() and _DIGIT.search(word) is not None


@lru_cache(maxsize=20_000)
def _hash(word: str) -> int:
    """Ranks a word, regardless of its case. Long words come first: short ones begin many sentences and say little."""
    folded = word.lower()
    rank = zlib.crc32(folded.encode("utf-8", "surrogatepass"))
    if len(folded) < _LONG_NAME:
        rank |= 1 << 32
    return rank


def _minima(ranks: Ranks, positions: Sequence[float]) -> list[int]:
    """Returns the units ranked lowest within the window to both sides, of equal ones the first.

    The begin of the first unit and the end of the last are lower than all.
    """
    minima: list[int] = []
    rising = [0]
    """Units that wait for a lower one to their right; each is the nearest that is no higher, left of the next one."""

    def pop(lower_to_right: float) -> None:
        if _is_minimum(rising, positions, lower_to_right):
            minima.append(rising[-1])
        rising.pop()

    after_last = len(positions) - 1
    for unit in range(1, after_last):
        while rising[-1] > 0 and ranks.is_lower(unit, rising[-1]):
            pop(positions[unit])
        rising.append(unit)
    while rising[-1] > 0:
        pop(positions[after_last])
    return sorted(minima)


def _is_minimum(rising: Sequence[int], positions: Sequence[float], lower_to_right: float) -> bool:
    """Reports whether the last of `rising` is as far as the window from the lower ones to both sides."""
    unit = rising[-1]
    lower_unit = rising[-2]
    position = positions[unit]
    lower_to_left = positions[lower_unit]
    return position - lower_to_left >= WINDOW and lower_to_right - position >= WINDOW


def _filled(first: int, after: int, ranks: Ranks, positions: Sequence[float]) -> list[int]:
    """Returns `first`, and further cuts before `after` while what is left is too long.

    The next cut is the lowest rank from MIN_FILLED to MAX_FILLED on, of equal ones the nearest to the target.
    """
    begins = [first]
    end = positions[after]
    while after - first > 1:
        origin = positions[first]
        if end - origin <= _MAX_TOKENS:
            break
        next_unit = first + 1
        low = bisect_left(positions, origin + MIN_FILLED, next_unit, after)
        high = bisect_right(positions, origin + MAX_FILLED, low, after)
        if low < high:
            candidates = range(low, high)
            first = _lowest(candidates, ranks, positions, origin + TARGET)
        else:
            # One unit reaches over the whole range: the last cut that keeps to the limit.
            too_far = bisect_right(positions, origin + _MAX_TOKENS, next_unit, after)
            first = max(next_unit, too_far - 1)
        begins.append(first)
    return begins


def _lowest(units: range, ranks: Ranks, positions: Sequence[float], target: float) -> int:
    """Returns the unit of the lowest rank, of equal ones the first of the nearest to `target`."""
    lowest = units[0]
    for unit in units[1:]:
        if ranks.is_lower(unit, lowest):
            lowest = unit
            continue
        distance = abs(positions[unit] - target)
        lowest_distance = abs(positions[lowest] - target)
        if distance < lowest_distance and not ranks.is_lower(lowest, unit):
            lowest = unit
    return lowest


def _first_repeated(units: Units, positions: Sequence[float], previous: int, begin: int) -> int:
    """Returns the unit from which on the chunk from `begin` repeats the one from `previous`.

    Only prose is repeated, and no more than the overlap; but one whole sentence if it is not very long.
    """
    first = begin
    while first > previous + 1:
        candidate = first - 1
        if not units.is_prose[candidate]:
            break
        longest = OVERLAP * TARGET
        if first == begin and units.levels[candidate] < _WORD_LEVEL:
            longest = _MAX_REPEATED
        if positions[begin] - positions[candidate] > longest:
            break
        first = candidate
    return first
