"""The page stands alone, and what notes and questions say cannot act in it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from evaluation.asking import ChatAnswer, NoteRanking
from evaluation.comparison import Golden, Measured, Variant, halves
from evaluation.golden import GoldenQuestion
from evaluation.measures import (
    answer_figures,
    citation_figures,
    hit_figures,
    ranking_figures,
    together,
)
from evaluation.plots import bars, lines, shares
from evaluation.report import EvaluationReport, html
from evaluation.tuning import Tuned
from shared.model.questions import Strategy
from shared.notes.service import NoteDraft
from tests.contracts.samples import chunk
from tests.retrieval.samples import scored

HOSTILE = '<script>fetch("https://evil.example")</script>'


def _report() -> EvaluationReport:
    questions = (
        GoldenQuestion(
            "q1", HOSTILE, {"a": 1}, slice=HOSTILE, now=datetime(2026, 1, 1, tzinfo=UTC)
        ),
        GoldenQuestion("q2", "Where is it?", {"b": 1}),
        GoldenQuestion("q3", "Nowhere?", {}),
    )
    golden = Golden(
        questions,
        {"q1": {"a": 1}, "q2": {"b": 1}},
        {"q1": (frozenset("a"),), "q2": (frozenset("b"),)},
        {"elsewhere": (questions[2],)},
    )
    passages = (scored(chunk("b"), 0.8), scored(chunk("a"), 0.4))
    ranking = NoteRanking(("b", "a"), passages, names_time=False, seconds=0.01)
    rankings = {
        "q1": ranking,
        "q2": ranking,
        "q3": NoteRanking((), (), names_time=True, seconds=0.01),
    }
    replies = {name: ChatAnswer("…", ("b",), refused=name == "q3") for name in rankings}
    measured = Measured(
        variant=Variant(Strategy.WEIGHTED, "wordllama", "markdown"),
        rankings=rankings,
        figures=together(
            hit_figures(golden.needed, rankings), ranking_figures(golden.relevant, rankings)
        ),
        replies=replies,
        answers=together(
            answer_figures(questions, golden.needed, replies),
            citation_figures(golden.relevant, replies),
        ),
        foreign={"elsewhere": replies},
    )
    second_variant = replace(
        measured,
        variant=Variant(Strategy.RRF, "wordllama", "markdown"),
        replies={},
        answers={},
        foreign={},
    )
    notes = {
        "a": NoteDraft(title=HOSTILE, text=""),
        "b": NoteDraft(
            title="",
            text="",
            path="b.md",
        ),
    }
    tuned = Tuned(Strategy.WEIGHTED, {"weight_vector": 0.5}, 0.5, 0.6, 0.5, 0.55)
    return EvaluationReport(
        source="golden.jsonl",
        golden=golden,
        notes=notes,
        measured=[measured, second_variant],
        tuned=[tuned],
    )


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.addresses += [name for name, _ in attrs if name in ("src", "href", "srcset", "data")]


def test_the_page_fetches_nothing_and_runs_nothing() -> None:
    page = html(_report())
    tags = _Tags()
    tags.feed(page)
    assert not tags.seen & {"script", "link", "img", "iframe", "object"}
    assert tags.addresses == []
    assert "url(" not in page
    assert "@import" not in page


def test_the_page_shows_every_part() -> None:
    page = html(_report())
    for heading in (
        "Variants",
        "Answers",
        "Tuning",
        "nDCG@10 by slice",
        "Recall by k",
        "Scores of",
        "Worst questions",
    ):
        assert f"<h2>{heading}" in page
    assert "weight_vector 0.5" in page
    assert "rrf · wordllama · markdown" in page


def test_a_question_that_went_badly_comes_with_the_command_that_explains_it() -> None:
    page = html(_report())
    assert "aurora explain" in page
    assert "--note a" in page
    assert "--time-zone UTC" in page
    assert "--now 2026-01-01T00:00:00.000Z" in page


def test_drawings_are_well_formed() -> None:
    drawings = re.findall(r"<svg.*?</svg>", html(_report()), re.DOTALL)
    assert drawings
    for drawing in drawings:
        ET.fromstring(drawing)  # noqa: S314 - our own


def test_a_plot_of_nothing_is_an_empty_plot() -> None:
    for drawing in (
        bars({}, [], title="t"),
        lines({}, [], title="t"),
        lines({"one": [0.5]}, ["1"], title="t"),
    ):
        ET.fromstring(drawing.partition("<ul")[0])  # noqa: S314 - our own


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], [0, 0]),
        ([0.0, 0.4, 1.0], [2 / 3, 1 / 3]),
        ([-1.0, 2.0], [0.5, 0.5]),
    ],
)
def test_values_fall_into_bins_with_the_ends_in_the_outermost(
    values: list[float], expected: list[float]
) -> None:
    assert shares(values, 2) == pytest.approx(expected)


def test_halves_share_nothing_and_take_from_every_slice() -> None:
    questions = [GoldenQuestion(f"q{n}", "?", {"a": 1}, slice="ab"[n % 2]) for n in range(8)]
    questions.append(GoldenQuestion("none", "?", {}))
    first, second = halves(questions)
    assert {measure.question_id for measure in first}.isdisjoint(
        measure.question_id for measure in second
    )
    assert (
        {measure.slice for measure in first} == {measure.slice for measure in second} == {"a", "b"}
    )
    assert halves(reversed(questions)) == (first, second)
