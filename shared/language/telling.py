"""Texts -> which of their parts say most of what each is about: by words that a text repeats and others lack."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from shared.language.terms import stems


class Telling:
    """Compares parts of a text with all of it, among texts of one kind such as the notes of a month."""

    def __init__(self, texts: Iterable[str], lang: str) -> None:
        """Counts in how many of the texts each stem stands. lang: language in which all are read."""
        self._lang = lang
        self._texts_with: Counter[str] = Counter()
        self._count = 0
        for text in texts:
            self._texts_with.update(set(stems(text, lang)))
            self._count += 1

    def scores(self, parts: Sequence[str]) -> list[float]:
        """Scores the parts of one text: the cosine of their words with those of all parts, weighted by rarity."""
        stems_of_parts = [set(stems(part, self._lang)) for part in parts]
        counts = Counter(stem for part in stems_of_parts for stem in part)
        return [self._score(part, counts) for part in stems_of_parts]

    def _score(self, part: Iterable[str], counts: Counter[str]) -> float:
        squares = {stem: self._rarity(stem) ** 2 for stem in part}
        length = math.sqrt(sum(squares.values()))
        if length == 0.0:
            return 0.0
        return sum(counts[stem] * square for stem, square in squares.items()) / length

    def _rarity(self, stem: str) -> float:
        """Returns the inverse document frequency, above 0."""
        return math.log(1 + self._count / (self._texts_with[stem] or 1))


def best_parts(lengths: Sequence[float], scores: Sequence[float], *, room: float) -> list[int]:
    """Returns the indices, in order, of the parts with the best scores that fit together; the best one in any case."""
    by_score = sorted(range(len(scores)), key=lambda index: -scores[index])
    chosen = by_score[:1]
    room -= sum(lengths[index] for index in chosen)
    for index in by_score[1:]:
        if lengths[index] <= room:
            chosen.append(index)
            room -= lengths[index]
    return sorted(chosen)
