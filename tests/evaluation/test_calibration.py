"""Constants of an embedder measured on notes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.files.reading import FileNote, read, walk
from evaluation.calibration import measured
from shared.adapters.embedded import EmbeddedStore
from shared.adapters.local.embedder import BUNDLED_CALIBRATION, LocalEmbedder
from shared.errors import OperatorError
from shared.indexing.pipeline import Indexer
from shared.indexing.versions import index_version
from shared.model.notes import Note, NoteKey
from shared.model.retrieval import CosineCalibration
from shared.retrieval.calibration import estimate_calibration
from tests.contracts.samples import TENANT
from tests.retrieval.library import VERSION, Library
from tests.retrieval.samples import TEXTS, cosine

NOTES = Path("examples/notes")
NOW = datetime(2026, 1, 15, tzinfo=UTC)


def _measured(library: Library) -> CosineCalibration:
    return measured(
        TENANT,
        store=library.store,
        embedder=library.writer,
        index_version=VERSION,
    )


def test_a_note_answers_what_it_says_first_and_no_other_does(library: Library) -> None:
    for number, text in enumerate(TEXTS):
        library.add(f"n{number}", text)
    first = [library.writer.embed_query(text.partition(".")[0] + ".") for text in TEXTS]
    note_vectors = [library.writer.embed_query(text) for text in TEXTS]
    unrelated_cosines = [
        cosine(sentence, two)
        for n, sentence in enumerate(first)
        for m, two in enumerate(note_vectors)
        if n != m
    ]
    calibration = _measured(library)
    assert calibration.baseline == pytest.approx(
        sum(unrelated_cosines) / len(unrelated_cosines), abs=1e-6
    )
    assert calibration.match == pytest.approx(max(map(cosine, first, note_vectors)), abs=1e-6)


def test_too_few_notes_are_no_measure(library: Library) -> None:
    for number, text in enumerate(TEXTS[:4]):
        library.add(f"n{number}", text)
    with pytest.raises(
        OperatorError, match="5 notes indexed with hashing are needed to measure it, got 4"
    ):
        _measured(library)


def test_a_model_that_tells_nothing_apart_cannot_be_measured(library: Library) -> None:
    for number in range(5):
        library.add(f"n{number}", "The same words")
    with pytest.raises(OperatorError, match="no nearer to their own titles"):
        _measured(library)


def test_the_local_embedder_measured_on_notes_comes_near_its_constants(
    embedded_store: EmbeddedStore,
) -> None:
    embedder = LocalEmbedder.of(None)
    for file in walk(NOTES):
        file_note = read(NOTES, file, "default") if isinstance(file, Path) else None
        if isinstance(file_note, FileNote):
            created = file_note.draft.created_at or NOW
            note = Note(
                file_note.note_id,
                file_note.draft.title,
                file_note.draft.text,
                created,
                created,
                "default",
                file_note.draft.path,
            )
            embedded_store.put_note(TENANT, note)
            Indexer(store=embedded_store, embedder=embedder, clock=lambda: NOW).index(
                NoteKey(TENANT, file_note.note_id)
            )
    version = index_version(embedder)
    by_questions = measured(
        TENANT,
        store=embedded_store,
        embedder=embedder,
        index_version=version,
    )
    by_chunks = estimate_calibration(TENANT, store=embedded_store, index_version=version)
    assert by_questions.baseline == pytest.approx(BUNDLED_CALIBRATION.baseline, abs=0.1)
    assert by_questions.match == pytest.approx(BUNDLED_CALIBRATION.match, abs=0.1)
    assert by_chunks is not None
    assert by_chunks.calibration.baseline == pytest.approx(by_questions.baseline, abs=0.1)
