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
"""Share of its weight that a word gets if it stands only in a note's tags: they sort a note, but are not part of its
text.
"""

MIN_BEGINNING = 3
"""Letters of a stem that tell the words that begin with it from others."""
_VOWELS = "aeiouy"
_WORD_START = r"(?<![^\W_])"
_WORD_END = r"(?![^\W_])"


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
    b: how much a chunk's length counts, 0 to 1. forms: verbs of their stems count less. A word of a note's tags alone
    counts TAG of it.
    """
    all_weights = idf(frequencies, stats)
    weights = {stem: weight for stem, weight in all_weights.items() if frequencies[stem] > 0}
    average_length = stats.average_length or 1.0
    scores = []
    for chunk in chunks:
        length_share = b * chunk.length / average_length
        saturation = k1 * (1 - b + length_share)
        counts = {stem: chunk.terms[stem] for stem in weights if chunk.terms.get(stem)}
        shares = forms.shares(_text_of(chunk), counts)
        of_tags = _stems_of_tags(chunk, counts)

        score = 0.0
        for stem, count in counts.items():
            weight = shares[stem] * weights[stem]
            if stem in of_tags:
                weight *= TAG
            # Further occurrences count less and less, up to k1 + 1 of the first.
            score += weight * count * (k1 + 1) / (count + saturation)
        scores.append(score)
    return tuple(scores)


def _stems_of_tags(chunk: IndexedChunk, counts: Mapping[str, int]) -> frozenset[str]:
    """Returns the counted stems that the tags of a chunk's note hold and its own words do not."""
    if chunk.position != 0 or not chunk.tags:
        return frozenset()

    # A tag counts once, so a stem that counts more often stands in the words, too.
    tags = folded_words(" ".join(chunk.tags))
    of_tags = []
    for stem, count in counts.items():
        if count == 1 and _words_of(stem).search(tags):
            of_tags.append(stem)
    if not of_tags:
        return frozenset()

    own_text = "\n".join(_own_texts(chunk))
    words = folded_words(own_text)
    stems = [stem for stem in of_tags if not _words_of(stem).search(words)]
    return frozenset(stems)


@lru_cache(10_000)
def _words_of(stem: str) -> re.Pattern[str]:
    """Compiles a pattern of the words that may have a stem: those that begin with it.

    Its last letter may be made up if it is a vowel: `stori` of `story`. A short one is a whole word.
    """
    escaped = re.escape(stem)
    if is_unspaced(stem):
        return re.compile(escaped)
    if len(stem) < MIN_BEGINNING:
        return re.compile(rf"{_WORD_START}{escaped}{_WORD_END}")

    beginning = stem
    may_be_made_up = stem[-1] in _VOWELS
    if may_be_made_up and len(stem) > MIN_BEGINNING:
        beginning = stem[:-1]
    escaped = re.escape(beginning)
    return re.compile(rf"{_WORD_START}{escaped}")


def _text_of(chunk: IndexedChunk) -> str:
    """Returns the text whose words a chunk's terms count."""
    texts = _own_texts(chunk)
    texts += chunk.tags
    return "\n".join(texts)


def _own_texts(chunk: IndexedChunk) -> list[str]:
    """Returns the texts of a chunk without its tags."""
    return [
        chunk.title,
        chunk.heading_path,
        chunk.text,
        *chunk.properties,
    ]


def idf(frequencies: Mapping[str, int], stats: CorpusStats) -> dict[str, float]:
    """Weighs each stem by how much its presence says about a chunk.

    idf = ln(1 + (N - n + 0.5) / (n + 0.5)), which stays above 0 for stems that occur in more than half of all chunks.
    """
    # Counts and corpus figures are read at different moments, so a frequency can exceed the chunk count.
    total = max([stats.chunk_count, *frequencies.values()])
    weights = {}
    for stem, frequency in frequencies.items():
        without = total - frequency
        odds = (without + 0.5) / (frequency + 0.5)
        weights[stem] = math.log(1 + odds)
    return weights
