"""A text -> what its sentences state, comparable between texts: weighted and negated words, names, numbers, dates."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeVar

from shared.judging.quantities import Quantity, quantities
from shared.language.sentences import sentences
from shared.language.terms import stems
from shared.language.vocabulary import vocabulary
from shared.language.words import token_pattern
from shared.times.dates import Day

T = TypeVar("T")

NAME_WEIGHT, IDENTIFIER_WEIGHT, QUANTITY_WEIGHT = 1.5, 3.0, 1.5
"""What names, identifiers and numbers weigh; every other word weighs 1."""
SCOPE = 4
"""Content words after a negation that it turns around; as many before it where the verb may come first."""

_CLAUSE_END = r"[,;:.!?()]"
_SENTENCE_OPENS = re.compile(r"[\s\"'“„«*_`(\[-]*")


@dataclass(frozen=True, slots=True)
class Word:
    """One content word as others may repeat it. `stems`: any of them; a compound's first is the whole."""

    stems: tuple[str, ...]
    weight: float
    is_name: bool
    is_identifier: bool
    opens: bool
    """A capital letter that says nothing: the first word of its sentence."""
    raw: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What one sentence states; `[start, end)` of its text."""

    start: int
    end: int
    words: tuple[Word, ...]
    numbers: tuple[Quantity, ...]
    days: tuple[Day, ...]
    negations: int
    stems: frozenset[str]
    negated: frozenset[str]
    """Stems inside the reach of a negation."""


def facts_of(text: str, lang: str) -> tuple[Facts, ...]:
    """One a sentence, in order; empty where the text has none. `lang`: in which stems and negations are read."""
    numbers, days = quantities(text, lang)
    cues = [found.span() for found in _denials(lang).cue.finditer(text)]
    covered: tuple[Quantity | Day, ...] = (*numbers, *days)
    taken = frozenset([place for each in covered for place in range(each.start, each.end)])
    tokens = [(found.start(), found[0]) for found in token_pattern(text).finditer(text)]
    words = [(start, raw) for start, raw in tokens if start not in taken and _word(raw, lang, opens=False).stems]
    reached = _reached(words, cues, text, _denials(lang)) if cues else frozenset()
    found, spans = [], sentences(text, lang=lang)
    numbers_of = _by_sentence([(each.start, each) for each in numbers], spans)
    days_of = _by_sentence([(each.start, each) for each in days], spans)
    cues_of = _by_sentence([(cue, cue) for cue, _ in cues], spans)
    words_of = _by_sentence([(start, at) for at, (start, _) in enumerate(words)], spans)
    for place, (start, end) in enumerate(spans):
        opening = _SENTENCE_OPENS.match(text, start)
        first = opening.end() if opening else start
        own = [(at, _word(words[at][1], lang, opens=words[at][0] <= first)) for at in words_of[place]]
        found.append(
            Facts(
                start=start,
                end=end,
                words=tuple([word for _, word in own]),
                numbers=tuple(numbers_of[place]),
                days=tuple(days_of[place]),
                negations=len(cues_of[place]),
                stems=frozenset([stem for _, word in own for stem in word.stems]),
                negated=frozenset([stem for at, word in own if at in reached for stem in word.stems]),
            )
        )
    return tuple(found)


def _by_sentence(placed: Iterable[tuple[int, T]], spans: Sequence[tuple[int, int]]) -> Mapping[int, list[T]]:
    """(offset, item) -> the items within each span, by its place; the spans are in order and apart."""
    found: dict[int, list[T]] = defaultdict(list)
    starts = [start for start, _ in spans]
    for offset, item in placed:
        place = bisect_right(starts, offset) - 1
        if place >= 0 and offset < spans[place][1]:
            found[place].append(item)
    return found


@lru_cache(maxsize=20_000)
def _word(raw: str, lang: str, *, opens: bool) -> Word:
    found = tuple(stems(raw, lang))
    capital = raw[:1].isupper()
    identifier = "_" in raw or (any(map(str.isdigit, raw)) and any(map(str.isalpha, raw)))
    name = (
        identifier
        or raw[1:] != raw[1:].lower()
        or (capital and not opens and not vocabulary(lang).nouns_are_capitalised)
    )
    weight = IDENTIFIER_WEIGHT if identifier else NAME_WEIGHT if name else 1.0
    return Word(stems=found, weight=weight, is_name=name, is_identifier=identifier, opens=opens and capital, raw=raw)


def _reached(
    words: Sequence[tuple[int, str]], cues: Sequence[tuple[int, int]], text: str, denials: _Denials
) -> frozenset[int]:
    """Which of `words` stand in the reach of a negation: the next ones in its clause, or the last ones too."""
    bounds = [place for found in denials.clause_end.finditer(text) for place in found.span()]
    starts = [start for start, _ in words]
    reached: set[int] = set()
    for start, end in cues:
        place = bisect_left(bounds, end)
        limit = bounds[place] if place < len(bounds) else len(text)
        first = bisect_left(starts, end)
        reached.update(at for at in range(first, min(first + SCOPE, len(starts))) if starts[at] < limit)
        if denials.turn_before:
            place = bisect_right(bounds, start) - 1
            limit = bounds[place] if place >= 0 else 0
            last = bisect_left(starts, start)
            reached.update(at for at in range(max(0, last - SCOPE), last) if starts[at] >= limit)
    return frozenset(reached)


@dataclass(frozen=True, slots=True)
class _Denials:
    """A language's negations as expressions."""

    cue: re.Pattern[str]
    clause_end: re.Pattern[str]
    turn_before: bool


@cache
def _denials(lang: str) -> _Denials:
    """In a language without words for them there are none."""
    words = vocabulary(lang).facts
    if words is None:
        return _Denials(re.compile(r"(?!)"), re.compile(_CLAUSE_END), turn_before=True)
    more = rf"|\b(?:{words.negated_verbs})\b" if words.negated_verbs else ""
    cue = rf"\b(?:{'|'.join(words.negations.split())})\b(?!\s+(?:{words.only})\b){more}"
    end = rf"{_CLAUSE_END}|\b(?:{words.contrasts})\b"
    return _Denials(re.compile(cue, re.IGNORECASE), re.compile(end, re.IGNORECASE), turn_before=words.negates_before)
