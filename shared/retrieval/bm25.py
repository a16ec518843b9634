"""Okapi BM25 (Robertson and Zaragoza, 2009): how well chunks match the words of a question."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from shared.language.forms import NO_FORMS, OwnForms
from shared.language.words import folded_words, is_unspaced
from shared.model.index import IndexedChunk
from shared.model.retrieval import CorpusStats

TAG = 0.5
"""Share of its weight that a word counts which stands in a note's tags alone: they sort a note and say nothing in it."""

MIN_BEGINNING = 3
"""Letters of a stem that tell the words that begin with it from others."""
_VOWELS = "aeiouy"


def bm25(
    chunks: Sequence[IndexedChunk],
    frequencies: Mapping[str, int],
    stats: CorpusStats,
    *,
    k1: float,
    b: float,
    forms: OwnForms = NO_FORMS,
) -> tuple[float, ...]:
    """Scores each chunk: at least 0, unbounded above.

    frequencies: stem -> chunks of the tenant that contain it. k1: how soon further occurrences of a stem stop counting.
    b: how much a chunk's length counts, 0 to 1. forms: verbs of their stems count less. A
    word of a note's tags alone counts TAG of it.
    """
    weights = {
        stem: weight for stem, weight in idf(frequencies, stats).items() if frequencies[stem] > 0
    }
    average_length = stats.average_length or 1.0
    scores = []
    for chunk in chunks:
        saturation = k1 * (1 - b + b * chunk.length / average_length)
        counts = {stem: chunk.terms[stem] for stem in weights if chunk.terms.get(stem)}
        shares = forms.shares(_text_of(chunk), counts)
        of_tags = _stems_of_tags(chunk, counts)
        score = 0.0
        for stem, count in counts.items():
            weight = shares[stem] * weights[stem]
            if stem in of_tags:
                weight *= TAG
            score += weight * count * (k1 + 1) / (count + saturation)
        scores.append(score)
    return tuple(scores)


def _stems_of_tags(chunk: IndexedChunk, counts: Mapping[str, int]) -> frozenset[str]:
    """Returns the counted stems that the tags of a chunk's note hold and its own words do not."""
    if chunk.position != 0 or not chunk.tags:
        return frozenset()
    tags = folded_words(" ".join(chunk.tags))
    of_tags = [
        stem for stem, count in counts.items() if count == 1 and _words_of(stem).search(tags)
    ]
    if not of_tags:
        return frozenset()
    words = folded_words(
        "\n".join([chunk.title, chunk.heading_path, chunk.text, *chunk.properties]),
    )
    return frozenset([stem for stem in of_tags if not _words_of(stem).search(words)])


@lru_cache(10_000)
def _words_of(stem: str) -> re.Pattern[str]:
    """Compiles a pattern of the words that may have a stem: those that begin with it.

    Its last letter may be made up if it is a vowel: `stori` of `story`. A short one is a whole word.
    """
    if is_unspaced(stem):
        return re.compile(re.escape(stem))
    if len(stem) < MIN_BEGINNING:
        return re.compile(rf"(?<![^\W_]){re.escape(stem)}(?![^\W_])")
    beginning = stem
    if len(stem) > MIN_BEGINNING and stem[-1] in _VOWELS:
        beginning = stem[:-1]
    return re.compile(rf"(?<![^\W_]){re.escape(beginning)}")


def _text_of(chunk: IndexedChunk) -> str:
    """Returns the text whose words a chunk's terms count."""
    return "\n".join([chunk.title, chunk.heading_path, chunk.text, *chunk.properties, *chunk.tags])


def idf(frequencies: Mapping[str, int], stats: CorpusStats) -> dict[str, float]:
    """Weighs each stem by how much it tells of a chunk that it stands there.

    idf = ln(1 + (N - n + 0.5) / (n + 0.5)), which stays above 0 for stems that stand in more than half of all chunks.
    """
    # Counts and corpus figures are read at different moments, so a frequency can exceed the chunk count.
    total = max([stats.chunk_count, *frequencies.values()])
    return {
        stem: math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
        for stem, frequency in frequencies.items()
    }
