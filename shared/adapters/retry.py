"""When a model call is made again: only on ModelUnavailable, with growing pauses, inside one deadline."""

from __future__ import annotations

import contextvars
import logging
import math
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol, TypeVar

from shared.errors import ModelUnavailable, ModelUnreachable

T = TypeVar("T")

FIRST_PAUSE = 0.5
"""Seconds before the second attempt; doubled before each further one, up to MAX_PAUSE."""
MAX_PAUSE = 20.0
JITTER = 0.5
"""Up to so many seconds are added to every pause, so that callers who failed together do not return together."""
MAX_UNREACHABLE = 2
"""Attempts at an address where no server listens: one may be starting, and else hardly comes within the deadline."""
GRACE = 0.1
"""Seconds beyond an attempt's limit in which the SDK may still report its own timeout and close its connection."""

_log = logging.getLogger(__name__)


class Clock(Protocol):
    """What is needed of the `time` module; tests bring a clock that does not really wait."""

    def monotonic(self) -> float: ...

    def sleep(self, seconds: float, /) -> None: ...


def retry_within(
    call: Callable[[float], T], *, model: str, seconds: float, attempt_seconds: float = math.inf, clock: Clock = time
) -> T:
    """The result of `call`, made again while it raises ModelUnavailable and the deadline allows.

    `call` gets the seconds it may take: what is left of the deadline, at most `attempt_seconds`.
    It is abandoned when it takes longer, also when a server sends single bytes for ever, which no
    socket timeout ends. A server's own delay is kept to; one that reaches beyond the deadline, or a
    pause that would, ends the attempts at once. Raises the last ModelUnavailable, and any other error as it comes.
    """
    deadline = clock.monotonic() + seconds
    return retry_until(lambda left: _within(min(left, attempt_seconds), call, model), deadline=deadline, clock=clock)


def retry_until(attempt: Callable[[float], T], *, deadline: float, clock: Clock = time) -> T:
    """As `retry_within`, without the watch over each attempt: `attempt` gets the seconds left and must keep to them."""
    tried = 0
    while True:
        try:
            return attempt(deadline - clock.monotonic())
        except ModelUnavailable as failure:
            tried += 1
            # A server's own delay, else 0.5, 1, 2, …, 20 seconds.
            own = min(FIRST_PAUSE * 2 ** (tried - 1), MAX_PAUSE)
            pause = own if failure.retry_after is None else failure.retry_after
            pause += random.uniform(0, JITTER)  # noqa: S311 - spreads load, guards nothing
            is_hopeless = isinstance(failure, ModelUnreachable) and tried >= MAX_UNREACHABLE
            if is_hopeless or clock.monotonic() + pause >= deadline:
                raise
            _log.warning("%s; again in %.1f s", failure.message, pause)
        clock.sleep(pause)


def _within(seconds: float, call: Callable[[float], T], model: str) -> T:
    """Runs `call` in a thread of its own, which is left to itself when the time is up."""
    outcome: Future[T] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            outcome.set_result(context.run(call, seconds))
        except BaseException as error:  # noqa: BLE001 - raised again where the result is awaited
            outcome.set_exception(error)

    threading.Thread(target=run, name="model-call", daemon=True).start()
    try:
        return outcome.result(timeout=seconds + GRACE)
    except TimeoutError as late:
        raise ModelUnavailable(f"{model}: no complete reply within {seconds:.3g} s") from late
