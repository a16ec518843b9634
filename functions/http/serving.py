"""HTTP for every function: request -> route -> caller -> handler -> response. Flask stays in this file.

Errors become Google JSON errors, `X-Request-Id` goes in and out, each request is one log line.
"""

from __future__ import annotations

import json
import logging
import re
import time
import uuid
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

import flask

from functions.http import log as _log
from functions.http.admission import (
    BODY_SECONDS,
    EXPORTS,
    REFUSED_SECONDS,
    STREAMS,
    caller,
    connection_of,
    cors_headers,
    is_preflight,
    is_read,
    read_body,
    then_drained,
)
from functions.http.calls import HEALTH, REQUEST_ID_PATTERN, Call, Found, Reply, Route, current_app, find
from functions.http.errors import UNROUTED, WRONG_METHOD, error_body, headers_of, kind_of, reported
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

HEALTH_PATHS = frozenset(route.pattern for route in HEALTH)
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
    """Answer one request by a function's table. `name` may stand before the paths, as on the shared functions host."""
    _log.configure()
    given = request.headers.get("X-Request-Id", "")
    request_id = given if re.fullmatch(REQUEST_ID_PATTERN, given) else uuid.uuid4().hex
    found = find(routes, request.method, _path(request, name))
    pattern = found.route.pattern if found.route else "-"
    fields = {"route": pattern, "requestId": request_id, **_log.trace_fields(request.headers)}
    record = RequestRecord(fields, request.headers.get("traceparent", ""))
    end = partial(_end, record, request, pattern, time.perf_counter())
    with record.active():
        reply = _reply(request, found, request_id)
        if reply.events is None:
            end(reply.status)
    if reply.events is None:
        response = _response(request, reply)
    else:
        sent = _sent(reply.events, reply.form, connection_of(request.environ), end)
        response = flask.Response(record.following(sent), reply.status, mimetype=EVENT_STREAM)
        response.headers["X-Accel-Buffering"] = "no"  # proxies that gather a reply would hold the tokens back
    response.headers.update({**SECURITY_HEADERS, **cors_headers(request.method, request.headers), **reply.headers})
    response.headers["X-Request-Id"] = request_id
    if reply.ended is not None:
        response.call_on_close(reply.ended)
    return response


def not_routed(_: Exception) -> flask.Response:
    """A path that the host itself does not hand on, like one with a newline in it."""
    reply = _unrouted("GET", ())
    return flask.Response(json.dumps(reply.body), reply.status, dict(SECURITY_HEADERS), mimetype="application/json")


def _path(request: flask.Request, name: str) -> str:
    """The path within the function, percent-encoded: `/api/notes/` on the function `api` -> `/notes`; its root -> `/`.

    Firebase's SDKs, configured for an emulator, call `/PROJECT/REGION/NAME`.
    """
    sent = str(request.environ.get("RAW_URI", "")).partition("?")[0]  # WSGI hands bytes over as Latin-1
    sent = sent.encode("latin-1", "replace").decode(errors="replace")
    path = _EMULATED.sub("", sent if sent.startswith("/") else quote(request.path, safe="/:"))
    if path == f"/{name}" or path.startswith(f"/{name}/"):
        path = path[len(name) + 1 :]
    return path.rstrip("/") or "/"


def _end(record: RequestRecord, request: flask.Request, pattern: str, started: float, status: int) -> None:
    """Writes the request's log line: what was asked for by its pattern (an id may hold private words), how it ended,
    how long it took, and what was measured; and ends its span.
    """
    http = {
        "requestMethod": request.method,
        "status": status,
        "latency": f"{time.perf_counter() - started:.3f}s",
        "requestSize": str(request.content_length or 0),
    }
    level = logging.ERROR if status >= 500 else logging.INFO
    if status == 503:  # an outage that passes; a bug behind it has a line of its own
        level = logging.WARNING
    if pattern in HEALTH_PATHS:
        level = logging.DEBUG
    fields = {"httpRequest": http, **record.measures}
    if record.embedding_usd and (usd := fields.get("usd", 0.0)) is not None:
        fields["usd"] = round(usd + record.embedding_usd, 9)
    _logger.log(level, "%s %s %d", request.method, pattern, status, extra={"fields": fields})
    attributes: dict[str, str | int] = {"http.request.method": request.method, "http.route": pattern}
    record.end(f"{request.method} {pattern}", {**attributes, "http.response.status_code": status})


def _reply(request: flask.Request, found: Found, request_id: str) -> Reply:
    """The handler's reply, or the error it raised as one, in the form in which the caller speaks. Never raises."""
    form = Form.PLAIN
    try:
        if is_preflight(request.method, request.headers) and found.allowed:
            return Reply(None, 204)
        if found.route is None:
            return _unrouted(request.method, found.allowed)
        streams = True if dict(request.accept_mimetypes).get(EVENT_STREAM, 0) > 0 else None
        identity = refused = None
        try:  # before the body: without a token no caller may keep a thread waiting for one
            identity = None if found.route.public else caller(request.headers)
        except AuroraError as error:
            if not found.route.callable:
                raise
            refused = error  # the body decides the form of the error
        body = b""
        try:
            body = read_body(request, found.route.limit, REFUSED_SECONDS if refused else BODY_SECONDS)
        except RequestError:
            if refused is None:
                raise
        if found.route.callable and (data := unwrapped(body)) is not None:
            form, body, streams = (Form.CALLABLE_STREAM if streams else Form.CALLABLE), data, bool(streams)
        if refused:
            raise refused
        call = Call(
            request_id=request_id,
            query=request.args.to_dict(),
            body=body,
            identity=identity,
            streams=streams,
            headers={header.lower(): value for header, value in request.headers.items()},
        )
        return _formed(_admitted(found.route.load()(call, **found.segments), identity), form)
    except Exception as error:  # noqa: BLE001 - the last door
        return _formed(Reply(reported(error), kind_of(error).code, headers_of(error)), form)


def _admitted(reply: Reply, identity: Identity | None) -> Reply:
    """Raises Exhausted for a stream or export beyond those a person may keep open. AUTH=none counts none."""
    if identity is None or not (reply.events or reply.stream) or current_app().settings.auth == "none":
        return reply
    try:
        return replace(reply, ended=(STREAMS if reply.events else EXPORTS).add(identity.person))
    except Exhausted:
        if reply.events:
            reply.events.close()
        raise


def _formed(reply: Reply, form: Form) -> Reply:
    """A callable's reply in its envelope. An error of a stream is an event too: iOS drops any other body."""
    if form is Form.PLAIN or reply.events:
        return replace(reply, form=form)
    failed, body = reply.status >= 400, reply.body or {}
    if form is Form.CALLABLE_STREAM:
        from shared.api.stream import StreamEvent  # noqa: PLC0415 - costs a cold start what only a stream needs

        events = (StreamEvent("error" if failed else "result", each) for each in (body,))
        return Reply(None, headers=reply.headers, events=events, form=form)
    return replace(reply, body=callable_error(body) if failed else {"result": body}, form=form)


def _unrouted(method: str, allowed: tuple[str, ...]) -> Reply:
    if not allowed:
        return Reply(error_body(UNROUTED, "no such route"), UNROUTED.code)
    allow = {"Allow": ", ".join(sorted({*allowed, "OPTIONS"}))}
    if method == "OPTIONS":
        return Reply(None, 204, allow)
    return Reply(error_body(WRONG_METHOD, f"this path answers {allow['Allow']}"), WRONG_METHOD.code, allow)


def _response(request: flask.Request, reply: Reply) -> flask.Response:
    if reply.stream is not None:
        return flask.Response(reply.stream, reply.status, mimetype=reply.media_type)
    text = b"" if reply.body is None else json.dumps(reply.body, ensure_ascii=False).encode()
    # functions-framework reads what is left of a body into memory, unless the response is a stream.
    response = flask.Response(text if is_read(request) else then_drained(text, request), reply.status)
    response.mimetype = "application/json"
    response.headers["Content-Length"] = str(len(text))
    return response


def _sent(
    events: Generator[StreamEvent | None], form: Form, connection: socket.socket | None, end: Callable[[int], None]
) -> Generator[bytes]:
    """A reply event by event; its log line comes at its end."""
    status = CLIENT_LEFT
    with closing(events):
        try:
            status = yield from encoded(events, form, gone=lambda: has_hung_up(connection))
        except Exception as error:  # noqa: BLE001 - as in `_reply`
            status = kind_of(error).code
            yield encode("error", reported(error), form)
        finally:
            end(status)
