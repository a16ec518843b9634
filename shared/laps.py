"""Where the time went: each step's duration said once, as a timing and as a span."""

from __future__ import annotations

from time import perf_counter

from shared.spans import step_ended


class Laps:
    """Milliseconds a step, one after the other."""

    def __init__(self) -> None:
        self._started = self._last = perf_counter()
        self.taken: dict[str, float] = {}

    def end(self, step: str) -> None:
        """The step that began where the last one ended."""
        now = perf_counter()
        self.taken[step] = 1000 * (now - self._last)
        step_ended(step, now - self._last)
        self._last = now

    def total(self, name: str) -> dict[str, float]:
        """All of it together as `name`, beside the steps."""
        return {**self.taken, name: 1000 * (perf_counter() - self._started)}
