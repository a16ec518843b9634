"""Streamed replies: one thread a question, whose events the request's own thread awaits with a timeout; and their wire
formats, server-sent events and what Firebase's callable SDKs read.

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
"""How often to check whether the client is still there while there is nothing to send."""
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
    """How a caller speaks to us and is answered."""

    PLAIN = "plain"
    """JSON in; JSON or server-sent events out."""
    CALLABLE = "callable"
    """`{"data": …}` in, `{"result": …}` or `{"error": …}` out."""
    CALLABLE_STREAM = "callable_stream"
    """`{"data": …}` in, `data:` lines out."""


# -- the pump


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


def pump_with_keepalive(first: T, events: Generator[T]) -> Generator[T | None]:
    """Yields `first`, then the other events, and None for every LOOK_SECONDS without one. Raises what `events` raises.

    They are produced in a thread of their own. Closing this ends a model call there at once, and closes `events` when
    they reach their next one.
    """
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
    """In the thread: until the end, or until the listener has left, which is checked after every event."""
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
    """Events as bytes, with heartbeats after `silence` seconds without any. Ends when the client has gone.

    None among the events: nothing to send yet. Returns the status: 200, an error's code, or CLIENT_LEFT where it left
    before the end.
    """
    sent, status = time.monotonic(), CLIENT_LEFT
    for event in events:
        if event is not None:
            yield encode(event.name, event.data, form)
            error = event.data.get("error") if event.name == "error" else None
            status = 200 if event.name == "result" else int(error["code"]) if isinstance(error, dict) else status
        elif gone():
            break
        elif time.monotonic() - sent < silence:
            continue
        else:
            yield b": heartbeat\n\n" if form is Form.PLAIN else _line({"message": {"type": "heartbeat"}})
        sent = time.monotonic()
    return status


def encode(name: str, data: Mapping[str, object], form: Form) -> bytes:
    if form is Form.PLAIN:
        return f"event: {name}\n".encode() + _line(data)
    if name == "result":
        return _line({"result": data})
    if name == "error":
        return _line(callable_error(data))
    fields = {name: data} if name in NESTED else data
    return _line({"message": {"type": name, **fields}})


def has_hung_up(connection: socket.socket | None) -> bool:
    """Whether the other end has closed; None: nothing is known of it."""
    if connection is None:
        return False
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _line(value: Mapping[str, object]) -> bytes:
    return f"data: {json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS)}\n\n".encode()


# -- callables


def callable_error(body: Mapping[str, Any]) -> dict[str, Any]:
    """A Google JSON error as callable clients read it: their decoders trip over `@type`, which marks encoded values."""
    error = body["error"]
    details = [{name: value for name, value in each.items() if name != "@type"} for each in error["details"]]
    return {"error": {**error, "details": details}}


def unwrapped(body: bytes) -> bytes | None:
    """What a callable's body `{"data": …}` holds, as JSON; None: it is no such body, or nested too deeply to tell."""
    try:
        value = json.loads(body)
        if not isinstance(value, dict) or set(value) != {"data"}:
            return None
        return json.dumps(_plain(value["data"])).encode()
    except (ValueError, RecursionError):
        return None


_INTEGERS = ("Int64Value", "UInt64Value")


def _plain(value: object) -> object:
    """Long integers, which the SDKs for Android and iOS wrap (`{"@type": …Int64Value, "value": "8"}`), as numbers."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    if str(value.get("@type")).endswith(_INTEGERS) and str(value.get("value")).lstrip("-").isdecimal():
        return int(value["value"])
    return {name: _plain(each) for name, each in value.items()}
