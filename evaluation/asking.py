"""Asks golden questions through the App, one after another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter

from evaluation.golden import GoldenQuestion
from shared.app import App
from shared.asking.passages import search
from shared.asking.turn import events_of
from shared.errors import NotFound
from shared.folders.scope import FolderScope
from shared.language.lengths import utf16_slice
from shared.model.account import Spending
from shared.model.answers import Answer
from shared.model.questions import Question, Strategy
from shared.model.retrieval import Retrieved, Scored

DEPTH = 100
"""Passages asked for: more than any pool holds, so that the ranking is all of what was found."""


def answered(app: App, question: Question, scope: FolderScope | None = None) -> Answer:
    """Returns the answer alone, without session or repeats. Raises as `events_of`, and Exhausted at the day's limit."""
    with app.budgets.asking(question.tenant_id, Spending.ANSWERS):
        for event in events_of(app, question, scope):
            if isinstance(event, Answer):
                return event
    raise AssertionError("the last event is the answer")


@dataclass(frozen=True, slots=True)
class NoteRanking:
    """Result of a search. `notes`: ids, best first, each note at the place of its best passage."""

    notes: tuple[str, ...]
    best: tuple[Scored, ...]
    """The passage behind each note, in the same order."""
    names_time: bool
    """True if the product understood a time in the question."""
    seconds: float


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """Answer of a chat. `cited`: note ids in the order of their first citation."""

    text: str
    cited: tuple[str, ...]
    refused: bool
    seconds: float = 0.0
    first: str = ""
    """Its first claim that cites a note, as it stands in the text; empty without one."""


@dataclass(frozen=True, slots=True)
class Asker:
    """The product and the tenant whose notes are asked."""

    app: App
    tenant_id: str
    now: datetime
    """Time of questions that name none."""
    strategy: Strategy = Strategy.WEIGHTED

    def search(self, golden: GoldenQuestion) -> NoteRanking:
        """Searches for a question. Raises NotFound with the question's id if its filters name an unknown folder."""
        started = perf_counter()
        try:
            retrieved = search(self.app, self._question(golden), k=DEPTH)
        except NotFound as missing:
            raise NotFound(f"question {golden.question_id}: {missing.message}") from missing

        seconds = perf_counter() - started
        best = _best_passages(retrieved)
        return NoteRanking(
            notes=tuple(best),
            best=tuple(best.values()),
            names_time=retrieved.analysis.time is not None,
            seconds=seconds,
        )

    def chat(self, golden: GoldenQuestion) -> ChatAnswer:
        """Returns the answer to the question."""
        started = perf_counter()
        answer = answered(self.app, self._question(golden))
        seconds = perf_counter() - started
        cited = dict.fromkeys(citation.passage.chunk.note_id for citation in answer.citations)
        return ChatAnswer(
            text=answer.text,
            cited=tuple(cited),
            refused=answer.refusal is not None,
            seconds=seconds,
            first=_first_claim(answer),
        )

    def search_all(self, questions: Iterable[GoldenQuestion]) -> dict[str, NoteRanking]:
        """Returns rankings by question id."""
        return {golden.question_id: self.search(golden) for golden in questions}

    def chat_all(self, questions: Iterable[GoldenQuestion]) -> dict[str, ChatAnswer]:
        """Returns replies by question id."""
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


def _first_claim(answer: Answer) -> str:
    """Returns the text of the first claim that cites a note; empty without one."""
    for claim in answer.claims:
        if claim.citations:
            return utf16_slice(answer.text, claim.start, claim.end)
    return ""
