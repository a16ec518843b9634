"""Words that a passage holds in the spelling of another language."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shared.answering.cognates import Cognates
from shared.answering.subject import is_on_topic, is_unknown
from tests.answering.samples import asked_of, passage, retrieved

QUESTION = "¿Qué herramientas usamos para videoconferencias?"


@pytest.mark.parametrize(
    ("text", "lang", "said"),
    [
        ("videoconferencias", "es", "Videoconferencing needs a quiet room."),
        ("vidéoconférence", "fr", "Videoconferencing needs a quiet room."),
        ("accesibilidad", "es", "Accessibility for everyone."),
        ("información", "es", "More information below."),
        ("videoconferenze", "it", "Videoconferencing needs a quiet room."),
    ],
)
def test_a_word_is_found_as_another_language_spells_it(text: str, lang: str, said: str) -> None:
    analysis = retrieved(text=text, lang=lang).analysis
    assert Cognates(analysis).stems_in(passage(said).chunk) == set(analysis.stems)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("casa", "The casablanca lilies."),
        ("comparto", "A company of comrades."),
        ("presupuesto", "He is president."),
        ("nota", "A note."),
    ],
)
def test_a_word_that_only_begins_alike_is_none(text: str, said: str) -> None:
    analysis = retrieved(text=text, lang="es").analysis
    assert analysis.stems
    assert Cognates(analysis).stems_in(passage(said).chunk) == set()


def test_in_a_language_that_the_embedder_does_not_speak_a_cognate_is_on_topic() -> None:
    near = passage("Videoconferencing needs a quiet room.", similarity=0.6)
    spoken = asked_of(near, text=QUESTION)
    assert is_on_topic(replace(spoken, lexical_only=True))
    assert not is_on_topic(spoken)
    assert not is_on_topic(replace(asked_of(near, text="¿Dónde está el perro?"), lexical_only=True))


def test_a_subject_is_not_unknown_if_a_passage_holds_a_cognate() -> None:
    near = passage("Videoconferencing needs a quiet room.", similarity=0.5)
    assert not is_unknown(asked_of(near, text=QUESTION))
    assert is_unknown(asked_of(near, text="¿Dónde está el perro?"))
