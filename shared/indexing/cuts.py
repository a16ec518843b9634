"""Where to cut a run of units so that an edit moves only the cuts beside it.

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
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise

from shared.language.lengths import tokens

TARGET = 256
"""Tokens of a chunk, on average, where the text is long enough to be cut."""
FITS = 1.5 * TARGET
"""Tokens that are not cut if they belong together: a section, a table, a list, a piece of code."""
OVERLAP = 0.15
"""Share of the target that a chunk repeats of the one before it, in whole units."""
WINDOW = 108
"""Tokens. A little under half the target: together with the overlap, chunks then have the target's size."""
_LONGEST = 464
_LONGEST_REPEATED = 48
"""Tokens of a sentence that is repeated though it alone is longer than the overlap."""

_NAMED = 400
"""Characters from a unit's start that are looked at for its rank."""
_NUMBER = re.compile(r"\w*\d\w*")
_WORD = re.compile(r"\w+")


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


def cut(text: str, units: Sequence[Unit]) -> list[tuple[int, int]]:
    """The chunks as (first unit, unit after the last), overlaps included; at least one for at least one unit.

    A chunk is longer than 512 tokens only if one of its units is.
    """
    starts = [*(unit.start for unit in units), units[-1].end]
    positions = [0.0, *accumulate(tokens(text[start:end]) for start, end in pairwise(starts))]
    begins = [0]
    if positions[-1] > FITS:
        ranks = _ranks(text, units)
        bounds = pairwise([0, *_minima(ranks, positions), len(units)])
        begins = [begin for first, after in bounds for begin in _filled(first, after, ranks, positions)]
    repeated = [_first_repeated(units, positions, previous, begin) for previous, begin in pairwise(begins)]
    return list(zip([0, *repeated], [*begins[1:], len(units)], strict=True))


def _ranks(text: str, units: Sequence[Unit]) -> list[int]:
    """Each unit's place in the order of cutting: by level, then by what tells it from others and is seldom edited."""
    keys = [(unit.level, *_name(text[unit.start : min(unit.named_until, unit.start + _NAMED)])) for unit in units]
    order = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return [order[key] for key in keys]


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
    """Units ranked lower than all others within the window to both sides; of equal ones the first. The first unit and
    the end are lower than anything.
    """
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
    while positions[after] - positions[first] > _LONGEST and after - first > 1:
        origin = positions[first]
        low = bisect_left(positions, origin + 0.6 * TARGET, first + 1, after)
        high = bisect_right(positions, origin + 1.4 * TARGET, low, after)
        if low < high:
            first = min(range(low, high), key=lambda at: (ranks[at], abs(positions[at] - origin - TARGET)))
        else:
            first = max(first + 1, bisect_right(positions, origin + _LONGEST, first + 1, after) - 1)
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
        if length > (_LONGEST_REPEATED if is_one_sentence else OVERLAP * TARGET):
            break
        first -= 1
    return first
