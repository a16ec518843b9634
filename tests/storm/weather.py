"""The unreliable world between a saved note and its index: events late, twice, in any order or never; handlers that
die at any call; an embedding model that goes away. All from one seed but the order in which threads run.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, cast

from shared.errors import ModelUnavailable, Unavailable
from shared.indexing.pipeline import Indexer
from shared.model.index import IndexChange, IndexWrites, Vector
from shared.model.notes import NoteKey
from shared.ports.models import Embedder
from shared.ports.stores import Store
from shared.sweep.reconcile import ReconcileReport, reconcile
from tests.fakes import HashingEmbedder
from tests.indexing.world import Clock, Killed, Life, mortal_embedder, mortal_store
from tests.storm.author import Author

OPERATIONS = 400
WAVE = 20
"""Operations, and the events that leave meanwhile, are handled side by side; only between waves do leases run out."""
WAVES = OPERATIONS // WAVE
OUTAGE = range(8, 12)
"""The waves during which the model is away."""
SCHEDULED = 4
"""Every so many waves the scheduler calls reconcile in the middle of it all."""
WORKERS = 8
LOST = 0.05
DUPLICATED = 0.3
KILLED = 0.2
DELIVERIES = 6
"""Deliveries of one event, at most."""
DIMENSION = 8
BATCH = 3

Embedding = tuple[str, str, str]
"""Note id, revision, text."""


@dataclass(frozen=True)
class Event:
    key: NoteKey | None
    """Key of the note; None for the scheduler's call."""
    deliveries: int = 1


@dataclass
class Bill:
    """Texts embedded, how much of that died with its worker before it was stored, and what else went wrong."""

    embedded: Counter[Embedding] = field(default_factory=Counter)
    died: Counter[Embedding] = field(default_factory=Counter)
    mishaps: Counter[str] = field(default_factory=Counter)
    lock: Lock = field(default_factory=Lock)


class _BilledStore:
    """Knows what its worker works on, and that what was in flight has arrived."""

    def __init__(self, inner: Store) -> None:
        self._inner = inner
        self.working_on = ("", "")
        self.in_flight: list[Embedding] = []

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the inner one has
        return getattr(self._inner, name)

    def apply(
        self, tenant_id: str, change: IndexChange, *, counted: IndexWrites | None = None
    ) -> str | None:
        token = self._inner.apply(tenant_id, change, counted=counted)
        self.working_on = (change.note_id, change.record.note_revision if change.record else "")
        self.in_flight = []
        return token


class _BilledEmbedder(HashingEmbedder):
    def __init__(self, outage: ModelUnavailable | None, bill: Bill, store: _BilledStore) -> None:
        super().__init__(DIMENSION, BATCH)
        self.outage = outage
        self.bill = bill
        self.store = store

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        vectors = super().embed_documents(texts)
        self.store.in_flight = [(*self.store.working_on, text) for text in texts]
        with self.bill.lock:
            self.bill.embedded.update(self.store.in_flight)
        return vectors


class Weather:
    def __init__(self, store: Store, seed: int) -> None:
        self.store = store
        self.clock = Clock()
        self.bill = Bill()
        self.random = random.Random(seed)  # noqa: S311 - repeatable is the point
        self.outage: ModelUnavailable | None = None

    def rage(self, author: Author) -> None:
        """Let the author work, and deliver events until none is left."""
        waiting: list[Event] = []
        wave = 0
        with ThreadPoolExecutor(WORKERS) as pool:
            while wave < WAVES or waiting:
                self.outage = ModelUnavailable("the storm took it") if wave in OUTAGE else None
                running = [self._leave(pool, Event(None))] if wave % SCHEDULED == 0 else []
                for _ in range(WAVE if wave < WAVES else 1):
                    waiting += self._events(author.act(self.store)) if wave < WAVES else []
                    self.random.shuffle(waiting)
                    leaving = waiting[::2]
                    waiting = waiting[1::2]
                    running += [self._leave(pool, event) for event in leaving]
                undelivered = [
                    event for event, arrived in running if not arrived.result() and event.key
                ]
                waiting += [
                    replace(event, deliveries=event.deliveries + 1)
                    for event in undelivered
                    if event.deliveries < DELIVERIES
                ]
                self.clock.advance(seconds=61)
                wave += 1

    def calm_down(self) -> None:
        """Reconcile until it has looked at everything and left nothing for later."""
        self.outage = None
        for _ in range(100):
            self.clock.advance(seconds=61)
            report = self._reconcile(*self._worker(_BilledStore(self.store), Life()), full=True)
            if report.complete and not report.postponed:
                return
        raise AssertionError("reconcile comes to no end")

    def _leave(self, pool: ThreadPoolExecutor, event: Event) -> tuple[Event, Future[bool]]:
        life = Life()
        if self.random.random() < KILLED:
            life = Life(self.random.randint(1, 14), after=self.random.random() < 0.5)
        return event, pool.submit(self._deliver, event, life)

    def _events(self, key: NoteKey) -> list[Event]:
        """Draw what becomes of the event of one write: lost, delivered once or several times."""
        if self.random.random() < LOST:
            self.bill.mishaps["lost"] += 1
            return []
        return [Event(key)] * (2 if self.random.random() < DUPLICATED else 1)

    def _deliver(self, event: Event, life: Life) -> bool:
        """To a handler of its own. False: it is to be delivered again."""
        billed = _BilledStore(self.store)
        store, embedder = self._worker(billed, life)
        try:
            if event.key is None:
                self._reconcile(store, embedder, full=False)
            else:
                Indexer(store=store, embedder=embedder, clock=self.clock).index(event.key)
        except (Killed, Unavailable) as mishap:
            with self.bill.lock:
                self.bill.mishaps[type(mishap).__name__] += 1
                self.bill.died.update(billed.in_flight if isinstance(mishap, Killed) else [])
            return False
        return True

    def _worker(self, billed: _BilledStore, life: Life) -> tuple[Store, Embedder]:
        embedder = _BilledEmbedder(self.outage, self.bill, billed)
        return mortal_store(cast("Store", billed), life), mortal_embedder(embedder, life)

    def _reconcile(self, store: Store, embedder: Embedder, *, full: bool) -> ReconcileReport:
        indexer = Indexer(
            store=store,
            embedder=embedder,
            clock=self.clock,
        )
        return reconcile(indexer, budget=15, full=full)
