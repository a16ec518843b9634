"""The policy of retrying: only errors that may pass, with growing pauses, inside one deadline.

`retry_within` and `retry_until` repeat model calls, which fail with ModelUnavailable; `retry_store` repeats work of several
calls on a store, whose single calls its own client repeats. Pauses and their jitter are tenacity's.
"""

from __future__ import annotations

import contextvars
import logging
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from shared.errors import (
    ModelMisconfigured,
    ModelRefused,
    ModelUnavailable,
    ModelUnreachable,
    StoreRefused,
    StoreUnavailable,
)

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")

FIRST_PAUSE = 0.5
"""Seconds before the second attempt, doubled before each further one, up to MAX_PAUSE."""
MAX_PAUSE = 20.0
JITTER = 0.5
"""Most seconds added to a pause at random, so that callers who failed together do not return together."""
MAX_UNREACHABLE = 2
"""Attempts at an address where no server listens: if one is starting, the second finds it."""
GRACE = 0.1
"""Seconds beyond an attempt's limit in which the SDK may still report its own timeout and close its connection."""

_log = logging.getLogger(__name__)


class Clock(Protocol):
    """The part of the `time` module that is used; tests bring a clock that does not really wait."""

    def monotonic(self) -> float: ...

    def sleep(self, seconds: float, /) -> None: ...


def retry_within(
    call: Callable[[float], T],
    *,
    model: str,
    seconds: float,
    attempt_seconds: float = math.inf,
    clock: Clock = time,
) -> T:
    """Returns the result of `call`, made again while it raises ModelUnavailable and the deadline allows.

    `call` gets the seconds it may take: what is left of the deadline, at most `attempt_seconds`.
    It is abandoned when it takes longer, also when a server sends single bytes for ever, which no
    socket timeout ends. A server's own delay is kept to; one that reaches beyond the deadline, or a
    pause that would, ends the attempts at once. Raises the last ModelUnavailable, and any other error as it comes.
    """
    deadline = clock.monotonic() + seconds

    def attempt(seconds_left: float) -> T:
        return _within(min(seconds_left, attempt_seconds), call, model)

    return retry_until(attempt, deadline=deadline, clock=clock)


def retry_until(attempt: Callable[[float], T], *, deadline: float, clock: Clock) -> T:
    """Retries as `retry_within`, without the watch over each attempt.

    `attempt` gets the seconds left and must keep to them. The error raised is billed if one of the attempts may be.
    """
    # With the SDK of a model, which brings it: it takes 40 ms, which a local embedder need not wait for.
    from tenacity import Retrying, retry_if_exception  # noqa: PLC0415

    attempts = Retrying(
        retry=retry_if_exception(_may_pass),
        wait=_pause,
        stop=partial(_is_hopeless, deadline=deadline, clock=clock),
        sleep=clock.sleep,
        before_sleep=_log_pause,
        reraise=True,
    )
    is_billed = False

    def watched() -> T:
        nonlocal is_billed
        seconds_left = deadline - clock.monotonic()
        try:
            return attempt(seconds_left)
        except (ModelUnavailable, ModelRefused) as failure:
            is_billed = is_billed or failure.is_billed
            failure.is_billed = is_billed
            raise

    return attempts(watched)


def retry_store(
    attempt: Callable[[], T],
    *,
    first_pause: float,
    max_pause: float,
    deadline: float,
    clock: Clock = time,
) -> T:
    """Returns the result of `attempt`, made again while it raises StoreUnavailable and the deadline allows.

    Each pause is random, up to a length that doubles from `first_pause` to `max_pause`: callers who failed together do
    not return together. Raises the last StoreUnavailable, and any other error and StoreRefused as they come.
    """
    # When the first write needs it: most requests never do.
    from tenacity import Retrying, retry_if_exception, wait_random_exponential  # noqa: PLC0415

    attempts = Retrying(
        retry=retry_if_exception(_store_may_return),
        wait=wait_random_exponential(multiplier=first_pause, max=max_pause),
        stop=partial(_is_too_late, deadline=deadline, clock=clock),
        sleep=clock.sleep,
        reraise=True,
    )
    return attempts(attempt)


def _may_pass(failure: BaseException) -> bool:
    """Reports whether another attempt may succeed. A misconfigured model lasts longer than any deadline."""
    return isinstance(failure, ModelUnavailable) and not isinstance(failure, ModelMisconfigured)


def _store_may_return(failure: BaseException) -> bool:
    """Reports whether another attempt may succeed. What a store refuses it refuses again."""
    return isinstance(failure, StoreUnavailable) and not isinstance(failure, StoreRefused)


def _pause(state: RetryCallState) -> float:
    """Returns the seconds before the next attempt: the server's own delay, otherwise 0.5, 1, 2, …, 20, and jitter."""
    from tenacity import wait_exponential, wait_random  # noqa: PLC0415

    retry_after = _failure_of(state).retry_after
    if retry_after is None:
        retry_after = wait_exponential(multiplier=FIRST_PAUSE, max=MAX_PAUSE)(state)
    return retry_after + wait_random(0, JITTER)(state)


def _is_hopeless(state: RetryCallState, *, deadline: float, clock: Clock) -> bool:
    """Reports whether no server listens, or the next attempt would begin at the deadline or later."""
    failure = _failure_of(state)
    is_last_at_address = state.attempt_number >= MAX_UNREACHABLE
    if is_last_at_address and isinstance(failure, ModelUnreachable):
        return True
    return _is_too_late(state, deadline=deadline, clock=clock)


def _is_too_late(state: RetryCallState, *, deadline: float, clock: Clock) -> bool:
    """Reports whether the next attempt would begin at the deadline or later."""
    return clock.monotonic() + state.upcoming_sleep >= deadline


def _log_pause(state: RetryCallState) -> None:
    failure = _failure_of(state)
    _log.warning("%s; again in %.1f s", failure.message, state.upcoming_sleep)


def _failure_of(state: RetryCallState) -> ModelUnavailable:
    """Returns the error of the last attempt, which `_may_pass` has let through."""
    failure = None
    if state.outcome is not None:
        failure = state.outcome.exception()
    assert isinstance(failure, ModelUnavailable)  # noqa: S101 - no other is retried
    return failure


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
        waited = max(0.1, round(seconds, 1))
        raise ModelUnavailable(f"{model}: no complete reply within {waited:g} s") from late
