"""Question and two passages -> whether one is about another thing of the kind that is asked for.

In `kitchen wall paint` the first word tells which one of what the others name. A passage that holds `bathroom wall` or
`bathroom paint`, and `kitchen` nowhere, is about another. One that only lacks the word may well be about the same: what
people write later often leaves the subject out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from shared.language.terms import content_words, stem_of
from shared.model.index import IndexedChunk
from shared.model.retrieval import Analysis

Run = tuple[str, ...]
"""Stems of content words with nothing but a blank between them."""


@dataclass(frozen=True, slots=True)
class AskedKinds:
    """The runs of words in a question: the first word may tell which thing is asked for of the kind that the others name."""

    runs: tuple[Run, ...]
    """Those of at least two words."""
    lang: str

    @classmethod
    def of(cls, analysis: Analysis) -> AskedKinds:
        """Reads the runs of a question."""
        runs = [run for run in _runs(analysis.subject, analysis.lang) if len(run) > 1]
        return cls(tuple(runs), analysis.lang)

    def is_about_another(self, chunk: IndexedChunk, first: IndexedChunk) -> bool:
        """Reports whether a passage is about another thing than the first one, which is about what is asked for."""
        if not self.runs:
            return False
        runs = list(_runs(_text(chunk), self.lang))
        words = {word for run in runs for word in run}
        asked_runs = [run for run in self.runs if run[0] not in words]
        if not asked_runs:
            return False  # reading the first passage, too, would change nothing
        first_words = {word for run in _runs(_text(first), self.lang) for word in run}
        for telling, *kinds in asked_runs:
            if telling in first_words and _words_before(kinds, runs) - first_words:
                return True
        return False


def _words_before(kinds: list[str], runs: list[Run]) -> set[str]:
    """Returns the words that stand directly before one of the kinds."""
    before: set[str] = set()
    for run in runs:
        for word, following in pairwise(run):
            if following in kinds:
                before.add(word)
    return before


def _text(chunk: IndexedChunk) -> str:
    """Returns the text of a passage below its title and headings."""
    return "\n".join((chunk.title, chunk.heading_path, chunk.text))


def _runs(text: str, lang: str) -> Iterator[Run]:
    """Yields the runs of a text, in order."""
    run: list[str] = []
    end_of_run = 0
    for word, start, end in content_words(text, lang):
        if run and text[end_of_run:start] != " ":
            yield tuple(run)
            run = []
        run.append(stem_of(word, lang))
        end_of_run = end
    if run:
        yield tuple(run)
