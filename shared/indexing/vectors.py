"""Texts that stored chunks wait for vectors of -> vectors in the store, batch by batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import islice

from shared.errors import ModelRefused, ModelUnavailable, PortContractError
from shared.indexing.state import finished, leased, set_back
from shared.model.index import IndexChange, IndexRecord, IndexStatus, Vector
from shared.model.notes import NoteKey
from shared.ports.models import Embedder
from shared.ports.stores import Store

UNIT_TOLERANCE = 1e-3
"""How far a vector's length may be from 1: float32 rounding of 2048 dimensions stays far below."""


class Ledger:
    """A record whose lease this worker holds. Each write expects the token of the one before, so it fails with
    Conflict as soon as anybody else has written.
    """

    def __init__(self, key: NoteKey, record: IndexRecord, token: str | None, store: Store) -> None:
        self.key, self.record, self.token, self.store = key, record, token, store

    def move(self, record: IndexRecord, vectors: Sequence[tuple[str, Vector]] = ()) -> None:
        """Write `record`, and with it the vectors by chunk id."""
        change = IndexChange(self.key.note_id, self.token, record, vectors=tuple(vectors))
        self.token, self.record = self.store.apply(self.key.tenant_id, change), record


def add_vectors(
    ledger: Ledger, waiting: Mapping[str, Sequence[str]], *, embedder: Embedder, clock: Callable[[], datetime]
) -> int:
    """Embed `waiting` (text -> ids of the chunks that share it), writing each batch at once; how many were embedded.

    The last batch leaves the record `indexed`, a refusal or a broken promise `failed`. Raises ModelUnavailable, having
    left it `pending_embeddings` without lease, and Conflict. Whoever is killed here loses one batch at most.
    """
    texts = iter(waiting)
    embedded = 0
    while batch := tuple(islice(texts, embedder.batch_size)):
        try:
            vectors = embed(batch, embedder)
        except ModelUnavailable as away:
            ledger.move(set_back(ledger.record, clock(), error=away.message, status=IndexStatus.PENDING))
            raise
        except (ModelRefused, PortContractError) as refusal:
            ledger.move(set_back(ledger.record, clock(), error=refusal.message, status=IndexStatus.FAILED))
            return embedded
        embedded += len(batch)
        after = leased if embedded < len(waiting) else finished
        pairs = zip(batch, vectors, strict=True)
        ledger.move(
            after(ledger.record, clock()), [(chunk_id, vector) for text, vector in pairs for chunk_id in waiting[text]]
        )
    return embedded


def embed(texts: Sequence[str], embedder: Embedder) -> tuple[Vector, ...]:
    """One unit vector a text, in order. At most `embedder.batch_size` texts.

    Raises ModelUnavailable, ModelRefused, and PortContractError when the count, a dimension or a length is wrong:
    trusted from here on, a bad vector would spoil every search it takes part in.
    """
    vectors = embedder.embed_documents(texts)
    if len(vectors) != len(texts):
        raise PortContractError(f"{embedder.model} returned {len(vectors)} vectors for {len(texts)} texts")
    for vector in vectors:
        if len(vector) != embedder.dimension:
            raise PortContractError(f"{embedder.model} returned {len(vector)} dimensions, not {embedder.dimension}")
        # Written so that a length of NaN fails it too.
        if not abs(math.hypot(*vector) - 1.0) <= UNIT_TOLERANCE:
            raise PortContractError(f"{embedder.model} returned a vector that is not finite or not of length 1")
    return vectors
