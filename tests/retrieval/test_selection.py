"""Passages that the writer gets: different, few and short enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.model.retrieval import Scored
from shared.retrieval.selection import best_of_notes, select
from tests.contracts.samples import chunk
from tests.retrieval.samples import scored

DECISION = "We decided to run the API on Cloud Run because it scales to zero when nobody is asking anything at night"


def _passage(note_id: str, text: str, *, start: int = 0, score: float = 0.5) -> Scored:
    sample_chunk = replace(chunk(note_id, start, text=text), start=start, end=start + len(text))
    return scored(sample_chunk, score)


def _selected(*passages: Scored, wanted: int = 8, max_characters: int | None = 12_000) -> list[str]:
    return [
        passage.chunk.chunk_id
        for passage in select(passages, limit=wanted, max_characters=max_characters)
    ]


def _endless() -> Iterator[Scored]:
    number = 0
    while True:
        number += 1
        yield _passage(f"n{number}", f"note {number}")


def test_the_best_are_taken_and_no_more_is_asked_for() -> None:
    passages = _endless()
    assert [passage.chunk.note_id for passage in select(passages, limit=3, max_characters=100)] == [
        "n1",
        "n2",
        "n3",
    ]
    assert next(passages).chunk.note_id == "n4"


def test_passages_of_a_note_that_mostly_overlap_are_one() -> None:
    text = "x" * 100
    assert _selected(_passage("a", text), _passage("a", text, start=50)) == ["a_000"]


def test_neighbours_that_share_a_little_are_both_kept() -> None:
    text = "x" * 100
    assert _selected(_passage("a", text), _passage("a", text, start=85)) == ["a_000", "a_085"]


def test_the_same_words_in_another_note_are_a_repeat_whatever_their_marks() -> None:
    assert _selected(_passage("a", DECISION), _passage("b", f"**{DECISION.upper()}**!")) == [
        "a_000"
    ]


def test_a_small_edit_is_a_repeat() -> None:
    long = f"{DECISION}. " + " ".join(f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")
    assert _selected(_passage("a", long), _passage("b", long.replace("because", "since"))) == [
        "a_000"
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("zero", "0"),
        ("scales", "never scales"),
        ("Cloud Run", "Heroku"),
    ],
)
def test_a_number_a_negation_or_a_name_makes_it_another_fact(old: str, new: str) -> None:
    long = f"{DECISION}. " + " ".join(f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")
    assert _selected(_passage("a", long), _passage("b", long.replace(old, new))) == [
        "a_000",
        "b_000",
    ]


def test_a_short_entry_under_two_dates_is_two_facts() -> None:
    assert _selected(_passage("a", "45 min run"), _passage("b", "45 min run")) == ["a_000", "b_000"]


def test_passages_that_do_not_fit_are_left_out_and_shorter_ones_still_come() -> None:
    passages = [
        _passage("a", "x" * 60),
        _passage("b", "y" * 60),
        _passage("c", "z" * 40),
    ]
    assert _selected(*passages, max_characters=100) == ["a_000", "c_000"]
    assert _selected(*passages, max_characters=None) == ["a_000", "b_000", "c_000"]


def test_a_best_passage_longer_than_the_allowance_is_cut_to_an_exact_slice() -> None:
    (passage,) = select([_passage("a", "abcdef" * 50, start=7)], limit=8, max_characters=100)
    assert passage.chunk.start == 7
    assert passage.chunk.end == 107
    assert passage.chunk.text == ("abcdef" * 50)[:100]


def test_the_nearest_are_the_best_of_different_notes() -> None:
    passages = [
        _passage("a", "one"),
        _passage("a", "two", start=10),
        _passage("b", "three"),
        _passage("c", "four"),
    ]
    assert [passage.chunk.chunk_id for passage in best_of_notes(passages, 2)] == ["a_000", "b_000"]


@given(st.lists(st.integers(1, 400), max_size=30), st.integers(1, 12), st.integers(1, 1000))
def test_limits_hold_and_order_stays(lengths: list[int], wanted: int, room: int) -> None:
    passages = [
        _passage(f"n{place:02d}", chr(97 + place) * length) for place, length in enumerate(lengths)
    ]
    selection = select(passages, limit=wanted, max_characters=room)
    ids = [passage.chunk.chunk_id for passage in selection]
    assert ids == sorted(ids)
    assert len(selection) <= wanted
    assert sum(len(passage.chunk.text) for passage in selection) <= room
    assert bool(selection) == bool(lengths)
