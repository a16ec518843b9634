"""A tenant's vectors -> the calibration of an embedder whose constants are not known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from operator import mul
from statistics import fmean, pstdev

from shared.model.index import IndexedChunk, Vector
from shared.model.retrieval import CosineCalibration, Restriction
from shared.ports.stores import SearchStore

SAMPLE = 30
"""Of the newest chunks, for an estimate: up to twice as many documents read."""
MIN_NOTES = 5
"""Notes of an estimate that is kept: two that are alike would make everything else unrelated."""
ALIKE_ABOVE = 0.9
"""How far alike lies between unrelated texts and equal ones, as with the local embedder."""


def estimated(tenant_id: str, *, store: SearchStore, index_version: str) -> tuple[CosineCalibration, bool] | None:
    """By the newest chunks alone; None before there are chunks of two notes. The second part says whether it may be
    kept: it is of MIN_NOTES notes, or of SAMPLE chunks. Two notes are nearer to each other than a question to either,
    by about the standard deviation of how near they are.
    """
    notes = newest_vectors(tenant_id, SAMPLE, store, index_version).values()
    pairs = combinations([(note, vector) for note, (_, vectors) in enumerate(notes) for vector in vectors], 2)
    cosines = [math.fsum(map(mul, vector, other)) for (note, vector), (of, other) in pairs if note != of]
    if not cosines:
        return None
    unrelated = fmean(cosines) - pstdev(cosines)
    is_full = len(notes) >= MIN_NOTES or sum(len(vectors) for _, vectors in notes) >= SAMPLE
    return CosineCalibration(unrelated, unrelated + ALIKE_ABOVE * (1.0 - unrelated)), is_full


def newest_vectors(
    tenant_id: str, limit: int, store: SearchStore, index_version: str
) -> Mapping[str, tuple[IndexedChunk, list[Vector]]]:
    """Note id -> the first of its newest chunks in the note, and the vectors of all of them."""
    chunks = store.recent(tenant_id, limit=limit, stems=(), restriction=Restriction())
    vectors = store.read_vectors(tenant_id, [chunk.chunk_id for chunk in chunks], index_version)
    found: dict[str, tuple[IndexedChunk, list[Vector]]] = {}
    for chunk in sorted(chunks, key=lambda chunk: chunk.position):
        if chunk.chunk_id in vectors:
            found.setdefault(chunk.note_id, (chunk, []))[1].append(vectors[chunk.chunk_id])
    return found
