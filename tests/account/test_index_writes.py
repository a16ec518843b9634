"""What the index may write a day, and what happens to notes when that is used up."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date

import pytest

from desktop.product.emulator import Emulator
from shared.account.budgets import ProjectBudget
from shared.account.daily import DailySum
from shared.account.index_writes import FIRESTORE, IndexBudget
from shared.account.prices import DELETE, WRITE
from shared.adapters.firestore import FirestoreStore
from shared.bootstrap import assemble
from shared.errors import AuroraError, IndexQuotaExceeded, ModelBudgetExceeded
from shared.indexing.coverage import read_note_state
from shared.model.account import PROJECT, DayUsage, Spending
from shared.model.index import IndexStatus, IndexWrites
from shared.model.notes import NoteKey
from shared.ports.pages import Page
from shared.ports.stores import Store
from shared.sweep.reconcile import reconcile
from shared.tracing import RequestRecord
from tests.account.world import OTHER, TENANT, Household, household
from tests.emulated import patient_store
from tests.indexing.world import START, Clock, on_both_stores
from tests.servers.firestore_proxy import Call, FirestoreProxy

PARAGRAPHS = "\n\n".join(f"Harbour {number} is deep. " * 40 for number in range(80))
"""Some eighty chunks, each written twice: with its words, and with its vector."""


FLUSH = 100_000
"""Writes after which a process writes what it has gathered."""


def _written(home: Household, tenant: str = TENANT) -> int:
    return home.app.store.spent(tenant, home.clock().date(), Spending.INDEX_WRITES)


@on_both_stores
def test_a_note_over_the_days_writes_waits_and_says_so(home: Household) -> None:
    home.limited(daily_index_writes=100)
    home.save("harbour", PARAGRAPHS)
    home.save("boat", "The boat is blue.", index=False)
    with pytest.raises(IndexQuotaExceeded) as spent:
        home.app.indexer.index(NoteKey(TENANT, "boat"))
    assert spent.value.retry_after == 12 * 3600
    state = read_note_state(home.app.indexer, NoteKey(TENANT, "boat"))
    assert state.record is not None
    assert (state.record.status, state.current) == (IndexStatus.PENDING, False)
    assert state.record.error == "today's 100 writes of the index are used up"
    coverage = home.app.store.coverage(TENANT)
    assert (coverage.indexed, coverage.pending_embeddings, coverage.missing) == (1, 1, 0)


@on_both_stores
def test_the_next_day_the_sweep_takes_up_what_waited(home: Household) -> None:
    home.limited(daily_index_writes=100)
    home.save("harbour", PARAGRAPHS)
    home.save("boat", "The boat is blue.", index=False)
    with suppress(IndexQuotaExceeded):
        home.app.indexer.index(NoteKey(TENANT, "boat"))
    assert reconcile(home.app.indexer, budget=100).indexed == 0
    home.clock.advance(days=1)
    assert reconcile(home.app.indexer, budget=100).indexed == 1
    state = read_note_state(home.app.indexer, NoteKey(TENANT, "boat"))
    assert state.current
    assert state.record is not None
    assert (state.record.status, state.record.error) == (IndexStatus.INDEXED, None)


@on_both_stores
def test_what_the_index_holds_of_a_note_that_waits_is_found(home: Household) -> None:
    home.save("boat", "The boat is blue.")
    home.limited(daily_index_writes=100)
    home.save("harbour", PARAGRAPHS)
    with pytest.raises(IndexQuotaExceeded):
        home.save("boat", "The boat is green.")
    (best, *_) = home.search("boat blue").selected
    assert best.chunk.note_id == "boat"
    home.app.notes.delete(TENANT, "boat")
    assert home.app.indexer.index(NoteKey(TENANT, "boat")).action == "deleted", (
        "what somebody removes goes at once"
    )


def test_one_tenants_writes_hold_up_no_other_tenants_notes(home: Household) -> None:
    home.limited(daily_index_writes=100)
    home.save("harbour", PARAGRAPHS)
    for number in range(6):
        home.save(f"n{number}", f"Boat {number}.", index=False)
        home.save(f"n{number}", f"Boat {number}.", tenant=OTHER, index=False)
    report = reconcile(home.app.indexer, budget=100, full=True)
    assert home.app.store.coverage(OTHER).indexed == 6
    assert (report.indexed, report.postponed) == (6, 6)


def test_a_note_that_waits_costs_one_write(home: Household) -> None:
    home.limited(daily_index_writes=100)
    home.save("harbour", PARAGRAPHS)
    home.save("boat", "The boat is blue.", index=False)
    key = NoteKey(TENANT, "boat")
    tokens = []
    for _ in range(3):
        with suppress(IndexQuotaExceeded):
            home.app.indexer.index(key)
        tokens.append(home.app.store.read_record(TENANT, "boat").token)
    assert tokens[0] == tokens[1] == tokens[2]


def test_a_note_of_more_writes_than_a_day_has_takes_a_whole_day(home: Household) -> None:
    home.limited(daily_index_writes=10)
    home.save("harbour", PARAGRAPHS)
    assert home.app.store.coverage(TENANT).indexed == 1
    with pytest.raises(IndexQuotaExceeded):
        home.save("boat", "The boat is blue.")


def test_without_a_limit_nothing_is_counted_for_the_tenant(home: Household) -> None:
    home.save("boat", "The boat is blue.")
    assert home.app.store.list_usage(TENANT, limit=9).items == ()


# -- on Firestore, whose writes cost


@dataclass
class Bill:
    """The documents that reach Firestore, but for those that count."""

    writes: int = 0
    deletes: int = 0

    def __call__(self, call: Call) -> None:
        if call.method not in ("Commit", "BatchWrite"):
            return
        for write in call.request.writes:
            name = write.update.name or write.delete
            if "/usage/" in name or "/auroraUsage/" in name:
                continue
            if write.delete:
                self.deletes += 1
            elif write.update.name:  # others verify
                self.writes += 1


@pytest.fixture
def metered(
    emulator: Emulator, firestore_project: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Household, Bill]]:
    bill = Bill()
    with FirestoreProxy(emulator.host, bill) as proxy:
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", proxy.host)
        with household(patient_store(firestore_project)) as home:
            home.limited(daily_index_writes=1_000_000)
            yield home, bill


@pytest.mark.parametrize(("text", "least"), [("The harbour is deep.", 4), (PARAGRAPHS, 160)])
def test_writes_are_counted_as_firestore_gets_them(
    metered: tuple[Household, Bill], text: str, least: int
) -> None:
    home, bill = metered
    home.save("boat", "The boat is blue.")  # the first note of a folder writes the folder too
    home.save("harbour", text, index=False)
    counted = _flushed(home)
    made = bill.writes
    home.app.indexer.index(NoteKey(TENANT, "harbour"))
    written = bill.writes - made
    # Not counted: the record once more for each commit beyond the first that a long note takes.
    assert least <= _flushed(home) - counted <= written <= 1.02 * (_flushed(home) - counted)


def test_the_same_note_again_writes_nothing(metered: tuple[Household, Bill]) -> None:
    home, bill = metered
    home.save("harbour", PARAGRAPHS)
    made = bill.writes
    for _ in range(3):
        home.app.indexer.index(NoteKey(TENANT, "harbour"))
    assert bill.writes == made


def _flushed(home: Household) -> int:
    """The tenant's count, with what the process has not written yet."""
    before = _written(home)
    home.app.indexer.writes.add(TENANT, IndexWrites(writes=FLUSH))
    gathered = _written(home) - before - FLUSH
    home.app.store.spend(TENANT, home.clock().date(), Spending.INDEX_WRITES, -FLUSH)
    return before + gathered


def test_writes_and_deletions_count_for_the_project(firestore_store: Store) -> None:
    with household(firestore_store) as home:
        home.app = assemble(replace(home.app, index_prices=FIRESTORE))
        home.limited(usd=1.0)
        budget = home.app.indexer.writes
        record = RequestRecord()
        with record.active():
            budget.add(TENANT, IndexWrites(writes=100_000, deletes=100_000))
        usd = 100_000 * (WRITE + DELETE)
        day = home.clock().date()
        assert firestore_store.spent(PROJECT, day, Spending.MICRO_USD) / 1e6 == pytest.approx(usd)
        assert record.indexing_usd == pytest.approx(usd), "the log line of the event tells it too"
        budget.add(TENANT, IndexWrites(writes=1_000_000))
        with pytest.raises(IndexQuotaExceeded, match="USD 1 "):
            home.save("boat", "The boat is blue.")


# -- many at once


def _instances(store: FirestoreStore, clock: Clock, usd: float) -> list[ProjectBudget]:
    """Twenty, each of which knows only what it and the store have counted."""
    return [ProjectBudget(store, clock, usd=usd) for _ in range(20)]


def test_dear_calls_of_twenty_instances_at_once_spend_no_more_than_the_day_has(
    firestore_store: FirestoreStore,
) -> None:
    clock = Clock()
    spent: list[float] = []

    def call(budget: ProjectBudget) -> None:
        with suppress(AuroraError), budget.reserved(0.03) as bill:
            time.sleep(0.2)
            bill.usd = 0.02
            spent.append(bill.usd)

    budgets = _instances(firestore_store, clock, usd=0.5)
    with ThreadPoolExecutor(60) as threads:
        list(threads.map(call, budgets * 3))
    assert 0.02 <= sum(spent) <= 0.5
    counted = firestore_store.spent(PROJECT, clock().date(), Spending.MICRO_USD)
    assert counted == pytest.approx(sum(spent) * 1e6)


def test_what_a_killed_instance_reserved_counts_for_that_day_only(
    firestore_store: FirestoreStore,
) -> None:
    clock = Clock()
    killed, other = (ProjectBudget(firestore_store, clock, usd=0.05) for _ in range(2))
    call = killed.reserved(0.03)
    call.__enter__()
    with pytest.raises(ModelBudgetExceeded), other.reserved(0.03):
        pass
    clock.advance(days=1)
    with other.reserved(0.03):
        pass


def test_long_notes_at_once_write_no_more_than_a_day_has(firestore_store: FirestoreStore) -> None:
    clock = Clock()
    made: list[int] = []

    def index(budget: IndexBudget) -> None:
        with suppress(IndexQuotaExceeded), budget.reserved(TENANT, 2_000) as writes:
            time.sleep(0.2)
            writes.writes = 2_000
            made.append(writes.writes)

    budgets = [
        IndexBudget(firestore_store, clock, limit=10_000, prices=FIRESTORE, project=None)
        for _ in range(20)
    ]
    with ThreadPoolExecutor(40) as threads:
        list(threads.map(index, budgets * 2))
    assert 2_000 <= sum(made) <= 10_000
    assert firestore_store.spent(TENANT, clock().date(), Spending.INDEX_WRITES) == sum(made)


# -- what counting costs


class _Counted:
    """A store of usage that counts what it is asked."""

    def __init__(self) -> None:
        self.sum = self.reads = self.writes = 0

    def spend(
        self,
        tenant_id: str,  # noqa: ARG002
        day: date,  # noqa: ARG002
        kind: Spending,  # noqa: ARG002
        amount: int,
        *,
        limit: int | None = None,  # noqa: ARG002
    ) -> bool:
        self.sum += amount
        self.writes += 1
        return True

    def spent(self, tenant_id: str, day: date, kind: Spending) -> int:  # noqa: ARG002
        self.reads += 1
        return self.sum

    def list_usage(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[DayUsage]:  # noqa: ARG002
        return Page((), None)


def test_far_from_the_limit_a_hundred_small_additions_cost_a_few_writes_and_a_read() -> None:
    store = _Counted()
    total = DailySum(store, Clock(), tenant_id=TENANT, kind=Spending.INDEX_WRITES, limit=50_000)
    for _ in range(100):
        reservation = total.reserve(6)
        assert reservation is not None
        total.settle(reservation, 4)
    assert (store.reads, store.writes) == (1, 14)
    assert 400 - 25 < store.sum <= 400


def test_what_is_settled_after_midnight_gives_the_new_day_nothing(store: Store) -> None:
    clock = Clock(START.replace(hour=23, minute=59, second=59))
    total = DailySum(store, clock, tenant_id=TENANT, kind=Spending.INDEX_WRITES, limit=100)
    reservation = total.reserve(90)
    assert reservation is not None
    clock.advance(seconds=2)
    assert not total.is_used_up()
    total.settle(reservation, 10)
    assert store.spent(TENANT, START.date(), Spending.INDEX_WRITES) == 10
    total.add(99)
    assert not total.is_used_up()
    total.add(1)
    assert total.is_used_up()


def test_what_waited_for_writes_is_found_by_words_though_the_days_embedding_is_used_up(
    home: Household,
) -> None:
    home.limited(daily_index_writes=100)
    home.save("harbour", PARAGRAPHS)
    note_ids = [f"n{number}" for number in range(6)]
    for note_id in note_ids:
        with suppress(IndexQuotaExceeded):
            home.save(note_id, f"Boat {note_id} is blue.")
    home.clock.advance(hours=11)
    reconcile(home.app.indexer, budget=100)  # looks at everything, for the next day too
    home.clock.advance(hours=2)
    home.limited(daily_index_writes=1000, daily_embed_tokens=10)
    home.save("mast", "The mast is longer than the boat, and so are the oars of the boat.")
    reconcile(home.app.indexer, budget=100)
    records = [home.app.store.read_record(TENANT, note_id).record for note_id in note_ids]
    assert [record.chunk_count for record in records if record is not None] == [1] * 6
    home.clock.advance(minutes=5)
    reconcile(home.app.indexer, budget=100)
    home.clock.advance(minutes=30)
    assert reconcile(home.app.indexer, budget=100).found == {}, "they wait for vectors now"
