"""Notes to sweep, and sweeps of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from shared.indexing.pipeline import Indexer
from shared.model.index import IndexStatus
from shared.ports.models import Embedder
from shared.ports.stores import Store
from shared.sweep.reconcile import ReconcileReport, reconcile
from tests.indexing.world import START, TENANT, Clock, note, sections

WRITES = {"apply", "write_bookmark", "put_note", "delete_note"}


def ids(count: int) -> list[str]:
    return [f"n{number:02d}" for number in range(count)]


def put_notes(store: Store, count: int, updated_at: datetime = START) -> list[str]:
    for note_id in ids(count):
        text = sections(f"subject {note_id}")
        path = f"folder-of-{note_id}/note.md"
        store.put_note(TENANT, note(text, note_id, updated_at=updated_at, path=path))
    return ids(count)


def sweep(
    store: Store,
    embedder: Embedder | None,
    clock: Clock,
    *,
    budget: int = 1000,
    **options: Any,  # noqa: ANN401 - any of reconcile's
) -> ReconcileReport:
    return reconcile(
        Indexer(
            store=store,
            embedder=embedder,
            clock=clock,
        ),
        budget=budget,
        **options,
    )


def sweep_to_the_end(
    store: Store, embedder: Embedder, clock: Clock, *, budget: int = 1000, full: bool = False
) -> list[ReconcileReport]:
    reports = [sweep(store, embedder, clock, budget=budget, full=full)]
    while not reports[-1].complete:
        assert len(reports) < 500
        reports.append(sweep(store, embedder, clock, budget=budget, full=full))
    return reports


def status_of(store: Store, note_id: str) -> IndexStatus | None:
    record = store.read_record(TENANT, note_id).record
    return record.status if record else None
