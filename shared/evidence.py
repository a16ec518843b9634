"""What a question asks for, and how far a passage holds it: by its words and its similarity, without a model.

Evidence is the share of the question that the passage covers, plus its similarity above chance. Coverage weighs the
question's stems: identifiers 4, names 2, words that only say what kind of thing is asked ("cost", "name", "decide")
0.25, others 1, a time in which the passage was written 1. It is halved where of all that is asked only a name stands
there ("Jonas's birthday" in a note of Jonas), and multiplied by 0.7 where a name is missing. What is jotted down like a
search ("that place with the good octopus") is somebody's own note half remembered, and less is enough than for a
question.

One setting for all; share refused with vectors / without (questions of their own collection; of two others):

    sample notes, 60 questions       own 0.04 / 0.10   unanswerable 1.00 / 1.00
    sample notes, 40 further ones    own 0.20 / 0.24   unanswerable 0.87 / 0.87   (vague on purpose)
    chats (LoCoMo sessions)          own 0.01 / 0.04   other 0.96 / 0.95
    meetings (QMSum)                 own 0.12 / 0.14   other 1.00 / 1.00
    abstracts (SciFact)              own 0.07 / 0.31   other 0.71 / 0.77
    chats, words jotted down         own 0.00          other 0.88
    abstracts, words jotted down     own 0.00          other 0.46

The more notes there are, the likelier jotted words stand in one of them by chance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.domain import Prompt, Scores, TimeRange
from shared.text.general_words import general
from shared.text.languages import detect
from shared.text.terms import content_words, stems

IDENTIFIER_WEIGHT, PART_WEIGHT = 4.0, 0.5
"""Of `ERR_CONN_42` and of its parts `err`, `conn`, `42`, which `ERR_CONN_43` shares."""
NAME_WEIGHT, WORD_WEIGHT, GENERAL_WEIGHT, TIME_WEIGHT = 2.0, 1.0, 0.25, 1.0
ONLY_A_NAME, NAME_MISSING = 0.5, 0.7
"""What coverage is multiplied by."""
LEAST_EVIDENCE, LEAST_FOR_JOTTINGS = 0.55, 0.35
"""Coverage in [0, 1] plus similarity above chance in [0, 1]."""
LEAST_COVERAGE, LEAST_COVERAGE_FOR_JOTTINGS = 0.45, 0.3
"""The same where no passage has a vector."""

_ASKS = re.compile(
    r"\W*(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|may|might|will|would"
    r"|shall|should|have|has|had|wer|wen|wem|was|wann|wie|wo|wohin|woher|warum|wieso|welche[nmrs]?|qué|quién(?:es)?"
    r"|cuál(?:es)?|cuándo|dónde|cuánt[oa]s?|cómo|quel(?:le)?s?|qui|que|quand|où|combien|comment|pourquoi)\b",
    re.IGNORECASE,
)
_LONGEST_JOTTING = 9
"""Words."""
_AROUND = timedelta(days=31)
_COMPOUNDING = frozenset(("de",))
_LEAST_PART = 4
"""Letters of a word that counts as found inside a compound of German."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for: each stem's weight; the language to stem in."""

    weights: Mapping[str, float]
    names: frozenset[str]
    """Stems of names and identifiers among them."""
    lang: str
    jotted: bool
    """Not a question: words by which somebody remembers a note."""
    time: TimeRange | None
    """The time it names."""

    @property
    def overview(self) -> TimeRange | None:
        """Set when nothing but a time is named ("what happened last week?"): what was written then is the answer, or
        within a month of it, when a wider search brought that.
        """
        if self.time is None or not set(self.weights.values()) <= {GENERAL_WEIGHT}:
            return None
        return TimeRange(self.time.start and self.time.start - _AROUND, self.time.end and self.time.end + _AROUND)

    def least(self, *, vectors: bool) -> float:
        """The least evidence with which a passage may answer."""
        if vectors:
            return LEAST_FOR_JOTTINGS if self.jotted else LEAST_EVIDENCE
        return LEAST_COVERAGE_FOR_JOTTINGS if self.jotted else LEAST_COVERAGE

    def coverage(self, found: frozenset[str]) -> float:
        """The share of the asked weight that `found` holds, in [0, 1]."""
        total = sum(self.weights.values())
        return (
            sum(weight for stem, weight in self.weights.items() if self._holds(found, stem)) / total if total else 0.0
        )

    def evidence(self, found: frozenset[str], scores: Scores, written: datetime) -> float:
        """Of a passage with these stems, in [0, 2]."""
        coverage = self.coverage(found) * self._trust(found)
        if self.time is not None and self.time.contains(written):
            total = sum(self.weights.values())
            coverage = (coverage * total + TIME_WEIGHT) / (total + TIME_WEIGHT)
        return coverage + max(0.0, 2.0 * scores.similarity - 1.0)  # unrelated texts are at 0.5

    def _trust(self, found: frozenset[str]) -> float:
        words = [stem for stem, weight in self.weights.items() if weight == WORD_WEIGHT]
        only_a_name = bool(self.names and words) and not any(self._holds(found, stem) for stem in words)
        missing = any(not self._holds(found, stem) for stem in self.names)
        return (ONLY_A_NAME if only_a_name else 1.0) * (NAME_MISSING if missing else 1.0)

    def _holds(self, found: frozenset[str], stem: str) -> bool:
        """German compounds hold the words they begin or end with: `Suppe` stands in `Linsensuppe`."""
        if stem in found or self.lang not in _COMPOUNDING or len(stem) < _LEAST_PART:
            return stem in found
        return any(other.endswith(stem) or (other.startswith(stem) and len(other) > len(stem) + 2) for other in found)


def asked_by(prompt: Prompt) -> Asked:
    """A prompt's question without its time phrase, taken apart."""
    analysis = prompt.analysis
    lang = analysis.lang if analysis else detect(prompt.question)
    wanted = analysis.stems if analysis else stems(prompt.question, lang)
    weights = {stem: GENERAL_WEIGHT if stem in general(lang) else WORD_WEIGHT for stem in wanted}
    names = {stem: weight for stem, weight in _names(prompt.question, lang) if stem in weights}
    return Asked(
        weights={**weights, **names},
        names=frozenset(names),
        lang=lang,
        jotted=_is_jotted(prompt.question),
        time=analysis.time.range if analysis and analysis.time and analysis.time.restricts else None,
    )


def _is_jotted(question: str) -> bool:
    """No question mark, no word that asks, no whole sentence."""
    text = question.strip()
    return (
        "?" not in text
        and not text.endswith((".", "!"))
        and len(text.split()) <= _LONGEST_JOTTING
        and _ASKS.match(text) is None
    )


def _names(question: str, lang: str) -> Iterator[tuple[str, float]]:
    """Stems of names (capitalised inside the question, but not in German, or with an underscore) and identifiers, with
    their weights.
    """
    for _, start, end in content_words(question, lang):
        word = question[start:end]
        if any(map(str.isdigit, word)) and any(map(str.isalpha, word)):
            whole, *parts = stems(word, lang) or [word]
            yield from ((part, PART_WEIGHT) for part in parts)
            yield whole, IDENTIFIER_WEIGHT
        elif (start > 0 and word[0].isupper() and lang not in _COMPOUNDING) or "_" in word:
            yield from ((stem, NAME_WEIGHT) for stem in stems(word, lang))
