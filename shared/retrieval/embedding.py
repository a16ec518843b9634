"""Question -> its vector, if it can be had."""

from __future__ import annotations

import logging

from shared.errors import BrokenPromise, ModelRefused, ModelUnavailable
from shared.model.index import Vector
from shared.ports.models import Embedder

logger = logging.getLogger(__name__)


def query_vector(text: str, embedder: Embedder | None) -> Vector | None:
    """None without an embedder and when it is away, refuses or lies: keywords and recency still find notes."""
    if embedder is None:
        return None
    try:
        return embedder.embed_query(text)
    except (ModelUnavailable, ModelRefused) as error:
        logger.warning("searching without the question's embedding: %s", error.message)
    except BrokenPromise as error:
        logger.error("searching without the question's embedding: %s", error.message)  # noqa: TRY400 - no bug of ours
    return None
