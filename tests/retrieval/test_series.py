"""What a part of a series gains from the part next to it, and what is no series."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from shared.domain import Candidate, Scale
from shared.retrieval.scores import keyword_parts, ranked
from shared.retrieval.series import SHARES, Bonus, bonuses
from tests.retrieval.library import Library, notes
from tests.retrieval.pools import Drawn, pools
from tests.retrieval.samples import OPTIONS, candidate, days_ago, formula_of, pool_of

NEXT, AFTER_NEXT = SHARES


def _gained(*candidates: Candidate) -> dict[str, Bonus]:
    pool = pool_of(candidates, frequencies={"api": 3})
    return bonuses(pool, keyword_parts(pool, OPTIONS), Scale(0.0, 1.0))


def _part(name: str, cosine: float, *, age: float = 0.0, vector_rank: int | None = 1, count: int = 0) -> Candidate:
    """A note without a path, which its id then names."""
    made = candidate(name, cosine, terms={"api": count}, age=age, vector_rank=vector_rank)
    return replace(made, chunk=replace(made.chunk, path=""))


def test_a_part_gains_a_share_of_what_the_next_one_has() -> None:
    gained = _gained(_part("talk:3", 0.5, count=1), _part("talk:4", 0.2))
    assert gained == {"talk:4_000": Bonus(NEXT * 0.5, NEXT * 1.0), "talk:3_000": Bonus(NEXT * 0.2, 0.0)}


def test_what_the_part_after_the_next_has_counts_less_and_comes_to_it() -> None:
    gained = _gained(_part("talk:3", 0.5), _part("talk:4", 0.3), _part("talk:5", 0.1))
    assert gained["talk:5_000"].vector == pytest.approx(NEXT * 0.3 + AFTER_NEXT * 0.5)
    assert NEXT > AFTER_NEXT


def test_of_two_neighbours_the_greater_part_of_each_counts() -> None:
    gained = _gained(_part("t1", 0.3, count=1), _part("t2", 0.1), _part("t3", 0.6))
    assert gained["t2_000"] == Bonus(pytest.approx(NEXT * 0.6), pytest.approx(NEXT))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "other",
    [
        _part("talk:6", 0.5),  # too far away
        _part("walk:4", 0.5),  # another series
        _part("talk:4", 0.5, age=1),  # of another day, as in a journal
        _part("talk", 0.5),  # without a number
    ],
)
def test_what_is_not_next_to_it_gives_nothing(other: Candidate) -> None:
    assert _gained(_part("talk:3", 0.5), other) == {}


def test_paths_name_notes_that_have_one() -> None:
    one, other = (
        replace(each, chunk=replace(each.chunk, path=f"scan/page {number}.md"))
        for number, each in ((9, _part("x", 0.5)), (10, _part("y", 0.5)))
    )
    assert _gained(one, other).keys() == {"x_000", "y_000"}


def test_a_cosine_that_the_vector_leg_did_not_bring_gives_nothing_read_or_not() -> None:
    assert _gained(_part("t1", 0.5, vector_rank=None), _part("t2", 0.0)) == {}


def test_a_number_longer_than_any_counter_is_no_trouble() -> None:
    assert _gained(_part("1" * 5000, 0.5), _part("1" * 4999 + "2", 0.5)).keys() == {
        f"{'1' * 5000}_000",
        f"{'1' * 4999}2_000",
    }


def test_the_turn_beside_the_match_comes_before_one_that_stands_alone(library: Library) -> None:
    library.add("chat:1", "What about the harbor fees?", created_at=days_ago(3))
    library.add("chat:2", "They doubled in May, harbor or not", created_at=days_ago(3))
    library.add("else", "They doubled in June, harbor or not", created_at=days_ago(3))
    assert notes(library.ask("harbor fees"))[:2] == ["chat:1", "chat:2"]


@given(pools())
def test_parts_stay_between_zero_and_one_and_what_matches_nothing_gains_nothing(drawn: Drawn) -> None:
    candidates, unread, ceiling = drawn
    pool = pool_of(candidates, unread=unread, ceiling=ceiling, frequencies={"api": 3})
    formula = formula_of(pool)
    full = replace(formula, bonuses={key: Bonus(0.9, 0.9) for key in formula.keyword})
    for found in ranked(pool, full, threshold=0.0):
        assert 0 <= found.scores.vector <= 1
        assert 0 <= found.scores.keyword <= 1
    plain = {each.chunk.chunk_id for each in ranked(pool, formula, threshold=0.0)}
    assert {each.chunk.chunk_id for each in ranked(pool, full, threshold=0.0)} == plain
