"""The same questions asked of several variants of the product, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.asking import Asker, Ranking, Reply
from evaluation.golden import GoldenQuestion
from evaluation.measures import (
    PerQuestion,
    RefusalFigures,
    citation_figures,
    means,
    ranking_figures,
    refusal_figures,
)
from shared.domain import Strategy


@dataclass(frozen=True, slots=True)
class Golden:
    """The questions and, for those that have an answer, question id -> note id -> grade."""

    questions: tuple[GoldenQuestion, ...]
    relevant: Mapping[str, Mapping[str, int]]

    def slices(self) -> dict[str, list[str]]:
        """Slice -> ids of its answerable questions, in the order of the file."""
        found: dict[str, list[str]] = {}
        for question in self.questions:
            if question.answerable:
                found.setdefault(question.slice, []).append(question.question_id)
        return found


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to run the product."""

    strategy: Strategy
    embedder: str
    """Its model; `none`: keywords and recency only."""
    chunker: str

    @property
    def label(self) -> str:
        return f"{self.strategy.value} · {self.embedder} · {self.chunker}"


@dataclass(frozen=True, slots=True)
class Measured:
    """One variant with everything that was measured of it."""

    variant: Variant
    rankings: Mapping[str, Ranking]
    figures: PerQuestion
    replies: Mapping[str, Reply]
    """Empty: nothing was asked in chat."""
    citations: PerQuestion

    def overall(self) -> dict[str, float]:
        """Means over all answerable questions."""
        return means(self.figures, self.figures)

    def timed(self) -> list[str]:
        """Answerable questions in which the product understood a time."""
        return [question for question in self.figures if self.rankings[question].names_time]

    def refusals(self, questions: Sequence[GoldenQuestion]) -> RefusalFigures | None:
        if not self.replies:
            return None
        return refusal_figures({each.question_id: each.answerable for each in questions}, self.replies)


def measure(golden: Golden, variant: Variant, asker: Asker, *, chat: bool) -> Measured:
    """Ask everything. `chat`: have the questions answered too, not only searched."""
    rankings = asker.search_all(golden.questions)
    replies = asker.chat_all(golden.questions) if chat else {}
    return Measured(
        variant=variant,
        rankings=rankings,
        figures=ranking_figures(golden.relevant, rankings),
        replies=replies,
        citations=citation_figures(golden.relevant, replies),
    )


def halves(questions: Iterable[GoldenQuestion]) -> tuple[tuple[GoldenQuestion, ...], tuple[GoldenQuestion, ...]]:
    """Answerable questions, every other one of each slice by id: the same halves every time."""
    ordered = sorted((each for each in questions if each.answerable), key=lambda each: (each.slice, each.question_id))
    return tuple(ordered[::2]), tuple(ordered[1::2])
