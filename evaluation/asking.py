"""Golden questions -> what the product finds and answers, asked one after another through the App."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter

from evaluation.golden import GoldenQuestion
from shared.app import App
from shared.asking.search import search
from shared.asking.turn import events_of
from shared.errors import NotFound
from shared.folders.search import FolderScope
from shared.model.account import Spending
from shared.model.answers import Answer
from shared.model.questions import Question, Strategy
from shared.model.retrieval import Retrieved, Scored

DEPTH = 100
"""Passages asked for: more than any pool holds, so that the ranking is all of what was found."""


def answered(app: App, question: Question, scope: FolderScope | None = None) -> Answer:
    """The answer alone, without session or repeats. Raises as `events_of`, and Exhausted at the day's limit."""
    with app.budgets.asking(question.tenant_id, Spending.ANSWERS):
        for event in events_of(app, question, scope):
            if isinstance(event, Answer):
                return event
    raise AssertionError("the last event is the answer")


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a search found. `notes`: ids, best first, each note at the place of its best passage."""

    notes: tuple[str, ...]
    best: tuple[Scored, ...]
    """The passage behind each note, in the same order."""
    names_time: bool
    """Whether the product understood a time in the question."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What a chat answered. `cited`: note ids in the order of their first citation."""

    text: str
    cited: tuple[str, ...]
    refused: bool
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks: the product, whose notes, since when no question says when it is asked."""

    app: App
    tenant_id: str
    now: datetime
    """When a question is asked that does not say."""
    strategy: Strategy = Strategy.WEIGHTED

    def search(self, golden: GoldenQuestion) -> Ranking:
        """Raises NotFound naming the question whose filters name a vault or folder that there is not."""
        started = perf_counter()
        try:
            retrieved = search(self.app, self._question(golden), k=DEPTH)
        except NotFound as missing:
            raise NotFound(f"question {golden.question_id}: {missing.message}") from missing
        seconds = perf_counter() - started
        best = _best_passages(retrieved)
        return Ranking(
            notes=tuple(best),
            best=tuple(best.values()),
            names_time=retrieved.analysis.time is not None,
            seconds=seconds,
        )

    def chat(self, golden: GoldenQuestion) -> Reply:
        """The same question, answered."""
        started = perf_counter()
        answer = answered(self.app, self._question(golden))
        seconds = perf_counter() - started
        cited = dict.fromkeys(citation.passage.chunk.note_id for citation in answer.citations)
        return Reply(text=answer.text, cited=tuple(cited), refused=answer.refusal is not None, seconds=seconds)

    def search_all(self, questions: Iterable[GoldenQuestion]) -> dict[str, Ranking]:
        """Question id -> ranking."""
        return {golden.question_id: self.search(golden) for golden in questions}

    def chat_all(self, questions: Iterable[GoldenQuestion]) -> dict[str, Reply]:
        """Question id -> reply."""
        return {golden.question_id: self.chat(golden) for golden in questions}

    def _question(self, golden: GoldenQuestion) -> Question:
        return Question(
            self.tenant_id,
            golden.text,
            golden.now or self.now,
            zone=golden.zone,
            filters=golden.filters,
            strategy=self.strategy,
        )


def _best_passages(retrieved: Retrieved) -> dict[str, Scored]:
    best: dict[str, Scored] = {}
    for passage in retrieved.selected:
        best.setdefault(passage.chunk.note_id, passage)
    return best
