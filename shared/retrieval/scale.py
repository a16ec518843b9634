"""A cosine -> what it means, by what was measured of the embedder or, of one that nobody has measured, estimated."""

from __future__ import annotations

import math

from shared.domain import Restriction, Scale
from shared.ports import SearchStore

SAMPLE = 60
"""Of the newest chunks, one a note: enough for the second digit."""
LEAST = 5
UNKNOWN = Scale(0.3, 0.93)
"""With fewer notes than that."""
ANSWERS_ABOVE = 0.9
"""How far an answer at its best lies between unrelated texts and equal ones, by the models that were measured."""

UNRELATED = 0.5
"""The similarity of texts that have nothing to do with each other, see `calibrated`."""


def vector_part(cosine: float, scale: Scale) -> float:
    """0 for what an unrelated chunk has, 1 for an answer at its best, linear between."""
    return min(1.0, max(0.0, (cosine - scale.unrelated) / (scale.alike - scale.unrelated)))


def calibrated(cosine: float, scale: Scale) -> float:
    """Cosine -> similarity in [0, 1] that means the same with every embedder: that of unrelated texts is 0.5, that of
    equal texts 1, linear between and below.
    """
    above = (cosine - scale.unrelated) / (1.0 - scale.unrelated)
    return min(1.0, max(0.0, UNRELATED + (1.0 - UNRELATED) * above))


def estimated(tenant_id: str, *, store: SearchStore, index_version: str) -> Scale:
    """Unrelated are the newest notes to each other. Reads a chunk and a vector of each of them."""
    newest = store.recent(tenant_id, limit=SAMPLE, stems=(), restriction=Restriction())
    of_notes = {chunk.note_id: chunk.chunk_id for chunk in newest if chunk.index_version == index_version}
    vectors = list(store.read_vectors(tenant_id, sorted(of_notes.values())).values())
    count = len(vectors)
    if count < LEAST:
        return UNKNOWN
    # Of unit vectors, the squared length of the sum is the sum of all cosines, each pair's twice and each one's own.
    together = math.fsum(math.fsum(column) ** 2 for column in zip(*vectors, strict=True))
    unrelated = (together - count) / (count * (count - 1))
    return Scale(unrelated, unrelated + ANSWERS_ABOVE * (1.0 - unrelated))
