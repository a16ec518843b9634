"""How Gemini is reached: one client, made on first use, what every request carries, and the SDK's errors as ours."""

from __future__ import annotations

import json
import math
import re
import threading
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shared.adapters import sdk_errors
from shared.adapters.remote import attach
from shared.errors import AuroraError, ModelRefused, ModelUnavailable

if TYPE_CHECKING:
    from google.auth.exceptions import GoogleAuthError
    from google.genai import Client
    from google.genai.errors import APIError
    from google.genai.types import HttpOptions

PUBLIC_ADDRESS = "https://generativelanguage.googleapis.com/"
DEVELOPER_VERSION = "v1beta"
"""Of the Developer API: v1, the SDK's own choice, has neither system instructions nor schemas nor thinking levels."""
MIN_SERVER_TIMEOUT = 10
"""Seconds. The SDK tells the server its timeout, and the server answers 400 to anything shorter than this."""

_HOOKS = {"event_hooks": {"response": [attach]}}
"""The SDK keeps its responses to itself; this is how a stream can be ended from outside."""


class Connection:
    """`project` chooses Vertex AI with the machine's own credentials, otherwise `api_key` is needed."""

    def __init__(self, *, api_key: str | None, base_url: str | None, project: str | None, location: str) -> None:
        self._api_key = api_key
        self._base_url = base_url
        self._project = project
        self._location = location
        self._client: Client | None = None
        self._lock = threading.Lock()

    def client(self) -> Client:
        with self._lock:
            if self._client is None:
                self._client = self._connected()
                # Garbage collection would take its sockets before it could close them.
                weakref.finalize(self, self._client.close)
            return self._client

    def _connected(self) -> Client:
        from google.genai import Client, types  # noqa: PLC0415 - 400 ms that a cold start need not pay

        if self._project is not None:
            options = types.HttpOptions(base_url=self._base_url, client_args=_HOOKS)
            return Client(enterprise=True, project=self._project, location=self._location, http_options=options)
        address = self._base_url or PUBLIC_ADDRESS
        options = types.HttpOptions(base_url=address, api_version=DEVELOPER_VERSION, client_args=_HOOKS)
        return Client(enterprise=False, api_key=self._api_key, http_options=options)


def within(seconds: float) -> HttpOptions:
    """Options of a request that may take so long. The SDK itself does not retry unless told to."""
    from google.genai import types  # noqa: PLC0415

    told = max(math.ceil(seconds), MIN_SERVER_TIMEOUT)
    return types.HttpOptions(timeout=max(1, math.ceil(seconds * 1000)), headers={"X-Server-Timeout": str(told)})


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
    """With the reasons of `error.details[]`, and the delay of its RetryInfo, else the header's."""
    body = error.details.get("error") if isinstance(error.details, Mapping) else None
    listed = body.get("details") if isinstance(body, Mapping) else None
    details = [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    reasons = [str(each["reason"]) for each in details if _is(each, "ErrorInfo") and "reason" in each]
    delays = [
        re.fullmatch(r"(\d+(?:\.\d+)?)s", str(each.get("retryDelay"))) for each in details if _is(each, "RetryInfo")
    ]
    delay = next((float(found[1]) for found in delays if found), None)
    headers = getattr(error.response, "headers", None)
    if delay is None and headers is not None:
        delay = sdk_errors.retry_after(headers)
    why = " ".join(filter(None, (error.status, *reasons)))
    return sdk_errors.from_status(error.code, model, why=why, retry_after=delay)


def _is(detail: Mapping[str, Any], kind: str) -> bool:
    return str(detail.get("@type")).endswith(f"google.rpc.{kind}")


def _by_retryable(error: GoogleAuthError, model: str) -> AuroraError:
    kind = ModelUnavailable if error.retryable else ModelRefused
    return kind(f"{model}: no access token for Vertex AI ({type(error).__name__})")
