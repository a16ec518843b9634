"""Daily budgets of a tenant and of the whole project, counted in the store so that all instances share them."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from threading import Lock

from shared import errors
from shared.account.prices import READ
from shared.model.account import PROJECT, Spending
from shared.ports.stores import UsageStore
from shared.tracing import add_embedding, reads_so_far

FRESH = timedelta(seconds=2)
"""How long what other instances have spent may go unseen: at most this much too much is spent."""
MAX_UNWRITTEN = 10_000
"""Millionths of a USD that document reads may come to before they are written with no model's bill beside them."""
ESTIMATE_FACTOR = 2
"""Times the estimated tokens are billed: digits and rare scripts have up to twice as many as the estimate."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Bill:
    """Cost of one call."""

    usd: float


class ProjectBudget:
    """Budget of all tenants together for a UTC day. One a process, safe between threads.

    1. `check` refuses once the day's sum, read at most every FRESH, with what calls under way may cost, is the limit.
    2. `reserved` holds in this process what a call costs at most, and then writes what it has cost.
    3. Document reads gather, and are written with the next bill.
    """

    def __init__(self, store: UsageStore, clock: Callable[[], datetime], *, usd: float) -> None:
        self._store, self._clock, self._limit, self._usd = store, clock, _micro(usd), usd
        self._lock = Lock()
        self._day = date.min
        self._seen = self._reserved = self._unwritten = 0
        self._seen_at = datetime.min.replace(tzinfo=UTC)

    def check(self) -> None:
        """Raises Exhausted, StoreUnavailable."""
        now = self._clock()
        with self._lock:
            if utc_day(now) != self._day:
                self._day, self._seen = utc_day(now), 0
                self._seen_at = datetime.min.replace(tzinfo=UTC)
            stale = now - self._seen_at >= FRESH
            if stale:
                self._seen_at = now
        if stale:
            seen = self._store.spent(PROJECT, utc_day(now), Spending.MICRO_USD)
            with self._lock:
                self._seen = max(self._seen, seen)
        if self._seen + self._reserved + self._unwritten >= self._limit:
            left = seconds_to_next_day(now)
            raise errors.Exhausted(f"today's USD {self._usd:g} of the whole service are used up", retry_after=left)

    @contextmanager
    def reserved(self, usd: float) -> Iterator[Bill]:
        """Around a call that costs at most `usd`; it has cost that, unless its Bill says otherwise in the end.

        While the store is away, what it has cost is written with the next.
        """
        bill, held = Bill(usd), _micro(usd)
        with self._lock:
            self._reserved += held
        try:
            yield bill
        except errors.ModelUnreachable:  # the call was not delivered
            bill.usd = 0.0
            raise
        finally:
            with self._lock:
                self._reserved -= held
            self._write(_micro(bill.usd), at_least=1)

    def reserved_reading(self, tokens: int, usd: float) -> AbstractContextManager[Bill]:
        """Around a call whose service reports no usage: so many tokens, by our own estimate, at `usd` each."""
        return self.reserved(ESTIMATE_FACTOR * tokens * usd)

    def add_reads(self, documents: int) -> None:
        self._write(_micro(documents * READ), at_least=MAX_UNWRITTEN)

    def _write(self, micro: int, *, at_least: int) -> None:
        with self._lock:
            self._unwritten += micro
            if self._unwritten < at_least:
                return
            amount, self._unwritten = self._unwritten, 0
            self._seen += amount
        try:
            self._store.spend(PROJECT, utc_day(self._clock()), Spending.MICRO_USD, amount)
        except errors.Unavailable as problem:
            log.warning("what was spent is written later (%s)", type(problem).__name__)
            with self._lock:
                self._seen -= amount
                self._unwritten += amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """The limits of a UTC day: a tenant's, None where there is none, and then nothing is counted; and the project's."""

    store: UsageStore
    clock: Callable[[], datetime]
    answers: int | None = None
    searches: int | None = None
    embedded_tokens: int | None = None
    embedded_token_usd: float = 0.0
    project: ProjectBudget | None = None

    @contextmanager
    def asking(self, tenant_id: str, kind: Spending) -> Iterator[None]:
        """Around one of ANSWERS or SEARCHES: counts it, also an abandoned one, and for the project the documents that
        are read inside. Raises Exhausted where a day is used up.
        """
        if self.project is not None:
            self.project.check()
        before = reads_so_far() or 0
        try:
            with self._counted(tenant_id, kind, 1, self.answers if kind is Spending.ANSWERS else self.searches):
                yield
        finally:
            if self.project is not None:
                self.project.add_reads((reads_so_far() or 0) - before)

    @contextmanager
    def embedding(self, tenant_id: str, tokens: int) -> Iterator[None]:
        """Around embedding so many tokens. Raises EmbeddingQuotaExceeded.

        More at once than a whole day's budget counts as the whole day's: it must be possible on some day.
        """
        limit = self.embedded_tokens
        amount = tokens if limit is None else min(tokens, limit)
        try:
            billed: AbstractContextManager[object] = nullcontext()
            if self.project is not None:
                self.project.check()
                billed = self.project.reserved_reading(tokens, self.embedded_token_usd)
            with self._counted(tenant_id, Spending.EMBEDDED_TOKENS, amount, limit), billed:
                yield
            add_embedding(tokens * self.embedded_token_usd)
        except errors.Exhausted as spent:
            raise errors.EmbeddingQuotaExceeded(spent.message, retry_after=spent.retry_after) from spent

    @contextmanager
    def _counted(self, tenant_id: str, kind: Spending, amount: int, limit: int | None) -> Iterator[None]:
        """Counts `amount`, and gives it back on an error of ours unless the store is unavailable."""
        if limit is None:
            yield
            return
        now = self.clock()
        if not self.store.spend(tenant_id, utc_day(now), kind, amount, limit=limit):
            called = "tokens to embed" if kind is Spending.EMBEDDED_TOKENS else kind.value
            raise errors.Exhausted(f"today's {limit} {called} are used up", retry_after=seconds_to_next_day(now))
        try:
            yield
        except errors.PortContractError:  # delivered, and billed, though not as promised
            raise
        except errors.AuroraError:
            with suppress(errors.Unavailable):
                self.store.spend(tenant_id, utc_day(now), kind, -amount)
            raise


def seconds_to_next_day(now: datetime) -> int:
    """In UTC, rounded up: 1 to 86,400."""
    tomorrow = datetime.combine(utc_day(now) + timedelta(days=1), time(), UTC)
    return math.ceil((tomorrow - now).total_seconds())


def utc_day(now: datetime) -> date:
    return now.astimezone(UTC).date()


def _micro(usd: float) -> int:
    """Millionths, rounded up."""
    return math.ceil(usd * 1_000_000)
