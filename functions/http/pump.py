"""One thread a question: events are produced there, and the request's own thread waits for them with a timeout."""

from __future__ import annotations

import contextvars
import math
import threading
import time
from collections.abc import Generator
from contextlib import closing
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from functions.http.calls import Call, Reply
from shared.api.stream import result_of
from shared.asking.turn import TurnRequest, run_turn
from shared.ports.cancel import Cancel, current

T = TypeVar("T")

LOOK_SECONDS = 0.25
"""How often to check whether the client is still there while there is nothing to send."""
_END = object()


class StartThrottle:
    """Many streams that begin at the same moment: the first event of each goes out before any of them searches.

    40 at once, p95 of the first event on a machine with six times the work it can do: 230-270 ms without, 50-210 with;
    of the first token and of the whole answer the same.
    """

    PAUSE = 0.01
    """Seconds without another beginning that end a burst."""
    MAX_WAIT = 0.15
    """Seconds."""

    def __init__(self) -> None:
        self._last = -math.inf

    def wait(self) -> None:
        """For the end of the burst in which the caller begins; not at all for who begins alone."""
        now = time.monotonic()
        before, self._last = self._last, now
        if now - before < self.PAUSE:
            while time.monotonic() < min(self._last + self.PAUSE, now + self.MAX_WAIT):
                time.sleep(self.PAUSE / 2)


_throttle = StartThrottle()


def reply_to(call: Call, request: TurnRequest, *, streams: bool = False) -> Reply:
    """The answer to a question: whole, or with `streams` as it comes about. Raises what is wrong with the request."""
    events = pump_with_keepalive(run_turn(call.app, request))
    return Reply(None, events=events) if streams else Reply(result_of(events))


def pump_with_keepalive(events: Generator[T]) -> Generator[T | None]:
    """Yields the events, and None for every LOOK_SECONDS without one. Raises what `events` raises: before the first at
    once, while the reply can still be a plain one.

    The others are produced in a thread of their own. Closing this ends a model call there at once, and closes `events`
    when they reach their next one.
    """
    return _pumped(next(events), events)


def _pumped(first: T, events: Generator[T]) -> Generator[T | None]:
    try:
        yield first
    except GeneratorExit:
        events.close()
        raise
    _throttle.wait()
    inbox, cancel = SimpleQueue[Any](), Cancel()
    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(_pump, events, inbox, cancel), name="stream", daemon=True).start()
    try:
        while True:
            try:
                event = inbox.get(timeout=max(0.01, min(LOOK_SECONDS, cancel.seconds_left())))
            except Empty:
                cancel.check()
                yield None
                continue
            if event is _END:
                return
            if isinstance(event, BaseException):
                raise event
            yield event
    finally:
        cancel.leave()


def _pump(events: Generator[T], inbox: SimpleQueue[Any], cancel: Cancel) -> None:
    """In the thread: until the end, or until nobody listens any more, which is checked after every event."""
    current.set(cancel)
    try:
        with closing(events):
            for event in events:
                inbox.put(event)
                if cancel.left:
                    return
        inbox.put(_END)
    except BaseException as error:  # noqa: BLE001 - raised again where the events are awaited
        inbox.put(error)
