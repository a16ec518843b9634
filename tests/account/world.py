"""An App with its embedder and clock at hand."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace

from shared.adapters.firebase.authentication import NoVerifier
from shared.answering.quoting import Quoter
from shared.app import App
from shared.asking.answer import answered
from shared.asking.search import search
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

TENANT, OTHER = "tenant-a", "tenant-b"
PERSON = Person(TENANT, TENANT)
QUESTION = "Which colour is the boat?"


@dataclass
class Household:
    app: App
    embedder: HashingEmbedder
    clock: Clock

    def limited(self, *, daily_chat_limit: int | None = None, daily_embed_tokens: int | None = None) -> None:
        """Set budgets."""
        settings = Settings(daily_chat_limit=daily_chat_limit, daily_embed_tokens=daily_embed_tokens)
        self.app = replace(self.app, settings=settings)

    def save(self, note_id: str, text: str, *, tenant: str = TENANT, index: bool = True) -> None:
        self.app.notes.save(tenant, note_id, NoteDraft(title=note_id.title(), text=text))
        if index:
            self.app.index_note(NoteKey(tenant, note_id))

    def question(self, text: str = QUESTION, *, tenant: str = TENANT, template: str | None = None) -> Question:
        return Question(tenant, text, self.clock(), template=template)

    def chat(self, text: str = QUESTION, *, tenant: str = TENANT, template: str | None = None) -> Answer:
        return answered(self.app, self.question(text, tenant=tenant, template=template))

    def search(self, text: str = QUESTION, *, tenant: str = TENANT) -> Retrieved:
        return search(self.app, self.question(text, tenant=tenant), k=5)


@contextmanager
def household(store: Store, *, writer: Writer | None = None) -> Iterator[Household]:
    """An App without limits."""
    embedder, clock = HashingEmbedder(), Clock()
    with ThreadPoolExecutor(8) as pool:
        app = App(
            settings=Settings(),
            store=store,
            embedder=embedder,
            writer=writer,
            quoter=Quoter(),
            verifier=NoVerifier(),
            pool=pool,
            clock=clock,
        )
        yield Household(app, embedder, clock)
