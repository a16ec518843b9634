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
class ErrorForm:
    """One class of errors as callers see it."""

    code: int
    status: str
    """Google's canonical name; callable clients know only these."""
    reason: str


ERROR_FORMS: Mapping[type[errors.AuroraError], ErrorForm] = {
    errors.InvalidArgument: ErrorForm(400, "INVALID_ARGUMENT", "INVALID_FIELD"),
    errors.NoteUnreadable: ErrorForm(409, "FAILED_PRECONDITION", "NOTE_UNREADABLE"),
    errors.Unauthenticated: ErrorForm(401, "UNAUTHENTICATED", "UNAUTHENTICATED"),
    errors.AppCheckMissing: ErrorForm(401, "UNAUTHENTICATED", "APP_CHECK_MISSING"),
    errors.AppCheckInvalid: ErrorForm(401, "UNAUTHENTICATED", "APP_CHECK_INVALID"),
    errors.PermissionDenied: ErrorForm(403, "PERMISSION_DENIED", "PERMISSION_DENIED"),
    errors.NotFound: ErrorForm(404, "NOT_FOUND", "NOT_FOUND"),
    errors.Conflict: ErrorForm(409, "ABORTED", "CONFLICT"),
    errors.TooSlow: ErrorForm(408, "DEADLINE_EXCEEDED", "TOO_SLOW"),
    errors.Erased: ErrorForm(409, "FAILED_PRECONDITION", "ERASED"),
    errors.TooLarge: ErrorForm(413, "INVALID_ARGUMENT", "TOO_LARGE"),
    errors.Exhausted: ErrorForm(429, "RESOURCE_EXHAUSTED", "EXHAUSTED"),
    errors.Unavailable: ErrorForm(503, "UNAVAILABLE", "UNAVAILABLE"),
    errors.ModelRefused: ErrorForm(502, "FAILED_PRECONDITION", "MODEL_REFUSED"),
    errors.OperatorError: ErrorForm(500, "INTERNAL", "INTERNAL"),
}

UNROUTED = ErrorForm(404, "NOT_FOUND", "NO_SUCH_ROUTE")
WRONG_METHOD = ErrorForm(405, "UNIMPLEMENTED", "METHOD_NOT_ALLOWED")
INTERNAL = ErrorForm(500, "INTERNAL", "INTERNAL")

_OF_HOST: Mapping[int, tuple[ErrorForm, str]] = {
    400: (
        ErrorForm(400, "INVALID_ARGUMENT", "INVALID_EVENT"),
        "expected a CloudEvent of Firestore",
    ),
    404: (UNROUTED, "no such route"),
    405: (WRONG_METHOD, "a trigger answers POST"),
    415: (
        ErrorForm(415, "INVALID_ARGUMENT", "INVALID_EVENT"),
        "expected a CloudEvent of Firestore",
    ),
    503: (ErrorForm(503, "UNAVAILABLE", "UNAVAILABLE"), "try again later"),
}
"""Statuses with which the functions' host and triggers refuse."""

INTERNAL_MESSAGE = "Something went wrong on our side. Quote the request id when you report it."


def error_form(error: Exception) -> ErrorForm:
    """Returns the form of the nearest class in the table; INTERNAL for a bug, which is no error of ours."""
    for error_class in type(error).__mro__:
        if error_class in ERROR_FORMS:
            return ERROR_FORMS[error_class]
    return INTERNAL


def reported(error: Exception) -> dict[str, Any]:
    """Returns the body of the error, and logs it where it is ours.

    A bug's text may quote a note: it is neither sent nor logged.
    """
    kind = type(error).__name__
    if not isinstance(error, errors.AuroraError):
        _logger.error("unexpected error", exc_info=error)
    elif isinstance(error, errors.RequestBusy):  # asked twice: nothing is broken
        _logger.warning("%s: %s", kind, error.message)
    elif error_form(error).code >= 500:
        _logger.error("%s: %s", kind, error.message, exc_info=error)
    return body_of(error)


def body_of(error: Exception) -> dict[str, Any]:
    """Returns the JSON that a caller reads. Errors that only an operator can fix are not described to callers."""
    form = error_form(error)
    if not isinstance(error, errors.AuroraError) or form.code == 500:
        return error_body(form, INTERNAL_MESSAGE)

    metadata = {}
    if isinstance(error, errors.InvalidArgument):
        metadata = {"field": error.field, "expected": error.expected}
    retry_after = _retry_after(error)
    return error_body(form, error.message, metadata, retry_after=retry_after)


def host_error_body(code: int) -> dict[str, Any]:
    """Returns the JSON for a status that the functions' host chose; INTERNAL for one that nobody knows."""
    form, message = _OF_HOST.get(code, (INTERNAL, INTERNAL_MESSAGE))
    return error_body(form, message)


def error_body(
    form: ErrorForm,
    message: str,
    metadata: Mapping[str, str] | None = None,
    *,
    retry_after: int | None = None,
) -> dict[str, Any]:
    """Returns `{"error": {code, status, message, details: [{reason, …}, {retryDelay}]}}`; `retry_after` in seconds."""
    info: dict[str, Any] = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": form.reason,
        "domain": "aurora-notes",
    }
    if metadata:
        info["metadata"] = dict(metadata)
    details = [info]
    if retry_after is not None:  # callable clients see no headers
        retry_info = {
            "@type": "type.googleapis.com/google.rpc.RetryInfo",
            "retryDelay": f"{retry_after}s",
        }
        details.append(retry_info)
    error = {
        "code": form.code,
        "status": form.status,
        "message": message,
        "details": details,
    }
    return {"error": error}


def headers_of(error: Exception) -> dict[str, str]:
    """Returns the headers a caller needs beside the body: how to authenticate, when to retry."""
    if isinstance(error, errors.Unauthenticated):
        return {"WWW-Authenticate": "Bearer"}
    seconds = _retry_after(error)
    if seconds is None:
        return {}
    return {"Retry-After": str(seconds)}


def _retry_after(error: Exception) -> int | None:
    """Returns whole seconds after which a retry may succeed; None if a retry does not help."""
    if isinstance(error, errors.AuroraError) and error.retry_after is not None:
        return math.ceil(error.retry_after)
    if isinstance(error, errors.Unavailable):
        return RETRY_AFTER_OUTAGE
    return None
