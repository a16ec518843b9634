"""How well chunks match a question's words: Okapi BM25 (Robertson and Zaragoza, 2009) over stems, or over runs of
letters in languages that the embedder does not speak.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from statistics import fmean

from shared.language.words import folded_words
from shared.model.index import IndexedChunk
from shared.model.retrieval import CorpusStats

RUN_LENGTH = 4
"""Letters of a run; a shorter word is one. With 3 or 5 German, Spanish and Russian questions rank slightly worse."""
MAX_RUNS = 200
"""Each is looked for in every candidate, 10 ms together. Longer questions name their subject within the first."""


def bm25(
    chunks: Sequence[IndexedChunk], frequencies: Mapping[str, int], stats: CorpusStats, *, k1: float, b: float
) -> tuple[float, ...]:
    """One score a chunk, at least 0, unbounded above. `frequencies`: stem -> chunks of the tenant that contain it.
    `k1`: how soon further occurrences of a stem stop counting; `b`: how much a chunk's length counts, 0 to 1.

    idf = ln(1 + (N - n + 0.5) / (n + 0.5)), which stays positive for stems that stand in more than half of all chunks.
    """
    weights = {stem: weight for stem, weight in idf(frequencies, stats).items() if frequencies[stem] > 0}
    average = stats.average_length or 1.0
    scores = []
    for chunk in chunks:
        saturation = k1 * (1 - b + b * chunk.length / average)
        counts = ((weight, chunk.terms.get(stem, 0)) for stem, weight in weights.items())
        scores.append(sum(weight * count * (k1 + 1) / (count + saturation) for weight, count in counts if count))
    return tuple(scores)


def idf(frequencies: Mapping[str, int], stats: CorpusStats) -> dict[str, float]:
    """Stem -> how much it tells of a chunk that it stands there, above 0; the most for stems that stand nowhere."""
    # Counts and corpus figures are read at different moments, so a frequency can exceed the chunk count.
    total = max([stats.chunk_count, *frequencies.values()])
    return {stem: math.log(1 + (total - n + 0.5) / (n + 0.5)) for stem, n in frequencies.items()}


def in_letters(
    words: Iterable[str], chunks: Sequence[IndexedChunk], others: Sequence[IndexedChunk]
) -> tuple[list[IndexedChunk], Sequence[IndexedChunk], Mapping[str, int], CorpusStats]:
    """`chunks` and `others` with runs of letters as their terms, the frequency of each run in `chunks`, and the figures
    of `chunks` in place of the corpus. Stems miss what such a language joins and inflects (`Leihcomputer`, `Kinos`).
    """
    folded = map(folded_words, words)
    begins = ((word, at) for word in folded for at in range(max(1, len(word) - RUN_LENGTH + 1)))
    distinct = dict.fromkeys(word[at : at + RUN_LENGTH] for word, at in begins)
    runs = tuple(islice(distinct, MAX_RUNS))
    seen = [_seen(chunk, runs) for chunk in chunks]
    frequencies = {run: sum(run in chunk.terms for chunk in seen) for run in runs}
    average = fmean(chunk.length for chunk in seen) if seen else 0.0
    return seen, [_seen(chunk, runs) for chunk in others], frequencies, CorpusStats(len(seen), average, "")


def _seen(chunk: IndexedChunk, runs: Iterable[str]) -> IndexedChunk:
    text = folded_words(f"{chunk.title} {chunk.heading_path} {chunk.text}")
    counts = ((run, text.count(run)) for run in runs)
    return replace(chunk, terms={run: count for run, count in counts if count}, length=len(text))
