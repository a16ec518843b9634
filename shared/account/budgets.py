"""What a tenant may still spend today, counted in the store so that all instances share it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from shared.errors import AuroraError, BrokenPromise, EmbeddingsSpent, Exhausted, Unavailable
from shared.model.account import Spending
from shared.ports.tenants import UsageStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """A tenant's limits a UTC day. What has none is not counted, which saves a write."""

    store: UsageStore
    clock: Callable[[], datetime]
    answers: int | None
    embedded_tokens: int | None

    @contextmanager
    def answering(self, tenant_id: str) -> Iterator[None]:
        """Around one answer; an abandoned one was written all the same. Raises Exhausted."""
        if self.answers is None:
            yield
            return
        now = self.clock()
        if not self.store.spend(tenant_id, _day(now), Spending.ANSWERS, 1, limit=self.answers):
            raise Exhausted(f"all {self.answers} answers of today are used up", retry_after=seconds_to_next_day(now))
        with self._giving_back(tenant_id, _day(now), Spending.ANSWERS, 1):
            yield

    @contextmanager
    def embedding(self, tenant_id: str, tokens: int) -> Iterator[None]:
        """Around embedding so many tokens. Raises EmbeddingsSpent.

        More at once than a whole day's budget counts as the whole day's: it must be possible on some day.
        """
        limit = self.embedded_tokens
        if limit is None:
            yield
            return
        now, amount = self.clock(), min(tokens, limit)
        if not self.store.spend(tenant_id, _day(now), Spending.EMBEDDED_TOKENS, amount, limit=limit):
            left = seconds_to_next_day(now)
            raise EmbeddingsSpent(f"the {limit} tokens to embed today are used up", retry_after=left)
        with self._giving_back(tenant_id, _day(now), Spending.EMBEDDED_TOKENS, amount):
            yield

    @contextmanager
    def _giving_back(self, tenant_id: str, day: date, kind: Spending, amount: int) -> Iterator[None]:
        """What fails by an error of ours costs nothing, unless the store is away too."""
        try:
            yield
        except BrokenPromise:  # delivered, and billed, though not as promised
            raise
        except AuroraError:
            with suppress(Unavailable):
                self.store.spend(tenant_id, day, kind, -amount)
            raise


def seconds_to_next_day(now: datetime) -> int:
    """In UTC, rounded up: 1 to 86,400."""
    tomorrow = datetime.combine(_day(now) + timedelta(days=1), time(), UTC)
    return math.ceil((tomorrow - now).total_seconds())


def _day(now: datetime) -> date:
    return now.astimezone(UTC).date()
