"""What is kept in memory: for how long, how much, and computed how often."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.account.caches import Cache


class _Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_result_is_computed_once_and_kept_for_its_time() -> None:
    time = _Time()
    cache, computed = Cache[int](seconds=300, clock=time), iter(range(10))
    assert [cache.get("a", lambda: next(computed)) for _ in range(3)] == [0, 0, 0]
    time.now = 299.9
    assert cache.get("a", lambda: next(computed)) == 0
    time.now = 300.0
    assert cache.get("a", lambda: next(computed)) == 1
    assert (cache.hits, cache.misses) == (3, 2)


def test_the_least_recently_used_goes_first() -> None:
    cache = Cache[str](entries=3)
    for key in ("a", "b", "c"):
        cache.put(key, key)
    assert cache.peek("a") == "a"
    cache.put("d", "d")
    assert [cache.peek(key) for key in ("a", "b", "c", "d")] == ["a", None, "c", "d"]


def test_many_who_ask_at_once_let_one_compute() -> None:
    cache, calls, everybody = Cache[int](), [], threading.Barrier(8)

    def compute() -> int:
        calls.append(1)
        threading.Event().wait(0.05)
        return 7

    def ask(_: int) -> int:
        everybody.wait()
        return cache.get("a", compute)

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(ask, range(8))) == {7}
    assert len(calls) == 1
    assert (cache.hits, cache.misses) == (7, 1)


def test_a_failure_reaches_all_who_wait_and_is_not_kept() -> None:
    cache, waiting = Cache[int](), threading.Event()

    def fail() -> int:
        waiting.set()
        threading.Event().wait(0.05)
        raise ValueError("away")

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(cache.get, "a", fail)
        assert waiting.wait(20)
        second = threads.submit(cache.get, "a", fail)
        for each in (first, second):
            with pytest.raises(ValueError, match="away"):
                each.result()
    assert cache.get("a", lambda: 5) == 5
    assert cache.peek("b") is None


def test_a_result_that_is_still_computed_is_not_peeked_at() -> None:
    cache = Cache[int]()
    assert cache.get("a", lambda: cache.peek("a") or 3) == 3
    assert cache.peek("a") == 3
    cache.clear()
    assert cache.peek("a") is None
