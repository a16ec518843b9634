"""Streamed replies and their wire formats, server-sent events and what Firebase's callable SDKs read.

Each question has a thread of its own, whose events the request's thread awaits with a timeout.

A callable stream has `data: {json}` lines and nothing else: iOS fails on names and comments, Android on comments,
JavaScript wants the blank after the colon (and, like iOS, takes U+2028 for a line's end, so that goes escaped).
"""

from __future__ import annotations

import contextvars
import json
import math
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from enum import StrEnum
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from shared.ports.cancel import Cancel, current

if TYPE_CHECKING:
    from shared.api.stream import StreamEvent

T = TypeVar("T")

LOOK_SECONDS = 0.25
"""Seconds between two checks whether the client is still there while there is nothing to send."""
EVENT_STREAM = "text/event-stream"
HEARTBEAT_SECONDS = 15.0
"""Silence after which a sign of life goes out: proxies cut connections that are silent for 30 to 60 s."""
CLIENT_LEFT = 499
"""The status of a reply whose client went away before its end."""

NESTED = ("query", "citation")
"""Events whose data a callable's message holds under the event's name."""

_END = object()
_LINE_ENDS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"}


class Form(StrEnum):
    """Form in which a caller speaks to us and is answered."""

    PLAIN = "plain"
    """JSON in; JSON or server-sent events out."""
    CALLABLE = "callable"
    """`{"data": …}` in, `{"result": …}` or `{"error": …}` out."""
    CALLABLE_STREAM = "callable_stream"
    """`{"data": …}` in, `data:` lines out."""


# -- the pump


class StartThrottle:
    """Lets the first event of each stream go out before any of many that begin at the same moment searches.

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
        """Waits until the burst of starts is over; returns at once without concurrent starts."""
        now = time.monotonic()
        previous = self._last
        self._last = now
        if now - previous >= self.PAUSE:
            return
        # Another start moves `_last` on while this one waits.
        while time.monotonic() < min(self._last + self.PAUSE, now + self.MAX_WAIT):
            time.sleep(self.PAUSE / 2)


_throttle = StartThrottle()


def pump_with_keepalive(first: T, events: Generator[T]) -> Generator[T | None]:
    """Yields `first`, then the other events, and None for every LOOK_SECONDS without one. Raises what `events` raises.

    The events are produced in a thread of their own. Closing this generator ends a model call there at once, and
    closes `events` when they reach their next event.
    """
    try:
        yield first
    except GeneratorExit:
        events.close()
        raise
    _throttle.wait()
    inbox = SimpleQueue[Any]()
    cancel = Cancel()
    context = contextvars.copy_context()
    producer = threading.Thread(
        target=context.run,
        args=(_pump, events, inbox, cancel),
        name="stream",
        daemon=True,
    )
    producer.start()
    try:
        while True:
            timeout = max(0.01, min(LOOK_SECONDS, cancel.seconds_left()))
            try:
                event = inbox.get(timeout=timeout)
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
    """Puts the events into the inbox, in the thread, until the end or until the listener has left."""
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


# -- wire formats


def encoded(
    events: Iterable[StreamEvent | None],
    form: Form,
    *,
    gone: Callable[[], bool] = lambda: False,
    silence: float = HEARTBEAT_SECONDS,
) -> Generator[bytes, None, int]:
    """Yields events as bytes, and a heartbeat after `silence` seconds without any. Ends when the client has gone.

    None among the events means that there is nothing to send yet. Returns the status: 200, an error's code, or
    CLIENT_LEFT if the client left before the end.
    """
    last_sent = time.monotonic()
    status = CLIENT_LEFT
    for event in events:
        if event is not None:
            yield encode(event.name, event.data, form)
            if event.name == "result":
                status = 200
            elif event.name == "error":
                status = _error_code(event.data) or status
        elif gone():
            break
        elif time.monotonic() - last_sent < silence:
            continue
        elif form is Form.PLAIN:
            yield b": heartbeat\n\n"
        else:
            yield _line({"message": {"type": "heartbeat"}})
        last_sent = time.monotonic()
    return status


def _error_code(data: Mapping[str, object]) -> int | None:
    """Returns the HTTP status in the data of an `error` event; None if it has none."""
    error = data.get("error")
    if isinstance(error, dict):
        return int(error["code"])
    return None


def encode(name: str, data: Mapping[str, object], form: Form) -> bytes:
    """Returns one event as bytes."""
    if form is Form.PLAIN:
        return f"event: {name}\n".encode() + _line(data)
    if name == "result":
        return _line({"result": data})
    if name == "error":
        return _line(callable_error(data))
    message: dict[str, object] = {"type": name}
    if name in NESTED:
        message[name] = data
    else:
        message.update(data)
    return _line({"message": message})


def has_hung_up(connection: socket.socket | None) -> bool:
    """Reports whether the other end has closed; False if the connection is not known."""
    if connection is None:
        return False
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _line(value: Mapping[str, object]) -> bytes:
    text = json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS)
    return f"data: {text}\n\n".encode()


# -- callables


def callable_error(body: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a Google JSON error without `@type`, which callable clients take for the mark of an encoded value."""
    error = body["error"]
    details = []
    for detail in error["details"]:
        plain = dict(detail)
        plain.pop("@type", None)
        details.append(plain)
    return {"error": {**error, "details": details}}


def unwrapped(body: bytes) -> bytes | None:
    """Returns the content of a callable's body `{"data": …}` as JSON; None for another body, or one too deeply nested."""
    try:
        value = json.loads(body)
        if not isinstance(value, dict) or set(value) != {"data"}:
            return None
        content = _plain(value["data"])
        return json.dumps(content).encode()
    except (ValueError, RecursionError):
        return None


_INTEGERS = ("Int64Value", "UInt64Value")


def _plain(value: object) -> object:
    """Unwraps long integers, which the SDKs for Android and iOS send as `{"@type": …Int64Value, "value": "8"}`."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value

    type_name = str(value.get("@type"))
    if type_name.endswith(_INTEGERS):
        number = value.get("value")
        digits = str(number).lstrip("-")
        if digits.isdecimal():
            return int(value["value"])
    return {name: _plain(member) for name, member in value.items()}
