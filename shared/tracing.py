"""Records what a request does: fields and measures of its log line, the documents it reads, spans.

All follow the context (`contextvars`), which `RequestThreads` hands to its threads. OpenTelemetry
is imported only if a collector is configured.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

P = ParamSpec("P")
T = TypeVar("T")

_tracers: list[Tracer] = []
_current: ContextVar[RequestRecord | None] = ContextVar("request", default=None)


def trace_with(tracer: Tracer | None) -> None:
    """Sends all spans of this process to `tracer`; with None, collects nothing."""
    _tracers[:] = [] if tracer is None else [tracer]


class RequestRecord:
    """The record of one request. Safe between threads.

    `fields`: in each of its log lines. `traceparent` (W3C Trace Context) names the parent of its span.
    """

    def __init__(self, fields: Mapping[str, Any] | None = None, traceparent: str = "") -> None:
        self.fields = fields or {}
        self.measures: dict[str, Any] = {}
        """Numbers and names for the log line of the request; never words of notes or callers."""
        self.documents = 0
        """Documents read."""
        self.indexing_usd = 0.0
        """Cost of what was embedded and of what the index wrote."""
        self.counting = threading.Lock()
        """Guards the two sums."""
        self._span = None
        if _tracers:
            from opentelemetry.context import Context  # noqa: PLC0415 - only where a collector is configured
            from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

            parent = TraceContextTextMapPropagator().extract(
                {"traceparent": traceparent},
                Context(),
            )
            self._span = _tracers[0].start_span("request", parent)

    @contextmanager
    def active(self) -> Iterator[None]:
        """Assigns what happens inside to this request. Errors stay out of its span: they may quote notes."""
        inside = _current.set(self)
        try:
            if self._span is None:
                yield
            else:
                from opentelemetry.trace import use_span  # noqa: PLC0415 - as above

                with use_span(self._span, record_exception=False, set_status_on_exception=False):
                    yield
        finally:
            _current.reset(inside)

    def following(self, items: Generator[T]) -> Generator[T]:
        """Yields `items`, each made with this record active, which it is not while the consumer uses one."""
        try:
            while True:
                with self.active():
                    try:
                        item = next(items)
                    except StopIteration:
                        return
                yield item
        finally:
            with self.active():
                items.close()

    def end(self, name: str, attributes: Mapping[str, str | int]) -> None:
        """Ends the span."""
        if self._span is not None:
            self._span.update_name(name)
            self._span.set_attributes(attributes)
            self._span.end()


def current_request() -> RequestRecord | None:
    """Returns the record of the request under way; None outside any request."""
    return _current.get()


def measure(fields: Mapping[str, Any]) -> None:
    """Adds measures to the log line of the request under way."""
    if request := _current.get():
        request.measures.update(fields)


def add_reads(documents: int) -> None:
    """Adds documents that a store has read, counted by its own rules of what is billed."""
    if request := _current.get():
        with request.counting:
            request.documents += documents


def add_cost(usd: float) -> None:
    """Adds the cost of a batch of texts that was embedded, or of what the index wrote."""
    if request := _current.get():
        with request.counting:
            request.indexing_usd += usd


def reads_so_far() -> int | None:
    """Returns the documents that the request has read so far; None outside any request."""
    request = _current.get()
    return None if request is None else request.documents


class StepTimer:
    """Times consecutive steps, for an answer's timings and as spans.

    Each step begins where the previous one ended.
    """

    def __init__(self) -> None:
        self._started = self._last = time.perf_counter()
        self.timings_ms: dict[str, float] = {}

    def end(self, step: str) -> None:
        """Ends the step under way."""
        now = time.perf_counter()
        seconds = now - self._last
        self._last = now
        self.timings_ms[step] = 1000 * seconds
        if _tracers:
            from opentelemetry.trace import get_current_span  # noqa: PLC0415 - as above

            ended = time.time_ns()
            # A step outside any request belongs to no trace.
            if get_current_span().get_span_context().is_valid:
                _tracers[0].start_span(step, start_time=ended - int(seconds * 1e9)).end(ended)

    def with_total(self, name: str) -> dict[str, float]:
        """Returns the timings in ms, and as `name` the time since the first step began."""
        return {**self.timings_ms, name: 1000 * (time.perf_counter() - self._started)}


class RequestThreads(ThreadPoolExecutor):
    """A thread pool that runs each task in its submitter's context: log lines name the request."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        context = contextvars.copy_context()
        return super().submit(lambda: context.run(fn, *args, **kwargs))
