"""What a request leaves behind beside its answer: spans and timings of its steps, and the documents it has read.

Both follow the context (`contextvars`), which `RequestThreads` hands to its threads. OpenTelemetry is imported only
where a collector is configured.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

P = ParamSpec("P")
T = TypeVar("T")

_tracers: list[Tracer] = []
_reads: ContextVar[ReadCounter | None] = ContextVar("reads", default=None)


# -- spans


def trace_with(tracer: Tracer | None) -> None:
    """Sends all spans of this process to `tracer`; None: nothing is collected."""
    _tracers[:] = [] if tracer is None else [tracer]


class RequestSpan:
    """The span of one request, a child of the span that `traceparent` names (W3C Trace Context)."""

    def __init__(self, traceparent: str = "") -> None:
        self._span = None
        if _tracers:
            from opentelemetry.context import Context  # noqa: PLC0415 - only where a collector is configured
            from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

            parent = TraceContextTextMapPropagator().extract({"traceparent": traceparent}, Context())
            self._span = _tracers[0].start_span("request", parent)

    @contextmanager
    def active(self) -> Iterator[None]:
        """Steps that end inside become children of this span. Errors stay out of it: their messages may quote notes."""
        if self._span is None:
            yield
            return
        from opentelemetry.trace import use_span  # noqa: PLC0415 - as above

        with use_span(self._span, record_exception=False, set_status_on_exception=False):
            yield

    def end(self, name: str, attributes: Mapping[str, str | int]) -> None:
        if self._span is not None:
            self._span.update_name(name)
            self._span.set_attributes(attributes)
            self._span.end()


class StepTimer:
    """Times consecutive steps, as timings of an answer and as spans: each step begins where the one before it ended."""

    def __init__(self) -> None:
        self._started = self._last = time.perf_counter()
        self.timings_ms: dict[str, float] = {}

    def end(self, step: str) -> None:
        """Ends the step under way."""
        now = time.perf_counter()
        seconds, self._last = now - self._last, now
        self.timings_ms[step] = 1000 * seconds
        if _tracers:
            from opentelemetry.trace import get_current_span  # noqa: PLC0415 - as above

            ended = time.time_ns()
            if get_current_span().get_span_context().is_valid:  # a step outside any request has no trace to go to
                _tracers[0].start_span(step, start_time=ended - int(seconds * 1e9)).end(ended)

    def with_total(self, name: str) -> dict[str, float]:
        """The timings in ms, and as `name` the time since the first step began."""
        return {**self.timings_ms, name: 1000 * (time.perf_counter() - self._started)}


# -- reads


class ReadCounter:
    """Counts the documents that a request reads. Safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.documents = 0

    def add(self, documents: int) -> None:
        with self._lock:
            self.documents += documents


@contextmanager
def count_reads(counter: ReadCounter) -> Iterator[None]:
    """Adds the documents that are read inside to `counter`."""
    token = _reads.set(counter)
    try:
        yield
    finally:
        _reads.reset(token)


def counting_reads(items: Iterator[T]) -> Iterator[T]:
    """Yields `items`, counting what is read to make each, and not what the consumer reads between two of them."""
    counter = ReadCounter()
    while True:
        with count_reads(counter):
            try:
                item = next(items)
            except StopIteration:
                return
        yield item


def add_reads(documents: int) -> None:
    """Called by a store for what it has read, by its own rules of what is billed."""
    if counter := _reads.get():
        counter.add(documents)


def reads_so_far() -> int | None:
    """Documents the request has read until now; None: they are not counted."""
    counter = _reads.get()
    return None if counter is None else counter.documents


# -- threads


class RequestThreads(ThreadPoolExecutor):
    """A thread pool that runs each task in its submitter's context, so that log lines and spans name the request."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        context = contextvars.copy_context()
        return super().submit(lambda: context.run(fn, *args, **kwargs))
