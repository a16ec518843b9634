"""Daily budget of the index's writes: a tenant's DAILY_INDEX_WRITES, and their price in DAILY_PROJECT_USD.

A long note is more than a thousand documents, and each is written again with its vector. So the writes of a note are
reserved before its first one, and counted as they are made. Deletions are never refused, and count for the project
alone: what somebody removes must go.

The note with which a tenant's day ends goes over its limit: it takes all that is left, and is indexed whole. So a long
note waits for no day on which nobody else saves anything, and one of more writes than a day has is indexed at all; the
others wait for the next day. The project's USD are never gone over that way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from shared import errors
from shared.account.budgets import Bill, ProjectBudget
from shared.account.daily import DailySum, seconds_to_next_day
from shared.account.prices import DELETE, WRITE
from shared.model.account import Spending
from shared.model.index import IndexWrites
from shared.ports.stores import UsageStore
from shared.tracing import add_cost

REMEMBERED = 1000
"""Tenants whose sums a process keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPrices:
    """Prices in USD of one document that is written, and of one that is deleted."""

    write: float = 0.0
    delete: float = 0.0

    def usd(self, made: IndexWrites) -> float:
        """Returns the price of what was written and deleted."""
        return made.writes * self.write + made.deletes * self.delete


FIRESTORE = IndexPrices(write=WRITE, delete=DELETE)


class IndexBudget:
    """The `shared.ports.budgets.WriteBudget` of all tenants. One a process, safe between threads."""

    def __init__(
        self,
        store: UsageStore,
        clock: Callable[[], datetime],
        *,
        limit: int | None,
        prices: IndexPrices,
        project: ProjectBudget | None,
    ) -> None:
        """Makes the budget. `limit`: writes per tenant and UTC day; with None nothing is counted for the tenant."""
        self._store = store
        self._clock = clock
        self._limit = limit
        self._prices = prices
        self._project = project
        self._sums: dict[str, DailySum] = {}
        self._lock = Lock()

    def check(self, tenant_id: str) -> None:
        """Raises IndexQuotaExceeded if the day's budget is used up, StoreUnavailable."""
        if self._project is not None and self._prices.write:
            try:
                self._project.check()
            except errors.Exhausted as spent:
                raise errors.IndexQuotaExceeded(
                    spent.message,
                    retry_after=spent.retry_after,
                ) from spent
        tenant = self._sum_of(tenant_id)
        if tenant is not None and tenant.is_used_up():
            raise self._exceeded()

    @contextmanager
    def reserved(self, tenant_id: str, most: IndexWrites) -> Iterator[IndexWrites]:
        """Reserves `most` while a note is indexed; the indexer adds what it has written to the result.

        Raises IndexQuotaExceeded, StoreUnavailable.
        """
        self.check(tenant_id)
        made = IndexWrites()
        with self._reserved_writes(tenant_id, most, made), self._reserved_usd(most, made):
            yield made

    @contextmanager
    def _reserved_writes(
        self,
        tenant_id: str,
        most: IndexWrites,
        made: IndexWrites,
    ) -> Iterator[None]:
        tenant = self._sum_of(tenant_id)
        if tenant is None:
            yield
            return
        reservation = tenant.reserve(most.writes, may_exceed=True)
        if reservation is None:
            raise self._exceeded()
        try:
            yield
        finally:
            tenant.settle(reservation, made.writes)

    @contextmanager
    def _reserved_usd(self, most: IndexWrites, made: IndexWrites) -> Iterator[None]:
        most_usd = self._prices.usd(most)
        if not most_usd:
            yield
            return
        # Only a reservation that is refused becomes our error, not what the work within raises.
        with ExitStack() as reservation:
            bill = Bill(0.0)
            if self._project is not None:
                try:
                    bill = reservation.enter_context(self._project.reserved(most_usd))
                except errors.ModelBudgetExceeded as spent:
                    raise errors.IndexQuotaExceeded(
                        spent.message,
                        retry_after=spent.retry_after,
                    ) from spent
            try:
                yield
            finally:
                bill.usd = self._prices.usd(made)
                add_cost(bill.usd)

    def add(self, tenant_id: str, made: IndexWrites) -> None:
        """Counts what was written without a reservation: a note's last step, or its removal."""
        tenant = self._sum_of(tenant_id)
        if tenant is not None:
            tenant.add(made.writes)
        usd = self._prices.usd(made)
        if not usd:
            return
        add_cost(usd)
        if self._project is not None:
            self._project.add(usd)

    def _sum_of(self, tenant_id: str) -> DailySum | None:
        """Returns the sum of a tenant; None if there is no limit."""
        if self._limit is None:
            return None
        with self._lock:
            tenant = self._sums.pop(tenant_id, None)
            if tenant is None:
                tenant = DailySum(
                    self._store,
                    self._clock,
                    tenant_id=tenant_id,
                    kind=Spending.INDEX_WRITES,
                    limit=self._limit,
                )
            self._sums[tenant_id] = tenant
            if len(self._sums) > REMEMBERED:
                del self._sums[next(iter(self._sums))]
            return tenant

    def _exceeded(self) -> errors.IndexQuotaExceeded:
        return errors.IndexQuotaExceeded(
            f"today's {self._limit} writes of the index are used up",
            retry_after=seconds_to_next_day(self._clock()),
        )
