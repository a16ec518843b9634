"""Sums of a UTC day that all instances share, each with its limit.

Instances see each other's additions through the store, which costs a write and a read. So a sum is exact where that
matters, and cheap where it does not:

1. Before something that will add to a sum, the most that it can add is reserved.
2. Far from the limit, where UNSEEN such reservations would still fit, the process holds it. What it came to is unwritten
   with other additions and written once they have come to a 2,000th of the limit.
3. Nearer to the limit the reservation itself is added to the store's sum, which is then read: of any number that do so
   at once, the last to read sees what all of them have added. One that does not fit is taken back. What it came to
   replaces it afterwards.

A reservation that nobody settles, because its instance was killed, counts until the end of its day.
"""

from __future__ import annotations

import logging
import math
import random
import time as clocks
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from threading import Lock

from shared import errors
from shared.model.account import Spending
from shared.ports.stores import UsageStore

FRESH = timedelta(seconds=2)
"""Time for which the additions of other instances may go unseen, far from the limit."""
UNSEEN = 1000
"""Reservations of one size that all instances may begin within FRESH."""
GATHERED = 2000
"""Divisor of the limit: what a process has not written yet stays below the quotient."""
ATTEMPTS = 4
"""Attempts at a reservation that is too large only beside others under way, which may be taken back."""
PAUSE = 0.1
"""Seconds of which the pauses before further attempts are multiples, or of an attempt's own where that takes longer: at
most 2, 4 and 8. They are random, so one that fits gets through before the others try again.
"""
MAX_ATTEMPT_SECONDS = 0.5
"""Longest duration of an attempt that counts for the pauses: all pauses of a caller together take seven seconds at most."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reservation:
    """The most that something under way may add to a sum."""

    day: date
    amount: int
    is_stored: bool
    """True if it is part of the store's sum."""


class DailySum:
    """One sum and its limit. Safe between threads."""

    def __init__(
        self,
        store: UsageStore,
        clock: Callable[[], datetime],
        *,
        tenant_id: str,
        kind: Spending,
        limit: int,
    ) -> None:
        self._store = store
        self._clock = clock
        self._tenant_id = tenant_id
        self._kind = kind
        self._limit = limit
        self._step = max(1, limit // GATHERED)
        self._lock = Lock()
        self._day = date.min
        self._stored = 0
        """The store's sum as last read, with what this process has added since."""
        self._read_at = datetime.min.replace(tzinfo=UTC)
        self._reserved = 0
        """Reservations that only this process knows."""
        self._unwritten = 0

    def is_used_up(self) -> bool:
        """Reports whether the day's limit is used up. Raises StoreUnavailable."""
        return self._left(self._clock()) <= 0

    def reserve(self, amount: int, *, may_exceed: bool = False) -> Reservation | None:
        """Reserves an amount; None if the rest of the day's limit is too small.

        `may_exceed`: where something is left, and less than the amount, all of it is reserved instead. So the day's last
        addition goes over the limit, and only that one. Otherwise more than a whole day's limit counts as the whole
        day's: it must be possible on some day.

        Raises StoreUnavailable.
        """
        now = self._clock()
        amount = min(amount, self._limit)
        left = self._left(now)
        if left <= 0:
            return None
        if left >= UNSEEN * amount:
            with self._lock:
                self._reserved += amount
            return Reservation(utc_day(now), amount, is_stored=False)
        slowest = PAUSE
        left_before = None
        for attempt in range(ATTEMPTS):
            if attempt:
                clocks.sleep(slowest * random.uniform(1, 2**attempt))  # noqa: S311 - spreads load, guards nothing
            began = clocks.monotonic()
            left = self._look(now)
            wanted = amount
            if may_exceed:
                wanted = min(amount, left)
            if 0 < wanted <= left:
                if self._has_added(wanted, now):
                    return Reservation(utc_day(now), wanted, is_stored=True)
                left_before = None
            elif attempt == 0 or left == left_before:  # nothing is being taken back
                return None
            else:
                left_before = left
            attempt_seconds = min(clocks.monotonic() - began, MAX_ATTEMPT_SECONDS)
            slowest = max(slowest, attempt_seconds)
        return None

    def settle(self, reservation: Reservation, amount: int) -> None:
        """Replaces a reservation by its final amount. While the store is unavailable, that is written later."""
        if reservation.is_stored:
            self._write(amount - reservation.amount, reservation.day)
            return
        with self._lock:
            self._reserved -= reservation.amount
        self.add(amount)

    def add(self, amount: int) -> None:
        """Adds what cannot be refused any more. While the store is unavailable, that is written later."""
        with self._lock:
            self._unwritten += amount
            if abs(self._unwritten) < self._step:
                return
            unwritten = self._unwritten
            self._unwritten = 0
        self._write(unwritten, utc_day(self._clock()))

    def _left(self, now: datetime) -> int:
        """Returns the rest of the day's limit, by a reading that is at most FRESH old."""
        with self._lock:
            if utc_day(now) != self._day:
                self._day = utc_day(now)
                self._stored = 0
                self._read_at = datetime.min.replace(tzinfo=UTC)
            is_stale = not timedelta(0) <= now - self._read_at < FRESH
            if is_stale:
                self._read_at = now
        if is_stale:
            return self._look(now)
        with self._lock:
            return self._limit - self._stored - self._reserved - self._unwritten

    def _look(self, now: datetime) -> int:
        """Returns the rest of the day's limit, by a reading made now."""
        stored = self._store.spent(self._tenant_id, utc_day(now), self._kind)
        with self._lock:
            self._stored = stored
            return self._limit - stored - self._reserved - self._unwritten

    def _has_added(self, amount: int, now: datetime) -> bool:
        """Adds to the store's sum and reports whether it fits; takes it back if it goes over the limit."""
        day = utc_day(now)
        self._store.spend(self._tenant_id, day, self._kind, amount)
        try:
            fits = self._look(now) >= 0
        except errors.Unavailable:
            self._write(-amount, day)
            raise
        if not fits:
            self._write(-amount, day)
        return fits

    def _write(self, amount: int, day: date) -> None:
        """Adds to a day's sum in the store: now, or while it is unavailable with the next addition, if the day is not over."""
        if not amount:
            return
        self._count_stored(amount, day)
        try:
            self._store.spend(self._tenant_id, day, self._kind, amount)
        except errors.Unavailable as problem:
            self._count_stored(-amount, day)
            if day != utc_day(self._clock()):
                return
            log.warning("what was spent is written later (%s)", type(problem).__name__)
            with self._lock:
                self._unwritten += amount

    def _count_stored(self, amount: int, day: date) -> None:
        with self._lock:
            if day == self._day:
                self._stored += amount


def seconds_to_next_day(now: datetime) -> int:
    """Returns the seconds to the next day in UTC, rounded up: 1 to 86,400."""
    tomorrow = datetime.combine(utc_day(now) + timedelta(days=1), time(), UTC)
    return math.ceil((tomorrow - now).total_seconds())


def utc_day(now: datetime) -> date:
    """Returns the day in UTC."""
    return now.astimezone(UTC).date()
