"""Questions for the notes with a property, which say nothing else of what is asked, to the local embedder."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cli.options import close
from evaluation.asking import answered
from shared.app import App
from shared.bootstrap import build
from shared.model.answers import Answer
from shared.model.notes import NoteKey
from shared.model.questions import Question
from shared.notes.service import NoteDraft
from shared.settings import Settings
from tests.account.world import TENANT

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
NOTES = {
    "noon": "---\ntitle: Mittagsstunde\nauthor: Dörte Hansen\nrating: 5\n---\nA village in the north. Slow, sad.",
    "land": "---\ntitle: Altes Land\nauthor: Dörte Hansen\nrating: 4\n---\nAn orchard house, three women who do not talk.",
    "dune": "---\ntitle: Dune\nauthor: Frank Herbert\nrating: 5\n---\nRe-read after the film. The politics hold up.",
    "trip": "# Lisbon trip\n\nBooked the train for 14 June, seat 43. Booked the hotel Alfama for three nights, 312 euros.",
    "release": "# Release day\n\nReleased version 4.2 to all customers. Two rollbacks because of the cache.",
    "phone": "# Marek\n\nMarek runs the climbing gym in Poznań. Phone +48 600 123 456.",
}
LIST = "# Books I want to read\n\n- Piranesi by Susanna Clarke\n- Zur See by Dörte Hansen\n- Stoner by John Williams"


def app_with(home: Path, notes: dict[str, str]) -> App:
    product = build(Settings(home=home, auth="none", store="embedded"))
    for note_id, text in notes.items():
        draft = NoteDraft(title="", text=text, created_at=NOW)
        product.notes.save(TENANT, note_id, draft)
        product.indexer.index(NoteKey(TENANT, note_id))
    return product


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    product = app_with(tmp_path_factory.mktemp("reader"), NOTES)
    yield product
    close(product)


@pytest.fixture(scope="module")
def reader_with_list(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    product = app_with(tmp_path_factory.mktemp("list"), {**NOTES, "list": LIST})
    yield product
    close(product)


def answer(app: App, text: str) -> Answer:
    return answered(app, Question(TENANT, text, NOW, asked=text))


def quoted(answered_question: Answer) -> list[str]:
    return [citation.passage.chunk.note_id for citation in answered_question.citations]


BY_HANSEN = [
    "books by Dörte Hansen",
    "Which books by Dörte Hansen have I read?",
    "books I read by Dörte Hansen",
    "Everything by Dörte Hansen",
    "novels by Dörte Hansen",
    "Bücher von Dörte Hansen",
    "libros de Dörte Hansen",
]


@pytest.mark.parametrize("text", BY_HANSEN)
def test_the_books_by_an_author_are_the_notes_whose_property_says_so(
    reader: App, text: str
) -> None:
    """`Booked the train` has the stem of `books`, and is about none."""
    found = answer(reader, text)
    assert {"noon", "land"} <= set(quoted(found)), found.text
    assert quoted(found)[0] in {"noon", "land"}
    assert not found.text.startswith("Nothing about")


@pytest.mark.parametrize("text", BY_HANSEN)
def test_they_stand_beside_a_list_that_is_nearer_to_the_question(
    reader_with_list: App, text: str
) -> None:
    assert set(quoted(answer(reader_with_list, text))) == {"list", "noon", "land"}


@pytest.mark.parametrize("text", ["books by Frank Herbert", "books of Frank Herbert"])
def test_a_list_of_books_by_others_hides_no_author(reader_with_list: App, text: str) -> None:
    found = answer(reader_with_list, text)
    assert quoted(found)[0] == "dune"
    assert not found.text.startswith("Nothing about")


def test_what_only_notes_about_others_say_is_not_said_of_an_author(reader_with_list: App) -> None:
    found = answer(reader_with_list, "Dörte Hansen's phone number")
    assert found.text.startswith("Nothing about “Dörte Hansen's phone number”")


@pytest.mark.parametrize(
    "text",
    ["Frank Herbert's boiler valve", "Frank Herbert seat number", "hotel booked by Dörte Hansen"],
)
def test_what_is_asked_of_an_author_is_not_answered_by_the_books(reader: App, text: str) -> None:
    found = answer(reader, text)
    assert found.refusal is not None or found.text.startswith("Nothing about"), found.text
