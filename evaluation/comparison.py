"""Asks several variants of the product the same questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from statistics import fmean

from evaluation.asking import Asker, ChatAnswer, NoteRanking
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
    """The questions and, for those that have an answer, grades by note id and the parts that they need."""

    questions: tuple[GoldenQuestion, ...]
    relevant: Mapping[str, Mapping[str, int]]
    needed: Mapping[str, Parts]
    foreign: Mapping[str, tuple[GoldenQuestion, ...]] = field(default_factory=dict)
    """Source -> questions about quite other notes, which should be refused here."""

    def groups(self) -> dict[str, list[str]]:
        """Returns ids of the questions by vault and slice, in the order of the file."""
        groups: dict[str, list[str]] = {}
        for question in self.questions:
            groups.setdefault(question.group, []).append(question.question_id)
        return groups


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to run the product."""

    strategy: Strategy
    embedder: str
    """Model of the embedder; `none`: keywords and recency only."""
    chunker: str

    @property
    def label(self) -> str:
        return f"{self.strategy.value} · {self.embedder} · {self.chunker}"


@dataclass(frozen=True, slots=True)
class Measured:
    """One variant with everything that was measured."""

    variant: Variant
    rankings: Mapping[str, NoteRanking]
    figures: PerQuestion
    """Figures of the rankings, of answerable questions."""
    replies: Mapping[str, ChatAnswer]
    """Empty: nothing was asked in chat."""
    answers: PerQuestion
    """Figures of the replies."""
    foreign: Mapping[str, Mapping[str, ChatAnswer]] = field(default_factory=dict)
    """Source -> question id -> reply."""

    def overall(self) -> dict[str, float]:
        """Returns means over all answerable questions."""
        return means(self.figures, self.figures)

    def foreign_refused(self) -> dict[str, float]:
        """Returns the share of refused questions by source."""
        shares = {}
        for source, replies in self.foreign.items():
            shares[source] = fmean(reply.refused for reply in replies.values())
        return shares

    def timed(self) -> list[str]:
        """Answerable questions in which the product understood a time."""
        return [question for question in self.figures if self.rankings[question].names_time]

    def refusals(self, questions: Sequence[GoldenQuestion]) -> RefusalFigures | None:
        if not self.replies:
            return None
        answerable = {question.question_id: question.answerable for question in questions}
        return refusal_figures(answerable, self.replies)


def measure(
    golden: Golden,
    variant: Variant,
    asker: Asker,
    *,
    chat: bool,
) -> Measured:
    """Asks all questions. `chat`: have them answered too, not only searched."""
    rankings = asker.search_all(golden.questions)
    replies: Mapping[str, ChatAnswer] = {}
    if chat:
        replies = asker.chat_all(golden.questions)
    hits = hit_figures(golden.needed, rankings)
    answers = answer_figures(golden.questions, golden.needed, replies)
    foreign = {}
    for source, questions in golden.foreign.items():
        foreign[source] = asker.chat_all(questions)
    return Measured(
        variant=variant,
        rankings=rankings,
        figures=together(hits, ranking_figures(golden.relevant, rankings)),
        replies=replies,
        answers=together(answers, citation_figures(golden.relevant, replies)),
        foreign=foreign,
    )


def halves(
    questions: Iterable[GoldenQuestion],
) -> tuple[tuple[GoldenQuestion, ...], tuple[GoldenQuestion, ...]]:
    """Returns two halves of the answerable questions: every other one of each group by id."""
    answerable = [question for question in questions if question.answerable]
    in_order = sorted(answerable, key=attrgetter("group", "question_id"))
    return tuple(in_order[::2]), tuple(in_order[1::2])
