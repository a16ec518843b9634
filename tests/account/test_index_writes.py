"""The index's daily budget of writes, and what happens to notes when it is used up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import date

import pytest

from desktop.product.emulator import Emulator
from shared.account.budgets import ProjectBudget
from shared.account.daily import ATTEMPTS, MAX_ATTEMPT_SECONDS, PAUSE, DailySum
from shared.account.index_writes import FIRESTORE, IndexBudget, IndexPrices
from shared.account.prices import DELETE, WRITE
from shared.adapters.firestore import FirestoreStore
from shared.bootstrap import assemble
from shared.errors import (
    AuroraError,
    IndexQuotaExceeded,
    ModelBudgetExceeded,
    ModelUnavailable,
)
from shared.indexing.coverage import read_note_state
from shared.indexing.writing import FOLDERS
from shared.model.account import PROJECT, DayUsage, Spending
from shared.model.index import IndexStatus, IndexWrites
from shared.model.notes import NoteKey
from shared.notes.service import NoteDraft
from shared.ports.budgets import WriteBudget
from shared.ports.pages import Page
from shared.ports.stores import Store
from shared.sweep.reconcile import reconcile
from shared.tracing import RequestRecord
from tests.account.world import OTHER, TENANT, Household, household
from tests.adapters.models.waiting import FakeClock
from tests.emulated import patient_store
from tests.indexing.world import START, Clock, on_both_stores
from tests.servers.firestore_proxy import Call, FirestoreProxy

PARAGRAPHS = "\n\n".join(f"Harbour {number} is deep. " * 40 for number in range(80))
"""Some eighty chunks, each written twice: with its words, and with its vector."""


def _written(home: Household, tenant: str = TENANT) -> int:
    return home.app.store.spent(tenant, home.clock().date(), Spending.INDEX_WRITES)


def _spent(home: Household) -> float:
    return home.app.store.spent(PROJECT, home.clock().date(), Spending.MICRO_USD) / 1e6


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
    assert state.record.status == IndexStatus.PENDING
    assert state.current is False
    assert state.record.error == "today's 100 writes of the index are used up"
    coverage = home.app.store.coverage(TENANT)
    assert coverage.indexed == 1
    assert coverage.pending_embeddings == 1
    assert coverage.missing == 0


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
    assert state.record.status == IndexStatus.INDEXED
    assert state.record.error is None


@on_both_stores
def test_indexed_chunks_of_a_waiting_note_are_found(home: Household) -> None:
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
    assert report.indexed == 6
    assert report.postponed == 6


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


@on_both_stores
def test_a_note_of_more_writes_than_a_day_has_is_indexed_though_others_were_saved_before(
    home: Household,
) -> None:
    home.limited(daily_index_writes=100)
    home.save("quay", "The quay is short.")
    home.save("harbour", PARAGRAPHS)
    assert home.app.store.coverage(TENANT).indexed == 2
    with pytest.raises(IndexQuotaExceeded):
        home.save("boat", "The boat is blue.")


def test_a_note_of_more_writes_than_a_day_has_and_the_others_take_turns(home: Household) -> None:
    """Ten notes are saved a day, more than a day has writes for, and a long note is changed each day."""
    home.limited(daily_index_writes=100)
    for day in range(4):
        for number in range(10):
            home.save(f"note-{day}-{number}", f"Boat {number} is blue.", index=False)
        home.save("long", f"Day {day}. {PARAGRAPHS}", index=False)
        for _ in range(2):
            reconcile(home.app.indexer, budget=1000, full=True)
            home.clock.advance(hours=1)
        home.clock.advance(hours=22)
    for _ in range(4):
        reconcile(home.app.indexer, budget=1000, full=True)
        home.clock.advance(days=1)
    coverage = home.app.store.coverage(TENANT)
    assert coverage.indexed == 41
    assert coverage.notes == 41
    assert read_note_state(home.app.indexer, NoteKey(TENANT, "long")).current


def test_without_a_limit_nothing_is_counted_for_the_tenant(home: Household) -> None:
    home.save("boat", "The boat is blue.")
    assert home.app.store.list_usage(TENANT, limit=9).items == ()


# -- on Firestore, whose writes cost


@dataclass
class Bill:
    """The documents that reach Firestore, but for the project's own sum."""

    writes: int = 0
    deletes: int = 0
    counts: int = 0
    """Documents in which a tenant's usage is counted."""

    def __call__(self, call: Call) -> None:
        if call.method not in ("Commit", "BatchWrite"):
            return
        for write in call.request.writes:
            name = write.update.name or write.delete
            if "/auroraUsage/" in name:
                continue
            if "/usage/" in name:
                self.counts += 1
            elif write.delete:
                self.deletes += 1
            elif write.update.name:  # others verify
                self.writes += 1


@dataclass
class Reserved:
    """A `WriteBudget` that passes on to another, and keeps the most that was reserved and what then was written."""

    inner: WriteBudget
    most: IndexWrites = field(default_factory=IndexWrites)
    made: IndexWrites = field(default_factory=IndexWrites)

    def check(self, tenant_id: str) -> None:
        self.inner.check(tenant_id)

    @contextmanager
    def reserved(self, tenant_id: str, most: IndexWrites) -> Iterator[IndexWrites]:
        self.most = most
        with self.inner.reserved(tenant_id, most) as self.made:
            yield self.made

    def add(self, tenant_id: str, made: IndexWrites) -> None:
        self.inner.add(tenant_id, made)


@pytest.fixture
def metered(
    emulator: Emulator, firestore_project: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Household, Bill]]:
    """With limits and prices by which each write reaches the counts at once."""
    bill = Bill()
    with FirestoreProxy(emulator.host, bill) as proxy:
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", proxy.host)
        with household(patient_store(firestore_project)) as home:
            home.limited(
                usd=0.2,
                daily_index_writes=2000,
                daily_embed_tokens=1_000_000,
            )
            parts = replace(home.app, index_prices=PRICES, embedded_token_usd=0.0)
            home.app = assemble(parts)
            for kind in (Spending.INDEX_WRITES, Spending.EMBEDDED_TOKENS):
                home.app.store.spend(TENANT, home.clock().date(), kind, 0)  # the day's document
            yield home, bill


PRICES = IndexPrices(write=1e-4, delete=1e-5)
"""USD."""


def _first_save(home: Household, text: str) -> None:
    """Into a new folder."""
    home.app.notes.save(
        TENANT,
        "harbour",
        NoteDraft(
            title="Harbour",
            text=text,
            path="sea/h.md",
        ),
    )


def _second_save(home: Household, text: str) -> None:
    """Into a folder that has another note."""
    home.app.notes.save(
        TENANT,
        "quay",
        NoteDraft(
            title="Quay",
            text="A quay.",
            path="sea/q.md",
        ),
    )
    home.app.indexer.index(NoteKey(TENANT, "quay"))
    _first_save(home, text)


def _move(home: Household, text: str) -> None:
    """The only note of a folder into another, which is new."""
    _first_save(home, text)
    home.app.indexer.index(NoteKey(TENANT, "harbour"))
    draft = NoteDraft(title="Harbour", text=text, path="land/h.md")
    home.app.notes.save(TENANT, "harbour", draft)


def _edit(home: Household, text: str) -> None:
    """Edit the beginning of the note, so that every chunk is written again."""
    _first_save(home, text)
    home.app.indexer.index(NoteKey(TENANT, "harbour"))
    _first_save(home, f"New. {text[:-200]}")


def _removal(home: Household, text: str) -> None:
    _first_save(home, text)
    home.app.indexer.index(NoteKey(TENANT, "harbour"))
    home.app.notes.delete(TENANT, "harbour")


@pytest.mark.parametrize("text", ["The harbour is deep.", PARAGRAPHS], ids=["short", "long"])
@pytest.mark.parametrize("change", [_first_save, _second_save, _move, _edit, _removal])
def test_all_that_is_written_for_a_note_is_counted(
    metered: tuple[Household, Bill], change: Callable[[Household, str], None], text: str
) -> None:
    home, bill = metered
    change(home, text)
    counted = _written(home)
    spent = _spent(home)
    bill_before = replace(bill)
    reserved = Reserved(home.app.indexer.writes)
    replace(home.app.indexer, writes=reserved).index(NoteKey(TENANT, "harbour"))
    writes = bill.writes - bill_before.writes
    deletes = bill.deletes - bill_before.deletes
    counts = bill.counts - bill_before.counts
    assert writes >= 1
    assert _written(home) - counted == writes
    assert reserved.made.writes <= reserved.most.writes
    assert reserved.made.deletes <= reserved.most.deletes
    usd = PRICES.usd(IndexWrites(writes=writes + counts, deletes=deletes))
    assert _spent(home) - spent == pytest.approx(usd, abs=PRICES.write)


@pytest.mark.parametrize("text", ["The harbour is deep.", PARAGRAPHS], ids=["short", "long"])
def test_no_more_is_reserved_than_twice_what_a_note_needs(
    metered: tuple[Household, Bill], text: str
) -> None:
    home, _ = metered
    _second_save(home, text)
    reserved = Reserved(home.app.indexer.writes)
    replace(home.app.indexer, writes=reserved).index(NoteKey(TENANT, "harbour"))
    assert reserved.most.writes - FOLDERS <= 2 * reserved.made.writes


def test_the_same_note_again_writes_nothing(metered: tuple[Household, Bill]) -> None:
    home, bill = metered
    home.save("harbour", PARAGRAPHS)
    writes_before = bill.writes
    for _ in range(3):
        home.app.indexer.index(NoteKey(TENANT, "harbour"))
    assert bill.writes == writes_before


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


def test_a_killed_instances_reservation_counts_for_that_day_only(
    firestore_store: FirestoreStore,
) -> None:
    clock = Clock()
    killed, next_instance = (ProjectBudget(firestore_store, clock, usd=0.05) for _ in range(2))
    call = killed.reserved(0.03)
    call.__enter__()
    with pytest.raises(ModelBudgetExceeded), next_instance.reserved(0.03):
        pass
    clock.advance(days=1)
    with next_instance.reserved(0.03):
        pass


def _budgets_of_instances(store: FirestoreStore, clock: Clock, *, limit: int) -> list[IndexBudget]:
    """The budgets of twenty instances, each of which counts only in the store."""
    budgets = []
    for _ in range(20):
        budget = IndexBudget(
            store,
            clock,
            limit=limit,
            prices=FIRESTORE,
            project=None,
        )
        budgets.append(budget)
    return budgets


def _index_at_once(budgets: Sequence[IndexBudget], writes_made: list[int]) -> None:
    """Indexes two long notes with each budget at the same time, and adds what each wrote."""
    limit = IndexWrites(writes=2_000)

    def index(budget: IndexBudget) -> None:
        with suppress(IndexQuotaExceeded), budget.reserved(TENANT, limit) as writes:
            time.sleep(0.2)
            writes.writes = 2_000
            writes_made.append(writes.writes)

    with ThreadPoolExecutor(40) as threads:
        list(threads.map(index, [*budgets, *budgets]))


def test_long_notes_at_once_write_no_more_than_a_day_has(firestore_store: FirestoreStore) -> None:
    clock = Clock()
    writes_made: list[int] = []
    budgets = _budgets_of_instances(firestore_store, clock, limit=10_000)
    _index_at_once(budgets, writes_made)
    assert 2_000 <= sum(writes_made) <= 10_000
    assert firestore_store.spent(TENANT, clock().date(), Spending.INDEX_WRITES) == sum(writes_made)


def test_one_note_alone_goes_over_a_days_writes(firestore_store: FirestoreStore) -> None:
    clock = Clock()
    writes_made: list[int] = []
    budgets = _budgets_of_instances(firestore_store, clock, limit=3_000)
    for _ in range(3):
        _index_at_once(budgets, writes_made)
        clock.advance(seconds=3)
    assert sum(writes_made) == 4_000


def test_long_notes_of_twenty_instances_at_once_cost_no_more_than_the_projects_day(
    firestore_store: FirestoreStore,
) -> None:
    clock = Clock()
    writes_made: list[int] = []
    prices = IndexPrices(write=1e-5)
    limit = IndexWrites(writes=2_000)

    def index(project: ProjectBudget) -> None:
        budget = IndexBudget(
            firestore_store,
            clock,
            limit=None,
            prices=prices,
            project=project,
        )
        with suppress(IndexQuotaExceeded), budget.reserved(TENANT, limit) as writes:
            time.sleep(0.2)
            writes.writes = 1_500
            writes_made.append(writes.writes)

    with ThreadPoolExecutor(60) as threads:
        list(threads.map(index, _instances(firestore_store, clock, usd=0.1) * 3))
    assert 1_500 * prices.write <= sum(writes_made) * prices.write <= 0.1
    counted = firestore_store.spent(PROJECT, clock().date(), Spending.MICRO_USD)
    assert counted == pytest.approx(sum(writes_made) * prices.write * 1e6, abs=10)


def test_writes_of_a_note_are_counted_though_the_model_then_refused(home: Household) -> None:
    home.limited(usd=1.0)
    parts = replace(home.app, index_prices=IndexPrices(write=1e-3), embedded_token_usd=0.0)
    home.app = assemble(parts)
    home.embedder.outage = ModelUnavailable("m: 429", is_billed=False)
    with suppress(ModelUnavailable):
        home.save("boat", "The boat is blue.")
    assert _spent(home) >= 3e-3, "the claim, the chunk and the record"


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
    total = DailySum(
        store,
        Clock(),
        tenant_id=TENANT,
        kind=Spending.INDEX_WRITES,
        limit=50_000,
    )
    for _ in range(100):
        reservation = total.reserve(6)
        assert reservation is not None
        total.settle(reservation, 4)
    assert store.reads == 1
    assert store.writes == 14
    assert 400 - 25 < store.sum <= 400


class _Beside(_Counted):
    """A store to which others add what they take back: so much is theirs at each look, and nothing after those.

    A look takes a while on the clock.
    """

    def __init__(self, *others: int, clock: FakeClock, seconds: float = 0.0) -> None:
        super().__init__()
        self.others = list(others)
        self.clock = clock
        self.seconds = seconds

    def spent(self, tenant_id: str, day: date, kind: Spending) -> int:
        self.clock.now += self.seconds
        others = self.others.pop(0) if self.others else 0
        return super().spent(tenant_id, day, kind) + others


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    clock = FakeClock()
    monkeypatch.setattr("shared.account.daily.clocks", clock)
    return clock


def _sum_of_100(store: _Counted) -> DailySum:
    return DailySum(
        store,
        Clock(),
        tenant_id=TENANT,
        kind=Spending.INDEX_WRITES,
        limit=100,
    )


@pytest.mark.parametrize("may_exceed", [False, True])
def test_a_reservation_that_fits_waits_for_those_of_others_that_are_taken_back(
    waiting: FakeClock, *, may_exceed: bool
) -> None:
    """All have added theirs before the first looks, and none fits then."""
    store = _Beside(0, 0, 95, 95, 105, clock=waiting)
    reservation = _sum_of_100(store).reserve(20, may_exceed=may_exceed)
    assert reservation is not None
    assert reservation.amount == store.sum == 20, "what was left beside the others counts no more"


def test_where_nothing_is_taken_back_nobody_waits_long(waiting: FakeClock) -> None:
    assert _sum_of_100(_Beside(*[90] * 9, clock=waiting)).reserve(20) is None
    assert waiting.pauses == []
    others_are_granted = _Beside(0, 0, *[90] * 9, clock=waiting)
    assert _sum_of_100(others_are_granted).reserve(20) is None
    assert others_are_granted.sum == 0
    assert len(waiting.pauses) == 2


@pytest.mark.parametrize(
    ("look_seconds", "attempt_seconds"),
    [
        (0.0, PAUSE),
        (0.2, 0.4),
        (3.0, MAX_ATTEMPT_SECONDS),
    ],
)
def test_pauses_grow_and_are_as_long_as_an_attempt_takes_within_bounds(
    waiting: FakeClock, look_seconds: float, attempt_seconds: float
) -> None:
    for _ in range(200):
        always_full = _Beside(*[0, 0, 90] + [0, 90] * 9, clock=waiting, seconds=look_seconds)
        assert _sum_of_100(always_full).reserve(20) is None
    for attempt in range(1, ATTEMPTS):
        pauses = [pause / attempt_seconds for pause in waiting.pauses[attempt - 1 :: ATTEMPTS - 1]]
        assert min(pauses) >= 1
        assert 0.9 * 2**attempt < max(pauses) <= 2**attempt


def test_a_settlement_after_midnight_gives_the_new_day_nothing(store: Store) -> None:
    clock = Clock(START.replace(hour=23, minute=59, second=59))
    total = DailySum(
        store,
        clock,
        tenant_id=TENANT,
        kind=Spending.INDEX_WRITES,
        limit=100,
    )
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


def test_a_note_that_waited_for_writes_is_found_by_words_without_an_embedding_budget(
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
