"""POST /mcp: the MCP server over HTTP, stateless, with the identity and the limits of every other route."""

from __future__ import annotations

import json

from functions.client import InProcessClient
from functions.http.admission import is_allowed
from functions.http.calls import Call, Reply, operation
from shared.errors import PermissionDenied

SENT_ON = ("accept", "mcp-protocol-version", "mcp-method", "mcp-name")
"""Headers that the SDK reads. The caller's token is none of them."""
SENT_ON_PREFIX = "mcp-param-"
HEADERS = {"accept": "application/json", "content-type": "application/json"}
"""Defaults: a body is JSON on every route, whatever its content type."""

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
"""How messages travel; what they say is the protocol's own matter."""


@operation(described=_DESCRIBED)
def exchange(call: Call) -> Reply:
    """One JSON-RPC message in, its answer out. Raises PermissionDenied for a web page that is not on the list."""
    origin = call.headers.get("origin")
    if origin is not None and not is_allowed(origin):
        # A page cannot forge its Origin, also not by a DNS name of its own that leads here.
        raise PermissionDenied("Origin: not one of ALLOWED_ORIGINS")
    from functions.mcp_server import answer_one  # noqa: PLC0415 - other routes do without the SDK

    sent_on = {
        name: value for name, value in call.headers.items() if name in SENT_ON or name.startswith(SENT_ON_PREFIX)
    }
    status, body = answer_one(InProcessClient(call.caller), call.body, {**HEADERS, **sent_on})
    return Reply(json.loads(body) if body else None, status)
