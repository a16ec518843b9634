"""The cost of a sweep on Firestore while much waits, and of a database too large to be counted."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import grpc  # type: ignore[import-untyped]
import pytest

from bench import scale
from bench.reads import CountedStore
from desktop.product.emulator import Emulator
from shared.account.budgets import Budgets, ProjectBudget
from shared.adapters.firestore.protocol import change
from shared.indexing.pipeline import Indexer
from shared.model.account import PROJECT, Spending
from shared.model.index import IndexChange, IndexRecord, IndexStatus
from shared.sweep.reconcile import ReconcileReport, reconcile
from tests.emulated import patient_store
from tests.fakes import HashingEmbedder
from tests.indexing.world import START, Clock, note
from tests.servers.firestore_proxy import Call, FirestoreProxy, Refuse

TENANTS = [f"t{number:02}" for number in range(12)]
NOTHING_TO_DO = scale.READS_OF_CALL


def _swept(store: CountedStore, clock: Clock, budgets: Budgets | None = None) -> Indexer:
    """All tenants' notes are indexed, and nothing was changed lately."""
    for tenant in TENANTS:
        store.put_note(tenant, note("Of a boat.", updated_at=START))
    indexer = Indexer(
        store=store,
        embedder=HashingEmbedder(),
        clock=clock,
        embedding_resumes=budgets.embedding_resumes if budgets else None,
    )
    assert reconcile(replace(indexer, embedding_resumes=None), budget=1000).complete
    clock.advance(hours=1)
    reconcile(replace(indexer, embedding_resumes=None), budget=1000)
    clock.advance(hours=1)
    return indexer


def _set(store: CountedStore, **fields: object) -> None:
    """Change every record so."""
    for tenant in TENANTS:
        stored = store.read_record(tenant, "n1")
        assert isinstance(stored.record, IndexRecord)
        record = replace(stored.record, **fields)  # type: ignore[arg-type]
        store.apply(tenant, IndexChange("n1", stored.token, record))


def _cost(store: CountedStore, indexer: Indexer) -> tuple[ReconcileReport, int]:
    """Returns the report of a call, and its reads by an instance that has not read the database's owner lately."""
    fresh = patient_store(store.project)
    report = reconcile(replace(indexer, store=fresh), budget=1000)
    return report, fresh.reads.total


def test_a_note_that_is_not_due_is_not_read(firestore_store: CountedStore, clock: Clock) -> None:
    indexer = _swept(firestore_store, clock)
    later = clock() + timedelta(hours=3)
    _set(
        firestore_store,
        status=IndexStatus.FAILED,
        attempts=9,
        due_at=later,
    )
    report, reads = _cost(firestore_store, indexer)
    assert report.examined == 0
    assert reads == NOTHING_TO_DO
    clock.advance(hours=4)
    assert reconcile(indexer, budget=1000).indexed == len(TENANTS)


def test_while_the_days_money_is_spent_no_note_that_waits_is_read(
    firestore_store: CountedStore, clock: Clock
) -> None:
    project = ProjectBudget(firestore_store, clock, usd=1.0)
    budgets = Budgets(
        store=firestore_store,
        clock=clock,
        project=project,
    )
    indexer = _swept(firestore_store, clock, budgets)
    _set(firestore_store, status=IndexStatus.PENDING, due_at=clock())
    firestore_store.spend(PROJECT, clock().date(), Spending.MICRO_USD, 2_000_000)
    for _ in range(3):
        clock.advance(minutes=5)
        report, reads = _cost(firestore_store, indexer)
        assert report.examined == 0
        assert reads < NOTHING_TO_DO, "what is due is not asked for"
    clock.now = START + timedelta(hours=23)
    assert reconcile(indexer, budget=1000).indexed == len(TENANTS)


def test_a_tenant_without_budget_costs_its_waiting_notes_one_read_a_day(
    firestore_store: CountedStore, clock: Clock
) -> None:
    budgets = Budgets(
        store=firestore_store,
        clock=clock,
        embedded_tokens=10,
    )
    indexer = _swept(firestore_store, clock, budgets)
    _set(firestore_store, status=IndexStatus.PENDING, due_at=clock())
    for tenant in TENANTS:
        firestore_store.spend(tenant, clock().date(), Spending.EMBEDDED_TOKENS, 10)
    report, _ = _cost(firestore_store, indexer)
    assert report.examined == 0
    assert report.postponed == len(TENANTS)
    clock.advance(minutes=5)
    report, reads = _cost(firestore_store, indexer)
    assert report.postponed == 0
    assert reads == NOTHING_TO_DO
    clock.now = START + timedelta(hours=23)
    assert reconcile(indexer, budget=1000).indexed == len(TENANTS)


def test_records_of_an_earlier_release_are_found_and_then_tell_when_they_are_due(
    firestore_store: CountedStore, clock: Clock
) -> None:
    """They say `unfinished` and know no `dueAt`."""
    indexer = _swept(firestore_store, clock)
    _set(
        firestore_store,
        status=IndexStatus.FAILED,
        attempts=1,
        indexed_at=clock(),
    )
    connection = firestore_store._db
    for tenant in TENANTS:
        name = connection.name(tenant, "index", "n1")
        write = change(name, {"unfinished": "failed:0"})
        connection.commit([write])
    report, _ = _cost(firestore_store, indexer)
    assert report.indexed == 0
    assert report.postponed == len(TENANTS)
    report, reads = _cost(firestore_store, indexer)
    assert report.examined == 0
    assert reads == NOTHING_TO_DO
    clock.advance(minutes=6)
    assert reconcile(indexer, budget=1000).indexed == len(TENANTS)


def test_chunks_that_cannot_be_counted_are_walked_and_end_no_call(
    emulator: Emulator, firestore_project: str, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    def refuse(call: Call) -> Refuse | None:
        if call.method == "RunAggregationQuery":
            return Refuse(grpc.StatusCode.DEADLINE_EXCEEDED, "too many")
        return None

    with FirestoreProxy(emulator.host, refuse) as proxy:
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", proxy.host)
        store = patient_store(firestore_project)
        indexer = _swept(store, clock)
        stored = store.read_record(TENANTS[3], "n1")
        store.delete_note(TENANTS[3], "n1")
        store.apply(TENANTS[3], IndexChange("n1", stored.token, None))
        report = reconcile(indexer, budget=1000, full=True)
        assert report.complete is True
        assert report.deleted == 1
        assert store.stored_chunks(TENANTS[3], "n1") == ()


def test_looking_for_orphans_reads_three_documents_a_tenant(
    firestore_store: CountedStore, clock: Clock
) -> None:
    _swept(firestore_store, clock)
    reads_before = firestore_store.reads
    page = firestore_store.orphan_keys(limit=100)
    assert page.items == ()
    assert page.next_token is None
    assert (firestore_store.reads - reads_before).total == scale.READS_OF_TENANT * len(TENANTS) + 1
