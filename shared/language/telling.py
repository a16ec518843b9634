"""Texts -> the parts of each text that say most about its subject, by words that it repeats and other texts lack."""

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
            text_stems = set(stems(text, lang))
            self._texts_with.update(text_stems)
            self._count += 1

    def scores(self, parts: Sequence[str]) -> list[float]:
        """Scores the parts of one text: the cosine of their words with those of all parts, weighted by rarity."""
        parts_with: Counter[str] = Counter()
        stems_of_parts: list[set[str]] = []
        for part in parts:
            part_stems = set(stems(part, self._lang))
            parts_with.update(part_stems)
            stems_of_parts.append(part_stems)

        return [self._score(part_stems, parts_with) for part_stems in stems_of_parts]

    def best(self, parts: Sequence[str], lengths: Sequence[float], *, room: float) -> list[int]:
        """Returns the indices, in order, of the parts of one text that say most and fit together; the best one in any case.

        A part that repeats an earlier one, blanks aside, neither counts nor is returned.
        """
        index_of: dict[str, int] = {}
        for index, part in enumerate(parts):
            words = " ".join(part.split())
            index_of.setdefault(words, index)
        indices = list(index_of.values())
        chosen = best_parts(
            [lengths[index] for index in indices],
            self.scores([parts[index] for index in indices]),
            room=room,
        )
        return [indices[place] for place in chosen]

    def _score(self, part_stems: Iterable[str], parts_with: Counter[str]) -> float:
        """Returns the cosine of a part with all parts together, without their length, which divides every score alike."""
        squares = []
        products = []
        for stem in part_stems:
            square = self._rarity(stem) ** 2
            squares.append(square)
            products.append(parts_with[stem] * square)

        length = math.sqrt(sum(squares))
        if length == 0.0:
            return 0.0
        return sum(products) / length

    def _rarity(self, stem: str) -> float:
        """Returns the inverse document frequency, above 0."""
        texts_with = self._texts_with[stem] or 1
        return math.log(1 + self._count / texts_with)


def best_parts(lengths: Sequence[float], scores: Sequence[float], *, room: float) -> list[int]:
    """Returns the indices, in order, of the parts with the best scores that fit together; the best one in any case."""
    by_score = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
    chosen: list[int] = []
    for index in by_score:
        length = lengths[index]
        is_best = not chosen
        if is_best or length <= room:
            chosen.append(index)
            room -= length
    return sorted(chosen)
