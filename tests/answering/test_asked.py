from __future__ import annotations

from dataclasses import replace

import pytest

from shared.answering.asked import asked_words, asks_for_number, holds_number
from tests.answering.samples import retrieved


@pytest.mark.parametrize(
    ("question", "lang"),
    [
        ("Before we go: how many seats does it have?", "en"),
        ("What time does it open?", "en"),
        ("Wie lange dauert es?", "de"),
        ("Wie viele Plätze gibt es?", "de"),
        ("¿Cuántas personas caben?", "es"),
        ("Pour combien de personnes ?", "fr"),
        ("A che ora apre?", "it"),
    ],
)
def test_a_question_for_a_number_is_told_in_every_language(question: str, lang: str) -> None:
    assert asks_for_number(question, lang)


@pytest.mark.parametrize(
    "question", ["When was it built?", "How do I open it?", "Somehow many came."]
)
def test_a_day_or_a_manner_is_no_number(question: str) -> None:
    assert not asks_for_number(question, "en")


@pytest.mark.parametrize(
    "text", ["It has 1,180 seats.", "It takes twelve weeks.", "Opens at 7 a.m."]
)
def test_numbers_are_digits_words_and_times_of_day(text: str) -> None:
    assert holds_number(text, "en")


@pytest.mark.parametrize(
    "text", ["It has no seats.", "Version v1.4.2 is out.", "Written on 2024-05-03."]
)
def test_versions_and_dates_are_no_numbers(text: str) -> None:
    assert not holds_number(text, "en")


def test_a_word_of_the_notes_language_has_the_stem_by_which_it_was_searched_for() -> None:
    text = "teléfono de Marek"
    analysis = replace(
        retrieved(text=text).analysis,
        stems=("telefon", "marek"),
        renamed={"telefono": "telefon"},
    )
    assert [word.text for word in asked_words(text, analysis)] == ["Marek"]
    words = asked_words(text, analysis, renamed=True)
    assert [(word.text, word.stems) for word in words] == [
        ("teléfono", ("telefon",)),
        ("Marek", ("marek",)),
    ]
