"""Helpers of the indexing tests: a clock to turn, workers that die, and the whole index as one value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Lock
from typing import Any, cast

import pytest

from shared.errors import NoteUnreadable
from shared.indexing.pipeline import Indexer, IndexOutcome
from shared.language.terms import stems
from shared.model.index import IndexedChunk, IndexRecord, StoredChunk, Vector
from shared.model.notes import Folder, Note, NoteKey
from shared.model.retrieval import Restriction
from shared.ports.models import Embedder
from shared.ports.stores import Store
from shared.times.dates import date_in_words
from tests.fakes import HashingEmbedder

TENANT = "tenant-a"
FRESH = "tenant-fresh"
START = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)
LIMIT = 5000
"""More chunks than any test makes."""


on_both_stores = pytest.mark.parametrize("store", ["embedded", "firestore"], indirect=True)
"""For what a store could spoil although it keeps its promises one by one."""


class Killed(BaseException):
    """The process ended here."""


class Clock:
    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **by: float) -> None:
        self.now += timedelta(**by)


class Life:
    """One worker's life: it dies at its n-th call to the outside world, before the call or after it took effect.

    A dead worker stays dead: none of its threads reaches the outside world any more.
    """

    def __init__(self, dies_at: int | None = None, *, after: bool = False) -> None:
        self.calls: list[str] = []
        self.dies_at = dies_at
        self.after = after
        self.is_dead = False
        self._counting = Lock()

    def call(self, name: str, action: Callable[..., Any], *args: Any, **options: Any) -> Any:  # noqa: ANN401 - any method
        with self._counting:
            if self.is_dead:
                raise Killed
            self.calls.append(name)
            is_last = len(self.calls) == self.dies_at
            self.is_dead = is_last
        if is_last and not self.after:
            raise Killed
        result = action(*args, **options)
        if is_last:
            raise Killed
        return result


class _Mortal:
    def __init__(self, inner: object, life: Life) -> None:
        self._inner = inner
        self._life = life

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the inner one has
        value = getattr(self._inner, name)
        return partial(self._life.call, name, value) if callable(value) else value


def mortal_store(store: Store, life: Life) -> Store:
    return cast("Store", _Mortal(store, life))


def mortal_embedder(embedder: Embedder, life: Life) -> Embedder:
    return cast("Embedder", _Mortal(embedder, life))


class _Garbled:
    """A store whose documents of some notes have fields of wrong types, as a client can write them."""

    def __init__(self, inner: Store, note_ids: tuple[str, ...]) -> None:
        self._inner = inner
        self._note_ids = note_ids

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the inner one has
        return getattr(self._inner, name)

    def get_note(self, tenant_id: str, note_id: str) -> Note | None:
        if note_id in self._note_ids:
            raise NoteUnreadable("tags", "a list of texts")
        return self._inner.get_note(tenant_id, note_id)


def garbled_store(store: Store, *note_ids: str) -> Store:
    return cast("Store", _Garbled(store, note_ids))


class DisturbedEmbedder(HashingEmbedder):
    """Something else happens once while the n-th batch is being embedded."""

    def __init__(self, disturbance: Callable[[], object], *, at: int = 1) -> None:
        super().__init__(dimension=8, batch_size=3)
        self.disturbance = disturbance
        self.at = at
        self.calls = 0

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        self.calls += 1
        if self.calls == self.at:
            self.disturbance()
        return super().embed_documents(texts)


def note(text: str, note_id: str = "n1", **fields: Any) -> Note:  # noqa: ANN401 - any field of a note
    return Note(
        **{
            "note_id": note_id,
            "title": "Plan",
            "text": text,
            "created_at": START,
            "updated_at": START,
            **fields,
        }
    )


def sections(*words: str) -> str:
    """A Markdown text with one section of about 200 words for each of the words, made to fill a chunk."""
    return "\n\n".join(
        f"## About {word}\n\n" + " ".join([f"The {word} of the matter is plain."] * 30)
        for word in words
    )


def key(note_id: str = "n1") -> NoteKey:
    return NoteKey(TENANT, note_id)


def index(
    store: Store, embedder: Embedder | None, clock: Clock, note_id: str = "n1"
) -> IndexOutcome:
    return Indexer(store=store, embedder=embedder, clock=clock).index(key(note_id))


def record_of(store: Store, note_id: str = "n1") -> IndexRecord:
    """The note's record, which there must be."""
    record = store.read_record(TENANT, note_id).record
    assert record is not None
    return record


@dataclass(frozen=True)
class Index:
    """All that the ports tell of a tenant's index, but when each thing was written."""

    records: dict[str, IndexRecord | None]
    chunks: dict[str, IndexedChunk]
    stored: dict[str, StoredChunk]
    vectors: dict[str, tuple[float, ...]]
    folders: tuple[Folder, ...]
    frequencies: dict[str, int]
    chunk_count: int
    average_length: float


def whole_index(store: Store, tenant: str, note_ids: Iterable[str]) -> Index:
    newest = store.recent(
        tenant,
        limit=LIMIT,
        stems=[],
        restriction=Restriction(),
    )
    vocabulary = sorted(
        {stem for indexed_chunk in newest for stem in stems(_words_of(indexed_chunk), "en")}
    )
    chunks = store.recent(
        tenant,
        limit=LIMIT,
        stems=vocabulary,
        restriction=Restriction(),
    )
    records = {note_id: store.read_record(tenant, note_id).record for note_id in note_ids}
    stats = store.stats(tenant)
    return Index(
        records={
            note_id: record and replace(record, indexed_at=START)
            for note_id, record in records.items()
        },
        chunks={chunk.chunk_id: replace(chunk, updated_at=START) for chunk in chunks},
        stored={
            stored_chunk.chunk_id: stored_chunk
            for note_id in records
            for stored_chunk in store.stored_chunks(tenant, note_id)
        },
        vectors={
            chunk_id: tuple(vector)
            for chunk_id, vector in store.read_vectors(
                tenant, [chunk.chunk_id for chunk in chunks]
            ).items()
        },
        folders=store.folders(tenant),
        frequencies=dict(store.document_frequencies(tenant, vocabulary)),
        chunk_count=stats.chunk_count,
        average_length=round(stats.average_length, 6),
    )


def _words_of(chunk: IndexedChunk) -> str:
    return f"{chunk.title} {chunk.heading_path} {date_in_words(chunk.created_at)} {chunk.text}"


def fresh_index(
    store: Store, notes: Iterable[Note], embedder: Embedder, note_ids: Iterable[str]
) -> Index:
    """The index of the same notes made from nothing, in a tenant of its own."""
    for saved in notes:
        store.put_note(FRESH, saved)
        Indexer(store=store, embedder=embedder, clock=Clock()).index(NoteKey(FRESH, saved.note_id))
    return whole_index(store, FRESH, note_ids)


def assert_follows(
    store: Store,
    embedder: HashingEmbedder,
    *note_ids: str,
    like: Callable[[], HashingEmbedder] | None = None,
) -> None:
    """The tenant's index is that of its notes as they are, made from nothing. `like`: makes an equal embedder."""
    ids = note_ids or ("n1",)
    notes = [
        stored_note
        for note_id in ids
        if (stored_note := store.get_note(TENANT, note_id)) is not None
    ]
    fresh_embedder = like() if like else HashingEmbedder(embedder.dimension, embedder.batch_size)
    assert whole_index(store, TENANT, ids) == fresh_index(store, notes, fresh_embedder, ids)


def most(embedded: Counter[str]) -> int:
    """Count how often the text embedded most often was embedded."""
    return max(embedded.values(), default=0)
