"""Where to cut a run of units so that an edit moves only the cuts beside it.

Packing units until a chunk is full moves every later cut when one word is added. Here a boundary is a cut because of
what stands around it and nothing else: its rank, drawn from its first words, is the lowest for `WINDOW` tokens to both
sides (local minima, as in content-defined chunking of files). Cuts are at least about `WINDOW` apart and twice that on
average; an edit further away cannot move them.

A chunk also repeats the end of its predecessor, so an edit there changes two chunks and had better move no cut as
well. Hence boundaries within the repeated part count for nothing, and distances to a cut end where that part begins.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise

TARGET = 256
"""Tokens of a chunk, on average, where the text is long enough to be cut."""
OVERLAP = 0.15
"""Share of the target that a chunk repeats of the one before it, in whole units."""
WINDOW = 112
"""Tokens. A little under half the target: together with the overlap, chunks then have the target's size."""
_LONGEST = 464
_LONGEST_REPEATED = 48
"""Tokens of the one sentence that is repeated though it is longer than the overlap."""

_NAME = 120
"""Characters from a unit's start whose words tell it from others."""
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


@dataclass(frozen=True, slots=True)
class _Run:
    """Units as the cuts see them. All three have an entry for the end of the last unit behind those of the units."""

    positions: Sequence[float]
    """Where each unit begins, in tokens from the first."""
    repeated: Sequence[int]
    """From which unit on a chunk that began with this one would repeat its predecessor."""
    ranks: Sequence[int]
    """Lower is cut first. The first unit and the end are lower than anything."""

    def room(self, first: int, after: int) -> float:
        """Tokens from unit `first` to where the chunk that begins at `after` begins to repeat."""
        return self.positions[after] - self.positions[first]


def tokens(text: str) -> float:
    """An estimate of a model's tokens: four UTF-8 bytes each, as English and, roughly, Chinese have it."""
    return (len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))) / 4


def cut(text: str, units: Sequence[Unit]) -> list[tuple[int, int]]:
    """The chunks as (first unit, unit after the last), overlaps included; at least one for at least one unit.

    A chunk is longer than 512 tokens only if one of its units is.
    """
    positions = [0.0, *accumulate(tokens(text[unit.start : unit.end]) for unit in units)]
    repeated = [_first_repeated(units, positions, index) for index in range(len(units))]
    run = _Run(positions, [*repeated, len(units)], [-1, *_ranks(text, units[1:]), -1])
    begins = [0, *_minima(run), len(units)]
    filled = [first for bounds in pairwise(begins) for first in _filled(run, *bounds)]
    chunks = []
    for previous, (first, after) in zip([-1, *filled], pairwise([*filled, len(units)]), strict=False):
        chunks.append((max(run.repeated[first], previous + 1), after))
    return chunks


def _first_repeated(units: Sequence[Unit], positions: Sequence[float], here: int) -> int:
    """Prose only, and no more than the overlap; but one whole sentence if it is not very long."""
    first = here
    while first and units[first - 1].is_prose:
        length = positions[here] - positions[first - 1]
        is_one_sentence = first == here and units[first - 1].level < 2
        if length > (_LONGEST_REPEATED if is_one_sentence else OVERLAP * TARGET):
            break
        first -= 1
    return first


def _ranks(text: str, units: Sequence[Unit]) -> list[int]:
    """Each unit's place in the order of cutting: by level, then by the hashes of the words from its start on, first
    word first. Nearly always the first word or two decide, so that an edit further on cannot move a cut.
    """
    keys = [(unit.level, *map(_hash, _WORD.findall(text, unit.start, unit.start + _NAME))) for unit in units]
    order = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return [order[key] for key in keys]


@lru_cache(maxsize=20_000)
def _hash(word: str) -> int:
    """Of a word, whatever its case. Long words come first: short ones begin many sentences and tell little."""
    folded = word.lower()
    return zlib.crc32(folded.encode("utf-8", "surrogatepass")) | (len(folded) < 4) << 32


def _minima(run: _Run) -> list[int]:
    """Units ranked lower than all others within the window to both sides; of equal ones the first. Those that would
    be repeated by a chunk beginning at a lower one are passed over.
    """
    rivals = list(range(len(run.ranks)))
    nearest_left, nearest_right = dict[int, int](), dict[int, int]()
    rising: list[int] = []
    for here in rivals:
        while rising and run.ranks[rising[-1]] > run.ranks[here]:
            nearest_right[rising.pop()] = here
        nearest_left[here] = rising[-1] if rising else 0
        rising.append(here)
    return [
        here
        for here in rivals[1:-1]
        if run.positions[here] - run.positions[nearest_left[here]] >= WINDOW
        and run.room(here, nearest_right[here]) >= WINDOW
    ]


def _rivals(run: _Run) -> list[int]:
    passed_over = {
        earlier
        for here, first in enumerate(run.repeated)
        for earlier in range(max(1, first), here)
        if run.ranks[here] < run.ranks[earlier]
    }
    return [here for here in range(len(run.ranks)) if here not in passed_over]


def _filled(run: _Run, first: int, after: int) -> list[int]:
    """`first`, and further cuts before `after` while what is left is too long: the lowest rank, and of equal ones the
    nearest to the target, from 0.6 to 1.4 targets on.
    """
    found = [first]
    while run.room(first, after) > _LONGEST and after - first > 1:
        origin = run.positions[first]
        low = bisect_left(run.positions, origin + 0.6 * TARGET, first + 1, after)
        high = bisect_right(run.positions, origin + 1.4 * TARGET, low, after)
        if low < high:
            first = min(range(low, high), key=lambda at: (run.ranks[at], abs(run.positions[at] - origin - TARGET)))
        else:
            first = max(first + 1, bisect_right(run.positions, origin + _LONGEST, first + 1, after) - 1)
        found.append(first)
    return found
