"""Where the time went."""

from __future__ import annotations

from time import perf_counter


class Laps:
    """Milliseconds a step, and of all together as `retrieval`."""

    def __init__(self) -> None:
        self._started = self._last = perf_counter()
        self._taken: dict[str, float] = {}

    def end(self, step: str) -> None:
        """The step that began where the last one ended."""
        now = perf_counter()
        self._taken[step] = 1000 * (now - self._last)
        self._last = now

    def total(self) -> dict[str, float]:
        return {**self._taken, "retrieval": 1000 * (perf_counter() - self._started)}
