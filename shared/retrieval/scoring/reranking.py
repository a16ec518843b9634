"""Ranked passages -> the same, the best of them in a reranker's order."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from shared.errors import BrokenPromise, ModelRefused, ModelUnavailable
from shared.model.retrieval import Reranked, Scored
from shared.ports.models import Reranker

logger = logging.getLogger(__name__)


def rerank(
    question: str, ranked: Iterator[Scored], reranker: Reranker | None, *, limit: int
) -> tuple[Iterable[Scored], Reranked | None]:
    """The first `limit` by what the reranker says, equals as before; the rest after them. Scores stay what they are.

    A reranker that is away, refuses or lies leaves the order as it was, and the second part says so.
    """
    if reranker is None:
        return ranked, None
    best = list(islice(ranked, limit))
    if len(best) < 2:
        return chain(best, ranked), None
    try:
        given = _checked(reranker.scores(question, [_read(passage) for passage in best]), len(best), reranker.model)
    except (ModelUnavailable, ModelRefused, BrokenPromise) as error:
        logger.warning("passages stay as scored: %s", error.message)
        return chain(best, ranked), Reranked(reranker.model, error.message)
    order = sorted(range(len(best)), key=lambda place: -given[place])
    return chain((best[place] for place in order), ranked), Reranked(reranker.model, None)


def _read(passage: Scored) -> str:
    """A passage under its title and headings, as it is indexed."""
    chunk = passage.chunk
    return "\n".join(filter(None, (chunk.title, chunk.heading_path, chunk.text)))


def _checked(given: tuple[float, ...], count: int, model: str) -> tuple[float, ...]:
    """Raises BrokenPromise for another count and for what is no number."""
    if len(given) != count:
        raise BrokenPromise(f"{model}: {count} passages were sent, {len(given)} scores came back")
    if not all(map(math.isfinite, given)):
        raise BrokenPromise(f"{model}: a score that is no number came back")
    return given
