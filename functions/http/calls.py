"""What passes between HTTP and handlers: calls, replies, routes and their contracts. No Flask, nothing heavy."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

from werkzeug.exceptions import MethodNotAllowed
from werkzeug.exceptions import NotFound as NoSuchPath
from werkzeug.routing import BaseConverter, Map, MapAdapter, Rule

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
    """The process's App, built on the first call. Raises SettingsError."""
    from shared.bootstrap import app  # noqa: PLC0415 - /health answers without it

    current = app()
    _log.configure(current.settings.log_level)
    return current


@dataclass(frozen=True, slots=True)
class Call:
    """One request, parsed as far as all handlers need it."""

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
    """Whether it answers without a caller's token."""
    callable: bool = False
    """Whether Firebase's callable form, `{"data": …}`, is taken too."""

    def load(self) -> Callable[..., Reply]:
        module, _, name = self.handler.partition(":")
        handler: Callable[..., Reply] = getattr(importlib.import_module(f"functions.routes.{module}"), name)
        return handler


HEALTH = (
    Route("GET", "/health", "overview:health", public=True),
    Route("GET", "/healthz", "overview:healthz", public=True),
)
"""Every function's. Cloud Run keeps paths that end in z for itself, so the second reaches us only elsewhere."""


@dataclass(frozen=True, slots=True)
class Found:
    """The route of one request. `route` None: no such path, or with `allowed` another method."""

    route: Route | None
    segments: Mapping[str, str]
    allowed: tuple[str, ...]
    """Sorted. Without a route: the methods this path answers to; empty: no such path."""


def find(routes: Sequence[Route], method: str, path: str) -> Found:
    """The route for a percent-encoded path; HEAD is GET without a body. A verb follows a literal colon, so an id that
    ends like one has its colon as `%3A`: `/notes/x%3Alinks` is the note `x:links`.
    """
    try:
        route, segments = _routing(tuple(routes)).match(path, method)
    except MethodNotAllowed as error:
        return Found(None, {}, tuple(sorted({*(error.valid_methods or ())} - {"HEAD"})))
    except NoSuchPath:
        return Found(None, {}, ())
    return Found(route, segments, (route.method,))


@cache
def _routing(routes: tuple[Route, ...]) -> MapAdapter:
    verbs = {verb for route in routes for verb in re.findall(r"\}:(\w+)", route.pattern)}

    class Segment(BaseConverter):
        regex = "[^/]+" + "".join(f"(?<!:{verb})" for verb in sorted(verbs))
        part_isolating = True

        def to_python(self, value: str) -> str:
            return unquote(value)

    rules = [
        Rule(re.sub(r"\{(\w+)\}", r"<segment:\1>", route.pattern), methods=[route.method], endpoint=route)
        for route in routes
    ]
    return Map(rules, converters={"segment": Segment}, strict_slashes=False, merge_slashes=False).bind("")


# -- contracts


H = TypeVar("H", bound=Callable[..., Reply])


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One handler's contract, without the errors that every route may answer (400, 401, 429, 503, …)."""

    body: type[Body] | None = None
    """None: a body is ignored."""
    query: type[Body] | None = None
    """The parameters after `?`; None: they are ignored."""
    reply: Any = None
    """The type of its JSON, like those of `shared.api`; None: 204, or one of `media_types`."""
    media_types: tuple[str, ...] = ()
    """Other types that a reply may have, as text."""
    errors: tuple[int, ...] = ()
    """404 and 409, where they can happen."""
    described: Mapping[str, Any] | None = None
    """Description in openapi.json where the fields above cannot say it, as of another protocol's messages."""


OPERATIONS: dict[Callable[..., Reply], Operation] = {}


def operation(**contract: Any) -> Callable[[H], H]:  # noqa: ANN401 - Operation's own fields
    """Registers the contract of a handler."""

    def register(handler: H) -> H:
        OPERATIONS[handler] = Operation(**contract)
        return handler

    return register
