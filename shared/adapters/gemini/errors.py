"""The one table from google-genai's errors to ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from shared.adapters import sdk_errors
from shared.errors import AuroraError, ModelRefused, ModelUnavailable

if TYPE_CHECKING:
    from google.auth.exceptions import GoogleAuthError
    from google.genai.errors import APIError


def table() -> sdk_errors.Table:
    import pydantic  # noqa: PLC0415 - already loaded when anything of this was raised
    import requests  # noqa: PLC0415
    from google.auth.exceptions import GoogleAuthError, TransportError  # noqa: PLC0415
    from google.genai import errors  # noqa: PLC0415

    return {
        **sdk_errors.transport_errors(),
        errors.APIError: _by_status,
        errors.ClientError: _by_status,
        errors.ServerError: _by_status,
        errors.UnknownApiResponseError: sdk_errors.unreadable,
        json.JSONDecodeError: sdk_errors.unreadable,
        UnicodeDecodeError: sdk_errors.unreadable,
        pydantic.ValidationError: sdk_errors.misshapen,
        GoogleAuthError: _by_retryable,  # Vertex AI's access token
        TransportError: sdk_errors.unanswered,
        requests.RequestException: sdk_errors.unanswered,  # carries Vertex AI where client certificates are in use
    }


def _by_status(error: APIError, model: str) -> AuroraError:
    details = tuple(_details(error.details))
    reasons = [str(detail["reason"]) for detail in details if _is(detail, "ErrorInfo") and "reason" in detail]
    why = " ".join(filter(None, (error.status, *reasons)))
    return sdk_errors.from_status(error.code, model, why=why, retry_after=_retry_delay(error, details))


def _retry_delay(error: APIError, details: tuple[Mapping[str, Any], ...]) -> float | None:
    """Seconds: RetryInfo's, else the header's."""
    for detail in details:
        delay = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(detail.get("retryDelay"))) if _is(detail, "RetryInfo") else None
        if delay:
            return float(delay.group(1))
    headers = getattr(error.response, "headers", None)
    return sdk_errors.retry_after(headers) if headers is not None else None


def _details(body: object) -> Iterator[Mapping[str, Any]]:
    """`error.details[]` of a Google API error; nothing of a body in another form."""
    error = body.get("error") if isinstance(body, Mapping) else None
    details = error.get("details") if isinstance(error, Mapping) else None
    if isinstance(details, list):
        yield from (detail for detail in details if isinstance(detail, Mapping))


def _is(detail: Mapping[str, Any], kind: str) -> bool:
    return str(detail.get("@type")).endswith(f"google.rpc.{kind}")


def _by_retryable(error: GoogleAuthError, model: str) -> AuroraError:
    kind = ModelUnavailable if error.retryable else ModelRefused
    return kind(f"{model}: no access token for Vertex AI ({type(error).__name__})")
