"""Passages about another thing of the kind that is asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shared.answering.kinds import AskedKinds
from shared.retrieval.analysis import analyse
from tests.answering.samples import passage, question


def is_about_another(text: str, first: str, later: str, *, lang: str, title: str = "") -> bool:
    analysis = replace(analyse(question(text)), lang=lang)
    kinds = AskedKinds.of(analysis)
    first_chunk = passage(first, note_id="first", title=title).chunk
    return kinds.is_about_another(passage(later, note_id="later").chunk, first_chunk)


@pytest.mark.parametrize(
    ("lang", "text", "first", "later"),
    [
        ("en", "kitchen wall paint", "Kitchen walls: off white.", "The bathroom wall is blue."),
        ("en", "car tyres?", "Car tyres 2.4 bar.", "Bike tyres 4.5 bar, spare tube in the bag."),
        ("en", "front door lock", "The front door has a new lock.", "Back door lock, 140 pounds."),
        ("en", "kitchen wall paint", "Kitchen walls: off white.", "Bathroom paint: blue."),
        ("en", "what is the shed key's number", "Shed key: 14.", "Attic key: 22."),
        ("de", "große Säge schärfen", "Große Säge: 12 Euro.", "Die kleine Säge: 9 Euro."),
        ("fr", "ancienne voiture assurance", "Ancienne voiture : MAIF.", "Petite voiture : GMF."),
    ],
)  # fmt: skip
def test_the_kind_behind_another_word_is_another_thing(
    lang: str, text: str, first: str, later: str
) -> None:
    assert is_about_another(text, first, later, lang=lang)
    assert not is_about_another(text, later, first, lang=lang)
    assert not is_about_another(text, first, first, lang=lang)


@pytest.mark.parametrize(
    ("lang", "text", "first", "later"),
    [
        ("en", "gym membership fee", "Gym membership: 29 a month.", "From May they take 34."),
        ("en", "kitchen wall paint", "Kitchen walls: off white.", "The walls are blue now."),
        ("en", "kitchen wall paint", "Kitchen walls: off white.", "Bathroom tiles, kitchen wall."),
        ("en", "paint on the wall", "Paint for the wall.", "The bathroom wall is blue."),
        ("en", "kitchen, wall", "Kitchen walls: off white.", "The bathroom wall is blue."),
        ("en", "tyres", "Car tyres 2.4 bar.", "Bike tyres 4.5 bar."),
        ("en", "garage door code", "Garage door code 8812.", "New code for the garage: 3340."),
        ("de", "Miete der Wohnung", "Wohnung: Miete 800.", "Die Miete steigt auf 840."),
    ],
)  # fmt: skip
def test_a_passage_that_only_lacks_a_word_may_be_about_the_same(
    lang: str, text: str, first: str, later: str
) -> None:
    assert not is_about_another(text, first, later, lang=lang)


def test_a_word_that_the_first_passage_has_too_tells_nothing() -> None:
    first = "Kitchen and bathroom walls: off white, both from Lenk."
    assert not is_about_another(
        "kitchen wall paint", first, "The bathroom wall is blue.", lang="en"
    )


def test_the_title_of_the_first_note_may_hold_the_word() -> None:
    later = "Bike tyres 4.5 bar."
    assert is_about_another("car tyres", "Tyres 2.4 bar.", later, lang="en", title="Car")
    assert not is_about_another("car tyres", "Tyres 2.4 bar.", later, lang="en")
