"""Where a request's time went, as spans of a trace, for whoever collects them; where nobody does, next to nothing.

`steps` tells how long each step took. The request it belongs to is found by the context, which our threads
(`threads`) take over.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol, TypeAlias

Attributes: TypeAlias = Mapping[str, str | int | float | bool]

TRACEPARENT = re.compile(r"[0-9a-f]{2}-(?P<trace>[0-9a-f]{32})-(?P<span>[0-9a-f]{16})-[0-9a-f]{2}")
"""W3C's header."""


@dataclass(frozen=True, slots=True)
class TraceContext:
    """Of a span under way (W3C Trace Context). Ids in lower-case hexadecimal, as in its header `traceparent`."""

    trace_id: str
    """32 digits."""
    span_id: str
    """16 digits."""
    parent_id: str | None
    """None: the trace begins here."""


@dataclass(frozen=True, slots=True)
class Span:
    """A span that has ended; times in nanoseconds since 1970."""

    name: str
    context: TraceContext
    started: int
    ended: int
    attributes: Attributes


class Recorder(Protocol):
    """Takes spans. It neither waits nor raises: a collector that is away costs spans, not answers."""

    def record(self, span: Span) -> None: ...


_recorders: list[Recorder] = []
_current: ContextVar[TraceContext | None] = ContextVar("trace_context", default=None)


def record_to(recorder: Recorder | None) -> None:
    """From now on all spans of this process go there; None: nowhere."""
    _recorders[:] = [] if recorder is None else [recorder]


def begun(traceparent: str = "") -> TraceContext:
    """A request's context, below its caller's span where the header tells one."""
    found = TRACEPARENT.fullmatch(traceparent)
    trace_id, parent_id = found.groups() if found else (os.urandom(16).hex(), None)
    return TraceContext(trace_id, os.urandom(8).hex(), parent_id)


@contextmanager
def inside(context: TraceContext) -> Iterator[None]:
    """Steps that end inside are spans below `context`."""
    token = _current.set(context)
    try:
        yield
    finally:
        _current.reset(token)


def request_ended(name: str, context: TraceContext, seconds: float, attributes: Attributes) -> None:
    """The span of a whole request."""
    _record(name, context, seconds, attributes)


def step_ended(name: str, seconds: float) -> None:
    """A step that ended just now. One outside any request is nobody's."""
    parent = _current.get()
    if _recorders and parent is not None:
        _record(name, TraceContext(parent.trace_id, os.urandom(8).hex(), parent.span_id), seconds, {})


def _record(name: str, context: TraceContext, seconds: float, attributes: Attributes) -> None:
    ended = time.time_ns()
    for recorder in _recorders:
        recorder.record(
            Span(name=name, context=context, started=ended - int(seconds * 1e9), ended=ended, attributes=attributes)
        )
