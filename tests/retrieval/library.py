"""Notes in a real embedded store, each one chunk, written as the indexing path would leave them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from datetime import datetime
from typing import Any, cast

from shared.errors import StoreUnavailable
from shared.language.terms import stems
from shared.model.index import (
    ChunkPut,
    IndexChange,
    IndexedChunk,
    IndexRecord,
    IndexStatus,
    scopes_of,
)
from shared.model.notes import Note
from shared.model.questions import Question
from shared.model.retrieval import Retrieved, VectorMatches
from shared.ports.models import Embedder, Reranker
from shared.ports.stores import Store
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.pipeline import Retriever
from tests.contracts.samples import TENANT
from tests.fakes import HashingEmbedder
from tests.retrieval.samples import NOW

VERSION = "md1:hashing:64"


class Library:
    """A tenant's notes and the questions asked of them. `embedder` None: asked without one. `asked`: what stands
    between the questions and the store.
    """

    def __init__(self, store: Store, executor: Executor | None = None) -> None:
        self.store = store
        self.asked: Store = store
        self.writer = HashingEmbedder()
        self.embedder: Embedder | None = self.writer
        self.reranker: Reranker | None = None
        self.options = RetrievalOptions(index_version=VERSION)
        self.executor = executor or ThreadPoolExecutor(4)
        self._tokens: dict[str, str | None] = {}
        """Note -> the token of its record as last written here."""

    def add(
        self,
        note_id: str,
        text: str,
        *,
        title: str = "",
        created_at: datetime = NOW,
        vault: str = "default",
        path: str = "",
        tags: tuple[str, ...] = (),
        embedded: bool = True,
        revision: str = "r1",
        properties: tuple[str, ...] = (),
        lang: str = "en",
    ) -> IndexedChunk:
        """A note of one chunk."""
        self.store.put_note(
            TENANT, Note(note_id, title, text, created_at, created_at, vault, path, tags)
        )
        terms = Counter(stems("\n".join((title, *properties, text)), lang))
        chunk = IndexedChunk(
            chunk_id=f"{note_id}_000",
            note_id=note_id,
            position=0,
            title=title,
            heading_path="",
            text=text,
            start=0,
            end=len(text),
            utf16_start=0,
            created_at=created_at,
            updated_at=created_at,
            vault=vault,
            path=path,
            tags=tags,
            scopes=scopes_of(vault, path, tags),
            terms=terms,
            length=terms.total(),
            text_hash=hashlib.sha256(text.encode()).hexdigest(),
            index_version=VERSION,
            note_revision=revision,
            properties=properties,
        )
        vector = (
            self.writer.embed_documents([f"{title}\n\n{text}" if title else text])[0]
            if embedded
            else None
        )
        self.put(ChunkPut(chunk, vector), revision)
        return chunk

    def put(self, put: ChunkPut, revision: str) -> None:
        """The chunk, and a record that says the note is at `revision`."""
        note_id = put.chunk.note_id
        record = IndexRecord(revision, IndexStatus.INDEXED, 1, VERSION, NOW)
        change = IndexChange(note_id, self._tokens.get(note_id), record, put=(put,))
        self._tokens[note_id] = self.store.apply(TENANT, change)

    def ask(self, text: str, **question: Any) -> Retrieved:  # noqa: ANN401 - Question's fields
        question_asked = Question(
            **{
                "tenant_id": TENANT,
                "text": text,
                "now": NOW,
                **question,
            }
        )
        return self.retriever().retrieve(question_asked).retrieved

    def retriever(self) -> Retriever:
        return Retriever(
            store=self.asked,
            embedder_of=lambda _: self.embedder,
            options=self.options,
            executor=self.executor,
            reranker=self.reranker,
        )


class Counted:
    """A store that counts what its methods return: what a bill by documents read would count.

    `after`: method -> what to do when it has returned.
    """

    def __init__(
        self, store: Store, *, after: Mapping[str, Callable[[], None]] | None = None
    ) -> None:
        self._store = store
        self._after = after or {}
        self.reads: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._store, name)

        def counted(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - the method's own
            returned = method(*args, **options)
            brought = returned.neighbours if isinstance(returned, VectorMatches) else returned
            self.reads[name] += len(brought) if isinstance(brought, tuple | Mapping) else 1
            if name in self._after:
                self._after[name]()
            return returned

        return counted

    def as_store(self) -> Store:
        return cast("Store", self)


class Broken:
    """A store of which one method does not answer."""

    def __init__(self, store: Store, method: str) -> None:
        self._store = store
        self._method = method

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the store's own
        if name == self._method:
            return self._fail
        return getattr(self._store, name)

    def _fail(self, *_args: object, **_options: object) -> None:
        raise StoreUnavailable("the disk does not answer")

    def as_store(self) -> Store:
        return cast("Store", self)


def notes(retrieved: Retrieved) -> list[str]:
    """Ids of the selected notes, best first."""
    return [passage.chunk.note_id for passage in retrieved.selected]
