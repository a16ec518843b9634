"""Languages of questions of few words."""

from __future__ import annotations

import pytest

from shared.language.questions import language_by_letters, question_language


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Comment utiliser Slack ?", "fr"),
        ("Comment fonctionne Google Meet ?", "fr"),
        ("Quels outils ?", "fr"),
        ("Wie funktioniert Slack?", "de"),
        ("Wer kommt?", "de"),
        ("Come funziona Slack?", "it"),
        ("¿Cómo funciona Slack?", "es"),
        ("Where is the key?", "en"),
    ],
)
def test_a_question_is_in_the_language_of_the_word_that_opens_it(text: str, lang: str) -> None:
    assert question_language(text) == lang


@pytest.mark.parametrize(
    "text",
    [
        "Comment on the draft?",
        "comment guidelines",
        "Was Slack down?",
        "Which hotel?",
        "Who?",
        "Marek?",
        "Slack?",
        "?",
        "",
    ],
)
def test_an_opening_that_may_be_english_tells_nothing(text: str) -> None:
    assert question_language(text) == "en"


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("información sobre accesibilidad", "es"),
        ("Información sobre accesibilidad", "es"),
        ("accessibilité des documents", "fr"),
        ("autorità di assunzione", "it"),
        ("cursos de formación", "es"),
    ],
)
def test_a_letter_that_english_lacks_and_a_common_word_tell_a_language(
    text: str, lang: str
) -> None:
    assert question_language(text) == "en"
    assert language_by_letters(text) == lang


@pytest.mark.parametrize(
    "text",
    [
        "books by Dörte Hansen",
        "jalapeño recipe",  # no common word
        "crème brûlée recipe",
        "café at the corner",  # English, too
        "flat of Jiménez de Rosa",
        "trip Cádiz de Sevilla",  # the letter is in a name
        "autorités de recrutement",  # as likely Spanish
        "bin collection day",
        "",
    ],
)
def test_a_letter_alone_or_in_a_name_tells_none(text: str) -> None:
    assert language_by_letters(text) == "en"
