"""Questions that name little, or are in another language than the notes, to the local embedder."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from cli.options import close
from evaluation.asking import answered
from shared.api.search import query_json
from shared.app import App
from shared.bootstrap import build
from shared.model.notes import NoteKey
from shared.model.questions import Question
from shared.notes.service import NoteDraft
from shared.settings import Settings
from tests.account.world import TENANT

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
NOTES = {
    "brain": (
        "A tidy second brain",
        "Keep one note per idea and link it to two others. A weekly review moves loose scraps into folders.",
    ),
    "work": (
        "Getting things done without burning out",
        "Productivity is mostly about saying no. Two blocks of ninety minutes in the morning, mail after lunch.",
    ),
    "helios": (
        "Helios",
        "Helios moves the solar billing to PostgreSQL 17. Budget: 48,000 euros. Launch on 2 February.",
    ),
    "soup": (
        "Lentil soup",
        "Fry two onions, add red lentils, one litre of stock, cumin and lemon.",
    ),
    "calls": (
        "Meeting tools",
        "Videoconferencing needs a quiet room. Whoever cannot hear well gets captions.",
    ),
    "bike": ("Bike", "New chain and new brake pads, 64 euros. Ran six kilometres in the evening."),
}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    product = build(Settings(home=tmp_path_factory.mktemp("home"), auth="none", store="embedded"))
    for note_id, (title, text) in NOTES.items():
        draft = NoteDraft(title=title, text=text, created_at=NOW)
        product.notes.save(TENANT, note_id, draft)
        product.indexer.index(NoteKey(TENANT, note_id))
    yield product
    close(product)


@pytest.mark.parametrize(
    ("text", "note_id"),
    [
        ("how can I better organize my notes?", "brain"),
        ("thoughts on productivity", "work"),
        ("¿Qué es Helios?", "helios"),
        ("Quel est le budget de Helios ?", "helios"),
        ("Was kostet Helios?", "helios"),
        ("pensamientos sobre la productividad", "work"),
        ("¿Qué herramientas usamos para videoconferencias?", "calls"),
        ("Quels outils pour la vidéoconférence ?", "calls"),
        ("Quali strumenti usiamo per le videoconferenze?", "calls"),
        ("recette de soupe aux lentilles", "soup"),
        ("¿Qué costó 64 euros?", "bike"),
    ],
)
def test_an_open_question_is_quoted_the_note_it_is_about(app: App, text: str, note_id: str) -> None:
    answer = answered(app, Question(TENANT, text, NOW))
    assert answer.refusal is None
    assert answer.citations[0].passage.chunk.note_id == note_id


@pytest.mark.parametrize(
    ("text", "heading", "lang"),
    [
        ("Comment utiliser Helios ?", "Les passages les plus proches", "fr"),
        ("¿Qué es Helios?", "Los pasajes más cercanos", "es"),
        ("presentación de Helios", "Los pasajes más cercanos", "es"),
        ("présentation des budgets Helios", "Les passages les plus proches", "fr"),
        ("What is Helios?", "Closest passages", "en"),
    ],
)
def test_a_question_of_few_words_has_one_language_above_its_quotes_and_around_them(
    app: App, text: str, heading: str, lang: str
) -> None:
    question = Question(TENANT, text, NOW)
    answer = answered(app, question)
    assert answer.text.startswith(heading)
    assert answer.retrieved is not None
    assert query_json(question, answer.retrieved)["lang"] == lang
