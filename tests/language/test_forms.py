from __future__ import annotations

import pytest

from shared.language.forms import COUSIN, NO_FORMS, own_forms


@pytest.mark.parametrize(
    ("lang", "question", "stem", "own", "cousin"),
    [
        ("en", "Which books do I have?", "book", "The Book of sand.", "Booked the train."),
        ("en", "my stories", "stori", "A story.", "Storied."),
        ("es", "¿Qué libros tengo?", "libr", "Un LIBRO de arena.", "Se libraron de todo."),
        ("fr", "Quels journaux lis-tu ?", "journal", "Un journal.", "Journaliser tout."),
    ],
)
def test_a_verb_of_a_plurals_stem_counts_less(
    lang: str, question: str, stem: str, own: str, cousin: str
) -> None:
    forms = own_forms(question, lang)
    assert stem in forms.forms
    assert forms.shares(own, {stem, "x"}) == {stem: 1.0, "x": 1.0}
    assert forms.shares(cousin, {stem}) == {stem: COUSIN}


def test_a_noun_of_the_same_stem_counts_in_full() -> None:
    forms = own_forms("Is there a course for developers?", "en")
    assert forms.shares("Development and training", {"develop"}) == {"develop": 1.0}
    assert forms.shares("Developed and trained", {"develop"}) == {"develop": COUSIN}


def test_what_is_no_plural_may_be_a_verb_and_all_its_forms_are_its_own() -> None:
    assert own_forms("Where did I travel?", "en").forms == {}
    assert own_forms("Welche Bücher habe ich?", "de") == NO_FORMS
    assert own_forms("gas", "en").forms == {}
