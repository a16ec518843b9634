"""A fact that a later, separate note changed, asked with the local embedder."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from cli.options import close
from evaluation.asking import answered
from shared.app import App
from shared.bootstrap import build
from shared.model.notes import NoteKey
from shared.model.questions import Question
from shared.notes.service import NoteDraft
from shared.settings import Settings
from tests.account.world import TENANT

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
NOTES = {
    "starts": (
        datetime(2025, 9, 3, tzinfo=UTC),
        "Piano",
        "Nell starts piano with Mrs Hartley, Wednesdays at five, 17 pounds per half hour. First book: Piano Time.",
    ),
    "changes": (
        datetime(2026, 2, 6, tzinfo=UTC),
        "Piano and chess",
        "Mrs Hartley stops the piano. Jonty Breeze: 19 pounds per half hour, still Wednesdays at five. Chess club?",
    ),
    "swims": (
        datetime(2026, 3, 1, tzinfo=UTC),
        "Swimming",
        "Isaac swims on Tuesdays at the baths, 7.40 a lesson, paid each term.",
    ),
    "boiler": (
        datetime(2026, 4, 1, tzinfo=UTC),
        "Boiler",
        "Serviced by Ahmed for 96 pounds. Topped up to 1.3 bar.",
    ),
    "team": (
        datetime(2026, 5, 4, tzinfo=UTC),
        "Team",
        "The team meets on Mondays in the small room; minutes go to the folder.",
    ),
    "race": (
        datetime(2026, 6, 7, tzinfo=UTC),
        "Race",
        "Ten kilometres in fifty minutes and two seconds, on a hot day.",
    ),
}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    product = build(Settings(home=tmp_path_factory.mktemp("home"), auth="none", store="embedded"))
    for note_id, (created_at, title, text) in NOTES.items():
        draft = NoteDraft(title=title, text=text, created_at=created_at)
        product.notes.save(TENANT, note_id, draft)
        product.indexer.index(NoteKey(TENANT, note_id))
    yield product
    close(product)


def quoted(app: App, text: str) -> list[str]:
    answer = answered(app, Question(TENANT, text, NOW))
    return [claim.citations[0].passage.chunk.note_id for claim in answer.claims]


def test_a_question_in_the_present_gets_what_holds_now_first(app: App) -> None:
    text = "What is the price of half an hour of piano with Mrs Hartley?"
    assert quoted(app, text)[:2] == ["changes", "starts"]


def test_a_question_in_the_past_gets_the_note_that_is_nearest(app: App) -> None:
    text = "What was the price of half an hour of piano with Mrs Hartley?"
    assert quoted(app, text)[0] == "starts"
