"""Words of a question that a passage holds in the spelling of another language: `productividad`, `productivity`.

Both begin with the same letters and share half of their runs of letters. Words are compared without accents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from shared.answering.asked import asked_words
from shared.language.words import folded_words
from shared.model.index import IndexedChunk
from shared.model.retrieval import Analysis

RUN = 4
"""Letters of a run, and of the beginning that both words share."""
MIN_SHARED = 0.5
"""Least share of the runs of the longer word that both have."""
_LETTERS = re.compile(r"[^\W\d_]+")


class Cognates:
    """Finds the words of one question in passages of another language."""

    def __init__(self, analysis: Analysis) -> None:
        self._stems_by_word: dict[str, tuple[str, ...]] = {}
        for word in asked_words(analysis.subject, analysis, renamed=True):
            folded_word = folded_words(word.text)
            if len(folded_word) > RUN:
                self._stems_by_word[folded_word] = word.stems

    def stems_in(self, chunk: IndexedChunk) -> set[str]:
        """Returns the stems of the question's words of which the passage, or a title above it, holds a cognate."""
        by_beginning: dict[str, set[str]] = {}
        text = folded_words(f"{chunk.title} {chunk.heading_path} {chunk.text}")
        for word in _LETTERS.findall(text):
            by_beginning.setdefault(word[:RUN], set()).add(word)

        found_stems: set[str] = set()
        for word, stems in self._stems_by_word.items():
            candidates = by_beginning.get(word[:RUN], ())
            if _has_cognate(word, candidates):
                found_stems.update(stems)
        return found_stems


def _has_cognate(word: str, candidates: Iterable[str]) -> bool:
    runs = _runs(word)
    for candidate in candidates:
        other_runs = _runs(candidate)
        shared_count = len(runs & other_runs)
        if shared_count >= MIN_SHARED * max(len(runs), len(other_runs)):
            return True
    return False


def _runs(word: str) -> set[str]:
    """Returns the runs of RUN letters in a word."""
    last_start = max(0, len(word) - RUN)
    return {word[start : start + RUN] for start in range(last_start + 1)}
