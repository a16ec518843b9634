"""Caches in memory are bounded in time and in size."""

from __future__ import annotations

from shared.account.caches import Cache


class _Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_result_is_kept_for_its_time() -> None:
    time = _Time()
    cache = Cache[int](seconds=300, clock=time)
    assert cache.get("a") is None
    cache.put("a", 0)
    time.now = 299.9
    assert cache.get("a") == 0
    time.now = 300.0
    assert cache.get("a") is None
    cache.put("a", 1)
    assert cache.get("a") == 1
    assert cache.hits == 2
    assert cache.misses == 2
    cache.clear()
    assert cache.get("a") is None


def test_the_least_recently_used_goes_first() -> None:
    cache = Cache[str](entries=3)
    for key in ("a", "b", "c"):
        cache.put(key, key)
    assert cache.get("a") == "a"
    cache.put("d", "d")
    assert [cache.get(key) for key in ("a", "b", "c", "d")] == ["a", None, "c", "d"]
