"""The newest note of a series, where the question asks for the last one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from shared.model.index import IndexedChunk
from shared.model.retrieval import Analysis
from shared.times.series import last_of_series
from tests.answering.samples import passage

NOW = datetime(2026, 11, 18, tzinfo=UTC)


def note(title: str, *, month: int, day: int = 1) -> IndexedChunk:
    chunk = passage("We met and talked.", note_id=title, title=title).chunk
    return replace(chunk, created_at=datetime(2026, month, day, tzinfo=UTC))


def last(subject: str, *notes: IndexedChunk, lang: str = "en") -> str:
    """Returns the id, which is the title, of the note that is asked for; empty if there is none."""
    analysis = Analysis((), (), None, lang, subject)
    series = last_of_series(analysis, notes, NOW)
    return series[0] if series else ""


@pytest.mark.parametrize(
    ("lang", "subject", "older", "newer"),
    [
        ("en", "What did we decide in the last board meeting?", "Board meeting 9", "Board meeting 10"),
        ("en", "What is new in the latest release?", "Release 2.9", "Release 2.10"),
        ("en", "What was said at the most recent retro?", "Retro March", "Retro May 2026"),
        ("de", "Was ist vom letzten Elternabend offen?", "Elternabend im Mai", "Elternabend im Juni"),
        ("es", "¿Qué decidimos en la última reunión de vecinos?", "Reunión de vecinos 1", "Reunión de vecinos 2"),
        ("fr", "Qu'a-t-on dit à la dernière réunion d'équipe ?", "Réunion d'équipe 1", "Réunion d'équipe 2"),
        ("it", "Che cosa c'era nell'ultima riunione?", "Riunione 1", "Riunione 2"),
    ],
)  # fmt: skip
def test_the_last_note_of_a_series_is_found_in_each_language(
    lang: str, subject: str, older: str, newer: str
) -> None:
    notes = [note(newer, month=6), note(older, month=5)]
    assert last(subject, *notes, lang=lang) == newer
    assert last(subject, *reversed(notes), lang=lang) == newer


def test_of_one_date_the_number_in_the_title_decides_and_a_date_there_before_the_notes_own() -> (
    None
):
    asked = "What is new in the last release?"
    same_date = [note("Release 2.9", month=5), note("Release 2.10", month=5)]
    assert last(asked, *same_date) == "Release 2.10"
    titled = [note("Release 2026-04-02", month=9), note("Release 2026-10-01", month=8)]
    assert last(asked, *titled) == "Release 2026-10-01"


def test_a_note_that_is_to_come_is_not_the_last_one() -> None:
    notes = [
        note("Standup October", month=10),
        note("Standup November", month=11),
        note("Standup December", month=12),
    ]
    assert last("What was said in the last standup?", *notes) == "Standup November"


def test_as_many_words_behind_last_as_titles_hold_name_the_series() -> None:
    notes = [
        note("Team meeting 1", month=2),
        note("Team meeting 2", month=3),
        note("Board meeting 1", month=4),
        note("Board meeting 2", month=5),
    ]
    assert last("Who came to the last team meeting on the budget?", *notes) == "Team meeting 2"
    assert last("Who came to the last meeting?", *notes) == "Board meeting 2"


@pytest.mark.parametrize(
    "subject",
    [
        "When did we last meet?",
        "What did we decide in the team meeting?",
        "What is Tom's last name?",
        "What was the last lunch like?",
    ],
)
def test_a_question_for_nothing_last_of_a_series_has_none(subject: str) -> None:
    notes = [
        note("Team meeting 1", month=2),
        note("Team meeting 2", month=3),
        note("Lunch", month=4),
        note("Names", month=5),
        note("Friday", month=5),
        note("Saturday", month=6),
    ]
    assert last(subject, *notes) == ""
