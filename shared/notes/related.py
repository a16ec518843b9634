"""A note -> the notes that are about the same things, by the vectors that the index holds."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable
from dataclasses import dataclass

from shared.model.index import IndexedChunk, Vector
from shared.model.retrieval import CosineCalibration, Restriction
from shared.ports.freshness import current_chunks
from shared.ports.stores import SearchStore

MAX_CHUNKS = 30
"""Most chunks of a note that count, from its beginning."""
NEAREST = 40
"""Chunks among which related notes are looked for: a long note takes many of the places."""
MAX_RELATED = 5
RELATED = 0.7
"""Least similarity, as `CosineCalibration` counts it: the largest that lost none of the notes that answer one question
together, on half of a handbook; on the half kept aside it loses none either. See evaluation/experiments.md.
"""


@dataclass(frozen=True, slots=True)
class RelatedNote:
    """A note that is about the same things."""

    passage: IndexedChunk
    """Nearest passage of the note."""
    similarity: float
    """Similarity of the passage to the whole note that is read, as `CosineCalibration` counts it."""


def related(
    tenant_id: str,
    note_id: str,
    *,
    store: SearchStore,
    index_version: str,
    calibration: CosineCalibration,
) -> tuple[RelatedNote, ...]:
    """Returns the nearest notes, best first; none before the note has vectors.

    Takes one search, however long the note is. Raises StoreUnavailable.
    """
    chunks = store.note_chunks(tenant_id, note_id, stems=())[:MAX_CHUNKS]
    chunk_ids = [chunk.chunk_id for chunk in chunks]
    vectors = store.read_vectors(tenant_id, chunk_ids, index_version)
    centre = _mean(vectors.values())
    if centre is None:
        return ()

    matches = store.nearest(
        tenant_id,
        centre,
        limit=NEAREST + len(chunks),
        stems=(),
        restriction=Restriction(),
        index_version=index_version,
    )

    # The nearest passage of each note comes first.
    nearest_of: dict[str, RelatedNote] = {}
    for neighbour in matches.neighbours:
        passage = neighbour.chunk
        similarity = calibration.similarity(neighbour.cosine)
        if similarity < RELATED:
            break
        if passage.note_id != note_id:
            nearest_of.setdefault(passage.note_id, RelatedNote(passage, similarity))

    passages = [note.passage for note in nearest_of.values()]
    current = {chunk.note_id for chunk in current_chunks(store, tenant_id, passages)}
    notes = [note for note_id, note in nearest_of.items() if note_id in current]
    return tuple(notes[:MAX_RELATED])


def _mean(vectors: Iterable[Vector]) -> Vector | None:
    """Returns the common direction of the vectors; None if they have none."""
    columns = list(zip(*vectors, strict=True))
    sums = [math.fsum(column) for column in columns]
    length = math.hypot(*sums)
    if not length:
        return None

    direction = [value / length for value in sums]
    return array("f", direction)
