"""From an SDK's errors to ours, by a table: error class -> our error. The most special class wins.

Our messages name the model, the status and the reason code. They never repeat what the server said,
which may quote the request: the original stays chained for those who may read tracebacks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from shared.errors import AuroraError, ModelRefused, ModelUnavailable, ModelUnreachable
from shared.settings.parse import RETIRED_MODELS

if TYPE_CHECKING:
    from httpx2 import RequestError

Table: TypeAlias = Mapping[type[Exception], Callable[[Any, str], AuroraError]]
"""Error class -> (error, model) -> ours."""

_PASSING = frozenset({408, 409, 425, 429, 499})
"""Statuses under 500 that another attempt may cure: timeouts, aborted, too early, too many, cancelled."""


_KEY_INVALID = "the key is not valid"
_MEANINGS = {
    401: _KEY_INVALID,
    402: "the quota is spent",
    403: "the key may not use this model",
    429: "too many requests, or the quota is spent",
}
"""What a status means to the operator who set the model."""


@contextmanager
def translated(table: Callable[[], Table], model: str) -> Iterator[None]:
    """Raises ours for every error in the table. The table is asked for only when something was raised."""
    try:
        yield
    except tuple(table()) as error:
        raise ours(table(), error, model) from error


def ours(table: Table, error: Exception, model: str) -> AuroraError:
    """The error that the table has for the class of `error` or its nearest parent."""
    for kind in type(error).__mro__:
        if kind in table:
            return table[kind](error, model)
    raise TypeError(f"no entry for {type(error).__name__}")


def from_status(status: int, model: str, *, why: str = "", retry_after: float | None = None) -> AuroraError:
    """An HTTP status that is no success. `why`: a reason code, never free text."""
    meaning = _KEY_INVALID if "API_KEY_INVALID" in why else _MEANINGS.get(status, "")
    message = " ".join(filter(None, (f"{model}:", str(status), why, meaning and f"({meaning})")))
    if status in _PASSING or status >= 500:
        return ModelUnavailable(message, retry_after=retry_after)
    if status != 404:
        return ModelRefused(message)
    successor = RETIRED_MODELS.get(model.rpartition("/")[2])
    if successor:
        return ModelRefused(f"{model}: this model has been shut down, its successor is {successor}")
    return ModelRefused(f"{model}: 404, the server knows no such model")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """`Retry-After` in seconds, given as a number or a date; None: none that can be read."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value).astimezone(UTC) - datetime.now(UTC)).total_seconds()
        except ValueError:
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _saying(kind: type[AuroraError], what: str) -> Callable[[Exception, str], AuroraError]:
    return lambda error, model: kind(f"{model}: {what.format(type(error).__name__)}")


unreadable = _saying(ModelUnavailable, "the reply cannot be read ({})")
"""A reply that is no JSON: most often a proxy's error page, so another attempt may fare better."""
misshapen = _saying(ModelRefused, "the reply does not have the form of this interface")
"""JSON, but not what the interface promises."""
unanswered = _saying(ModelUnavailable, "no complete reply ({})")
"""No reply, or not all of one."""
unreachable = _saying(ModelRefused, "the request cannot be sent ({})")
"""A request that cannot even be sent: the address or a header is wrong."""


def away(error: RequestError, model: str) -> AuroraError:
    """No connection. The message names the address's host alone, without a user or password before it."""
    url = error.request.url
    return ModelUnreachable(
        f"{model}: nobody answers at {url.copy_with(userinfo=b'', raw_path=b'/')}".removesuffix("/")
    )


def transport_errors() -> Table:
    """The errors of httpx2, which carries both SDKs."""
    import httpx2  # noqa: PLC0415 - costs a cold start what only a failure needs

    return {
        httpx2.RequestError: unanswered,
        httpx2.ConnectError: away,
        httpx2.ConnectTimeout: away,
        httpx2.LocalProtocolError: unreachable,
        httpx2.UnsupportedProtocol: unreachable,
        httpx2.TooManyRedirects: unreachable,
        httpx2.InvalidURL: unreachable,
    }
