from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from shared.answering.tense import Tense, tense_of
from shared.retrieval.analysis import analyse
from tests.answering.samples import passage, question, retrieved


@pytest.mark.parametrize(
    ("text", "tense"),
    [
        ("What does the class cost?", Tense.PRESENT),
        ("rent", Tense.PRESENT),
        ("What did the class cost?", Tense.PAST),
        ("What does the class cost in May 2025?", Tense.PAST),
        ("Where was Tim in the week before 16 November?", Tense.PAST),
        ("What did John build by 7 November?", Tense.PAST),
        ("What did the class cost before Easter?", Tense.FORMER),
        ("What did the class cost before it moved?", Tense.FORMER),
        ("the old rent in May 2025", Tense.FORMER),
    ],
)
def test_a_question_asks_for_what_holds_what_was_or_what_no_longer_holds(
    text: str, tense: Tense
) -> None:
    asked = replace(question(text), now=datetime(2025, 11, 20, 9, tzinfo=UTC))
    result = replace(retrieved(passage("Anything."), text=text), analysis=analyse(asked))
    assert tense_of(asked, result) is tense


@pytest.mark.parametrize(
    ("text", "note", "tense"),
    [
        ("alte Miete?", "Die Miete kostet 940 Euro im Monat.", Tense.FORMER),
        ("Alte Miete?", "Die Miete kostet 940 Euro im Monat.", Tense.FORMER),
        ("Old rent", "Die Miete kostet 940 Euro im Monat.", Tense.FORMER),
        ("Miete?", "Die Miete kostet 940 Euro im Monat.", Tense.PRESENT),
        ("ancien loyer", "Le loyer est de 780 euros.", Tense.FORMER),
        ("antiguo alquiler", "El alquiler es de 780 euros al mes.", Tense.FORMER),
        ("old rent", "Die Miete kostet 940 Euro im Monat.", Tense.FORMER),
    ],
)
def test_few_words_are_read_in_the_language_of_the_notes(
    text: str, note: str, tense: Tense
) -> None:
    asked = question(text)
    result = replace(retrieved(passage(note), text=text), analysis=analyse(asked))
    assert result.analysis.lang == "en"
    assert tense_of(asked, result) is tense


@pytest.mark.parametrize(
    ("text", "notes", "tense"),
    [
        ("old town market", ["Old town market: Saturdays.", "Old-town market from 9 now."], Tense.PRESENT),
        ("old town market", ["Town market: Saturdays.", "The market of the old town moved."], Tense.FORMER),
        ("the old dog's vet", ["The old dog: Dr Hale.", "Old dog limps.", "Dog food."], Tense.PRESENT),
        ("the old password", ["Password: heron.", "The old password is dead: egret."], Tense.FORMER),
        ("the old bike before June 2025", ["The old bike: 2 bar.", "Old bike: 3 bar."], Tense.PAST),
        ("¿Dónde se aparca en el casco antiguo?", ["En el casco antiguo se aparca por 2 euros."], Tense.PRESENT),
        ("Où est l'ancien marché ?", ["Le marché est sur la place depuis mardi."], Tense.FORMER),
    ],
)  # fmt: skip
def test_what_most_notes_call_old_is_a_name(text: str, notes: list[str], tense: Tense) -> None:
    asked = replace(question(text), now=datetime(2025, 11, 20, 9, tzinfo=UTC))
    passages = [passage(note, note_id=str(number)) for number, note in enumerate(notes)]
    result = replace(retrieved(*passages, text=text), analysis=analyse(asked))
    assert tense_of(asked, result) is tense
