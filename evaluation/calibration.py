"""Measures the cosine calibration of an embedder on indexed notes."""

from __future__ import annotations

import math
from array import array
from itertools import islice

from shared.errors import OperatorError
from shared.language.sentences import sentences
from shared.model.index import IndexedChunk, dot_product
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


def measured(
    tenant_id: str,
    *,
    store: SearchStore,
    embedder: Embedder,
    index_version: str,
) -> CosineCalibration:
    """Measures cosines of questions and notes.

    The titles of the newest notes, or their first sentences, are the questions: a note answers its
    own, and all other notes are unrelated to it. Embeds one text a note, MAX_QUESTIONS at most.

    Raises OperatorError where there are too few notes, or no difference between own and others.
    """
    newest = newest_vectors(
        tenant_id,
        MAX_CHUNKS,
        store,
        index_version,
    )
    notes = newest.values()
    if len(notes) < MIN_NOTES:
        raise OperatorError(
            f"{MIN_NOTES} notes indexed with {embedder.model} are needed to measure it, got {len(notes)}",
        )

    vectors = [vector for note in notes for vector in note.vectors]
    # A question's cosines with all vectors add up to its product with their sum.
    vector_sum = array("d", map(math.fsum, zip(*vectors, strict=True)))
    best_cosines = []
    unrelated_sum = 0.0
    unrelated_pairs = 0
    for note in islice(notes, MAX_QUESTIONS):
        question = embedder.embed_query(_question(note.first_chunk))
        cosines = [dot_product(question, vector) for vector in note.vectors]
        best_cosines.append(max(cosines))
        unrelated_sum += dot_product(question, vector_sum) - math.fsum(cosines)
        unrelated_pairs += len(vectors) - len(cosines)

    best_cosines.sort()
    place = math.ceil(MATCH_QUANTILE * len(best_cosines)) - 1
    calibration = CosineCalibration(
        unrelated_sum / unrelated_pairs,
        best_cosines[place],
    )
    if calibration.match <= calibration.baseline:
        raise OperatorError(
            f"{embedder.model} finds notes no nearer to their own titles than to those of others",
        )

    return calibration


def _question(chunk: IndexedChunk) -> str:
    """Returns the chunk's title, else its first sentence."""
    if chunk.title:
        return chunk.title
    for start, end in sentences(chunk.text):
        return chunk.text[start:end]
    return chunk.text
