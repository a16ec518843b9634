"""One JSON object a log line, with the request's trace; never note text."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import traceback
from typing import Any

from werkzeug.datastructures import Headers

from shared.tracing import current_request

LOGGED_PACKAGES = ("functions", "shared")

_TRACE = re.compile(r"(?P<trace>[0-9a-f]{32})(?:/(?P<span>\d{1,20}))?(?:;o=\d)?", re.IGNORECASE)
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-(?P<trace>[0-9a-f]{32})-(?P<span>[0-9a-f]{16})-[0-9a-f]{2}")


class JsonLines(logging.Formatter):
    """A record as Cloud Logging reads it from stderr: `severity`, `message` and the fields given as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        request = current_request()
        line: dict[str, Any] = {
            "severity": record.levelname,
            "message": record.getMessage(),
            "logger": record.name,
            **(request.fields if request else {}),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = _described(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False, default=str)


class _Stderr(logging.StreamHandler[Any]):
    """Writes to whatever stderr is at the time of the line."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


def configure(level: str | None = None) -> None:
    """Send the product's own loggers to stderr as JSON lines, from `level` on; None keeps it, INFO at first."""
    for name in LOGGED_PACKAGES:
        logger = logging.getLogger(name)
        if not any(isinstance(handler, _Stderr) for handler in logger.handlers):
            handler = _Stderr()
            handler.setFormatter(JsonLines())
            logger.addHandler(handler)
            logger.setLevel(level or "INFO")
        elif level and logging.getLevelName(logger.level) != level:
            logger.setLevel(level)


def trace_fields(headers: Headers) -> dict[str, str]:
    """`X-Cloud-Trace-Context` or W3C `traceparent` -> the fields by which Cloud Logging groups a request's lines."""
    cloud = _TRACE.fullmatch(headers.get("X-Cloud-Trace-Context", ""))
    found = cloud or _TRACEPARENT.fullmatch(headers.get("traceparent", ""))
    if not found:
        return {}
    project = os.environ.get("GOOGLE_CLOUD_PROJECT")
    trace = found["trace"].lower()
    fields = {"logging.googleapis.com/trace": f"projects/{project}/traces/{trace}" if project else trace}
    span = found["span"]
    if cloud:  # whose number of the span is decimal, and 64 bits at most: Cloud Logging wants its 16 digits
        span = f"{int(span):016x}" if span and 0 < int(span) < 1 << 64 else None
    return {**fields, "logging.googleapis.com/spanId": span} if span else fields


def _described(error: BaseException) -> dict[str, Any]:
    """Types and places of an error and its causes. Messages stay out: an SDK's may quote what it was sent."""
    frames = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    described: dict[str, Any] = {"type": type(error).__name__, "frames": frames}
    cause = error.__cause__ or error.__context__
    if cause is not None:
        described["cause"] = _described(cause)
    return described
