"""Cosine -> similarity, by the embedder's measured calibration, or one estimated from the tenant's vectors."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from itertools import combinations, islice
from operator import mul
from statistics import fmean, pstdev

from shared.errors import OperatorError
from shared.language.sentences import sentences
from shared.model.index import IndexedChunk, Vector
from shared.model.retrieval import CosineCalibration, Restriction
from shared.ports.models import Embedder
from shared.ports.stores import SearchStore

SAMPLE = 30
"""Of the newest chunks, for an estimate: up to twice as many documents read."""
LEAST = 5
"""Notes, for a measurement."""
UNKNOWN = CosineCalibration(0.3, 0.93)
"""Stands in before there are chunks of two notes; never kept."""
ALIKE_ABOVE = 0.9
"""How far alike lies between unrelated texts and equal ones, as with the local embedder."""

MEASURED = 600
"""Of the newest chunks, for a measurement."""
QUESTIONS = 100
"""Of their notes, one each."""
AT_THEIR_BEST = 0.95
"""The quantile that stands for a question and its answer at their best: the very greatest are accidents."""

UNRELATED = 0.5
"""The similarity of texts that have nothing to do with each other, see `calibrated`."""


def vector_part(cosine: float, calibration: CosineCalibration) -> float:
    """0 for what an unrelated chunk has, 1 for one that says the same, linear between."""
    return min(1.0, max(0.0, (cosine - calibration.baseline) / (calibration.match - calibration.baseline)))


def calibrated(cosine: float, calibration: CosineCalibration) -> float:
    """Cosine -> similarity in [0, 1] that means the same with every embedder: that of unrelated texts is 0.5, that of
    equal texts 1, linear between and below.
    """
    above = (cosine - calibration.baseline) / (1.0 - calibration.baseline)
    return min(1.0, max(0.0, UNRELATED + (1.0 - UNRELATED) * above))


def estimated(tenant_id: str, *, store: SearchStore, index_version: str) -> CosineCalibration | None:
    """By the newest chunks alone; None before there are chunks of two notes. Two notes are nearer to each other
    than a question to either, by about the standard deviation of how near they are.
    """
    notes = _newest(tenant_id, SAMPLE, store, index_version).values()
    pairs = combinations([(note, vector) for note, (_, vectors) in enumerate(notes) for vector in vectors], 2)
    cosines = [_product(vector, other) for (note, vector), (of, other) in pairs if note != of]
    if not cosines:
        return None
    unrelated = fmean(cosines) - pstdev(cosines)
    return CosineCalibration(unrelated, unrelated + ALIKE_ABOVE * (1.0 - unrelated))


def measured(tenant_id: str, *, store: SearchStore, embedder: Embedder, index_version: str) -> CosineCalibration:
    """By what the newest notes are called, or say first, as questions: their own note answers them, the others are
    unrelated. Embeds one text a note, QUESTIONS at most.

    Raises OperatorError where there are too few notes, or no difference between own and others.
    """
    notes = _newest(tenant_id, MEASURED, store, index_version).values()
    if len(notes) < LEAST:
        raise OperatorError(f"{LEAST} notes indexed with {embedder.model} are needed to measure it, got {len(notes)}")
    every = [vector for _, vectors in notes for vector in vectors]
    total = array("d", map(math.fsum, zip(*every, strict=True)))
    best, others, pairs = [], 0.0, 0
    for chunk, vectors in islice(notes, QUESTIONS):
        question = embedder.embed_query(_question(chunk))
        own = [_product(question, vector) for vector in vectors]
        best.append(max(own))
        others += _product(question, total) - math.fsum(own)
        pairs += len(every) - len(own)
    calibration = CosineCalibration(others / pairs, sorted(best)[math.ceil(AT_THEIR_BEST * len(best)) - 1])
    if calibration.match <= calibration.baseline:
        raise OperatorError(f"{embedder.model} finds notes no nearer to their own titles than to those of others")
    return calibration


def _newest(
    tenant_id: str, limit: int, store: SearchStore, index_version: str
) -> Mapping[str, tuple[IndexedChunk, list[Vector]]]:
    """Note id -> the first of its newest chunks in the note, and the vectors of all of them."""
    chunks = store.recent(tenant_id, limit=limit, stems=(), restriction=Restriction())
    current = [chunk for chunk in chunks if chunk.index_version == index_version]
    vectors = store.read_vectors(tenant_id, [chunk.chunk_id for chunk in current])
    found: dict[str, tuple[IndexedChunk, list[Vector]]] = {}
    for chunk in sorted(current, key=lambda chunk: chunk.position):
        if chunk.chunk_id in vectors:
            found.setdefault(chunk.note_id, (chunk, []))[1].append(vectors[chunk.chunk_id])
    return found


def _question(chunk: IndexedChunk) -> str:
    first = next((chunk.text[start:end] for start, end in sentences(chunk.text)), chunk.text)
    return chunk.title or first


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(map(mul, one, other))
