"""An embedder -> its cosine calibration, measured on indexed notes."""

from __future__ import annotations

import math
from array import array
from itertools import islice
from operator import mul

from shared.errors import OperatorError
from shared.language.sentences import sentences
from shared.model.index import IndexedChunk
from shared.model.retrieval import CosineCalibration
from shared.ports.models import Embedder
from shared.ports.stores import SearchStore
from shared.retrieval.calibration import newest_vectors

MIN_NOTES = 5
MAX_CHUNKS = 600
"""The newest ones are read."""
MAX_QUESTIONS = 100
"""One a note."""
MATCH_QUANTILE = 0.95
"""The quantile that stands for a question and its answer at their best: the very greatest are accidents."""


def measured(tenant_id: str, *, store: SearchStore, embedder: Embedder, index_version: str) -> CosineCalibration:
    """By what the newest notes are called, or say first, as questions: their own note answers them, the others are
    unrelated. Embeds one text a note, MAX_QUESTIONS at most.

    Raises OperatorError where there are too few notes, or no difference between own and others.
    """
    notes = newest_vectors(tenant_id, MAX_CHUNKS, store, index_version).values()
    if len(notes) < MIN_NOTES:
        raise OperatorError(
            f"{MIN_NOTES} notes indexed with {embedder.model} are needed to measure it, got {len(notes)}"
        )
    every = [vector for _, vectors in notes for vector in vectors]
    total = array("d", map(math.fsum, zip(*every, strict=True)))
    best, others, pairs = [], 0.0, 0
    for chunk, vectors in islice(notes, MAX_QUESTIONS):
        question = embedder.embed_query(_question(chunk))
        own = [math.fsum(map(mul, question, vector)) for vector in vectors]
        best.append(max(own))
        others += math.fsum(map(mul, question, total)) - math.fsum(own)
        pairs += len(every) - len(own)
    calibration = CosineCalibration(others / pairs, sorted(best)[math.ceil(MATCH_QUANTILE * len(best)) - 1])
    if calibration.match <= calibration.baseline:
        raise OperatorError(f"{embedder.model} finds notes no nearer to their own titles than to those of others")
    return calibration


def _question(chunk: IndexedChunk) -> str:
    first = next((chunk.text[start:end] for start, end in sentences(chunk.text)), chunk.text)
    return chunk.title or first
