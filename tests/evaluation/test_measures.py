"""The library is asked the right thing: figures of rankings whose values can be worked out by hand."""

from __future__ import annotations

import math

import pytest

from evaluation.asking import Ranking, Reply
from evaluation.measures import citation_figures, means, ranking_figures, refusal_figures


def _ranking(*notes: str) -> Ranking:
    return Ranking(notes, (), names_time=False, seconds=0.0)


def test_figures_follow_the_order_of_the_ranking() -> None:
    figures = ranking_figures({"q": {"b": 1, "z": 1}}, {"q": _ranking("a", "b", "c")})["q"]
    assert figures["MRR"] == pytest.approx(1 / 2)
    assert figures["P@1"] == 0
    assert figures["P@3"] == pytest.approx(1 / 3)
    assert figures["R@3"] == pytest.approx(1 / 2)
    ideal = 1 + 1 / math.log2(3)
    assert figures["nDCG@10"] == pytest.approx(1 / math.log2(3) / ideal)


def test_equal_notes_are_told_apart_by_place_and_not_by_name() -> None:
    for notes in (("a", "b"), ("b", "a")):
        assert ranking_figures({"q": {notes[0]: 1}}, {"q": _ranking(*notes)})["q"]["P@1"] == 1


def test_a_question_that_found_nothing_counts_as_zero() -> None:
    figures = ranking_figures({"q": {"a": 1}, "r": {"a": 1}}, {"q": _ranking(), "r": _ranking("a")})
    assert figures["q"]["nDCG@10"] == 0
    assert means(figures, ["q", "r"])["nDCG@10"] == pytest.approx(0.5)


def test_a_greater_grade_counts_more() -> None:
    relevant = {"q": {"a": 2, "b": 1}}
    first = ranking_figures(relevant, {"q": _ranking("a", "b")})["q"]["nDCG@10"]
    second = ranking_figures(relevant, {"q": _ranking("b", "a")})["q"]["nDCG@10"]
    assert first == pytest.approx(1)
    assert second < first


def test_citations_are_judged_where_there_is_an_answer_to_judge() -> None:
    replies = {
        "q": Reply("…", ("a", "b"), refused=False),
        "given up": Reply("…", (), refused=True),
        "unanswerable": Reply("…", ("a",), refused=False),
    }
    figures = citation_figures({"q": {"a": 2, "z": 1}, "given up": {"a": 1}}, replies)
    assert figures == {"q": {"precision": pytest.approx(1 / 2), "recall": pytest.approx(1 / 2)}}


def test_refusing_is_right_when_there_is_no_answer() -> None:
    replies = {name: Reply("…", (), refused=name in ("b", "c")) for name in "abcd"}
    figures = refusal_figures({"a": True, "b": True, "c": False, "d": False}, replies)
    assert (figures.accuracy, figures.unanswerable_refused, figures.answerable_refused) == (0.5, 0.5, 0.5)


def test_shares_of_nothing_are_unknown() -> None:
    assert refusal_figures({"a": True}, {"a": Reply("…", (), refused=False)}).unanswerable_refused is None
    assert citation_figures({}, {}) == {}
    assert means({}, ["q"]) == {}
