"""A time that a question holds -> whether notes of then are asked for, or it belongs to the person's story.

"I joined three weeks ago: may I take leave?" asks nothing about three weeks ago. A small score decides, of where the
time stands (in the clause that asks, before it, in another sentence) and of how that clause asks: about the past, or
what the person may or must do. Each language brings only closed classes of words, see `language.vocabulary`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise

from shared.language.sentences import sentences
from shared.language.vocabulary import vocabulary

_WITHIN = re.compile(r"[;:]\s+|(?=¿)")
"""Where sentences fall into parts that speak for themselves."""
_COMMA = re.compile(r",\s+")
_NEVER = re.compile(r"(?!)")


class Reading(StrEnum):
    """What a time in a question is for."""

    ASKED = "asked"
    """What is asked about was written, or happened, then."""
    EITHER = "either"
    """Both readings are possible."""
    STORY = "story"
    """It says when something befell the person."""


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Asking:
    """A language's words as expressions."""

    opening: re.Pattern[str]
    """Matches where a clause begins that asks."""
    past: re.Pattern[str] = _NEVER
    duty: re.Pattern[str] = _NEVER
    genitive: re.Pattern[str] = _NEVER
    """At the end of what stands before a time."""
    possessive: re.Pattern[str] = _NEVER
    """Matches behind a time."""


def reading_of(text: str, start: int, end: int, lang: str) -> Reading:
    """`text[start:end]` names the time."""
    words = _asking(lang)
    parts = _parts(text)
    own = next(each for each in parts if start < each.end or each is parts[-1])
    asking = [each for each in parts if _asks(each, words)] or parts
    clause, score = _place(own, start, words) if own in asking else (asking[-1], -2)
    score += _tense(clause, words) + 2 * _is_of_a_thing(text, start, end, words)
    return Reading.ASKED if score > 0 else Reading.EITHER if score == 0 else Reading.STORY


def _parts(text: str) -> list[_Clause]:
    parts = []
    for start, end in sentences(text):
        bounds = [start, *(found.end() for found in _WITHIN.finditer(text, start, end)), end]
        parts += [_Clause(text[a:b], a, b) for a, b in pairwise(bounds) if a < b]
    return parts or [_Clause(text, 0, len(text))]


def _asks(sentence: _Clause, words: _Asking) -> bool:
    return "?" in sentence.text or words.opening.match(sentence.text) is not None


def _place(sentence: _Clause, start: int, words: _Asking) -> tuple[_Clause, int]:
    """The clause of the sentence that asks, and what the time's place in it counts."""
    if words.opening.match(sentence.text):
        trailing = any(found.end() + sentence.start <= start for found in _COMMA.finditer(sentence.text))
        return sentence, 1 if trailing else 2
    for found in _COMMA.finditer(sentence.text):
        if words.opening.match(sentence.text, found.end()):
            asks = sentence.start + found.end()
            clause = _Clause(sentence.text[found.end() :], asks, sentence.end)
            return clause, 2 if start >= asks else -1
    return sentence, 2


def _tense(clause: _Clause, words: _Asking) -> int:
    """What comes first tells: a verb of the past, or what the person may or must do."""
    past, duty = words.past.search(clause.text), words.duty.search(clause.text)
    if duty and (past is None or duty.start() <= past.start()):
        return -2
    return 2 if past else 0


def _is_of_a_thing(text: str, start: int, end: int, words: _Asking) -> bool:
    """Whether the time says which minutes, post or meeting: `last week's minutes`, `the minutes of last week`."""
    first_word = start + len(text[start:end].split(maxsplit=1)[0])
    attribute = any(words.genitive.search(text[:place]) for place in (start, first_word))
    return attribute or words.possessive.match(text, end) is not None


@cache
def _asking(lang: str) -> _Asking:
    """The language's expressions, made on first use. Of one without words only signs open a question."""
    words = vocabulary(lang).asking
    if words is None:
        return _Asking(re.compile(r"\s*¿"))
    return _Asking(
        opening=re.compile(rf"\s*¿|\s*(?:(?:\w+\s)?(?:{words.questions})|{words.verbs})(?!\w)", re.IGNORECASE),
        past=_whole(words.past),
        duty=_whole(words.duty),
        genitive=re.compile(rf"\w\s+(?:{words.genitive})\s*(?:{words.articles})?\s*\Z", re.IGNORECASE),
        possessive=re.compile(words.possessive) if words.possessive else _NEVER,
    )


def _whole(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE)
