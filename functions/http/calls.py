"""What passes between HTTP and handlers: routes, calls and replies. No Flask, nothing heavy."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import unquote

from functions.http import log as _log
from functions.http.sse import Form
from shared.errors import PermissionDenied, Unauthenticated

if TYPE_CHECKING:
    from shared.api.stream import StreamEvent
    from shared.app import App
    from shared.model.account import Person
    from shared.ports.access import Identity
    from shared.sessions.service import Sessions

REQUEST_ID_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}"
"""What names a request, by X-Request-Id or in a body."""
BODY_LIMIT = 64 * 1024
"""Bytes of a request body, unless a route says otherwise."""


def current_app() -> App:
    """The process's App, built on the first call. Raises SettingsError."""
    from shared.bootstrap import app  # noqa: PLC0415 - /health answers without it

    current = app()
    _log.configure(current.settings.log_level)
    return current


@dataclass(frozen=True, slots=True)
class Call:
    """A request as a handler sees it."""

    request_id: str
    query: Mapping[str, str]
    body: bytes
    """At most the route's limit."""
    identity: Identity | None
    """None: the route is public."""
    streams: bool | None = None
    """Whether the caller asks for a stream by header or envelope; None: the body may say so."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """By name in lower case."""

    @property
    def app(self) -> App:
        return current_app()

    @property
    def caller(self) -> Identity:
        """Never from the body. Raises Unauthenticated on a public route."""
        if self.identity is None:
            raise Unauthenticated("this route needs a caller")
        return self.identity

    @property
    def person(self) -> Person:
        """Whose sessions, messages and feedback they are."""
        return self.caller.person

    @property
    def tenant_id(self) -> str:
        """Whose notes the caller uses."""
        return self.caller.tenant_id

    @property
    def sessions(self) -> Sessions:
        return self.app.sessions(self.person)

    def check_tenant(self, named: str | None) -> None:
        """A tenant named in a body must be the caller's own. Raises PermissionDenied."""
        if named is not None and named != self.tenant_id:
            raise PermissionDenied("tenantId: not one this caller may use")


@dataclass(frozen=True, slots=True)
class Reply:
    """What a handler answers: `body`, or `stream`, or `events`, or nothing."""

    body: Mapping[str, object] | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Iterator[bytes] | None = None
    """Sent piece by piece as it comes about, as `media_type`."""
    media_type: str = "application/json"
    events: Generator[StreamEvent | None] | None = None
    """A stream; errors raised in it become its last event."""
    form: Form = Form.PLAIN
    ended: Callable[[], None] | None = None
    """Called when the reply has been sent, or its client has left."""


@dataclass(frozen=True, slots=True)
class Route:
    """One line of a function's table. `{name}` in the pattern is one segment, given to the handler by that name."""

    method: str
    pattern: str
    handler: str
    """`module:function` in `functions.routes`, imported when called: `function(call, **segments) -> Reply`."""
    limit: int = BODY_LIMIT
    public: bool = False
    """Whether it answers without a caller's token."""
    callable: bool = False
    """Whether Firebase's SDKs may call it as a callable function."""

    def match(self, path: str) -> dict[str, str] | None:
        """The segments by name, percent-encoded; None if the path is another route's."""
        found = _expression(self.pattern).fullmatch(path)
        return found.groupdict() if found else None

    def load(self) -> Callable[..., Reply]:
        """The handler itself."""
        module, _, name = self.handler.partition(":")
        handler: Callable[..., Reply] = getattr(importlib.import_module(f"functions.routes.{module}"), name)
        return handler


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(pattern)), re.DOTALL)


HEALTH = (
    Route("GET", "/health", "health:check", public=True),
    Route("GET", "/healthz", "health:alias", public=True),
)
"""Every function's. Cloud Run keeps paths that end in z for itself, so the second reaches us only elsewhere."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the table says of one request. `route` None: no such path, or with `allowed` not by this method."""

    route: Route | None
    segments: Mapping[str, str]
    allowed: tuple[str, ...]
    """The methods this path answers to, sorted; empty: no such path."""


def find(routes: Sequence[Route], method: str, path: str) -> Found:
    """The first route whose pattern and method match; HEAD is GET without a body. `path` is percent-encoded: the colon
    before a verb stands as it is, and one of an id as `%3A` where a verb follows it (`/notes/x%3Alinks`).
    """
    matching = [(route, segments) for route in routes if (segments := route.match(path)) is not None]
    allowed = tuple(sorted({route.method for route, _ in matching}))
    wanted = "GET" if method == "HEAD" else method
    for route, segments in matching:
        if route.method == wanted:
            return Found(route, {name: unquote(value) for name, value in segments.items()}, allowed)
    return Found(None, {}, allowed)
