"""How long each step took, said once: as a timing of the answer, and as a span of the request's trace."""

from __future__ import annotations

from time import perf_counter

from shared.tracing.spans import step_ended


class StepTimer:
    """Times steps that follow each other: each begins where the one before it ended, the first now."""

    def __init__(self) -> None:
        self._started = self._last = perf_counter()
        self.timings_ms: dict[str, float] = {}

    def end(self, step: str) -> None:
        """The step that was under way is over."""
        now = perf_counter()
        self.timings_ms[step] = 1000 * (now - self._last)
        step_ended(step, now - self._last)
        self._last = now

    def with_total(self, name: str) -> dict[str, float]:
        """The steps, and as `name` the time since the first began."""
        return {**self.timings_ms, name: 1000 * (perf_counter() - self._started)}
