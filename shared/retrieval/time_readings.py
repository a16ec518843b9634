"""A time that a question holds -> whether notes of then are asked for, or it belongs to the person's story.

"I joined three weeks ago: may I take leave?" asks nothing about three weeks ago. A small score decides, of where the
time stands (in the clause that asks, before it, in another sentence) and of how that clause asks: about the past, or
what the person may or must do. Each language brings only closed classes of words, see `asking_words`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from shared.retrieval.asking_words import Asking

_SENTENCE_END = re.compile(r"[.!?…;:](?=\s|\Z)[\s\"'”’»)]*|\n+|(?=¿)")
_COMMA = re.compile(r",\s+")


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


def reading_of(text: str, start: int, end: int, *, goes_on: bool, words: Asking) -> Reading:
    """`text[start:end]` names the time; `goes_on`: it is not over yet (`this week`)."""
    sentences = _sentences(text)
    own = next(each for each in sentences if start < each.end or each is sentences[-1])
    asking = [each for each in sentences if _asks(each, words)] or sentences
    clause, score = _place(own, start, words) if own in asking else (asking[-1], -2)
    score += _tense(clause, words, goes_on=goes_on and "?" in text)
    score += 2 * _is_of_a_thing(text, start, end, words) - (words.subordinate.match(own.text) is not None)
    return Reading.ASKED if score > 0 else Reading.EITHER if score == 0 else Reading.STORY


def _sentences(text: str) -> list[_Clause]:
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    bounds = [0, *(end for end in ends if 0 < end < len(text)), len(text)]
    spans = zip(bounds, bounds[1:], strict=False)
    return [_Clause(text[a:b], a, b) for a, b in spans if text[a:b].strip()] or [_Clause(text, 0, len(text))]


def _asks(sentence: _Clause, words: Asking) -> bool:
    return "?" in sentence.text or words.opening.match(sentence.text) is not None


def _place(sentence: _Clause, start: int, words: Asking) -> tuple[_Clause, int]:
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


def _tense(clause: _Clause, words: Asking, *, goes_on: bool) -> int:
    """What comes first tells: a verb of the past, or what the person may or must do."""
    past, duty = words.past.search(clause.text), words.duty.search(clause.text)
    if duty and (past is None or duty.start() <= past.start()):
        return -2
    return 2 if past else -2 if goes_on else 0


def _is_of_a_thing(text: str, start: int, end: int, words: Asking) -> bool:
    """Whether the time says which minutes, post or meeting: `last week's minutes`, `the minutes of last week`."""
    first_word = start + len(text[start:end].split()[0])
    attribute = any(words.genitive.search(text[:place]) for place in (start, first_word))
    return attribute or text[end : end + 2] in ("'s", "’s")
