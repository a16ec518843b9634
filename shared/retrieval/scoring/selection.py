"""Ranked passages -> those the writer gets: no repeats, not too many, not too long."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

from shared.language.vocabulary import vocabularies
from shared.model.index import IndexedChunk
from shared.model.retrieval import Scored

SPAN_OVERLAP = 0.5
"""Share of the shorter passage that lies in the other one of the same note, from which they are one. Neighbours
share less than that by design and are cited each for its own part."""
SHINGLE_OVERLAP = 0.85
"""Jaccard similarity of word trigrams from which two texts are one."""
LEAST_WORDS = 8
"""Shorter texts are never repeats of another note's: "45 min run" under two dates is two facts."""


def select(passages: Iterable[Scored], *, wanted: int, max_characters: int | None) -> tuple[Scored, ...]:
    """The best `wanted` different passages, as far as all their texts fit into `max_characters` code points.

    Of repeats the better one stays. Takes no more from `passages` than it needs. A best passage that is longer than
    the whole allowance is cut to it.
    """
    different = (passage for passage, repeated in with_repeats(passages) if repeated is None)
    best = islice(different, wanted)
    return tuple(best if max_characters is None else _fitting(best, max_characters))


def with_repeats(passages: Iterable[Scored]) -> Iterator[tuple[Scored, IndexedChunk | None]]:
    """Each passage with the chunk before it that it repeats; None: it says something new."""
    kept: list[_Wording] = []
    for passage in passages:
        wording = _Wording.of(passage.chunk)
        repeated = next((other.chunk for other in kept if _repeats(wording, other)), None)
        if repeated is None:
            kept.append(wording)
        yield passage, repeated


def best_of_notes(passages: Iterable[Scored], wanted: int) -> tuple[Scored, ...]:
    """The best passage of each of the first `wanted` notes."""
    best: dict[str, Scored] = {}
    for passage in passages:
        best.setdefault(passage.chunk.note_id, passage)
        if len(best) == wanted:
            break
    return tuple(best.values())


def _fitting(passages: Iterable[Scored], room: int) -> Iterator[Scored]:
    for place, passage in enumerate(passages):
        chunk = passage.chunk
        if place == 0 and len(chunk.text) > room:
            cut = replace(chunk, text=chunk.text[:room], end=chunk.start + room)
            yield replace(passage, chunk=cut)
            return
        if len(chunk.text) <= room:
            room -= len(chunk.text)
            yield passage


@dataclass(frozen=True, slots=True)
class _Wording:
    chunk: IndexedChunk
    words: Sequence[str]
    shingles: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, chunk: IndexedChunk) -> _Wording:
        words = re.findall(r"\w+", chunk.text)
        folded = [word.casefold() for word in words]
        return cls(chunk, words, frozenset(zip(folded, folded[1:], folded[2:], strict=False)))


def _repeats(one: _Wording, other: _Wording) -> bool:
    if one.chunk.note_id == other.chunk.note_id:
        shared = min(one.chunk.end, other.chunk.end) - max(one.chunk.start, other.chunk.start)
        if shared >= SPAN_OVERLAP * min(len(one.chunk.text), len(other.chunk.text)):
            return True
    if min(len(one.words), len(other.words)) < LEAST_WORDS:
        return False
    fewer, more = sorted((len(one.shingles), len(other.shingles)))
    if fewer < SHINGLE_OVERLAP * more:  # too different in length, found without comparing
        return False
    common = len(one.shingles & other.shingles)
    return common >= SHINGLE_OVERLAP * (fewer + more - common) and not _facts_differ(one, other)


@cache
def _negations() -> frozenset[str]:
    """Of every language, casefolded."""
    known = [words.facts for words in vocabularies() if words.facts]
    return frozenset(word.casefold() for each in known for word in f"{each.negations} {each.half_negations}".split())


def _facts_differ(one: _Wording, other: _Wording) -> bool:
    """Whether a number, a name or a negation stands in one alone: then near-equal texts say different things."""
    spelled = {word.casefold(): word for word in (*one.words, *other.words)}
    odd = {word.casefold() for word in one.words} ^ {word.casefold() for word in other.words}
    return any(word in _negations() or spelled[word] != word or any(map(str.isdigit, word)) for word in odd)
