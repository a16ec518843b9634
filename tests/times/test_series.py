"""The newest or oldest note of a series, where the question asks for the last or the first one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from shared.model.index import IndexedChunk
from shared.model.retrieval import Analysis
from shared.times.series import asked_of_series
from tests.answering.samples import passage

NOW = datetime(2026, 11, 18, tzinfo=UTC)


def note(title: str, *, month: int, day: int = 1) -> IndexedChunk:
    chunk = passage("We met and talked.", note_id=title, title=title).chunk
    return replace(chunk, created_at=datetime(2026, month, day, tzinfo=UTC))


def asked(subject: str, *notes: IndexedChunk, lang: str = "en") -> str:
    """Returns the id, which is the title, of the note that is asked for; empty if there is none."""
    analysis = Analysis((), (), None, lang, subject)
    series = asked_of_series(analysis, notes, NOW)
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
    assert asked(subject, *notes, lang=lang) == newer
    assert asked(subject, *reversed(notes), lang=lang) == newer


@pytest.mark.parametrize(
    ("lang", "subject", "older", "newer"),
    [
        ("en", "What did we decide in our first board meeting?", "Board meeting 9", "Board meeting 10"),
        ("de", "Was ist vom ersten Elternabend offen?", "Elternabend im Mai", "Elternabend im Juni"),
        ("es", "¿Qué decidimos en la primera reunión?", "Reunión 1", "Reunión 2"),
        ("fr", "Qu'a-t-on dit à la première réunion d'équipe ?", "Réunion d'équipe 1", "Réunion d'équipe 2"),
        ("it", "Che cosa c'era nella prima riunione?", "Riunione 1", "Riunione 2"),
    ],
)  # fmt: skip
def test_so_is_the_first_one(lang: str, subject: str, older: str, newer: str) -> None:
    notes = [note(newer, month=6), note(older, month=5)]
    assert asked(subject, *notes, lang=lang) == older
    assert asked(subject, *reversed(notes), lang=lang) == older


def test_the_first_one_of_something_else_is_none_of_the_series() -> None:
    notes = [note("Team meeting 1", month=2), note("Team meeting 2", month=3)]
    assert asked("Who came to the first team meeting of the year?", *notes) == ""
    assert asked("Who came to the first meeting?", *notes) == "Team meeting 1"


@pytest.mark.parametrize(
    ("lang", "subject", "title"),
    [
        ("en", "How old is the oldest team member?", "Team meeting"),
        ("en", "What was the first team meeting agenda item?", "Team meeting"),
        ("en", "Who is the oldest in the team?", "Team meeting"),
        ("de", "Wie alt ist das älteste Team Mitglied?", "Team"),
        ("de", "Was muss ich als erstes für den Elternabend tun?", "Elternabend"),
        ("es", "¿Qué se decidió primero en la reunión del equipo?", "Reunión del equipo"),
        ("es", "¿Qué se decidió primero, reunión o comida?", "Reunión del equipo"),
        ("es", "¿Quién fue la primera de la reunión?", "Reunión del equipo"),
        ("fr", "Que faut-il préparer en premier pour la réunion ?", "Réunion d'équipe"),
        ("it", "Cosa devo preparare prima della riunione del team?", "Riunione del team"),
        ("it", "Cosa devo preparare prima che cominci la riunione?", "Riunione del team"),
    ],
)
def test_before_first_of_all_and_a_longer_name_ask_for_no_first_note(
    lang: str, subject: str, title: str
) -> None:
    notes = [note(f"{title} 1", month=2), note(f"{title} 2", month=3)]
    assert asked(subject, *notes, lang=lang) == ""


@pytest.mark.parametrize(
    "subject",
    [
        "Was haben wir beim ersten Elternabend beschlossen?",
        "Was ist vom ersten Elternabend offen geblieben?",
    ],
)
def test_verbs_behind_a_german_name_are_no_part_of_it(subject: str) -> None:
    notes = [note("Elternabend im Mai", month=5), note("Elternabend im Juni", month=6)]
    assert asked(subject, *notes, lang="de") == "Elternabend im Mai"


def test_the_number_in_the_title_decides_between_notes_of_one_date() -> None:
    notes = [note("Release 2.9", month=5), note("Release 2.10", month=5)]
    assert asked("What is new in the last release?", *notes) == "Release 2.10"


def test_the_date_in_the_title_counts_rather_than_when_the_note_was_written() -> None:
    notes = [note("Release 2026-04-02", month=9), note("Release 2026-10-01", month=8)]
    assert asked("What is new in the last release?", *notes) == "Release 2026-10-01"


def test_a_note_that_is_to_come_is_not_the_last_one() -> None:
    notes = [
        note("Standup October", month=10),
        note("Standup November", month=11),
        note("Standup December", month=12),
    ]
    assert asked("What was said in the last standup?", *notes) == "Standup November"


def test_as_many_words_behind_last_as_titles_hold_name_the_series() -> None:
    notes = [
        note("Team meeting 1", month=2),
        note("Team meeting 2", month=3),
        note("Board meeting 1", month=4),
        note("Board meeting 2", month=5),
    ]
    assert asked("Who came to the last team meeting on the budget?", *notes) == "Team meeting 2"
    assert asked("Who came to the last meeting?", *notes) == "Board meeting 2"


def test_a_day_in_a_title_begins_where_the_person_is() -> None:
    auckland = timezone(timedelta(hours=13))
    now = datetime(2026, 11, 29, 8, tzinfo=auckland)
    notes = [note("Standup 2026-11-22", month=11), note("Standup 2026-11-29", month=11)]
    analysis = Analysis((), (), None, "en", "What was said in the last standup?")
    series = asked_of_series(analysis, notes, now)
    assert series is not None
    last_note, _ = series
    assert last_note == "Standup 2026-11-29"


def test_notes_of_one_and_the_same_title_are_no_series() -> None:
    older = note("Team", month=2)
    newer = replace(older, note_id="newer", created_at=NOW)
    assert asked("Who was the last team member to join?", older, newer) == ""


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
    assert asked(subject, *notes) == ""
