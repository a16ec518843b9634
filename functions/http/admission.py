"""Admission of requests: CORS, App Check, ID tokens, limits of open replies."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from werkzeug.datastructures import Headers

from functions.http.calls import current_app
from functions.http.errors import error_form
from shared import errors
from shared.tracing import measure

if TYPE_CHECKING:
    from shared.ports.access import Identity

APP_CHECK = "X-Firebase-AppCheck"
"""The header that holds App Check's token."""
EXPOSED_HEADERS = "X-Request-Id, Retry-After"
PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
    "Access-Control-Allow-Headers": (
        f"Authorization, Content-Type, X-Request-Id, {APP_CHECK}, Firebase-Instance-ID-Token"
    ),
    "Access-Control-Max-Age": "3600",
}

_logger = logging.getLogger(__name__)


# -- pages


def is_preflight(method: str, headers: Headers) -> bool:
    return (
        method == "OPTIONS" and "Origin" in headers and "Access-Control-Request-Method" in headers
    )


def cors_headers(method: str, headers: Headers) -> dict[str, str]:
    """Returns the headers that let the asking page read the reply; only `Vary` for a page not in ALLOWED_ORIGINS."""
    origin = headers.get("Origin")
    if origin is None:
        return {}
    cors = {"Vary": "Origin"}
    if not is_allowed(origin):
        return cors
    cors["Access-Control-Allow-Origin"] = origin
    cors["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
    if is_preflight(method, headers):
        cors.update(PREFLIGHT)
    return cors


def is_allowed(origin: str) -> bool:
    """Reports whether pages of this origin may call."""
    try:
        allowed = current_app().settings.allowed_origins
    except errors.OperatorError:
        return False  # bad settings allow no origin; the route itself answers why
    return "*" in allowed or origin in allowed


# -- apps and people


def caller(headers: Headers) -> Identity:
    """Returns the person behind the ID token.

    Raises Unauthenticated, with APP_CHECK=enforce for a foreign app too; Unavailable while keys cannot be had.
    """
    app = current_app()
    if app.attester is not None:
        try:
            app.attester.verify(headers.get(APP_CHECK))
        except (errors.AppCheckMissing, errors.AppCheckInvalid, errors.Unavailable) as error:
            measure({"appCheck": error_form(error).reason})
            if app.settings.app_check == "enforce":
                raise
            _logger.warning("let in although App Check would not: %s", error.message)
        else:
            measure({"appCheck": "VALID"})

    authorization = headers.get("Authorization", "")
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer":
        return app.verifier.verify(None)
    return app.verifier.verify(token.strip())


class OpenReplies:
    """Counts the replies that this instance is sending piece by piece. Safe between threads."""

    def __init__(self, name: str, *, per_person: int, together: int) -> None:
        self._name = name
        self._per_person = per_person
        self._together = together
        self._open: Counter[Hashable] = Counter()
        self._lock = threading.Lock()

    def add(self, person: Hashable) -> Callable[[], None]:
        """Counts one more; returns the function to call when the reply has ended. Raises Exhausted."""
        with self._lock:
            is_full = self._open.total() >= self._together
            if is_full or self._open[person] >= self._per_person:
                raise errors.Exhausted(
                    f"too many {self._name} are open; end one, or try again",
                    retry_after=RETRY_SECONDS,
                )
            self._open[person] += 1

        def end() -> None:
            with self._lock:
                self._open[person] -= 1
                if not self._open[person]:
                    del self._open[person]

        return end


RETRY_SECONDS = 5
STREAMS = OpenReplies("streams", per_person=8, together=1000)
EXPORTS = OpenReplies("exports", per_person=2, together=6)
"""One holds up to 10 MB of notes."""
