"""HTTP for every function: request -> route -> caller -> handler -> response.

Errors become Google JSON errors, `X-Request-Id` goes in and out, each request is one log line.
"""

from __future__ import annotations

import json
import logging
import re
import time
import uuid
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

import flask
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from functions.http import incoming
from functions.http import log as _log
from functions.http.admission import EXPORTS, STREAMS, caller, cors_headers, is_preflight
from functions.http.calls import (
    HEALTH,
    REQUEST_ID_PATTERN,
    Call,
    Reply,
    Route,
    RouteMatch,
    current_app,
    find_route,
)
from functions.http.errors import (
    INTERNAL,
    RETRY_AFTER_OUTAGE,
    UNROUTED,
    WRONG_METHOD,
    error_body,
    error_form,
    headers_of,
    host_error_body,
    reported,
)
from functions.http.incoming import connection_of, is_read, read_body, then_drained
from functions.http.streams import (
    CLIENT_LEFT,
    EVENT_STREAM,
    Form,
    callable_error,
    encode,
    encoded,
    has_hung_up,
    unwrapped,
)
from shared.errors import AuroraError, Exhausted, RequestError
from shared.tracing import RequestRecord

if TYPE_CHECKING:  # the domain's types cost a cold start 20 ms
    import socket

    from shared.api.stream import StreamEvent
    from shared.ports.access import Identity

HEALTH_PATHS = frozenset([HEALTH.pattern, "/healthz"])
SECURITY_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
}

_EMULATED = re.compile(r"\A/[^/]+/[a-z]+-[a-z]+\d+(?=/)")

_logger = logging.getLogger(__name__)


def serve(request: flask.Request, routes: Sequence[Route], *, name: str) -> flask.Response:
    """Answers one request by a function's table. `name` may stand before the paths, as on the shared functions host."""
    _log.configure()
    request_id = _request_id(request)
    path = _path(request, name)
    match = find_route(routes, request.method, path)
    pattern = _logged_route(match.route, name)

    fields = {"route": pattern, "requestId": request_id}
    fields.update(_log.trace_fields(request.headers))
    trace_parent = request.headers.get("traceparent", "")
    record = RequestRecord(fields, trace_parent)
    started = time.perf_counter()
    end = partial(_end, record, request, pattern, started)

    with record.active():
        reply = _reply(request, match, request_id)
        if reply.events is None:
            end(reply.status)

    if reply.events is None:
        response = _response(request, reply)
    else:
        connection = connection_of(request.environ)
        pieces = _stream(reply.events, reply.form, connection, end)
        pieces = record.following(pieces)
        response = flask.Response(pieces, reply.status, mimetype=EVENT_STREAM)
        # Proxies that gather a reply would hold the tokens back.
        response.headers["X-Accel-Buffering"] = "no"

    response.headers.update(SECURITY_HEADERS)
    response.headers.update(cors_headers(request.method, request.headers))
    response.headers.update(reply.headers)
    response.headers["X-Request-Id"] = request_id
    if reply.ended is not None:
        response.call_on_close(reply.ended)
    return response


def refused_by_host(error: Exception) -> flask.Response:
    """Answers an error of the host or of a trigger as one of ours: no such path, no CloudEvent, an outage, a bug."""
    code = INTERNAL.code
    if isinstance(error, HTTPException) and error.code:
        code = error.code

    headers = dict(SECURITY_HEADERS)
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        methods = sorted(error.valid_methods)
        headers["Allow"] = ", ".join(methods)
    if code == 503:
        headers["Retry-After"] = str(RETRY_AFTER_OUTAGE)

    body = host_error_body(code)
    status = body["error"]["code"]
    return flask.Response(json.dumps(body), status, headers, mimetype="application/json")


def _request_id(request: flask.Request) -> str:
    """Returns the caller's id of the request, or a new one if it has none that is valid."""
    request_id = request.headers.get("X-Request-Id", "")
    if re.fullmatch(REQUEST_ID_PATTERN, request_id):
        return request_id
    return uuid.uuid4().hex


def _path(request: flask.Request, name: str) -> str:
    """Returns the path within the function, percent-encoded: `/api/notes/` on the function `api` is `/notes`, its root `/`.

    Firebase's SDKs, configured for an emulator, call `/PROJECT/REGION/NAME`.
    """
    address = str(request.environ.get("RAW_URI", ""))
    encoded_path, _, _ = address.partition("?")
    path_bytes = encoded_path.encode("latin-1", "replace")  # WSGI gives bytes as Latin-1
    path = path_bytes.decode(errors="replace")
    if not path.startswith("/"):
        path = quote(request.path, safe="/:")
    path = _EMULATED.sub("", path)

    root = f"/{name}"
    names_function = path == root or path.startswith(f"{root}/")
    if names_function:
        path = path.removeprefix(root)
    path = path.rstrip("/")
    return path or "/"


def _logged_route(route: Route | None, name: str) -> str:
    """Returns the route's name in log lines and spans. A function's root has the function's name: `/chat`, not `/`."""
    if route is None:
        return "-"
    if route.pattern == "/":
        return f"/{name}"
    return route.pattern


def _end(
    record: RequestRecord,
    request: flask.Request,
    pattern: str,
    started: float,
    status: int,
) -> None:
    """Writes the request's log line and ends its span.

    The line has the route's pattern (an id may hold private words), status, duration and what was measured.
    """
    http = {
        "requestMethod": request.method,
        "status": status,
        "latency": f"{time.perf_counter() - started:.3f}s",
        "requestSize": str(request.content_length or 0),
    }
    fields = {"httpRequest": http, **record.measures}
    if record.indexing_usd:
        usd = fields.get("usd", 0.0)
        if usd is not None:  # None: the price of the question is not known
            fields["usd"] = round(usd + record.indexing_usd, 9)
    level = _log_level(pattern, status)
    _logger.log(level, "%s %s %d", request.method, pattern, status, extra={"fields": fields})
    attributes: dict[str, str | int] = {
        "http.request.method": request.method,
        "http.route": pattern,
        "http.response.status_code": status,
    }
    record.end(f"{request.method} {pattern}", attributes)


def _log_level(pattern: str, status: int) -> int:
    if pattern in HEALTH_PATHS:
        return logging.DEBUG
    if status == 503:  # an outage that passes; a bug behind it has a line of its own
        return logging.WARNING
    if status >= 500:
        return logging.ERROR
    return logging.INFO


def _reply(request: flask.Request, match: RouteMatch, request_id: str) -> Reply:
    """Returns the handler's reply, or the error it raised, in the form in which the caller speaks. Never raises."""
    if is_preflight(request.method, request.headers) and match.allowed:
        return Reply(None, 204)
    if match.route is None:
        return _unrouted(request.method, match.allowed)

    received = _Received()
    try:
        _receive(request, match.route, received)
        call = Call(
            request_id=request_id,
            query=request.args.to_dict(),
            body=received.body,
            identity=received.identity,
            streams=received.streams,
            headers={header.lower(): value for header, value in request.headers.items()},
        )
        handler = match.route.load()
        reply = handler(call, **match.segments)
        admitted = _admitted(reply, received.identity)
        return _formed(admitted, received.form)
    except Exception as error:  # noqa: BLE001 - the last door
        failed = Reply(reported(error), error_form(error).code, headers_of(error))
        return _formed(failed, received.form)


@dataclass(slots=True)
class _Received:
    """The parts of a request that are read before its handler runs."""

    identity: Identity | None = None
    body: bytes = b""
    form: Form = Form.PLAIN
    """Form in which the caller speaks, once it is known: errors are sent in the same form."""
    streams: bool | None = None
    """True if the caller asks for a stream, False if not; None if the body may still ask for one."""


def _receive(request: flask.Request, route: Route, received: _Received) -> None:
    """Reads who calls, and the body with its form. Raises what refuses the request."""
    # 1. The token comes before the body: without one no caller may keep a thread waiting for a body.
    refusal = None
    if not route.public:
        try:
            received.identity = caller(request.headers)
        except AuroraError as error:
            if not route.callable:
                raise
            refusal = error  # the body decides the form of the error

    # 2. The body.
    if refusal is None:
        received.body = _read_body(request, route, received.identity, incoming.BODY_SECONDS)
    else:
        with suppress(RequestError):
            received.body = _read_body(request, route, None, incoming.REFUSED_SECONDS)

    # 3. A caller asks for a stream by a header; without it the body may still do so, except a callable's.
    accepts_stream = _accepts_stream(request)
    if accepts_stream:
        received.streams = True
    content = None
    if route.callable:
        content = unwrapped(received.body)
    if content is not None:
        received.body = content
        received.streams = accepts_stream
        received.form = Form.CALLABLE
        if accepts_stream:
            received.form = Form.CALLABLE_STREAM
    if refusal is not None:
        raise refusal


def _accepts_stream(request: flask.Request) -> bool:
    qualities = dict(request.accept_mimetypes)
    return qualities.get(EVENT_STREAM, 0) > 0


def _read_body(
    request: flask.Request,
    route: Route,
    identity: Identity | None,
    seconds: float,
) -> bytes:
    """Reads the body within the route's limit, counted for its sender."""
    person: Hashable = None
    if identity is not None:
        # Where nobody signs in, each request counts as another person's.
        nobody_signs_in = current_app().settings.auth == "none"
        person = object() if nobody_signs_in else identity.person
    return read_body(request, route.limit, person=person, seconds=seconds)


def _admitted(reply: Reply, identity: Identity | None) -> Reply:
    """Counts a stream or export until it ends. Raises Exhausted beyond those that a person may keep open.

    AUTH=none counts none.
    """
    if reply.events:
        open_replies = STREAMS
    elif reply.stream:
        open_replies = EXPORTS
    else:
        return reply
    if identity is None or current_app().settings.auth == "none":
        return reply
    try:
        ended = open_replies.add(identity.person)
    except Exhausted:
        if reply.events:
            reply.events.close()
        raise
    return replace(reply, ended=ended)


def _formed(reply: Reply, form: Form) -> Reply:
    """Puts a callable's reply into its envelope. An error of a stream is an event too: iOS drops any other body."""
    if form is Form.PLAIN or reply.events:
        return replace(reply, form=form)

    failed = reply.status >= 400
    body = reply.body or {}
    if form is Form.CALLABLE_STREAM:
        event_name = "error" if failed else "result"
        events = _single_event(event_name, body)
        return Reply(
            None,
            headers=reply.headers,
            events=events,
            form=form,
        )

    envelope = callable_error(body) if failed else {"result": body}
    return replace(reply, body=envelope, form=form)


def _single_event(name: str, data: Mapping[str, object]) -> Generator[StreamEvent]:
    from shared.api.stream import StreamEvent  # noqa: PLC0415 - costs a cold start what only a stream needs

    yield StreamEvent(name, data)


def _unrouted(method: str, allowed: tuple[str, ...]) -> Reply:
    if not allowed:
        no_route = error_body(UNROUTED, "no such route")
        return Reply(no_route, UNROUTED.code)

    every_method = sorted({*allowed, "OPTIONS"})
    methods = ", ".join(every_method)
    headers = {"Allow": methods}
    if method == "OPTIONS":
        return Reply(None, 204, headers)
    body = error_body(WRONG_METHOD, f"this path answers {methods}")
    return Reply(body, WRONG_METHOD.code, headers)


def _response(request: flask.Request, reply: Reply) -> flask.Response:
    if reply.stream is not None:
        return flask.Response(reply.stream, reply.status, mimetype=reply.media_type)

    text = b""
    if reply.body is not None:
        text = json.dumps(reply.body, ensure_ascii=False).encode()

    if is_read(request):
        response = flask.Response(text, reply.status)
    else:
        # functions-framework reads what is left of a body into memory, unless the response is a stream.
        response = flask.Response(then_drained(text, request), reply.status)

    response.mimetype = "application/json"
    response.headers["Content-Length"] = str(len(text))
    return response


def _stream(
    events: Generator[StreamEvent | None],
    form: Form,
    connection: socket.socket | None,
    end: Callable[[int], None],
) -> Generator[bytes]:
    """Yields a reply event by event; its log line comes at its end."""
    status = CLIENT_LEFT
    with closing(events):
        try:
            status = yield from encoded(events, form, gone=lambda: has_hung_up(connection))
        except Exception as error:  # noqa: BLE001 - as in `_reply`
            status = error_form(error).code
            yield encode("error", reported(error), form)
        finally:
            end(status)
