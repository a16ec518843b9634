"""The worst day of docs/deploy.md: one tenant spends all that the limits of a deployment allow, through the real code.

Each limit is spent until it refuses, at the prices of a deployment, and what the project's budget then has counted is
what the page says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.reads import vector_reads
from bench.scale import READS_AT_A_TIME, TOKENS_OF_CHUNK, question
from shared.account.budgets import ProjectBudget
from shared.account.index_writes import FIRESTORE
from shared.account.metering import MeteredWriter
from shared.account.prices import embedded_token_usd, price_of
from shared.asking.turn import TurnRequest, run_turn
from shared.bootstrap import assemble
from shared.errors import EmbeddingQuotaExceeded, Exhausted, IndexQuotaExceeded
from shared.folders.scope import FolderScope
from shared.model.account import PROJECT, Spending
from shared.model.answers import Delta, Draft, Prompt
from shared.model.index import IndexWrites
from shared.model.notes import NoteKey
from shared.notes.service import NoteDraft
from shared.ports.stores import Store
from shared.settings import CHAT_MODEL, EMBEDDING_MODEL, Settings
from shared.tracing import RequestRecord, add_reads
from tests.account.world import PERSON, TENANT, Household, household
from tests.fakes import ScriptedWriter
from tests.retrieval.test_firestore_bill import READS_OF_FOLDERS

PAGE = Path(__file__).parents[2] / "docs/deploy.md"
DEPLOYED = Settings.from_env(
    {
        "K_SERVICE": "chat",
        "GOOGLE_CLOUD_PROJECT": "p",
        "GEMINI_API_KEY": "k",
    }
)
PART = 10
"""A test spends a tenth of the day: each limit, the project's too, is a tenth of that of a deployment."""
CHUNKS = 10_000
"""Chunks of the tenant, whose vector index each search scans."""
SEARCH_READS = 2 * (READS_AT_A_TIME + vector_reads(CHUNKS))
"""Most reads of a search: a misspelt word is searched twice."""
ANSWER_READS = 2 * (READS_OF_FOLDERS + vector_reads(CHUNKS))
FOLDERS = 60
LONG = "Harbour and boat and quay and mast are long words of a long note. "


class _DearestWriter(ScriptedWriter):
    """A model that never says what it has used, so that each call counts as the dearest it can be."""

    def stream(self, prompt: Prompt) -> Generator[Delta]:  # noqa: ARG002
        add_reads(ANSWER_READS)
        yield Delta("A harbour is a place [N1].")


class _Ranker(_DearestWriter):
    """Ranks folders, and writes a question anew."""

    def write(self, prompt: Prompt) -> Draft:  # noqa: ARG002
        return Draft("[]", self.model)


@pytest.fixture
def tenant(store: Store) -> Iterator[Household]:
    """A tenant of a deployment with many folders of long notes, who has spent nothing yet today."""
    with household(store) as home:
        for number in range(FOLDERS):
            path = f"area {number % 10} of the harbour/topic {number} of many/n.md"
            draft = NoteDraft(
                title=f"Note {number}",
                text=f"{number}. {LONG * 60}",
                path=path,
            )
            home.app.notes.save(TENANT, f"n{number}", draft)
            home.app.indexer.index(NoteKey(TENANT, f"n{number}"))
        budget = ProjectBudget(store, home.clock, usd=(DEPLOYED.daily_project_usd or 0.0) / PART)
        price = price_of(CHAT_MODEL, DEPLOYED)
        tenth: dict[str, Any] = {name: limit // PART for name, limit in LIMITS.items()}
        parts = replace(
            home.app,
            settings=replace(DEPLOYED, **tenth),
            project_budget=budget,
            writer=MeteredWriter(_DearestWriter(""), budget, price),
            ranker=MeteredWriter(_Ranker(""), budget, price),
            embedded_token_usd=embedded_token_usd(EMBEDDING_MODEL, DEPLOYED),
            index_prices=FIRESTORE,
        )
        home.app = assemble(parts)
        yield home


def _ask(tenant: Household, number: int) -> None:
    """Asks a question of the greatest length to all folders, which the model ranks first."""
    text = f"{number}: where is the harbour, {'and the boat, and the quay, ' * 100}"
    question = tenant.question(text[: DEPLOYED.chat_max_query_length])
    request = TurnRequest(
        person=PERSON, question=replace(question, top_k=20), request_id="r", scope=FolderScope()
    )
    list(run_turn(tenant.app, request))


def _search(tenant: Household, number: int) -> None:  # noqa: ARG001
    with tenant.app.budgets.asking(TENANT, Spending.SEARCHES):
        add_reads(SEARCH_READS)


def _embed(tenant: Household, number: int) -> None:  # noqa: ARG001
    with tenant.app.budgets.embedding(TENANT, 10 * TOKENS_OF_CHUNK):
        pass


def _write(tenant: Household, number: int) -> None:  # noqa: ARG001
    with tenant.app.indexer.writes.reserved(TENANT, IndexWrites(writes=100)) as writes:
        writes.writes = 100


LIMITS: Mapping[str, int] = {
    "daily_chat_limit": DEPLOYED.daily_chat_limit or 0,
    "daily_search_limit": DEPLOYED.daily_search_limit or 0,
    "daily_embed_tokens": DEPLOYED.daily_embed_tokens or 0,
    "daily_index_writes": DEPLOYED.daily_index_writes or 0,
}
SPENDING: Mapping[str, Callable[[Household, int], None]] = {
    "daily_chat_limit": _ask,
    "daily_search_limit": _search,
    "daily_embed_tokens": _embed,
    "daily_index_writes": _write,
}
REFUSALS = (Exhausted, EmbeddingQuotaExceeded, IndexQuotaExceeded)


def _spend_all(tenant: Household, limit: str) -> str:
    """Spends until it is refused. Returns the refusal."""
    for number in range(LIMITS[limit]):
        try:
            with RequestRecord().active():
                SPENDING[limit](tenant, number)
        except REFUSALS as refusal:
            return refusal.message
    return ""


@pytest.mark.parametrize("limit", LIMITS)
def test_the_most_one_tenant_can_spend_a_day_is_what_the_page_says(
    tenant: Household, limit: str
) -> None:
    refusal = _spend_all(tenant, limit)
    assert refusal.startswith(f"today's {LIMITS[limit] // PART} ")
    day = tenant.clock().date()
    usd = PART * tenant.app.store.spent(PROJECT, day, Spending.MICRO_USD) / 1e6
    assert usd == pytest.approx(_on_page()[limit], abs=0.02)


def test_the_page_adds_up_what_one_tenant_can_spend() -> None:
    on_page = _on_page()
    assert on_page.keys() == set(LIMITS)
    page = PAGE.read_text(encoding="utf-8")
    assert f"| together | {sum(on_page.values()):.2f} |" in page
    usual = question(CHUNKS // 10)
    usd = LIMITS["daily_chat_limit"] * (usual.model + usual.documents + usual.search)
    assert f"of the usual length {usd:.2f} |" in page


def _on_page() -> Mapping[str, float]:
    """Returns limit -> USD of the page's rows that name it with its value."""
    page = PAGE.read_text(encoding="utf-8")
    figures = {}
    for limit, value in LIMITS.items():
        row = re.search(
            rf"^\| `{limit.upper()}` {value:,} [^|]*\| ([\d.]+) \|$", page, re.MULTILINE
        )
        assert row, limit
        figures[limit] = float(row[1])
    return figures
