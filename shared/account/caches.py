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
    """At most `entries` results, each for `seconds`. Safe between threads.

    `hits` and `misses`: how often it has and has not had the result.
    """

    def __init__(
        self, *, entries: int = ENTRIES, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._entries, self._seconds, self._clock = entries, seconds, clock
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, tuple[float, T]] = OrderedDict()
        """Key -> (until when, the result)."""
        self.hits = self.misses = 0

    def get(self, key: Hashable) -> T | None:
        """The kept result; None: there is none yet, or no longer."""
        with self._lock:
            until, result = self._kept.get(key, (0.0, None))
            if result is None or self._clock() >= until:
                self.misses += 1
                return None
            self.hits += 1
            self._kept.move_to_end(key)
            return result

    def put(self, key: Hashable, result: T) -> None:
        with self._lock:
            self._kept[key] = (self._clock() + self._seconds, result)
            self._kept.move_to_end(key)
            if len(self._kept) > self._entries:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
