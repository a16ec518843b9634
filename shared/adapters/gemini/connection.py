"""How Gemini is reached: one client, made on first use, and what every request carries."""

from __future__ import annotations

import math
import threading
import weakref
from typing import TYPE_CHECKING

from shared.adapters.streaming import attach

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.types import HttpOptions

PUBLIC_ADDRESS = "https://generativelanguage.googleapis.com/"
DEVELOPER_VERSION = "v1beta"
"""Of the Developer API: v1, the SDK's own choice, has neither system instructions nor schemas nor thinking levels."""
LEAST_SERVER_TIMEOUT = 10
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

    told = max(math.ceil(seconds), LEAST_SERVER_TIMEOUT)
    return types.HttpOptions(timeout=max(1, math.ceil(seconds * 1000)), headers={"X-Server-Timeout": str(told)})
