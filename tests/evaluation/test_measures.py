"""The library is asked the right thing: figures of rankings whose values can be worked out by hand."""

from __future__ import annotations

import math

import pytest

from evaluation.asking import ChatAnswer, NoteRanking
from evaluation.golden import GoldenQuestion, parts_needed
from evaluation.measures import (
    answer_figures,
    citation_figures,
    hit_figures,
    means,
    ranking_figures,
    refusal_figures,
)


def _ranking(*notes: str) -> NoteRanking:
    return NoteRanking(notes, (), names_time=False, seconds=0.0)


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


def test_citations_are_judged_where_there_is_an_answer_to_judge() -> None:
    replies = {
        "q": ChatAnswer("…", ("a", "b"), refused=False),
        "given up": ChatAnswer("…", (), refused=True),
        "unanswerable": ChatAnswer("…", ("a",), refused=False),
    }
    figures = citation_figures({"q": {"a": 2, "z": 1}, "given up": {"a": 1}}, replies)
    assert figures == {"q": {"precision": pytest.approx(1 / 2), "recall": pytest.approx(1 / 2)}}


def test_refusing_is_right_when_there_is_no_answer() -> None:
    replies = {name: ChatAnswer("…", (), refused=name in ("b", "c")) for name in "abcd"}
    figures = refusal_figures(
        {
            "a": True,
            "b": True,
            "c": False,
            "d": False,
        },
        replies,
    )
    assert figures.accuracy == 0.5
    assert figures.unanswerable_refused == 0.5
    assert figures.answerable_refused == 0.5


def test_shares_of_nothing_are_unknown() -> None:
    assert (
        refusal_figures({"a": True}, {"a": ChatAnswer("…", (), refused=False)}).unanswerable_refused
        is None
    )
    assert citation_figures({}, {}) == {}
    assert means({}, ["q"]) == {}


def test_one_of_the_best_graded_notes_among_the_first_five_is_a_hit() -> None:
    needed = {"q": parts_needed((), {"a": 2, "b": 2, "c": 1}, dict.fromkeys("abc", ""))}
    for notes, hit in (
        (("x", "b"), 1.0),
        (("c", "x"), 0.0),
        (tuple("vwxyzb"), 0.0),
        ((), 0.0),
    ):
        assert hit_figures(needed, {"q": _ranking(*notes)}) == {"q": {"hit@5": hit}}


def test_a_question_whose_facts_no_note_holds_together_needs_a_note_for_each() -> None:
    texts = {
        "a": "Twelve\n  Weeks at home.",
        "b": "13 days, in all.",
        "c": "13 days.",
    }
    needed = {
        "q": parts_needed(
            ("twelve weeks", "13 days"),
            {
                "a": 2,
                "b": 2,
                "c": 1,
            },
            texts,
        )
    }
    assert hit_figures(needed, {"q": _ranking("a", "x")})["q"]["hit@5"] == 0
    assert hit_figures(needed, {"q": _ranking("c", "a")})["q"]["hit@5"] == 1
    together = {
        "q": parts_needed(
            ("twelve weeks", "13 days"), {"a": 2, "d": 2}, texts | {"d": "Twelve weeks, 13 days"}
        )
    }
    assert hit_figures(together, {"q": _ranking("a")})["q"]["hit@5"] == 1


def test_answers_are_measured_by_their_facts_and_the_notes_they_cite() -> None:
    questions = [
        GoldenQuestion("held", "?", {"a": 2, "b": 1}, facts=("12 weeks", "full pay")),
        GoldenQuestion("first", "?", {"a": 2}, facts=("12 weeks", "full pay")),
        GoldenQuestion("below", "?", {"a": 2}, facts=("12 weeks",)),
        GoldenQuestion("refused", "?", {"a": 2}, facts=("12 weeks",)),
        GoldenQuestion("no facts", "?", {"a": 2, "b": 1}),
        GoldenQuestion("none", "?", {}),
    ]
    needed = {question.question_id: (frozenset("a"),) for question in questions}
    first = "> It is 12\n> Weeks [N1]."
    both = "> 12 weeks with full pay [N1]"
    below = "> 7 weeks [N1]"
    refusal = "12 weeks may stand in a note, but"
    replies = {
        "held": ChatAnswer(first, ("a",), refused=False, first=first),
        "first": ChatAnswer(both, ("a",), refused=False, first=both),
        "below": ChatAnswer(f"{below}\n\n{first}", ("a",), refused=False, first=below),
        "refused": ChatAnswer(refusal, ("a",), refused=True, first=refusal),
        "no facts": ChatAnswer("…", ("b",), refused=False),
        "none": ChatAnswer("…", (), refused=True),
    }
    assert answer_figures(questions, needed, replies) == {
        "held": {"refused": 0, "right note cited": 1, "facts": 0.5, "complete first": 0},
        "first": {"refused": 0, "right note cited": 1, "facts": 1, "complete first": 1},
        "below": {"refused": 0, "right note cited": 1, "facts": 1, "complete first": 0},
        "refused": {"refused": 1, "right note cited": 0, "facts": 0, "complete first": 0},
        "no facts": {"refused": 0, "right note cited": 0},
        "none": {"unanswerable refused": 1},
    }
