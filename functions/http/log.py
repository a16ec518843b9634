"""One JSON object a log line, with the request's trace; never note text."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import traceback
from typing import TYPE_CHECKING, Any

from functions import __name__ as functions_package
from shared import __name__ as shared_package
from shared.markdown.printable import printable_json
from shared.tracing import current_request

if TYPE_CHECKING:
    from werkzeug.datastructures import Headers

LOGGED_PACKAGES = (functions_package, shared_package)
"""Their names depend on how the product is installed."""

_TRACE = re.compile(r"(?P<trace>[0-9a-f]{32})(?:/(?P<span>\d{1,20}))?(?:;o=\d)?", re.IGNORECASE)
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-(?P<trace>[0-9a-f]{32})-(?P<span>[0-9a-f]{16})-[0-9a-f]{2}")


class JsonLines(logging.Formatter):
    """A record as Cloud Logging reads it from stderr: `severity`, `message` and the fields given as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "severity": record.levelname,
            "message": record.getMessage(),
            "logger": record.name,
        }
        request = current_request()
        if request:
            line.update(request.fields)
        line.update(getattr(record, "fields", {}))
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = _described(record.exc_info[1])
        return printable_json(json.dumps(line, ensure_ascii=False, default=str))


class _Stderr(logging.StreamHandler[Any]):
    """Writes to whatever stderr is at the time of the line."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


def configure(level: str | None = None) -> None:
    """Sends the product's own loggers to stderr as JSON lines, from `level` on; None keeps the level, INFO at first."""
    for name in LOGGED_PACKAGES:
        logger = logging.getLogger(name)
        is_configured = any(isinstance(handler, _Stderr) for handler in logger.handlers)
        if not is_configured:
            handler = _Stderr()
            handler.setFormatter(JsonLines())
            logger.addHandler(handler)
            logger.setLevel(level or "INFO")
        elif level and logging.getLevelName(logger.level) != level:
            logger.setLevel(level)


def trace_fields(headers: Headers) -> dict[str, str]:
    """Returns the fields by which Cloud Logging groups a request's lines.

    They come from `X-Cloud-Trace-Context`, else from W3C's `traceparent`. Empty without a valid header.
    """
    cloud = _TRACE.fullmatch(headers.get("X-Cloud-Trace-Context", ""))
    w3c = _TRACEPARENT.fullmatch(headers.get("traceparent", ""))
    if cloud:
        trace = cloud["trace"].lower()
        span = _hex_span(cloud["span"])
    elif w3c:
        trace = w3c["trace"].lower()
        span = w3c["span"]
    else:
        return {}
    project = os.environ.get("GOOGLE_CLOUD_PROJECT")
    if project:
        trace = f"projects/{project}/traces/{trace}"
    fields = {"logging.googleapis.com/trace": trace}
    if span:
        fields["logging.googleapis.com/spanId"] = span
    return fields


def _hex_span(decimal: str | None) -> str | None:
    """Returns a span's decimal number as 16 hexadecimal digits; None if it is zero or has more than 64 bits."""
    number = int(decimal or 0)
    if 0 < number < 1 << 64:
        return f"{number:016x}"
    return None


def _described(error: BaseException) -> dict[str, Any]:
    """Returns types and places of an error and its causes. Messages stay out: an SDK's may quote what it was sent."""
    frames = []
    for frame in traceback.extract_tb(error.__traceback__):
        frames.append(f"{frame.filename}:{frame.lineno} {frame.name}")
    described: dict[str, Any] = {
        "type": type(error).__name__,
        "frames": frames,
    }

    cause = error.__cause__ or error.__context__
    if cause is not None:
        described["cause"] = _described(cause)
    return described
