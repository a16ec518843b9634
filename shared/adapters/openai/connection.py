"""How the server is reached: one client, made on first use; and the one table from openai's errors to ours."""

from __future__ import annotations

import json
import threading
import weakref
from typing import TYPE_CHECKING

from shared.adapters import sdk_errors
from shared.errors import AuroraError

if TYPE_CHECKING:
    from openai import APIConnectionError, APIStatusError, OpenAI
    from pydantic import ValidationError


class Connection:
    """`base_url` ends in `/v1`. `api_key` None: the server wants none."""

    def __init__(self, base_url: str, api_key: str | None) -> None:
        self._base_url = base_url
        self._api_key = api_key
        self._client: OpenAI | None = None
        self._lock = threading.Lock()

    def client(self) -> OpenAI:
        from openai import OpenAI  # noqa: PLC0415 - 500 ms that a cold start need not pay

        with self._lock:
            if self._client is None:
                key = self._api_key or "none"  # the SDK insists on one, servers without keys ignore it
                self._client = OpenAI(base_url=self._base_url, api_key=key, max_retries=0)
                # Garbage collection would take its sockets before it could close them.
                weakref.finalize(self, self._client.close)
            return self._client


def family(model: str) -> str:
    """`library/nomic-embed-text:v1.5` -> `nomic-embed-text`."""
    return model.rpartition("/")[2].partition(":")[0]


def table() -> sdk_errors.Table:
    import openai  # noqa: PLC0415 - already loaded when anything of this was raised
    import pydantic  # noqa: PLC0415

    return {
        **sdk_errors.transport_errors(),
        openai.APIStatusError: _by_status,
        openai.APIConnectionError: _by_cause,
        openai.APIError: sdk_errors.unanswered,  # told inside a stream
        json.JSONDecodeError: sdk_errors.unreadable,
        UnicodeDecodeError: sdk_errors.unreadable,
        pydantic.ValidationError: _by_kind,
    }


def _by_status(error: APIStatusError, model: str) -> AuroraError:
    delay = sdk_errors.retry_after(error.response.headers)
    return sdk_errors.from_status(error.status_code, model, retry_after=delay)


def _by_cause(error: APIConnectionError, model: str) -> AuroraError:
    """The SDK wraps what its transport raised: that tells a wrong address from one that does not answer."""
    from httpx2 import RequestError  # noqa: PLC0415 - already loaded when anything of this was raised

    cause = error.__cause__
    if isinstance(cause, RequestError):
        return sdk_errors.ours(sdk_errors.transport_errors(), cause, model)
    return sdk_errors.unanswered(error, model)


def _by_kind(error: ValidationError, model: str) -> AuroraError:
    broken = any(problem["type"] == "json_invalid" for problem in error.errors(include_input=False))
    return (sdk_errors.unreadable if broken else sdk_errors.misshapen)(error, model)
