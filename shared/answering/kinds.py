"""Question and two passages -> whether one is about another thing of the kind that is asked for.

In `kitchen wall paint` the first word tells which one of what the others name. A passage that holds `bathroom wall` or
`bathroom paint`, and `kitchen` nowhere, is about another. One that only lacks the word may well be about the same: what
people write later often leaves the subject out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

from shared.language.terms import content_words, stem_of
from shared.model.index import IndexedChunk
from shared.model.retrieval import Analysis

Run = tuple[str, ...]
"""Stems of content words with nothing but a blank between them."""


@dataclass(frozen=True, slots=True)
class AskedKinds:
    """The runs of words in a question: the first word may tell which thing is asked for of the kind that the others name."""

    runs: tuple[Run, ...]
    """Runs of at least two words."""
    lang: str

    @classmethod
    def of(cls, analysis: Analysis) -> AskedKinds:
        """Reads the runs of a question."""
        lang = analysis.lang
        runs = [run for run in _runs(analysis.subject, lang) if len(run) > 1]
        return cls(tuple(runs), lang)

    def is_about_another(self, chunk: IndexedChunk, first: IndexedChunk) -> bool:
        """Reports whether a passage is about another thing than the first one, which is about what is asked for."""
        if not self.runs:
            return False
        runs = list(_runs(_text(chunk), self.lang))
        words = set(chain.from_iterable(runs))
        lacking_runs = [run for run in self.runs if run[0] not in words]
        if not lacking_runs:
            return False  # reading the first passage, too, would change nothing
        runs_of_first = _runs(_text(first), self.lang)
        words_of_first = set(chain.from_iterable(runs_of_first))
        for telling, *kinds in lacking_runs:
            if telling not in words_of_first:
                continue
            other_telling = _words_before(kinds, runs) - words_of_first
            if other_telling:
                return True
        return False


def _words_before(kinds: list[str], runs: list[Run]) -> set[str]:
    """Returns the words that stand directly before one of the kinds."""
    words_before = set()
    for run in runs:
        for word, following in pairwise(run):
            if following in kinds:
                words_before.add(word)
    return words_before


def _text(chunk: IndexedChunk) -> str:
    """Returns the text of a passage below its title and headings."""
    texts = (chunk.title, chunk.heading_path, chunk.text)
    return "\n".join(texts)


def _runs(text: str, lang: str) -> Iterator[Run]:
    """Yields the runs of a text, in order."""
    run: list[str] = []
    end_of_run = 0
    for word, start, end in content_words(text, lang):
        between = text[end_of_run:start]
        if run and between != " ":
            yield tuple(run)
            run = []
        stem = stem_of(word, lang)
        run.append(stem)
        end_of_run = end
    if run:
        yield tuple(run)
