"""The best passages -> how near the sentences in them come to the question.

One vector stands for all that a passage says, and dilutes the one sentence that answers.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import mul

from shared.errors import BrokenPromise, ModelRefused, ModelUnavailable
from shared.language.terms import share_held
from shared.markdown.quotable import pieces
from shared.model.index import IndexedChunk, Vector
from shared.model.retrieval import Scored
from shared.ports.models import Embedder

READ = 36
"""Sentences, items or rows embedded for one question: as long as somebody waits."""
OF_A_PASSAGE = 4
"""At most, those with most of the question's words: so that ten passages or more are read."""

log = logging.getLogger(__name__)


def nearness_of_sentences(
    passages: Iterable[Scored], query: Vector, lang: str, weights: Mapping[str, float], embedder: Embedder
) -> Mapping[str, Mapping[str, float]]:
    """Chunk id -> sentence as it is quoted -> its cosine with the question, of the first passages. `weights`: stem of
    the question -> what it tells. Takes no more passages than it reads; empty where the embedder is away.
    """
    promising = ((each.chunk.chunk_id, text) for each in passages for text in _promising(each.chunk, lang, weights))
    read = tuple(islice(promising, READ))
    cosines = _cosines(tuple(dict.fromkeys(text for _, text in read)), query, embedder)
    found: dict[str, dict[str, float]] = {}
    for chunk_id, text in read:
        if text in cosines:
            found.setdefault(chunk_id, {})[text] = cosines[text]
    return found


def _promising(chunk: IndexedChunk, lang: str, weights: Mapping[str, float]) -> Iterator[str]:
    texts = [piece.shown for piece in pieces(chunk.text)]
    return islice(sorted(texts, key=lambda text: -share_held(text, weights, lang)), OF_A_PASSAGE)


def _cosines(texts: Sequence[str], query: Vector, embedder: Embedder) -> Mapping[str, float]:
    size, found = embedder.batch_size, {}
    try:
        for batch in (texts[at : at + size] for at in range(0, len(texts), size)):
            for text, vector in zip(batch, embedder.embed_documents(batch), strict=True):
                found[text] = sum(map(mul, query, vector))
    except (ModelUnavailable, ModelRefused, BrokenPromise) as error:
        log.warning("passages are scored without their sentences: %s", error.message)
        return {}
    return found
