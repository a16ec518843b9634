"""POST /mcp: the MCP server over HTTP, stateless, with the identity and the limits of every other route."""

from __future__ import annotations

import json
from typing import Any

from functions.client import InProcessClient
from functions.http.admission import is_allowed
from functions.http.bodies import parse_object
from functions.http.calls import Call, Reply, operation
from functions.http.errors import body_of
from shared.errors import InvalidArgument, PermissionDenied

FORWARDED = ("accept", "mcp-protocol-version", "mcp-method", "mcp-name")
"""Headers that the SDK reads. The caller's token is none of them."""
FORWARDED_PREFIX = "mcp-param-"
HEADERS = {"accept": "application/json", "content-type": "application/json"}
"""Defaults: a body is JSON on every route, whatever its content type."""

# Codes of JSON-RPC.
PARSE_ERROR = -32700
INVALID_REQUEST = -32600

_JSON_RPC = {"type": "object", "properties": {"jsonrpc": {"const": "2.0"}}, "required": ["jsonrpc"]}
_MESSAGE = {"application/json": {"schema": _JSON_RPC}}
_DESCRIBED = {
    "requestBody": {"required": True, "content": _MESSAGE},
    "responses": {
        "200": {"description": "The answer, or the protocol's own error.", "content": _MESSAGE},
        "202": {"description": "Accepted: a notification, which has no answer."},
        "default": {
            "description": "An error, of the protocol or as on every other route.",
            "content": {"application/json": {"schema": {"type": "object"}}},
        },
    },
}
"""Transport of messages; their content is the protocol's own matter."""


@operation(described=_DESCRIBED)
def exchange(call: Call) -> Reply:
    """One JSON-RPC message in, its answer out. Raises PermissionDenied for a web page that is not on the list."""
    origin = call.headers.get("origin")
    if origin is not None and not is_allowed(origin):
        # A page cannot forge its Origin, also not by a DNS name of its own that leads here.
        raise PermissionDenied("Origin: not one of ALLOWED_ORIGINS")

    try:
        _check_message(parse_object(call.body))
    except InvalidArgument as error:
        return Reply(_refusal(error), 400)
    from functions.mcp_server import answer_one  # noqa: PLC0415 - other routes do without the SDK

    headers = dict(HEADERS)
    for name, value in call.headers.items():
        is_forwarded = name in FORWARDED or name.startswith(FORWARDED_PREFIX)
        if is_forwarded:
            headers[name] = value

    client = InProcessClient(call.caller)
    status, body = answer_one(client, call.body, headers)
    if not body:
        return Reply(None, status)
    return Reply(json.loads(body), status)


def _check_message(message: dict[str, Any]) -> None:
    """Raises InvalidArgument, in our own words, for what is no message of the protocol."""
    if message.get("jsonrpc") != "2.0":
        raise InvalidArgument("jsonrpc", '"2.0"')

    is_reply = "result" in message or "error" in message
    names_method = isinstance(message.get("method"), str)
    if not is_reply and not names_method:
        raise InvalidArgument("method", "the name of a method, as text")

    params = message.get("params", {})
    if not isinstance(params, dict):
        raise InvalidArgument("params", "an object")

    message_id = message.get("id", 0)
    if isinstance(message_id, bool) or not isinstance(message_id, int | str):
        raise InvalidArgument("id", "a whole number or text")


def _refusal(error: InvalidArgument) -> dict[str, object]:
    """Returns the protocol's form of an error, with the words of every other route."""
    code = INVALID_REQUEST
    if error.field == "body":
        code = PARSE_ERROR
    body = {
        "code": code,
        "message": error.message,
        "data": body_of(error)["error"],
    }
    return {"jsonrpc": "2.0", "id": None, "error": body}
