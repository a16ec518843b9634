"""The cost of calls that fail, by the replies of a real server: an outage of the model does not use up the day."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest

from shared.account.budgets import Budgets, ProjectBudget
from shared.account.caches import Cache
from shared.account.metering import MeteredWriter, TenantEmbedder
from shared.account.prices import TokenPrice
from shared.adapters.gemini import GeminiEmbedder, GeminiWriter
from shared.errors import AuroraError
from shared.model.account import PROJECT, Spending
from shared.model.answers import Prompt
from shared.model.index import Vector
from shared.ports.stores import Store
from tests.account.world import QUESTION, TENANT
from tests.adapters.models.waiting import FakeClock
from tests.indexing.world import Clock
from tests.servers.gemini import GeminiServer, error, sse
from tests.servers.scripted import Reply

PROMPT = Prompt("Answer.", QUESTION, QUESTION, ())
PRICE = TokenPrice(read=0.001, written=0.001)
"""USD a token."""


@pytest.fixture
def gemini() -> Iterator[GeminiServer]:
    with GeminiServer() as server:
        yield server


class _Metered:
    """A writer and an embedder as bootstrap wires them, and what the project has spent."""

    def __init__(self, store: Store, server: GeminiServer, *, seconds: float = 30.0) -> None:
        """`seconds`: of a call, which pass in pauses alone and within an attempt."""
        self._store = store
        self._clock = Clock()
        budget = ProjectBudget(store, self._clock, usd=1000.0)
        budgets = Budgets(
            store=store, clock=self._clock, embedded_token_usd=PRICE.read, project=budget
        )
        writer = GeminiWriter(
            model="m", api_key="k", base_url=server.url, timeout=seconds, clock=FakeClock()
        )
        self.writer = MeteredWriter(writer, budget, PRICE)
        self.embedder = TenantEmbedder(
            GeminiEmbedder(
                model="m",
                api_key="k",
                base_url=server.url,
                clock=FakeClock(),
            ),
            TENANT,
            budgets,
            Cache[Vector](),
            lambda: None,
        )

    def spent(self) -> float:
        return self._store.spent(PROJECT, self._clock().date(), Spending.MICRO_USD) / 1e6


@pytest.mark.parametrize(
    "reply",
    [
        error(429, "RESOURCE_EXHAUSTED"),
        error(503, "UNAVAILABLE"),
        error(400, "INVALID_ARGUMENT"),
        error(403, "PERMISSION_DENIED"),
        Reply(status=503, body=b"<html>"),
    ],
)
def test_calls_that_the_model_refuses_cost_nothing(
    store: Store, gemini: GeminiServer, reply: Reply
) -> None:
    metered = _Metered(store, gemini)
    gemini.answer = lambda _: reply
    with suppress(AuroraError):
        metered.writer.write(PROMPT)
    with suppress(AuroraError):
        list(metered.writer.stream(PROMPT))
    with suppress(AuroraError):
        metered.embedder.embed_query(QUESTION)
    assert len(gemini.requests) >= 3
    assert metered.spent() == 0.0


@pytest.mark.parametrize(
    "reply",
    [
        Reply(delay=5.0),
        error(504, "DEADLINE_EXCEEDED"),
        Reply(body={"a": "b" * 100}, cut_after=20),
        sse(
            {"candidates": [{"content": {"role": "model", "parts": [{"text": "Bl"}]}}]},
            cut_after=90,
        ),
    ],
)
def test_calls_that_end_in_the_middle_cost_the_most_they_can(
    store: Store, gemini: GeminiServer, reply: Reply
) -> None:
    metered = _Metered(store, gemini, seconds=1.0)
    gemini.answer = lambda _: reply
    with suppress(AuroraError):
        list(metered.writer.stream(PROMPT))
    assert metered.spent() >= 2048 * PRICE.written


def test_an_error_after_the_first_words_costs_the_most_the_call_can(
    store: Store, gemini: GeminiServer
) -> None:
    metered = _Metered(store, gemini)
    words = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Blue"}]}}]}
    outage = error(503, "UNAVAILABLE").body
    gemini.answer = lambda _: sse(words, outage)
    with suppress(AuroraError):
        list(metered.writer.stream(PROMPT))
    assert metered.spent() >= 2048 * PRICE.written
