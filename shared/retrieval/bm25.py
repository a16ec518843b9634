"""How well chunks match a question's stems, by Okapi BM25 (Robertson and Zaragoza, 2009)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from shared.model.index import IndexedChunk
from shared.model.retrieval import CorpusStats


def bm25(
    chunks: Sequence[IndexedChunk],
    frequencies: Mapping[str, int],
    stats: CorpusStats,
    *,
    k1: float,
    b: float,
) -> tuple[float, ...]:
    """One score a chunk, at least 0, unbounded above. `frequencies`: stem -> chunks of the tenant that contain it.
    `k1`: how soon further occurrences of a stem stop counting; `b`: how much a chunk's length counts, 0 to 1.

    idf = ln(1 + (N - n + 0.5) / (n + 0.5)), which stays positive for stems that stand in more than half of all chunks.
    """
    weights = {stem: weight for stem, weight in idf(frequencies, stats).items() if frequencies[stem] > 0}
    average = stats.average_length or 1.0
    return tuple(_score(chunk, weights, k1, k1 * (1 - b + b * chunk.length / average)) for chunk in chunks)


def idf(frequencies: Mapping[str, int], stats: CorpusStats) -> dict[str, float]:
    """Stem -> how much it tells of a chunk that it stands there, above 0; the most for stems that stand nowhere."""
    # Counts and corpus figures are read at different moments, so a frequency can exceed the chunk count.
    total = max([stats.chunk_count, *frequencies.values()])
    return {stem: math.log(1 + (total - n + 0.5) / (n + 0.5)) for stem, n in frequencies.items()}


def _score(chunk: IndexedChunk, weights: Mapping[str, float], k1: float, saturation: float) -> float:
    score = 0.0
    for stem, weight in weights.items():
        count = chunk.terms.get(stem, 0)
        if count:
            score += weight * count * (k1 + 1) / (count + saturation)
    return score
