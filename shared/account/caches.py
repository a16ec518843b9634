"""Results kept in this process for a while; the least recently used go first."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")

ENTRIES = 100
SECONDS = 300.0


class Cache(Generic[T]):
    """Keeps at most `entries` results, each for `seconds`. Safe between threads.

    `hits` and `misses` count the look-ups that found a result and those that did not.
    """

    def __init__(
        self,
        *,
        entries: int = ENTRIES,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._entries = entries
        self._seconds = seconds
        self._clock = clock
        self._lock = Lock()
        self._results: OrderedDict[Hashable, tuple[float, T]] = OrderedDict()
        """Key -> (time at which it expires, the result)."""
        self.hits = 0
        self.misses = 0

    def get(self, key: Hashable) -> T | None:
        """Returns the result; None if there is none yet, or it has expired."""
        with self._lock:
            expires_at, result = self._results.get(key, (0.0, None))
            if result is None or self._clock() >= expires_at:
                self.misses += 1
                return None
            self.hits += 1
            self._results.move_to_end(key)
            return result

    def put(self, key: Hashable, result: T) -> None:
        with self._lock:
            self._results[key] = (self._clock() + self._seconds, result)
            self._results.move_to_end(key)
            if len(self._results) > self._entries:
                self._results.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._results.clear()
