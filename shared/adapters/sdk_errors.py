"""From an SDK's errors to ours, by a table: error class -> our error. The most special class wins.

Our messages name the model, the status and the reason code. They never repeat what the server said,
which may quote the request: the original stays chained for those who may read tracebacks.

A setting that only the operator can mend is an outage of the model (ModelMisconfigured): nothing is wrong with the
request. It is logged as an error with what to do, once in LOG_AGAIN seconds, however many requests meet it.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from shared.errors import (
    AuroraError,
    ModelMisconfigured,
    ModelRefused,
    ModelUnavailable,
    ModelUnreachable,
)
from shared.settings.parse import RETIRED_MODELS

if TYPE_CHECKING:
    from httpx2 import RequestError

Table: TypeAlias = Mapping[type[Exception], Callable[[Any, str], AuroraError]]
"""Error class -> (error, model) -> ours."""

_PASSING = frozenset({408, 409, 425, 429, 499})
"""Statuses under 500 that another attempt may cure: timeouts, aborted, too early, too many, cancelled."""
_BILLED = frozenset({408, 499, 502, 504, 524})
"""Statuses of calls that ended in the middle, often told by a proxy: the model may have worked, and be paid for it.

Google charges for no other failed request: https://ai.google.dev/gemini-api/docs/billing
"""

_KEY_INVALID = "the key is not valid"
_MEANINGS = {
    401: _KEY_INVALID,
    402: "the quota is spent",
    403: "the key may not use this model",
    429: "too many requests, or the quota is spent",
}
"""Status -> its meaning for the operator who set the model."""

_OTHER_KEY = "Replace the key as docs/operate.md says under 'Another key'."
_OTHER_MODEL = "Set CHAT_MODEL, EMBEDDING_MODEL or RERANKER_MODEL to one that the service has."
_ADVICE = {
    401: _OTHER_KEY,
    402: "Pay for the service, or replace the key as docs/operate.md says under 'Another key'.",
    403: "Allow the key, or the account of the functions, to use this model; or set another model.",
    404: _OTHER_MODEL,
}
"""Status -> advice to the operator. The server would answer any other request the same."""
_REASONS = {
    "API_KEY_INVALID": _OTHER_KEY,
    "FAILED_PRECONDITION": "Enable billing for the key's project, or use a model served where it is.",
}
"""Reason code of a 400 -> advice to the operator. Other reasons are the request's fault."""

LOG_AGAIN = 600.0
"""Seconds after which a setting that is still wrong is logged again."""
_logged_at: dict[str, float] = {}
"""Message -> when it was last logged, in monotonic seconds. Messages name models and statuses, so they are few."""
_log_lock = Lock()
_logger = logging.getLogger(__name__)


@contextmanager
def translate_errors(table: Callable[[], Table], model: str) -> Iterator[None]:
    """Translates errors of an SDK into ours. The table is made only when an error was raised."""
    try:
        yield
    except tuple(table()) as error:
        raise reported(model_error(table(), error, model)) from error


def reported(problem: AuroraError) -> AuroraError:
    """Returns the problem, logged with advice if only the operator can repair it and it was not logged lately."""
    if not isinstance(problem, ModelMisconfigured):
        return problem
    now = time.monotonic()
    with _log_lock:
        last = _logged_at.get(problem.message)
        if last is not None and now < last + LOG_AGAIN:
            return problem
        _logged_at[problem.message] = now
    _logger.error("%s. %s", problem.message, problem.advice)
    return problem


def model_error(table: Table, error: Exception, model: str) -> AuroraError:
    """Translates an error by the table's entry for its class, or for the nearest parent."""
    for kind in type(error).__mro__:
        if kind in table:
            return table[kind](error, model)
    raise TypeError(f"no entry for {type(error).__name__}")


def from_status(
    status: int,
    model: str,
    *,
    why: str = "",
    retry_after: float | None,
) -> AuroraError:
    """Translates an HTTP status that is no success, and says whether the call may be billed.

    `why`: a reason code, never free text.
    """
    meaning = _MEANINGS.get(status, "")
    if "API_KEY_INVALID" in why:
        meaning = _KEY_INVALID
    message = f"{model}: {status}"
    if why:
        message += f" {why}"
    if meaning:
        message += f" ({meaning})"
    if status in _PASSING or status >= 500:
        return ModelUnavailable(message, retry_after=retry_after, is_billed=status in _BILLED)
    advice = _advice(status, why)
    if advice is None:
        return ModelRefused(message, is_billed=False)
    if status == 404:
        message = _unknown_model(model)
    return ModelMisconfigured(message, advice=advice)


def _advice(status: int, why: str) -> str | None:
    """Returns advice to the operator about a refusal, None if the request is at fault."""
    if status != 400:
        return _ADVICE.get(status)
    for reason in why.split():
        if reason in _REASONS:
            return _REASONS[reason]
    return None


def _unknown_model(model: str) -> str:
    """Returns the message about a model that the server does not know, with its successor if it was shut down."""
    successor = RETIRED_MODELS.get(model.rpartition("/")[2])
    if successor:
        return f"{model}: this model has been shut down, its successor is {successor}"
    return f"{model}: 404, the server knows no such model"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Reads `Retry-After`, a number or a date, as seconds; None if it is missing or cannot be read."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            date = parsedate_to_datetime(value).astimezone(UTC)
        except ValueError:
            return None
        seconds = (date - datetime.now(UTC)).total_seconds()
    if not math.isfinite(seconds):
        return None
    return max(seconds, 0.0)


def unreadable(error: Exception, model: str) -> AuroraError:
    """Translates a reply that is no JSON: most often a proxy's error page, so another attempt may fare better."""
    return ModelUnavailable(f"{model}: the reply cannot be read ({type(error).__name__})")


def misshapen(error: Exception, model: str) -> AuroraError:  # noqa: ARG001 - the table's signature
    """Translates a reply of JSON that does not have the form which the interface promises."""
    return ModelRefused(f"{model}: the reply does not have the form of this interface")


def unanswered(error: Exception, model: str) -> AuroraError:
    """Translates a failure without a reply, or without all of one."""
    return ModelUnavailable(f"{model}: no complete reply ({type(error).__name__})")


def unsendable(error: Exception, model: str) -> AuroraError:
    """Translates a request that cannot even be sent: the address, or the key in its header, is wrong."""
    return ModelMisconfigured(
        f"{model}: the request cannot be sent ({type(error).__name__})",
        advice="Mend GEMINI_BASE_URL or OPENAI_BASE_URL, or the key: one line without blanks.",
    )


def away(error: RequestError, model: str) -> AuroraError:
    """Translates a failed connection. The message names the host alone, without a user or password before it."""
    address = str(error.request.url.copy_with(userinfo=b"", raw_path=b"/"))
    return ModelUnreachable(f"{model}: nobody answers at {address.removesuffix('/')}")


def transport_errors() -> Table:
    """Returns the table of the errors of httpx2, which carries both SDKs."""
    import httpx2  # noqa: PLC0415 - costs a cold start what only a failure needs

    return {
        httpx2.RequestError: unanswered,
        httpx2.ConnectError: away,
        httpx2.ConnectTimeout: away,
        httpx2.LocalProtocolError: unsendable,
        httpx2.UnsupportedProtocol: unsendable,
        httpx2.TooManyRedirects: unsendable,
        httpx2.InvalidURL: unsendable,
    }
