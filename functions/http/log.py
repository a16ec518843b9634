"""One JSON object a log line, with the request's trace; never note text."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from werkzeug.datastructures import Headers

LOGGED_PACKAGES = ("functions", "shared")

_TRACE = re.compile(r"(?P<trace>[0-9a-f]{32})(?:/(?P<span>\d{1,20}))?(?:;o=\d)?", re.IGNORECASE)
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-(?P<trace>[0-9a-f]{32})-(?P<span>[0-9a-f]{16})-[0-9a-f]{2}")

_context: ContextVar[Mapping[str, Any] | None] = ContextVar("log_context", default=None)
_measured: ContextVar[dict[str, Any] | None] = ContextVar("log_measures", default=None)


class JsonLines(logging.Formatter):
    """A record as Cloud Logging reads it from stderr: `severity`, `message` and the fields given as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "severity": record.levelname,
            "message": record.getMessage(),
            "logger": record.name,
            **(_context.get() or {}),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = _described(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False, default=str)


class _Stderr(logging.StreamHandler[Any]):
    """Writes to whatever stderr is at the time of the line."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)
        self.setFormatter(JsonLines())

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


def configure(level: str | None = None) -> None:
    """Send the product's own loggers to stderr as JSON lines, from `level` on; None keeps it, INFO at first."""
    for name in LOGGED_PACKAGES:
        logger = logging.getLogger(name)
        if not any(isinstance(handler, _Stderr) for handler in logger.handlers):
            logger.addHandler(_Stderr())
            logger.setLevel(level or "INFO")
        elif level and logging.getLevelName(logger.level) != level:
            logger.setLevel(level)


@contextmanager
def context(fields: Mapping[str, Any], measured: dict[str, Any] | None = None) -> Iterator[None]:
    """Every line logged inside carries these fields. What is measured inside is added to `measured`."""
    token, before = _context.set(fields), _measured.set({} if measured is None else measured)
    try:
        yield
    finally:
        _measured.reset(before)
        _context.reset(token)


def measure(fields: Mapping[str, Any]) -> None:
    """Numbers and names for the request's own line, which is written at its end. Never words of notes or callers."""
    measures = _measured.get()
    if measures is not None:
        measures.update(fields)


def measures() -> Mapping[str, Any]:
    """Measures of this context so far."""
    return _measured.get() or {}


def trace_fields(headers: Headers) -> dict[str, str]:
    """`X-Cloud-Trace-Context` or W3C `traceparent` -> the fields by which Cloud Logging groups a request's lines."""
    cloud = _TRACE.fullmatch(headers.get("X-Cloud-Trace-Context", ""))
    found = cloud or _TRACEPARENT.fullmatch(headers.get("traceparent", ""))
    if not found:
        return {}
    project = os.environ.get("GOOGLE_CLOUD_PROJECT")
    trace = found["trace"].lower()
    fields = {"logging.googleapis.com/trace": f"projects/{project}/traces/{trace}" if project else trace}
    span = _in_hexadecimal(cloud["span"]) if cloud else found["span"]
    return {**fields, "logging.googleapis.com/spanId": span} if span else fields


def _in_hexadecimal(span: str | None) -> str | None:
    """X-Cloud-Trace-Context writes the span's number in decimals, Cloud Logging wants its 16 digits. None: no span, or
    a number that is none's.
    """
    return f"{int(span):016x}" if span and 0 < int(span) < 1 << 64 else None


def _described(error: BaseException) -> dict[str, Any]:
    """Types and places of an error and its causes. Messages stay out: an SDK's may quote what it was sent."""
    frames = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    described: dict[str, Any] = {"type": type(error).__name__, "frames": frames}
    cause = error.__cause__ or error.__context__
    if cause is not None:
        described["cause"] = _described(cause)
    return described
