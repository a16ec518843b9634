"""Runs of letters in place of stems, for languages that the embedder does not speak.

Stems miss what such a language joins and inflects (`Leihcomputer`, `Kinos`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from shared.language.words import folded_words
from shared.model.index import IndexedChunk
from shared.model.retrieval import CorpusStats

NGRAM_LENGTH = 4
"""Letters of a run; a shorter word is one. With 3 or 5 German, Spanish and Russian questions rank slightly worse."""
MAX_NGRAMS = 200
"""Each is looked for in every candidate, 10 ms together. Longer questions name their subject within the first."""


@dataclass(frozen=True, slots=True)
class NgramCorpus:
    """Chunks with runs of letters as their terms, and what BM25 needs to know of them."""

    chunks: tuple[IndexedChunk, ...]
    frequencies: Mapping[str, int]
    """Run -> chunks of the pool that contain it."""
    stats: CorpusStats
    """Figures of the pool, in place of the tenant's chunks."""


def ngram_corpus(
    words: Iterable[str],
    chunks: Sequence[IndexedChunk],
    *,
    pool_size: int,
) -> NgramCorpus:
    """Counts the runs of letters of `words` in each chunk. The first `pool_size` chunks are the pool."""
    ngrams = _ngrams(words)
    counted = tuple(_with_ngrams(chunk, ngrams) for chunk in chunks)
    pool = counted[:pool_size]
    frequencies = dict.fromkeys(ngrams, 0)
    for chunk in pool:
        for ngram in chunk.terms:
            frequencies[ngram] += 1

    average_length = 0.0
    if pool:
        average_length = fmean(chunk.length for chunk in pool)
    stats = CorpusStats(
        chunk_count=pool_size,
        average_length=average_length,
        revision="",
    )
    return NgramCorpus(counted, frequencies, stats)


def _ngrams(words: Iterable[str]) -> tuple[str, ...]:
    """Returns the distinct runs of letters of the words in order, at most MAX_NGRAMS."""
    ngrams: dict[str, None] = {}
    for word in words:
        folded = folded_words(word)
        last_start = max(0, len(folded) - NGRAM_LENGTH)
        for start in range(last_start + 1):
            ngram = folded[start : start + NGRAM_LENGTH]
            ngrams[ngram] = None
            if len(ngrams) == MAX_NGRAMS:
                return tuple(ngrams)
    return tuple(ngrams)


def _with_ngrams(chunk: IndexedChunk, ngrams: Sequence[str]) -> IndexedChunk:
    """Returns the chunk with the counts of the runs as its terms, and its length in letters."""
    text = folded_words(f"{chunk.title} {chunk.heading_path} {chunk.text}")
    counts = {}
    for ngram in ngrams:
        count = text.count(ngram)
        if count:
            counts[ngram] = count
    return replace(chunk, terms=counts, length=len(text))
