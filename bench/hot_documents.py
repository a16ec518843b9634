"""Many workers import one folder, on the emulator behind a proxy where a document takes one write a second.

Each worker is a store of its own, as each instance of a function has one, and embeds at the tenant's expense: a budget
that is counted is the one more document that all of them write. An embedder takes a tenth of a second a batch, so with
nothing in the way the workers would be done in `notes / workers` tenths. They and the emulator share the processors of
one machine, which are not enough for that: so the same is done with documents that take any number of writes, too.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from typing import Any

from bench import ratio_figure
from desktop.product.emulator import start
from shared.account.budgets import Budgets
from shared.account.caches import Cache
from shared.account.metering import TenantEmbedder
from shared.adapters.firestore import FirestoreStore
from shared.indexing.pipeline import Indexer
from shared.model.index import Vector
from shared.model.notes import Note, NoteKey
from shared.model.retrieval import CosineCalibration
from tests.fakes import HashingEmbedder
from tests.servers.firestore_contention import Contention
from tests.servers.firestore_proxy import FirestoreProxy

TENANT = "importer"
NOW = datetime(2026, 11, 1, tzinfo=UTC)
NOTES = 5_000
WORKERS = 80
SECONDS_A_BATCH = 0.1
BUDGET = 10**9
ANY_NUMBER = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """Result of an import."""

    seconds: float
    errors: Sequence[BaseException]
    refused: int
    """Commits that were told to try again, and did."""
    most_writes: int
    """Most writes of one document that several notes share."""
    tokens: int
    indexed: int


class _Slow(HashingEmbedder):
    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        time.sleep(SECONDS_A_BATCH)
        return super().embed_documents(texts)


def imported(
    target: str,
    project: str,
    *,
    notes: int,
    workers: int,
    writes_a_second: float = 1.0,
) -> Imported:
    """Import through a proxy of its own before `target`, by workers that take the next note each."""
    contention = Contention(writes_a_second=writes_a_second)
    waiting = SimpleQueue[int]()
    for number in range(notes):
        waiting.put(number)
    with FirestoreProxy(target, contention) as proxy:
        os.environ["FIRESTORE_EMULATOR_HOST"] = proxy.host
        began = time.monotonic()
        with ThreadPoolExecutor(workers) as threads:
            results = [threads.submit(_work, project, waiting) for _ in range(workers)]
            exceptions = [result.exception() for result in results]
        seconds = time.monotonic() - began
        store = FirestoreStore(project)
        (day,) = store.list_usage(TENANT, limit=1).items
        indexed = store.coverage(TENANT).indexed

    writes_of_shared = []
    for name, count in contention.writes.items():
        collection = name.split("/")[-2]
        if collection not in ("notes", "index"):
            writes_of_shared.append(count)

    return Imported(
        seconds=seconds,
        errors=[error for error in exceptions if error is not None],
        refused=contention.refused,
        most_writes=max(writes_of_shared),
        tokens=day.embedded_tokens,
        indexed=indexed,
    )


def _work(project: str, waiting: SimpleQueue[int]) -> None:
    store = FirestoreStore(project)
    budgets = Budgets(
        store=store,
        clock=lambda: NOW,
        answers=None,
        embedded_tokens=BUDGET,
    )
    embedder = TenantEmbedder(
        _Slow(dimension=16),
        TENANT,
        budgets,
        Cache(),
        lambda: CosineCalibration(0.0, 1.0),
    )
    while True:
        try:
            number = waiting.get_nowait()
        except Empty:
            return
        note = Note(
            f"n{number:05d}",
            f"Note {number}",
            f"What number {number} says.",
            NOW,
            NOW,
            "default",
            "in/box.md",
        )
        store.put_note(TENANT, note)
        indexer = Indexer(store=store, embedder=embedder, clock=lambda: NOW)
        indexer.index(NoteKey(TENANT, note.note_id))


def run(*, small: bool = False) -> dict[str, Any]:
    """Figures by name; see `python -m bench`."""
    notes = NOTES
    workers = WORKERS
    if small:
        notes = 20
        workers = 4
    with start(heap="3g") as emulator:
        try:
            limited = imported(
                emulator.host,
                "demo-import",
                notes=notes,
                workers=workers,
            )
            free = imported(
                emulator.host,
                "demo-free",
                notes=notes,
                workers=workers,
                writes_a_second=ANY_NUMBER,
            )
        finally:
            os.environ.pop("FIRESTORE_EMULATOR_HOST", None)

    assert limited.indexed == notes, limited
    case = f"{notes} notes into one folder by {workers} workers"
    ratio = free.seconds / limited.seconds
    return {
        f"{case}: errors": {
            "value": len(limited.errors),
            "unit": "",
            "target": 0,
            "ok": not limited.errors,
        },
        f"{case}: commits told to try again": {"value": limited.refused, "unit": ""},
        f"{case}: most writes of a shared document": {"value": limited.most_writes, "unit": ""},
        f"{case}: rate": {"value": notes / limited.seconds, "unit": "notes/s"},
        f"{case}: rate, times that without the limit": ratio_figure(ratio),
    }
