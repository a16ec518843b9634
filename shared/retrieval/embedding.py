"""Question -> its vector, if it can be had."""

from __future__ import annotations

import logging
import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shared.domain import Analysis, Vector
from shared.errors import BrokenPromise, ModelRefused, ModelUnavailable
from shared.ports import Embedder
from shared.text.terms import content_words, stems

logger = logging.getLogger(__name__)

WeighedWords = Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class QueryVector:
    """How a question's vector comes about. `words`: its content words with their stems; empty: embedded whole."""

    text: str
    embedder: Embedder | None
    words: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @classmethod
    def of(cls, text: str, analysis: Analysis, embedder: Embedder | None) -> QueryVector:
        """Word by word where the embedder is static."""
        if embedder is None or not embedder.is_static:
            return cls(text, embedder)
        return cls(text, embedder, tuple(_words(analysis)))

    @property
    def needs_weights(self) -> bool:
        return bool(self.words)

    def embed(self, weights: Mapping[str, float]) -> Vector | None:
        """`weights`: stem -> what it tells (idf); words none of whose stems are in it are left out.

        None without an embedder and when it is away, refuses or lies: keywords and recency still find notes.
        """
        weighed = [(word, max(map(weights.__getitem__, own))) for word, own in self._weighed(weights)]
        if self.embedder is None:
            return None
        try:
            return (weighed and _sum_of_words(weighed, self.embedder)) or self.embedder.embed_query(self.text)
        except (ModelUnavailable, ModelRefused) as error:
            logger.warning("searching without the question's embedding: %s", error.message)
        except BrokenPromise as error:
            logger.error("searching without the question's embedding: %s", error.message)  # noqa: TRY400 - no bug of ours
        return None

    def _weighed(self, weights: Mapping[str, float]) -> list[tuple[str, list[str]]]:
        found = ((word, [stem for stem in own if stem in weights]) for word, own in self.words)
        return [(word, own) for word, own in found if own]


@dataclass(frozen=True, slots=True)
class KnownVector:
    """A question's vector that an earlier search has brought."""

    vector: Vector | None
    needs_weights: bool = False

    def embed(self, weights: Mapping[str, float]) -> Vector | None:  # noqa: ARG002 - as QueryVector's
        """It."""
        return self.vector


def _words(analysis: Analysis) -> list[tuple[str, tuple[str, ...]]]:
    """Repeats included, as people wrote them."""
    text, lang = analysis.subject, analysis.lang
    spelled = (text[start:end] for _, start, end in content_words(text, lang))
    return [(word, tuple(stems(word, lang))) for word in spelled]


def _sum_of_words(weighed: WeighedWords, embedder: Embedder) -> Vector | None:
    """The words' unit vectors at their weights, scaled to length 1. None: they cancel each other out."""
    total = [0.0] * embedder.dimension
    for word, weight in weighed:
        total = [value + weight * own for value, own in zip(total, embedder.embed_query(word), strict=True)]
    norm = math.hypot(*total)
    return array("f", [value / norm for value in total]) if norm > 0 else None
