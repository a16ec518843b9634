"""Cosines of a model that nobody has measured, calibrated by the notes at hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from statistics import fmean, pstdev

import pytest

from shared.model.index import ChunkPut, IndexedChunk
from shared.model.retrieval import CosineCalibration
from shared.retrieval.calibration import MIN_NOTES, SAMPLE, estimate_calibration
from tests.contracts.samples import TENANT
from tests.retrieval.library import VERSION, Counted, Library
from tests.retrieval.samples import TEXTS, cosine, days_ago


def _estimated(library: Library) -> CosineCalibration | None:
    calibration = estimate_calibration(TENANT, store=library.store, index_version=VERSION)
    return None if calibration is None else calibration.calibration


def _second(chunk: IndexedChunk) -> IndexedChunk:
    """Make a second chunk of the same note."""
    return replace(chunk, chunk_id=f"{chunk.note_id}_001", position=1)


def test_a_question_is_as_near_as_chunks_of_different_notes_or_a_deviation_less(
    library: Library,
) -> None:
    for number, text in enumerate(TEXTS):
        library.add(f"n{number}", text)
    first = library.add("long", TEXTS[0])
    second_chunk = ChunkPut(_second(first), library.writer.embed_query(TEXTS[0]))
    library.put(second_chunk, "r1")
    pairs = combinations(
        [(f"n{number}", text) for number, text in enumerate(TEXTS)] + [("long", TEXTS[0])] * 2, 2
    )
    cosines = [
        cosine(library.writer.embed_query(text), library.writer.embed_query(other_text))
        for (one_id, text), (other_id, other_text) in pairs
        if one_id != other_id
    ]
    calibration = _estimated(library)
    assert calibration is not None
    assert calibration.baseline == pytest.approx(fmean(cosines) - pstdev(cosines), abs=1e-6)
    assert calibration.baseline < calibration.match < 1.0


@pytest.mark.parametrize("count", [0, 1])
def test_a_note_alone_says_nothing(library: Library, count: int) -> None:
    for text in TEXTS[:count]:
        chunk = library.add("note", text)
        library.put(ChunkPut(_second(chunk), library.writer.embed_query("other words")), "r1")
    assert _estimated(library) is None


@pytest.mark.parametrize(
    ("notes", "chunks"),
    [
        (MIN_NOTES, 1),
        (MIN_NOTES - 1, 1),
        (2, SAMPLE // 2),
        (2, 3),
    ],
)
def test_an_estimate_of_few_notes_is_kept_only_if_no_more_chunks_would_be_read(
    library: Library, notes: int, chunks: int
) -> None:
    for number in range(notes):
        first = library.add(f"n{number}", TEXTS[number])
        for position in range(1, chunks):
            part = replace(first, chunk_id=f"n{number}_{position:03d}", position=position)
            library.put(ChunkPut(part, library.writer.embed_query(TEXTS[number])), "r1")
    calibration = estimate_calibration(TENANT, store=library.store, index_version=VERSION)
    assert calibration is not None
    assert calibration.is_stable is (notes == MIN_NOTES or notes * chunks == SAMPLE)


def test_vectors_of_another_model_say_nothing(library: Library) -> None:
    for number, text in enumerate(TEXTS):
        library.add(f"n{number}", text)
    assert estimate_calibration(TENANT, store=library.store, index_version="md1:other:64") is None


def test_an_estimate_reads_60_documents_at_most(library: Library) -> None:
    for number in range(100):
        library.add(f"n{number:03d}", f"{TEXTS[number % 5]} {number}", created_at=days_ago(number))
    counted = Counted(library.store)
    estimate_calibration(TENANT, store=counted.as_store(), index_version=VERSION)
    assert 0 < counted.reads.total() <= 60
