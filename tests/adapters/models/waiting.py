"""A clock that waits at once, and a prompt."""

from __future__ import annotations

from shared.model.answers import Prompt


class FakeClock:
    """Time passes only by `sleep` (and by hand); `pauses` records how long each one was meant to be."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float, /) -> None:
        self.pauses.append(seconds)
        self.now += seconds


PROMPT = Prompt(
    system="Answer from the sources only.",
    user="[N1] secret-note-text\n\nWhat was decided?",
    question="",
    sources=(),
)
