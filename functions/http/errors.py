"""Our errors -> Google JSON errors: one table, the same for every route."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shared import errors

_logger = logging.getLogger(__name__)

RETRY_AFTER_OUTAGE = 5
"""Seconds a caller is asked to wait when the unavailable service named no time."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How one class of errors looks on the wire."""

    code: int
    status: str
    """Google's canonical name; callable clients know only these."""
    reason: str


KINDS: Mapping[type[errors.AuroraError], Kind] = {
    errors.InvalidArgument: Kind(400, "INVALID_ARGUMENT", "INVALID_FIELD"),
    errors.NoteUnreadable: Kind(409, "FAILED_PRECONDITION", "NOTE_UNREADABLE"),
    errors.Unauthenticated: Kind(401, "UNAUTHENTICATED", "UNAUTHENTICATED"),
    errors.AppCheckMissing: Kind(401, "UNAUTHENTICATED", "APP_CHECK_MISSING"),
    errors.AppCheckInvalid: Kind(401, "UNAUTHENTICATED", "APP_CHECK_INVALID"),
    errors.PermissionDenied: Kind(403, "PERMISSION_DENIED", "PERMISSION_DENIED"),
    errors.NotFound: Kind(404, "NOT_FOUND", "NOT_FOUND"),
    errors.Conflict: Kind(409, "ABORTED", "CONFLICT"),
    errors.TooLarge: Kind(413, "INVALID_ARGUMENT", "TOO_LARGE"),
    errors.Exhausted: Kind(429, "RESOURCE_EXHAUSTED", "EXHAUSTED"),
    errors.Unavailable: Kind(503, "UNAVAILABLE", "UNAVAILABLE"),
    errors.ModelRefused: Kind(502, "FAILED_PRECONDITION", "MODEL_REFUSED"),
    errors.OperatorError: Kind(500, "INTERNAL", "INTERNAL"),
}

UNROUTED = Kind(404, "NOT_FOUND", "NO_SUCH_ROUTE")
WRONG_METHOD = Kind(405, "UNIMPLEMENTED", "METHOD_NOT_ALLOWED")
INTERNAL = Kind(500, "INTERNAL", "INTERNAL")

INTERNAL_MESSAGE = "Something went wrong on our side. Quote the request id when you report it."


def kind_of(error: Exception) -> Kind:
    """The nearest class in the table; an error that is not ours is a bug, and INTERNAL."""
    return next((KINDS[cls] for cls in type(error).__mro__ if cls in KINDS), INTERNAL)


def reported(error: Exception) -> dict[str, Any]:
    """`body_of` the error, logged where it is ours. A bug's text may quote a note: it is neither sent nor logged."""
    if not isinstance(error, errors.AuroraError):
        _logger.error("unexpected error", exc_info=error)
    elif isinstance(error, errors.RequestBusy):  # asked twice: nothing is broken
        _logger.warning("%s: %s", type(error).__name__, error.message)
    elif kind_of(error).code >= 500:
        _logger.error("%s: %s", type(error).__name__, error.message, exc_info=error)
    return body_of(error)


def body_of(error: Exception) -> dict[str, Any]:
    """The JSON a caller reads. Errors that only an operator can fix are not described to callers."""
    kind = kind_of(error)
    if not isinstance(error, errors.AuroraError) or kind.code == 500:
        return error_body(kind, INTERNAL_MESSAGE)
    metadata = {"field": error.field, "expected": error.expected} if isinstance(error, errors.InvalidArgument) else {}
    return error_body(kind, error.message, metadata, retry_after=_retry_after(error))


def error_body(
    kind: Kind, message: str, metadata: Mapping[str, str] | None = None, *, retry_after: int | None = None
) -> dict[str, Any]:
    """`{"error": {code, status, message, details: [{reason, …}, {retryDelay}]}}`; `retry_after` in seconds."""
    detail: dict[str, Any] = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": kind.reason,
        "domain": "aurora-notes",
    }
    if metadata:
        detail["metadata"] = dict(metadata)
    details = [detail]
    if retry_after is not None:  # callable clients see no headers
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{retry_after}s"})
    return {"error": {"code": kind.code, "status": kind.status, "message": message, "details": details}}


def headers_of(error: Exception) -> dict[str, str]:
    """The headers a caller needs beside the body: how to authenticate, when to retry."""
    if isinstance(error, errors.Unauthenticated):
        return {"WWW-Authenticate": "Bearer"}
    seconds = _retry_after(error)
    return {} if seconds is None else {"Retry-After": str(seconds)}


def _retry_after(error: Exception) -> int | None:
    """Whole seconds after which a retry may succeed; None: a retry does not help."""
    if isinstance(error, errors.AuroraError) and error.retry_after is not None:
        return math.ceil(error.retry_after)
    return RETRY_AFTER_OUTAGE if isinstance(error, errors.Unavailable) else None
