"""A time that a question holds -> whether notes of then are asked for, or it belongs to the person's story.

"I joined three weeks ago: may I take leave?" asks nothing about three weeks ago. A small score decides, of where the
time stands (in the clause that asks, before it, in another sentence) and of how that clause asks: about the past, or
what the person may or must do. Each language brings only closed classes of words, see `language.vocabulary`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from shared.language.sentences import sentences
from shared.times.lexicon import NEARBY, Lexicon, at_end

_WITHIN = re.compile(r"[;:]\s+|(?=¿)")
"""Where sentences fall into parts that speak for themselves."""
_COMMA = re.compile(r",\s+")
_BARE_YEAR = re.compile(r"\s*(?:19|20)\d\d")


class Intent(StrEnum):
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
class _Question:
    """A sentence that asks: its clause that does, where its first comma ends, what its tense counts, whether it asks
    what was written, and how many letters it has.
    """

    clause: _Clause
    first_comma: int
    tense: int
    of_notes: bool
    length: int


class Intents:
    """What each time in one text is for. The clauses are read once, however many times the text names."""

    def __init__(self, text: str, words: Lexicon) -> None:
        self._text, self._words = text, words
        parts = []
        for start, end in sentences(text):
            bounds = [start, *(found.end() for found in _WITHIN.finditer(text, start, end)), end]
            parts += [_Clause(text[a:b], a, b) for a, b in pairwise(bounds) if a < b]
        self._parts = parts or [_Clause(text, 0, len(text))]
        self._ends = [part.end for part in self._parts]
        opens = self._words.opening.match
        self._asking = [part for part in self._parts if "?" in part.text or opens(part.text)] or self._parts
        self._asking_starts = {part.start for part in self._asking}
        self._read: dict[int, _Question] = {}

    def of(self, start: int, end: int, *, recurs: bool = False) -> Intent:
        """`text[start:end]` names the time. `recurs`: it may as well be to come, or each of its kind, as `Monday`."""
        own = self._parts[min(bisect_right(self._ends, start), len(self._parts) - 1)]
        asks = own.start in self._asking_starts
        question = self._question(own if asks else self._asking[-1])
        belonging = self._belonging(start, end)
        score = question.tense + belonging
        if not asks:
            score -= 2
        elif question.clause is own:
            score += 1 if question.first_comma <= start and self._words.opening.match(own.text) else 2
            if recurs and question.tense <= 0 and not question.of_notes and question.length > end - start:
                score -= 2
        else:
            lead = f"{self._text[own.start : start]} {self._text[end : question.clause.start]}"
            score += 2 if start >= question.clause.start else -1 - (belonging <= 0 and self._is_clause(lead))
        return Intent.ASKED if score > 0 else Intent.EITHER if score == 0 else Intent.STORY

    def _is_clause(self, lead: str) -> bool:
        """Whether what leads to the clause that asks, its time aside, tells something: `I cooked …, which` and not
        `in the notes of …, which`.
        """
        words, of = lead.split(), self._words
        verb = of.past.search(lead) or of.present.search(lead)
        return len(words) > 1 and bool(verb or not of.preposition.search(f"{words[0]} "))

    def _belonging(self, start: int, end: int) -> int:
        """What it counts that the time says which minutes, post or meeting: `last week's minutes`, `the minutes of last
        week`. A bare year rather names a vintage, a model or a title (`the plot of 1984`), unless it is one of notes.
        """
        first_word = start + len(self._text[start:end].split(maxsplit=1)[0])
        for at in (start, first_word):
            if genitive := at_end(self._text, at, self._words.belonging):
                noun = self._text[max(0, genitive.start() - NEARBY) : genitive.start() + 1].split()[-1]
                vintage = _BARE_YEAR.fullmatch(self._text, at, end) and not self._words.writing.fullmatch(noun)
                return -4 if vintage else 2
        return 2 if self._words.possessive.match(self._text, end) else 0

    def _question(self, sentence: _Clause) -> _Question:
        if sentence.start not in self._read:
            words, clause = self._words, sentence
            commas = [found.end() for found in _COMMA.finditer(sentence.text)]
            if not words.opening.match(sentence.text):
                opening = next((at for at in commas if words.opening.match(sentence.text, at)), 0)
                if opening:
                    clause = _Clause(sentence.text[opening:], sentence.start + opening, sentence.end)
            past, duty = words.past.search(clause.text), words.duty.search(clause.text)
            if duty and (past is None or duty.start() <= past.start()):
                tense = -2  # what comes first tells: a verb of the past, or what the person may or must do
            else:
                tense = 2 if past else -1 if words.present.search(clause.text) else 0
            self._read[sentence.start] = _Question(
                clause=clause,
                first_comma=sentence.start + (commas[0] if commas else len(sentence.text) + 1),
                tense=tense,
                of_notes=words.writing.search(clause.text) is not None,
                length=len(clause.text.strip(" \n?!.,")),
            )
        return self._read[sentence.start]
