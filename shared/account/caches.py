"""Results kept in this process for a while: the least recently used go first, and one caller computes for all."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")

ENTRIES = 100
SECONDS = 300.0


class Cache(Generic[T]):
    """At most `entries` results, each for `seconds`. Safe between threads.

    `hits` and `misses`: how often it has and has not had the result; waiting for another caller is a hit.
    """

    def __init__(
        self, *, entries: int = ENTRIES, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._entries, self._seconds, self._clock = entries, seconds, clock
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, tuple[float, Future[T]]] = OrderedDict()
        """Key -> (until when, the result or the promise of it)."""
        self.hits = self.misses = 0

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The kept result, or `compute()`, which runs once however many ask for the key meanwhile.

        What it raises is raised to all who wait for it, and is not kept.
        """
        with self._lock:
            found = self._find(key)
            if found is None:
                promise: Future[T] = Future()
                self._put(key, promise)
        if found is not None:
            return found.result()
        try:
            result = compute()
        except BaseException as error:
            with self._lock:
                if self._kept.get(key, (0.0, None))[1] is promise:
                    del self._kept[key]
            promise.set_exception(error)
            raise
        promise.set_result(result)
        return result

    def peek(self, key: Hashable) -> T | None:
        """The kept result; None: there is none yet, or no longer."""
        with self._lock:
            found = self._find(key)
        return found.result() if found is not None and found.done() else None

    def put(self, key: Hashable, result: T) -> None:
        promise: Future[T] = Future()
        promise.set_result(result)
        with self._lock:
            self._put(key, promise)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()

    def _find(self, key: Hashable) -> Future[T] | None:
        until, found = self._kept.get(key, (0.0, None))
        if found is None or self._clock() >= until:
            self.misses += 1
            return None
        self.hits += 1
        self._kept.move_to_end(key)
        return found

    def _put(self, key: Hashable, promise: Future[T]) -> None:
        self._kept[key] = (self._clock() + self._seconds, promise)
        self._kept.move_to_end(key)
        while len(self._kept) > self._entries:
            self._kept.popitem(last=False)
