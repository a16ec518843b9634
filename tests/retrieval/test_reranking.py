"""The reranker's effect on the order, and what happens when it breaks its promise."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from shared.errors import AuroraError, ModelRefused, ModelUnavailable
from shared.model.retrieval import Reranked
from tests.retrieval.library import Library, notes
from tests.retrieval.samples import days_ago


class LongestFirst:
    """The longer a passage, the better it answers. Keeps what it was given; says what it is told to instead."""

    model = "longest"

    def __init__(self, instead: Sequence[float] | AuroraError | None = None) -> None:
        self.instead = instead
        self.read: list[str] = []

    def scores(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        self.read = [question, *passages]
        if isinstance(self.instead, AuroraError):
            raise self.instead
        return (
            tuple(float(len(passage)) for passage in passages)
            if self.instead is None
            else tuple(self.instead)
        )


def _furnish(library: Library) -> None:
    library.add("short", "The API runs on Cloud Run", created_at=days_ago(1))
    library.add(
        "long",
        "Long ago the API ran somewhere else, and nobody remembers where that was",
        created_at=days_ago(2),
    )
    library.add("middle", "The API of the kitchen scales is closed", created_at=days_ago(3))


ASKED = "Where does the API run?"
SCORED = ["short", "middle", "long"]


def test_without_a_reranker_passages_stay_as_scored(library: Library) -> None:
    _furnish(library)
    retrieved = library.ask(ASKED)
    assert notes(retrieved) == SCORED
    assert retrieved.reranked is None


def test_the_rerankers_order_is_the_order_and_scores_stay_what_they_are(library: Library) -> None:
    _furnish(library)
    plain = {passage.chunk.note_id: passage for passage in library.ask(ASKED).selected}
    library.reranker = LongestFirst()
    retrieved = library.ask(ASKED)
    assert notes(retrieved) == ["long", "middle", "short"]
    assert {passage.chunk.note_id: passage for passage in retrieved.selected} == plain
    assert retrieved.reranked == Reranked("longest", None)


def test_the_reranker_reads_the_question_and_each_passage_once(library: Library) -> None:
    _furnish(library)
    library.reranker = reranker = LongestFirst()
    library.ask(ASKED)
    assert reranker.read[0] == ASKED
    assert sorted(reranker.read[1:]) == sorted(
        passage.chunk.text for passage in library.ask(ASKED).selected
    )


def test_equals_stay_in_their_order(library: Library) -> None:
    _furnish(library)
    library.reranker = LongestFirst([1.0, 1.0, 1.0])
    assert notes(library.ask(ASKED)) == SCORED


def test_only_the_best_are_ordered_again(library: Library) -> None:
    for number in range(40):
        library.add(f"n{number:02d}", f"API call {'very ' * number}")
    library.reranker = reranker = LongestFirst()
    library.ask("API call", top_k=12)
    assert len(reranker.read) == 1 + library.options.rerank_from


@pytest.mark.parametrize(
    "instead",
    [
        ModelUnavailable("longest: 503"),
        ModelRefused("longest: 403"),
        [1.0, 2.0],
        [1.0, 2.0, 3.0, 4.0],
        [1.0, math.nan, 3.0],
        [1.0, math.inf, 3.0],
    ],
)
def test_a_reranker_that_is_away_or_lies_leaves_the_order_and_is_named(
    library: Library, instead: Sequence[float] | AuroraError
) -> None:
    _furnish(library)
    library.reranker = LongestFirst(instead)
    retrieved = library.ask(ASKED)
    assert notes(retrieved) == SCORED
    assert retrieved.reranked is not None
    assert (retrieved.reranked.failure or "").startswith("longest: ")


def test_nothing_found_is_nothing_to_order(library: Library) -> None:
    library.reranker = reranker = LongestFirst()
    assert library.ask(ASKED).reranked is None
    assert reranker.read == []
