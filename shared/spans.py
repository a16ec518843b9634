"""Where a request's time went, as spans of a trace, for whoever collects them; where nobody does, next to nothing.

A step says once how long it took: `shared.laps` keeps it as a timing and tells it here. The request that it belongs to
is found by the context, which threads of ours take over.
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
class Place:
    """A span that is under way. Ids in lower-case hexadecimal, as W3C's `traceparent` has them."""

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
    place: Place
    started: int
    ended: int
    attributes: Attributes


class Recorder(Protocol):
    """Takes spans. It neither waits nor raises: a collector that is away costs spans, not answers."""

    def record(self, span: Span) -> None: ...


_recorders: list[Recorder] = []
_place: ContextVar[Place | None] = ContextVar("span", default=None)


def record_to(recorder: Recorder | None) -> None:
    """From now on all spans of this process go there; None: nowhere."""
    _recorders[:] = [] if recorder is None else [recorder]


def begun(traceparent: str = "") -> Place:
    """A request's place, below its caller's span where the header tells one."""
    found = TRACEPARENT.fullmatch(traceparent)
    trace_id, parent_id = found.groups() if found else (os.urandom(16).hex(), None)
    return Place(trace_id, os.urandom(8).hex(), parent_id)


@contextmanager
def inside(place: Place) -> Iterator[None]:
    """Steps that end inside lie below `place`."""
    token = _place.set(place)
    try:
        yield
    finally:
        _place.reset(token)


def request_ended(name: str, place: Place, seconds: float, attributes: Attributes) -> None:
    """The span of a whole request."""
    _record(name, place, seconds, attributes)


def step_ended(name: str, seconds: float) -> None:
    """A step that ended just now. One outside any request is nobody's."""
    parent = _place.get()
    if _recorders and parent is not None:
        _record(name, Place(parent.trace_id, os.urandom(8).hex(), parent.span_id), seconds, {})


def _record(name: str, place: Place, seconds: float, attributes: Attributes) -> None:
    ended = time.time_ns()
    for recorder in _recorders:
        recorder.record(Span(name, place, ended - int(seconds * 1e9), ended, attributes))
