"""The notes that contain the names in a question."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shared.answering.extractive import ExtractiveWriter
from shared.answering.named_notes import MAX_NAMES, notes_with_all_names
from tests.answering.people import MAREK, NOTES, asked, note
from tests.answering.samples import question


@pytest.mark.parametrize(
    ("text", "note_ids"),
    [
        ("What is Marek allowed to eat?", {"marek"}),
        ("What may pri eat?", {"priya"}),
        ("What may Pri eat?", {"priya"}),
        ("Where did Marek meet Elena?", set()),
        ("Where did Marek meet Zbigniew?", set()),
        ("Who plays the cello?", set()),
    ],
)
def test_notes_with_all_names_of_a_question(text: str, note_ids: set[str]) -> None:
    assert notes_with_all_names(text, asked(text, *NOTES)).at_most(3) == note_ids
    assert (
        notes_with_all_names(text, replace(asked(text, *NOTES), notes_read=3)).at_most(3) == set()
    )
    assert notes_with_all_names(text, asked(text)).at_most(3) == set()


def test_of_many_notes_with_a_name_those_that_are_titled_with_it_are_about_it() -> None:
    about = note("She pays 300 for the room.", "about", "Priya Raman")
    meetings = [note("Met Priya again.", f"meeting{number}") for number in range(4)]
    found = asked("What does Priya pay?", *meetings, about)
    assert notes_with_all_names("What does Priya pay?", found).at_most(5) == {
        "about",
        *(f"meeting{number}" for number in range(4)),
    }
    assert notes_with_all_names("What does Priya pay?", found).at_most(4) == {"about"}
    untitled = asked("What does Priya pay?", *meetings)
    assert notes_with_all_names("What does Priya pay?", untitled).at_most(3) == frozenset()


@pytest.mark.parametrize("name", ["Priya", "Zoë", "Biscuit"])
def test_a_note_that_ranks_first_and_has_the_names_stays_above_those_titled_with_them(
    name: str,
) -> None:
    text = f"What must {name} never eat?"
    first = note(f"Allergies. {name}: must never eat nuts. Rosa: cats.", "allergies")
    about = note(f"{name} was well behaved at the dentist.", "about", f"{name} at the dentist")
    others = [note(f"Saw {name}.", f"other{number}") for number in range(3)]
    quotes = ExtractiveWriter().quotes(question(text), asked(text, first, about, *others))
    assert quotes[0].passage.chunk.note_id == "allergies"


def test_where_all_nouns_have_capitals_only_owners_are_names_of_notes() -> None:
    car = note("Das Auto ist versichert.", "car", "Auto Versicherung")
    found = asked("Wann war die Inspektion vom Auto?", car, lang="de")
    assert (
        notes_with_all_names("Wann war die Inspektion vom Auto?", found).at_most(3) == frozenset()
    )
    own = asked("Was ist Mareks Lieblingsfarbe?", MAREK, lang="de")
    assert notes_with_all_names("Was ist Mareks Lieblingsfarbe?", own).at_most(3) == {"marek"}


def test_a_note_may_speak_of_them_if_it_has_the_names_or_none_is_asked_for() -> None:
    text = "What is Marek allowed to eat?"
    named = notes_with_all_names(text, asked(text, *NOTES))
    assert named.may_speak_of_them("marek")
    assert not named.may_speak_of_them("priya")
    nobody = notes_with_all_names("Who plays it?", asked("Who plays it?", *NOTES))
    assert nobody.may_speak_of_them("priya")


def test_only_the_first_names_of_a_question_are_looked_at() -> None:
    strangers = " or ".join(["Marek"] * MAX_NAMES)
    text = f"Where did {strangers} meet Elena?"
    assert notes_with_all_names(text, asked(text, *NOTES)).note_ids == {"marek"}
