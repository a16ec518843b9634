"""An App with its embedder and clock at hand."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace

from evaluation.asking import answered
from shared.account.budgets import ProjectBudget
from shared.account.metering import MeteredWriter
from shared.account.prices import TokenPrice
from shared.adapters.firebase.authentication import NoVerifier
from shared.api.stream import StreamEvent, turn_json
from shared.app import App, Parts
from shared.asking.passages import search
from shared.asking.turn import TurnRequest, run_turn
from shared.bootstrap import assemble
from shared.model.account import Person
from shared.model.answers import Answer
from shared.model.notes import NoteKey
from shared.model.questions import Question
from shared.model.retrieval import Retrieved
from shared.notes.service import NoteDraft
from shared.ports.models import Writer
from shared.ports.stores import Store
from shared.settings import Settings
from tests.fakes import HashingEmbedder
from tests.indexing.world import Clock

PRICE = TokenPrice(read=0.001, written=0.01)
"""USD a token."""
TENANT = "tenant-a"
OTHER = "tenant-b"
PERSON = Person(TENANT, TENANT)
QUESTION = "Which colour is the boat?"


@dataclass
class Household:
    app: App
    embedder: HashingEmbedder
    clock: Clock

    def limited(self, *, usd: float | None = None, **daily: int) -> None:
        """Set budgets. `usd`: of the project; the writer costs PRICE, a token embedded a USD."""
        budget = usd and ProjectBudget(self.app.store, self.clock, usd=usd)
        writer = self.app.writer
        if budget and writer:
            writer = MeteredWriter(writer, budget, PRICE)
        parts = replace(
            self.app,
            settings=Settings(**daily),  # type: ignore[arg-type]
            embedded_token_usd=1.0,
            project_budget=budget or None,
            writer=writer,
        )
        self.app = assemble(parts)

    def save(self, note_id: str, text: str, *, tenant: str = TENANT, index: bool = True) -> None:
        self.app.notes.save(tenant, note_id, NoteDraft(title=note_id.title(), text=text))
        if index:
            self.app.indexer.index(NoteKey(tenant, note_id))

    def question(
        self, text: str = QUESTION, *, tenant: str = TENANT, template: str | None = None
    ) -> Question:
        return Question(tenant, text, self.clock(), template=template)

    def chat(
        self, text: str = QUESTION, *, tenant: str = TENANT, template: str | None = None
    ) -> Answer:
        return answered(self.app, self.question(text, tenant=tenant, template=template))

    def search(self, text: str = QUESTION, *, tenant: str = TENANT) -> Retrieved:
        return search(self.app, self.question(text, tenant=tenant), k=5)


@contextmanager
def household(store: Store, *, writer: Writer | None = None) -> Iterator[Household]:
    """An App without limits."""
    embedder = HashingEmbedder()
    clock = Clock()
    with ThreadPoolExecutor(8) as pool:
        parts = Parts(
            settings=Settings(),
            store=store,
            embedder=embedder,
            writer=writer,
            verifier=NoVerifier(),
            pool=pool,
            clock=clock,
        )
        yield Household(assemble(parts), embedder, clock)


def turn_events(app: App, request: TurnRequest) -> Generator[StreamEvent]:
    """Yields the events of a turn as a client reads them."""
    return turn_json(request.question, run_turn(app, request))
