"""Estimates what an embedder's cosines mean from a tenant's vectors, where its constants are not known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, pstdev

from shared.model.index import IndexedChunk, Vector, dot_product
from shared.model.retrieval import CosineCalibration, Restriction
from shared.ports.stores import SearchStore

SAMPLE = 30
"""Newest chunks of an estimate: up to twice as many documents are read."""
MIN_NOTES = 5
"""Notes of an estimate that is kept: two that are alike would make everything else unrelated."""
ALIKE_ABOVE = 0.9
"""Share of the way from unrelated texts to equal ones at which texts are alike, as with the local embedder."""


@dataclass(frozen=True, slots=True)
class NoteVectors:
    """The newest vectors of one note."""

    first_chunk: IndexedChunk
    """The one of these chunks that stands first in the note."""
    vectors: list[Vector]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A calibration by the newest chunks."""

    calibration: CosineCalibration
    is_stable: bool
    """True if it rests on MIN_NOTES notes or on SAMPLE chunks, and may be kept."""


def estimate_calibration(
    tenant_id: str,
    *,
    store: SearchStore,
    index_version: str,
) -> Estimate | None:
    """Estimates the calibration from the newest chunks alone; None before there are chunks of two notes.

    Two notes are nearer to each other than a question is to either of them, by about the standard deviation of the
    nearness between notes.
    """
    notes = newest_vectors(tenant_id, SAMPLE, store, index_version).values()
    # As lists: all pairs are multiplied, on the first question of an instance.
    vectors_by_note = [[vector.tolist() for vector in note.vectors] for note in notes]
    cosines: list[float] = []
    for note, other_note in combinations(vectors_by_note, 2):
        for vector in note:
            for other_vector in other_note:
                cosine = dot_product(vector, other_vector)
                cosines.append(cosine)
    if not cosines:
        return None

    unrelated = fmean(cosines) - pstdev(cosines)
    way_to_equal = 1.0 - unrelated
    match = unrelated + ALIKE_ABOVE * way_to_equal

    chunk_count = sum(len(note.vectors) for note in notes)
    is_stable = len(notes) >= MIN_NOTES or chunk_count >= SAMPLE
    calibration = CosineCalibration(unrelated, match)
    return Estimate(calibration, is_stable)


def newest_vectors(
    tenant_id: str,
    limit: int,
    store: SearchStore,
    index_version: str,
) -> Mapping[str, NoteVectors]:
    """Reads the vectors of the newest chunks: note id -> those of the note, in the order of its text."""
    chunks = store.recent(
        tenant_id,
        limit=limit,
        stems=(),
        restriction=Restriction(),
    )
    chunk_ids = [chunk.chunk_id for chunk in chunks]
    vectors = store.read_vectors(tenant_id, chunk_ids, index_version)
    notes: dict[str, NoteVectors] = {}
    for chunk in sorted(chunks, key=lambda chunk: chunk.position):
        vector = vectors.get(chunk.chunk_id)
        if vector is None:
            continue
        note = notes.setdefault(chunk.note_id, NoteVectors(chunk, []))
        note.vectors.append(vector)
    return notes
