"""Types between HTTP and handlers: calls, replies, routes and their contracts. No Flask, nothing heavy.

Routes are found by hand: werkzeug's map costs a command that calls them in its own process 60 ms.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

from functions import __name__ as functions_package
from functions.http import log as _log
from functions.http.streams import Form
from shared.errors import Unauthenticated

if TYPE_CHECKING:  # /health needs no pydantic
    from functions.http.bodies import Body
    from shared.api.stream import StreamEvent
    from shared.app import App
    from shared.ports.access import Identity
    from shared.sessions.service import Sessions

REQUEST_ID_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}"
"""Id of a request, in X-Request-Id or in a body."""
BODY_LIMIT = 64 * 1024
"""Bytes of a request body, unless a route says otherwise."""


def current_app() -> App:
    """Returns the process's App, built on the first call. Raises SettingsError."""
    from shared.bootstrap import app  # noqa: PLC0415 - /health answers without it

    current = app()
    _log.configure(current.settings.log_level)
    return current


@dataclass(frozen=True, slots=True)
class Call:
    """One request, parsed into what all handlers need."""

    request_id: str
    query: Mapping[str, str]
    body: bytes
    """At most the route's limit."""
    identity: Identity | None
    """The caller; None if the route is public."""
    streams: bool | None = None
    """True if a header or the envelope asks for a stream; None if the body may still ask for one."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """By name in lower case."""

    @property
    def app(self) -> App:
        return current_app()

    def app_unless_erased(self, erasure: str | None) -> App:
        """Returns the App; what it saves raises Erased if the caller's last erasure is not `erasure`, unless None."""
        if erasure is None:
            return self.app
        from shared.bootstrap import unless_erased  # noqa: PLC0415 - loaded with the App

        return unless_erased(self.app, self.tenant_id, erasure)

    @property
    def caller(self) -> Identity:
        """The person who calls, never taken from the body. Raises Unauthenticated on a public route."""
        if self.identity is None:
            raise Unauthenticated("this route needs a caller")
        return self.identity

    @property
    def tenant_id(self) -> str:
        """The caller's tenant. Raises Unauthenticated on a public route."""
        return self.caller.tenant_id

    @property
    def sessions(self) -> Sessions:
        return self.app.sessions(self.caller.person)


@dataclass(frozen=True, slots=True)
class Reply:
    """A handler's reply: `body`, `stream`, `events`, or nothing."""

    body: Mapping[str, object] | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Iterator[bytes] | None = None
    """Sent piece by piece as it is produced, as `media_type`."""
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
    """True if it answers without a caller's token."""
    callable: bool = False
    """True if it takes Firebase's callable form, `{"data": …}`, too."""
    group: str = ""
    """Group of its operation in openapi.json, where that is not the handler's module."""

    def load(self) -> Callable[..., Reply]:
        module_name, _, name = self.handler.partition(":")
        module = importlib.import_module(f"{functions_package}.routes.{module_name}")
        handler: Callable[..., Reply] = getattr(module, name)
        return handler


HEALTH = Route("GET", "/health", "overview:health", public=True)
"""Route of every function."""


@dataclass(frozen=True, slots=True)
class RouteMatch:
    """Route of one request. `route` is None if the path does not exist, or if it does not allow the method; see
    `allowed`.
    """

    route: Route | None
    segments: Mapping[str, str]
    allowed: tuple[str, ...]
    """Methods that the path allows, sorted, if there is no route; empty if the path does not exist."""


def find_route(routes: Sequence[Route], method: str, path: str) -> RouteMatch:
    """Finds the route for a percent-encoded path; HEAD is GET without a body.

    A verb follows a literal colon, so an id that ends like one has its colon as `%3A`: `/notes/x%3Alinks` is the note
    `x:links`.
    """
    if method == "HEAD":
        method = "GET"
    verbs = _verbs(tuple(routes))
    allowed: set[str] = set()
    for route in routes:
        segments = _segments(route.pattern, path, verbs)
        if segments is None:
            continue
        if route.method == method:
            return RouteMatch(route, segments, (method,))
        allowed.add(route.method)
    return RouteMatch(None, {}, tuple(sorted(allowed)))


@cache
def _verbs(routes: tuple[Route, ...]) -> tuple[str, ...]:
    """Returns the verbs that may end a segment with a name, each with its colon."""
    verbs: set[str] = set()
    for route in routes:
        verbs_of_route = re.findall(r"\}(:\w+)", route.pattern)
        verbs.update(verbs_of_route)
    return tuple(verbs)


def _segments(pattern: str, path: str, verbs: tuple[str, ...]) -> dict[str, str] | None:
    """Returns the path's segments that the pattern names; None for a path that is not of this pattern."""
    expected_parts = pattern.split("/")
    without_slash = path.rstrip("/") or "/"
    parts = without_slash.split("/")
    if len(parts) != len(expected_parts):
        return None

    segments = {}
    for expected, part in zip(expected_parts, parts, strict=True):
        if not expected.startswith("{"):
            if part != expected:
                return None
            continue

        name, _, verb = expected[1:].partition("}")
        if not part.endswith(verb):
            return None
        value = part.removesuffix(verb)

        # `/notes/x:links` asks for the links of `x`.
        if not value or value.endswith(verbs):
            return None
        segments[name] = unquote(value)
    return segments


# -- contracts


H = TypeVar("H", bound=Callable[..., Reply])


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One handler's contract, without the errors that every route may answer (400, 401, 429, 503, …)."""

    body: type[Body] | None = None
    """Type of the body; None if a body is ignored."""
    query: type[Body] | None = None
    """Type of the parameters after `?`; None if they are ignored."""
    reply: Any = None
    """Type of the reply's JSON, from `shared.api`; None for 204, or a reply of one of `media_types`."""
    media_types: tuple[str, ...] = ()
    """Other media types of a reply, as text."""
    errors: tuple[int, ...] = ()
    """404 and 409, if the route can return them."""
    described: Mapping[str, Any] | None = None
    """Hand-written OpenAPI operation, for routes with a protocol of their own (GraphQL, MCP)."""


OPERATIONS: dict[Callable[..., Reply], Operation] = {}


def operation(**contract: Any) -> Callable[[H], H]:  # noqa: ANN401 - Operation's own fields
    """Registers the contract of a handler."""

    def register(handler: H) -> H:
        OPERATIONS[handler] = Operation(**contract)
        return handler

    return register
