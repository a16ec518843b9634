"""Daily budgets of a tenant and of the whole project, counted in the store so that all instances share them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from shared import errors
from shared.account.daily import DailySum, seconds_to_next_day, utc_day
from shared.account.prices import READ
from shared.model.account import PROJECT, Spending
from shared.ports.stores import UsageStore
from shared.tracing import add_cost, reads_so_far

ESTIMATE_FACTOR = 2
"""Factor by which estimated tokens are reserved: digits and rare scripts have up to twice as many as estimated."""


@dataclass(slots=True)
class Bill:
    """Cost of one call."""

    usd: float
    has_begun: bool = False
    """True once a part of the reply has come: the call is then charged for, however it ends."""


class ProjectBudget:
    """Budget of all tenants together for a UTC day. One a process, safe between threads.

    1. `check` refuses once it is used up.
    2. `reserved` reserves what something costs at most, and then replaces that by what it has cost. `reserved_call` does
       so around a call of a model.
    3. What costs little and is already spent, like documents that were read, is added.
    """

    def __init__(self, store: UsageStore, clock: Callable[[], datetime], *, usd: float) -> None:
        self._clock = clock
        self._usd = usd
        self._sum = DailySum(
            store,
            clock,
            tenant_id=PROJECT,
            kind=Spending.MICRO_USD,
            limit=_micro(usd),
        )

    def check(self) -> None:
        """Raises Exhausted, StoreUnavailable."""
        if self._sum.is_used_up():
            raise errors.Exhausted(
                f"today's USD {self._usd:g} of the whole service are used up",
                retry_after=seconds_to_next_day(self._clock()),
            )

    @contextmanager
    def reserved(self, usd: float) -> Iterator[Bill]:
        """Reserves `usd` around what costs at most that. It has cost so much unless the Bill says otherwise at the end.

        Raises ModelBudgetExceeded if the rest of the day's budget is too small, StoreUnavailable.
        """
        reservation = self._sum.reserve(_micro(usd))
        if reservation is None:
            raise errors.ModelBudgetExceeded(
                f"today's USD {self._usd:g} of the whole service leave no room for another call",
                retry_after=seconds_to_next_day(self._clock()),
            )
        bill = Bill(usd)
        try:
            yield bill
        finally:
            self._sum.settle(reservation, _micro(bill.usd))

    @contextmanager
    def reserved_call(self, usd: float) -> Iterator[Bill]:
        """Reserves as `reserved`, around a call of a model. One that the model refuses costs nothing: an outage must not
        use up the day.
        """
        with self.reserved(usd) as bill:
            try:
                yield bill
            except (errors.ModelUnavailable, errors.ModelRefused) as failure:
                if not failure.is_billed and not bill.has_begun:
                    bill.usd = 0.0
                raise

    @contextmanager
    def reserved_reading(self, tokens: int, usd: float) -> Iterator[None]:
        """Reserves the price of a call whose service reports no usage: `tokens` by our own estimate, at `usd` each.

        Once it has succeeded it has cost what the estimate says.
        """
        with self.reserved_call(ESTIMATE_FACTOR * tokens * usd) as bill:
            yield
            bill.usd = tokens * usd

    def add(self, usd: float) -> None:
        """Adds what has been spent."""
        self._sum.add(_micro(usd))

    def add_reads(self, documents: int) -> None:
        """Adds the price of documents that were read."""
        self.add(documents * READ)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """Limits of a UTC day for a tenant and for the project. None means no limit, and nothing is counted for it."""

    store: UsageStore
    clock: Callable[[], datetime]
    answers: int | None = None
    searches: int | None = None
    embedded_tokens: int | None = None
    embedded_token_usd: float = 0.0
    project: ProjectBudget | None = None

    @contextmanager
    def asking(self, tenant_id: str, kind: Spending) -> Iterator[None]:
        """Counts an answer or a search, also an abandoned one, and for the project the documents read meanwhile.

        kind: ANSWERS or SEARCHES.

        Raises Exhausted if the day's limit is used up.
        """
        if self.project is not None:
            self.project.check()
        limit = self.searches
        if kind is Spending.ANSWERS:
            limit = self.answers
        reads_at_start = reads_so_far() or 0
        try:
            with self._counted(tenant_id, kind, 1, limit):
                yield
        finally:
            if self.project is not None:
                self.project.add_reads((reads_so_far() or 0) - reads_at_start)

    @contextmanager
    def embedding(self, tenant_id: str, tokens: int) -> Iterator[None]:
        """Counts the embedding of so many tokens. Raises EmbeddingQuotaExceeded.

        More than a whole day's budget at once counts as the whole day's: it must be possible on some day.
        """
        limit = self.embedded_tokens
        amount = tokens
        if limit is not None:
            amount = min(tokens, limit)
        try:
            billed: AbstractContextManager[object] = nullcontext()
            if self.project is not None:
                self.project.check()
                billed = self.project.reserved_reading(tokens, self.embedded_token_usd)
            with self._counted(tenant_id, Spending.EMBEDDED_TOKENS, amount, limit), billed:
                yield
            add_cost(tokens * self.embedded_token_usd)
        except (errors.Exhausted, errors.ModelBudgetExceeded) as spent:
            raise errors.EmbeddingQuotaExceeded(
                spent.message,
                retry_after=spent.retry_after,
            ) from spent

    def embedding_resumes(self, tenant_id: str | None) -> datetime | None:
        """Returns the time at which there is budget to embed again; None if there is some now.

        tenant_id: tenant to embed for; None for the project's budget alone.

        Costs one read, or none if there is no limit. Raises StoreUnavailable.
        """
        now = self.clock()
        tomorrow = now + timedelta(seconds=seconds_to_next_day(now))
        if self.project is not None:
            try:
                self.project.check()
            except errors.Exhausted:
                return tomorrow
        if tenant_id is None or self.embedded_tokens is None:
            return None
        spent = self.store.spent(tenant_id, utc_day(now), Spending.EMBEDDED_TOKENS)
        if spent < self.embedded_tokens:
            return None
        return tomorrow

    @contextmanager
    def _counted(
        self,
        tenant_id: str,
        kind: Spending,
        amount: int,
        limit: int | None,
    ) -> Iterator[None]:
        """Counts `amount`, and gives it back on an error of ours unless the store is unavailable."""
        if limit is None:
            yield
            return
        now = self.clock()
        if not self.store.spend(tenant_id, utc_day(now), kind, amount, limit=limit):
            unit = kind.value
            if kind is Spending.EMBEDDED_TOKENS:
                unit = "tokens to embed"
            raise errors.Exhausted(
                f"today's {limit} {unit} are used up",
                retry_after=seconds_to_next_day(now),
            )
        try:
            yield
        except errors.PortContractError:  # delivered, and billed, though not as promised
            raise
        except errors.AuroraError as problem:
            if isinstance(problem, errors.ModelMisconfigured) and problem.is_billed:
                raise
            with suppress(errors.Unavailable):
                self.store.spend(tenant_id, utc_day(now), kind, -amount)
            raise


def _micro(usd: float) -> int:
    """Returns millionths, rounded up."""
    return math.ceil(usd * 1_000_000)
