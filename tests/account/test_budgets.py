"""A tenant's daily budget, and what happens to notes and questions when it is spent."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from shared.account.budgets import Budgets, ProjectBudget
from shared.account.caches import Cache
from shared.account.daily import seconds_to_next_day
from shared.account.metering import MeteredWriter, TenantEmbedder
from shared.answering.extractive import ExtractiveWriter
from shared.errors import (
    AuroraError,
    EmbeddingQuotaExceeded,
    Exhausted,
    IndexQuotaExceeded,
    ModelMisconfigured,
    ModelRefused,
    ModelUnavailable,
    ModelUnreachable,
    NotFound,
    StoreUnavailable,
)
from shared.indexing.coverage import read_note_state
from shared.language.lengths import estimated_tokens
from shared.model.account import PROJECT, DayUsage, Spending
from shared.model.answers import Delta, Prompt, Usage
from shared.model.index import IndexStatus, Vector
from shared.model.notes import NoteKey
from shared.model.retrieval import CosineCalibration, RetrievalMode
from shared.ports.pages import Page
from shared.ports.stores import Store
from shared.sweep.reconcile import reconcile
from shared.tracing import RequestRecord, add_reads
from tests.account.world import OTHER, PRICE, QUESTION, TENANT, Household, household
from tests.fakes import Script, ScriptedWriter
from tests.indexing.world import on_both_stores

LONG = "The boat is blue. " * 40


@pytest.mark.parametrize(
    ("now", "left"),
    [
        (datetime(2026, 5, 8, 12, 0, tzinfo=UTC), 12 * 3600),
        (datetime(2026, 5, 8, 23, 59, 59, 999_999, tzinfo=UTC), 1),
        (datetime(2026, 5, 8, tzinfo=UTC), 86_400),
        (datetime(2026, 5, 9, 1, 30, tzinfo=timezone(timedelta(hours=2))), 1800),
    ],
)
def test_a_budget_is_full_again_with_the_next_utc_day(now: datetime, left: int) -> None:
    assert seconds_to_next_day(now) == left


# -- answers


def test_fifty_questions_at_once_get_no_more_answers_than_a_day_has(home: Household) -> None:
    home.limited(daily_chat_limit=5)

    def ask(_: int) -> bool:
        try:
            home.chat()
        except Exhausted:
            return False
        return True

    with ThreadPoolExecutor(50) as threads:
        assert sum(threads.map(ask, range(50))) == 5


def test_a_spent_budget_names_the_time_to_wait(home: Household) -> None:
    home.limited(daily_chat_limit=1)
    home.chat()
    with pytest.raises(Exhausted) as refused:
        home.chat()
    assert refused.value.retry_after == 12 * 3600
    assert home.chat(tenant=OTHER).text
    home.clock.advance(hours=12)
    assert home.chat().text


def test_a_failed_call_is_given_back(home: Household) -> None:
    home.limited(daily_chat_limit=1)
    with pytest.raises(NotFound):
        home.chat(template="nowhere")
    assert home.chat().text
    assert [
        (usage.answers, usage.embedded_tokens)
        for usage in home.app.store.list_usage(TENANT, limit=9).items
    ] == [(1, 0)]


def test_without_a_limit_nothing_is_counted(home: Household) -> None:
    home.save("boat", LONG)
    home.chat()
    assert home.app.store.list_usage(TENANT, limit=9).items == ()


# -- embeddings


def test_a_note_over_the_budget_waits_for_its_vectors_and_keywords_find_it(home: Household) -> None:
    home.limited(daily_embed_tokens=10)
    home.save("cat", "A cat.")
    with pytest.raises(EmbeddingQuotaExceeded) as spent:
        home.save("boat", LONG)
    assert spent.value.retry_after == 12 * 3600
    state = read_note_state(home.app.indexer, NoteKey(TENANT, "boat"))
    assert state.record is not None
    assert state.record.status == IndexStatus.PENDING
    assert state.record.lease_until is None
    retrieved = home.search()
    assert retrieved.mode is RetrievalMode.KEYWORD_RECENCY
    assert retrieved.selected[0].chunk.note_id == "boat"


@on_both_stores
def test_the_next_day_what_waited_is_embedded(home: Household) -> None:
    limit = 2 * estimated_tokens(LONG)
    home.limited(daily_embed_tokens=limit)
    for number in range(3):
        if number < 1:
            home.save(f"n{number}", f"{number} {LONG}")
        else:
            with pytest.raises(EmbeddingQuotaExceeded):
                home.save(f"n{number}", f"{number} {LONG}")
    assert reconcile(home.app.indexer, budget=100).postponed == 2
    home.clock.advance(days=1)
    assert reconcile(home.app.indexer, budget=100).indexed >= 1
    home.clock.advance(days=1)
    reconcile(home.app.indexer, budget=100)
    assert home.app.store.coverage(TENANT).indexed == 3


def test_one_tenants_budget_holds_up_no_other_tenants_notes(home: Household) -> None:
    for number in range(6):
        home.save(f"n{number}", f"{number} {LONG}", index=False)
        home.save(f"n{number}", "A cat.", tenant=OTHER, index=False)
    home.limited(daily_embed_tokens=100)
    reconcile(home.app.indexer, budget=100, full=True)
    assert home.app.store.coverage(OTHER).indexed == 6
    coverage = home.app.store.coverage(TENANT)
    assert coverage.pending_embeddings == 5
    assert coverage.missing == 0


def test_when_the_budget_is_used_up_a_waiting_note_costs_no_further_attempt(
    home: Household,
) -> None:
    home.limited(daily_embed_tokens=100)
    for number in range(4):
        home.save(f"n{number}", f"{number} {LONG}", index=False)
    reconcile(home.app.indexer, budget=100, full=True)
    reconcile(home.app.indexer, budget=100)
    home.clock.advance(hours=1)
    reconcile(home.app.indexer, budget=100)  # sees them among what was changed lately
    tokens_before = {note: _token(home, note) for note in ("n0", "n1", "n2", "n3")}
    assert reconcile(home.app.indexer, budget=100).found == {}
    tried = [note for note, token in tokens_before.items() if _token(home, note) != token]
    assert tried == []


def _token(home: Household, note_id: str) -> str | None:
    return home.app.store.read_record(TENANT, note_id).token


def test_a_question_over_the_budget_is_answered_by_keywords(home: Household) -> None:
    home.save("boat", LONG)
    home.limited(daily_embed_tokens=estimated_tokens(QUESTION))
    assert home.search().mode is RetrievalMode.WEIGHTED
    assert home.search("Is the boat really blue?").mode is RetrievalMode.KEYWORD_RECENCY
    assert home.search().mode is RetrievalMode.WEIGHTED, "asked before: it is not embedded again"
    assert home.app.store.list_usage(TENANT, limit=1).items[0].embedded_tokens == estimated_tokens(
        QUESTION
    )


@pytest.mark.parametrize(
    "outage",
    [
        ModelUnavailable("away"),
        ModelRefused("bad key"),
    ],
)
def test_texts_that_were_not_embedded_cost_nothing_of_the_budget(
    home: Household, outage: AuroraError
) -> None:
    home.limited(daily_embed_tokens=10_000)
    home.embedder.outage = outage
    for _ in range(3):
        with suppress(ModelUnavailable):
            home.save("boat", LONG)
        assert home.search().mode is RetrievalMode.KEYWORD_RECENCY
    assert [
        usage.embedded_tokens for usage in home.app.store.list_usage(TENANT, limit=1).items
    ] in (
        [],
        [0],
    )


def test_a_reply_of_another_dimension_was_paid_for(home: Household) -> None:
    home.limited(daily_embed_tokens=10_000)
    home.embedder.outage = ModelMisconfigured("of 6", advice="Set 6.", is_billed=True)
    with suppress(ModelUnavailable):
        home.save("boat", LONG)
    [usage] = home.app.store.list_usage(TENANT, limit=1).items
    assert usage.embedded_tokens > 0


def test_a_batch_larger_than_a_days_budget_takes_a_whole_day(home: Household) -> None:
    home.limited(daily_embed_tokens=5)
    home.save("boat", LONG)
    assert home.app.store.coverage(TENANT).indexed == 1
    with pytest.raises(EmbeddingQuotaExceeded), home.app.budgets.embedding(TENANT, 1):
        pass


def test_the_tokens_of_a_note_are_counted_once(home: Household) -> None:
    home.limited(daily_embed_tokens=100_000)
    home.save("boat", LONG)
    spent = home.app.store.list_usage(TENANT, limit=1).items[0].embedded_tokens
    assert spent == sum(map(estimated_tokens, home.embedder.embedded))
    home.app.indexer.index(NoteKey(TENANT, "boat"))
    assert home.app.store.list_usage(TENANT, limit=1).items[0].embedded_tokens == spent


class _SlowToRefuse:
    """A purse that takes a while to refuse."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.go_on = threading.Event()

    def spend(
        self,
        tenant_id: str,
        day: date,  # noqa: ARG002
        kind: Spending,  # noqa: ARG002
        amount: int,  # noqa: ARG002
        *,
        limit: int | None = None,  # noqa: ARG002
    ) -> bool:
        if tenant_id == OTHER:
            return True
        self.asked.set()
        assert self.go_on.wait(60)
        return False

    def spent(self, tenant_id: str, day: date, kind: Spending) -> int:  # noqa: ARG002
        return 0

    def list_usage(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[DayUsage]:  # noqa: ARG002
        return Page((), None)


def test_a_used_up_budget_stops_no_other_tenant_who_asks_the_same_meanwhile(
    home: Household,
) -> None:
    purse = _SlowToRefuse()
    budgets = Budgets(
        store=purse,
        clock=home.clock,
        answers=None,
        embedded_tokens=10_000,
    )
    cache = Cache[Vector]()
    spent, other_embedder = (
        TenantEmbedder(home.embedder, tenant, budgets, cache, lambda: CosineCalibration(0.0, 1.0))
        for tenant in (TENANT, OTHER)
    )
    with ThreadPoolExecutor(2) as threads:
        refused = threads.submit(spent.embed_query, QUESTION)
        assert purse.asked.wait(60)
        try:
            assert threads.submit(other_embedder.embed_query, QUESTION).result(timeout=30)
        finally:
            purse.go_on.set()
        with pytest.raises(EmbeddingQuotaExceeded):
            refused.result()


def test_a_failure_is_raised_although_its_cost_cannot_be_given_back(home: Household) -> None:
    purse = _Purse()
    budgets = Budgets(
        store=purse,
        clock=home.clock,
        answers=1,
        embedded_tokens=None,
    )

    def fail() -> None:
        with budgets.asking(TENANT, Spending.ANSWERS):
            raise NotFound("no such template")

    with pytest.raises(NotFound):
        fail()


class _Purse(_SlowToRefuse):
    """Gives, and takes nothing back."""

    def spend(
        self,
        tenant_id: str,  # noqa: ARG002
        day: date,  # noqa: ARG002
        kind: Spending,  # noqa: ARG002
        amount: int,
        *,
        limit: int | None = None,  # noqa: ARG002
    ) -> bool:
        if amount < 0:
            raise StoreUnavailable("away")
        return True


# -- searches


def test_searches_of_a_day_end_at_their_limit(home: Household) -> None:
    home.limited(daily_search_limit=1)
    with home.app.budgets.asking(TENANT, Spending.SEARCHES):
        pass
    with (
        pytest.raises(Exhausted, match="1 searches") as refused,
        home.app.budgets.asking(TENANT, Spending.SEARCHES),
    ):
        pass
    assert refused.value.retry_after == 12 * 3600
    with home.app.budgets.asking(OTHER, Spending.SEARCHES):
        pass


# -- the whole project


def _spent(home: Household) -> float:
    return home.app.store.spent(PROJECT, home.clock().date(), Spending.MICRO_USD) / 1e6


@pytest.fixture
def paid(store: Store) -> Iterator[tuple[Household, ScriptedWriter]]:
    """Answers cost USD 0.001 a token read and 0.01 a token written."""
    writer = ScriptedWriter(
        (
            Delta("It is blue [N1]."),
            Delta("", Usage(100, 10)),
        )
    )
    with household(store, writer=writer) as home:
        home.save("boat", LONG)
        home.save("boat", LONG, tenant=OTHER)
        yield home, writer


def _cost(home: Household, number: int) -> float:
    """Measure the cost of one more answer, in USD."""
    spent_before = _spent(home)
    home.clock.advance(seconds=3)
    home.chat(f"Which colour is boat {number}?", tenant=OTHER if number % 2 else TENANT)
    return _spent(home) - spent_before


@on_both_stores
def test_all_tenants_together_spend_no_more_than_the_projects_day(
    paid: tuple[Household, ScriptedWriter],
) -> None:
    home, writer = paid
    home.limited(usd=60.0)
    costs = [_cost(home, number) for number in range(8)]
    assert _spent(home) <= 60
    assert costs[0] > 0
    assert home.chat("Which colour is boat 9?").model == ExtractiveWriter().model, (
        "what is left does not pay for another answer"
    )
    home.app.store.spend(PROJECT, home.clock().date(), Spending.MICRO_USD, 60_000_000)
    home.clock.advance(seconds=3)
    with pytest.raises(Exhausted, match="USD 60") as refused:
        home.chat()
    assert (refused.value.retry_after or 0) <= 12 * 3600
    with pytest.raises(Exhausted), home.app.budgets.asking(TENANT, Spending.SEARCHES):
        pass
    with pytest.raises((EmbeddingQuotaExceeded, IndexQuotaExceeded)):
        home.save("cat", "A cat.")
    home.clock.advance(hours=12)
    assert home.chat().model == writer.model


def test_another_instance_sees_within_two_seconds_what_was_spent(home: Household) -> None:
    mine, theirs = (ProjectBudget(home.app.store, home.clock, usd=1.0) for _ in range(2))
    mine.check()
    theirs.add(1.0)
    mine.check()
    home.clock.advance(seconds=2)
    with pytest.raises(Exhausted):
        mine.check()


def test_calls_under_way_count_as_the_dearest_they_can_be(home: Household) -> None:
    budget = ProjectBudget(home.app.store, home.clock, usd=1.0)
    with budget.reserved(0.99) as bill:
        budget.check()
        with budget.reserved(0.01), pytest.raises(Exhausted):
            budget.check()
        bill.usd = 0.1
    budget.check()
    assert _spent(home) == pytest.approx(0.11)


DEAREST = 2048 * PRICE.written
"""USD that an answer's text costs at most."""


@pytest.mark.parametrize(
    ("reply", "least", "most"),
    [
        ((Delta("Blue [N1]."), Delta("", Usage(100, 10))), 0.2, 0.2),
        ("Blue [N1].", DEAREST, 2 * DEAREST),  # the server does not say
        ((ModelUnavailable("no reply in time"),), DEAREST, 2 * DEAREST),
        ((Delta("Blue", Usage(100, 1)), ModelUnavailable("cut")), DEAREST, 2 * DEAREST),
        ((ModelUnreachable("nobody listens"),), 0.0, 0.0),
        ((ModelUnavailable("429", is_billed=False),), 0.0, 0.0),
        ((ModelRefused("400", is_billed=False),), 0.0, 0.0),
        ((ModelRefused("the reply was blocked"),), DEAREST, 2 * DEAREST),
        ((Delta("Blue"), ModelUnavailable("503", is_billed=False)), DEAREST, 2 * DEAREST),
    ],
)
def test_an_answer_whose_usage_nobody_learns_costs_the_most_it_can(
    home: Household, reply: Script, least: float, most: float
) -> None:
    budget = ProjectBudget(home.app.store, home.clock, usd=1000.0)
    writer = MeteredWriter(ScriptedWriter(reply), budget, PRICE)
    with suppress(ModelUnavailable, ModelRefused):
        list(writer.stream(Prompt("Answer.", QUESTION, QUESTION, ())))
    assert least <= _spent(home) <= most


def test_a_client_that_leaves_a_stream_pays_for_all_the_model_may_have_written(
    home: Household,
) -> None:
    budget = ProjectBudget(home.app.store, home.clock, usd=1000.0)
    writer = MeteredWriter(
        ScriptedWriter((Delta("Blue", Usage(100, 1)), Delta(" or not"))), budget, PRICE
    )
    pieces = writer.stream(Prompt("Answer.", QUESTION, QUESTION, ()))
    next(pieces)
    pieces.close()
    assert _spent(home) > DEAREST


def test_embeddings_count_for_the_project_too(home: Household) -> None:
    home.limited(usd=1e3)
    home.save("boat", LONG)
    assert _spent(home) == sum(map(estimated_tokens, home.embedder.embedded))


def test_twice_the_estimated_tokens_are_reserved_while_a_text_is_embedded(home: Household) -> None:
    home.limited(usd=100.0)
    tokens = 40
    with home.app.budgets.embedding(TENANT, tokens):
        assert _spent(home) == 2 * tokens
    assert _spent(home) == tokens
    with pytest.raises(EmbeddingQuotaExceeded), home.app.budgets.embedding(TENANT, tokens):
        pass


def test_documents_that_are_read_count_for_the_project(home: Household) -> None:
    home.limited(usd=1.0)
    with RequestRecord().active(), home.app.budgets.asking(TENANT, Spending.SEARCHES):
        add_reads(1_700_000)
    assert _spent(home) == pytest.approx(1.02)
    with pytest.raises(Exhausted), home.app.budgets.asking(TENANT, Spending.ANSWERS):
        pass


def test_an_unwritten_bill_is_written_with_the_next(home: Household) -> None:
    class Away(_SlowToRefuse):
        outage = True

        def spend(
            self,
            tenant_id: str,
            day: date,
            kind: Spending,
            amount: int,
            *,
            limit: int | None = None,
        ) -> bool:
            if self.outage:
                raise StoreUnavailable("away")
            return home.app.store.spend(tenant_id, day, kind, amount, limit=limit)

    away = Away()
    budget = ProjectBudget(away, home.clock, usd=2.0)
    budget.add(0.6)
    away.outage = False
    budget.add(0.5)
    assert _spent(home) == pytest.approx(1.1)
