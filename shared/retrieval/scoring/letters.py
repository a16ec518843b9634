"""Words and chunks -> the chunks as holding runs of the words' letters: for languages that the embedder does not speak.

Stems miss what such a language joins and bends (`Leihcomputer`, `Kinos`), which vectors find in one that it speaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from statistics import fmean

from shared.language.folding import folded_words
from shared.model.index import IndexedChunk
from shared.model.retrieval import CorpusStats

LETTERS = 4
"""Of a run; a shorter word is one. With 3 or 5 German, Spanish and Russian questions rank slightly worse."""
MOST_RUNS = 200
"""Each is looked for in every candidate, 10 ms together. Longer questions name their subject within the first."""


def in_letters(
    words: Iterable[str], chunks: Sequence[IndexedChunk], others: Sequence[IndexedChunk]
) -> tuple[list[IndexedChunk], list[IndexedChunk], dict[str, int], CorpusStats]:
    """`chunks` and `others` with the runs as their terms; in how many of `chunks` each stands, and the figures of
    `chunks`, which stand for the corpus.
    """
    distinct = dict.fromkeys(run for word in words for run in _runs(folded_words(word)))
    runs = tuple(islice(distinct, MOST_RUNS))
    seen = [_seen(chunk, runs) for chunk in chunks]
    frequencies = {run: sum(run in chunk.terms for chunk in seen) for run in runs}
    average = fmean(chunk.length for chunk in seen) if seen else 0.0
    return seen, [_seen(chunk, runs) for chunk in others], frequencies, CorpusStats(len(seen), average, "")


def _runs(word: str) -> Iterable[str]:
    return (word[at : at + LETTERS] for at in range(max(1, len(word) - LETTERS + 1)))


def _seen(chunk: IndexedChunk, runs: Iterable[str]) -> IndexedChunk:
    text = folded_words(f"{chunk.title} {chunk.heading_path} {chunk.text}")
    counts = ((run, text.count(run)) for run in runs)
    return replace(chunk, terms={run: count for run, count in counts if count}, length=len(text))
