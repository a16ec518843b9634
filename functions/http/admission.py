"""Admission of requests: CORS, App Check, ID tokens, limits of bodies and of open replies."""

from __future__ import annotations

import logging
import socket
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import flask
from werkzeug.datastructures import Headers

from functions.http.calls import BODY_LIMIT, current_app
from functions.http.errors import kind_of
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

BODY_SECONDS = 30.0
"""A body that takes longer is refused: each that is awaited holds one of the instance's threads."""
REFUSED_SECONDS = 1.0
"""How long a refused request's body is still read, so that its sender gets to read the refusal."""
MAX_DRAINED = 8 * 1024 * 1024
"""Bytes of it."""
_BODY_READ = "aurora.body_read"

_logger = logging.getLogger(__name__)


# -- pages


def is_preflight(method: str, headers: Headers) -> bool:
    return method == "OPTIONS" and "Origin" in headers and "Access-Control-Request-Method" in headers


def cors_headers(method: str, headers: Headers) -> dict[str, str]:
    """The headers that let the asking page read the reply; a page that is not in ALLOWED_ORIGINS gets none of them."""
    origin = headers.get("Origin")
    if origin is None:
        return {}
    if not is_allowed(origin):
        return {"Vary": "Origin"}
    read = {"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": EXPOSED_HEADERS}
    return {"Vary": "Origin", **read, **(PREFLIGHT if is_preflight(method, headers) else {})}


def is_allowed(origin: str) -> bool:
    """Whether pages from there may call."""
    try:
        allowed = current_app().settings.allowed_origins
    except errors.OperatorError:
        return False  # bad settings allow no origin; the route itself answers why
    return "*" in allowed or origin in allowed


# -- apps and people


def caller(headers: Headers) -> Identity:
    """Raises Unauthenticated, with APP_CHECK=enforce for a foreign app too; Unavailable while keys cannot be had."""
    app = current_app()
    if app.attester is not None:
        try:
            app.attester.verify(headers.get(APP_CHECK))
        except (errors.AppCheckMissing, errors.AppCheckInvalid, errors.Unavailable) as error:
            measure({"appCheck": kind_of(error).reason})
            if app.settings.app_check == "enforce":
                raise
            _logger.warning("let in although App Check would not: %s", error.message)
        else:
            measure({"appCheck": "VALID"})
    scheme, _, token = headers.get("Authorization", "").partition(" ")
    return app.verifier.verify(token.strip() if scheme.lower() == "bearer" else None)


class OpenReplies:
    """Counts the replies that this instance is sending piece by piece. Safe between threads."""

    def __init__(self, name: str, *, each: int, together: int) -> None:
        """`each`: of one person; `together`: of all."""
        self._name, self._each, self._together = name, each, together
        self._open: Counter[Hashable] = Counter()
        self._lock = threading.Lock()

    def add(self, person: Hashable) -> Callable[[], None]:
        """Counts one more; returns the function to call when the reply has ended. Raises Exhausted."""
        with self._lock:
            if self._open[person] >= self._each or self._open.total() >= self._together:
                raise errors.Exhausted(
                    f"too many {self._name} are open; end one, or try again", retry_after=RETRY_SECONDS
                )
            self._open[person] += 1

        def end() -> None:
            with self._lock:
                self._open[person] -= 1
                if not self._open[person]:
                    del self._open[person]

        return end


RETRY_SECONDS = 5
STREAMS = OpenReplies("streams", each=8, together=1000)
EXPORTS = OpenReplies("exports", each=2, together=6)
"""One holds up to 10 MB of notes."""


# -- bodies


def read_body(request: flask.Request, limit: int, seconds: float) -> bytes:
    """All of it. Raises TooLarge beyond `limit` bytes; InvalidArgument if it is no HTTP or not there in `seconds`."""
    length, body = request.content_length or 0, b""
    try:
        with _ends_in(request, seconds):
            while length <= limit and (part := request.stream.read(limit + 1 - len(body))):
                body += part
                length = max(length, len(body))
    except Exception as error:  # the host's readers have errors of their own for what is no HTTP
        expected = f"all the bytes that its headers announce, within {seconds:g} seconds"
        raise errors.InvalidArgument("body", expected) from error
    if length > limit:
        raise errors.TooLarge(f"the body is over {limit} bytes")
    request.environ[_BODY_READ] = True
    return body


def is_read(request: flask.Request) -> bool:
    """Whether nothing of the body is left."""
    return _BODY_READ in request.environ or not _has_body(request)


def then_drained(text: bytes, request: flask.Request) -> Iterator[bytes]:
    """The reply, and then the rest of the body is dropped: closing on a sender makes it lose the reply."""
    yield text
    left = MAX_DRAINED if (request.content_length or 0) <= MAX_DRAINED else 0
    with suppress(Exception), _ends_in(request, REFUSED_SECONDS):  # as in `read_body`
        while left > 0 and (part := request.stream.read(min(left, BODY_LIMIT))):
            left -= len(part)


def connection_of(environ: Mapping[str, object]) -> socket.socket | None:
    """The request's socket; None: the server does not expose it."""
    connection = environ.get("gunicorn.socket") or environ.get("werkzeug.socket")
    return connection if isinstance(connection, socket.socket) else None


def _has_body(request: flask.Request) -> bool:
    return bool(request.content_length) or "Transfer-Encoding" in request.headers


@contextmanager
def _ends_in(request: flask.Request, seconds: float) -> Iterator[None]:
    """After that time, whoever reads from the connection finds its end: a read of its own has no deadline."""
    connection = connection_of(request.environ)
    if connection is None or not _has_body(request):
        yield
        return

    def stop_reading() -> None:
        with suppress(OSError):  # the sender was faster
            connection.shutdown(socket.SHUT_RD)

    timer = threading.Timer(seconds, stop_reading)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
