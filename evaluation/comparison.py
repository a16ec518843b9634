"""The same questions asked of several variants of the product, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from evaluation.asking import Asker, Ranking, Reply
from evaluation.golden import GoldenQuestion, Parts
from evaluation.measures import (
    PerQuestion,
    RefusalFigures,
    answer_figures,
    citation_figures,
    hit_figures,
    means,
    ranking_figures,
    refusal_figures,
    together,
)
from shared.model.questions import Strategy


@dataclass(frozen=True, slots=True)
class Golden:
    """The questions and, for those that have an answer, question id -> note id -> grade, and what they need."""

    questions: tuple[GoldenQuestion, ...]
    relevant: Mapping[str, Mapping[str, int]]
    needed: Mapping[str, Parts]
    foreign: Mapping[str, tuple[GoldenQuestion, ...]] = field(default_factory=dict)
    """Source -> questions about quite other notes, which should be refused here."""

    def groups(self) -> dict[str, list[str]]:
        """Vault and slice -> ids of the questions, in the order of the file."""
        found: dict[str, list[str]] = {}
        for question in self.questions:
            found.setdefault(question.group, []).append(question.question_id)
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
    """Of the rankings of answerable questions."""
    replies: Mapping[str, Reply]
    """Empty: nothing was asked in chat."""
    answers: PerQuestion
    """Of the replies."""
    foreign: Mapping[str, Mapping[str, Reply]] = field(default_factory=dict)
    """Source -> question id -> reply."""

    def overall(self) -> dict[str, float]:
        """Means over all answerable questions."""
        return means(self.figures, self.figures)

    def foreign_refused(self) -> dict[str, float]:
        """Source -> share of its questions that were refused."""
        return {source: fmean(reply.refused for reply in replies.values()) for source, replies in self.foreign.items()}

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
        figures=together(hit_figures(golden.needed, rankings), ranking_figures(golden.relevant, rankings)),
        replies=replies,
        answers=together(
            answer_figures(golden.questions, golden.needed, replies), citation_figures(golden.relevant, replies)
        ),
        foreign={source: asker.chat_all(questions) for source, questions in golden.foreign.items()},
    )


def halves(questions: Iterable[GoldenQuestion]) -> tuple[tuple[GoldenQuestion, ...], tuple[GoldenQuestion, ...]]:
    """Answerable questions, every other one of each group by id: the same halves every time."""
    ordered = sorted((each for each in questions if each.answerable), key=lambda each: (each.group, each.question_id))
    return tuple(ordered[::2]), tuple(ordered[1::2])
