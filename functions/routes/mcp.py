"""POST /mcp: the MCP server over HTTP, stateless, with the identity and the limits of every other route."""

from __future__ import annotations

import json
from collections.abc import MutableMapping
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from functions._calls import Call, Reply
from functions._cors import is_allowed
from functions.inside import Inside
from functions.mcp_server import server_for
from shared.errors import PermissionDenied, Unauthenticated

SENT_ON = ("accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name")
"""Headers that the SDK reads. The caller's token is none of them."""
SENT_ON_PREFIX = "mcp-param-"


def exchange(call: Call) -> Reply:
    """One JSON-RPC message in, its answer out. Raises PermissionDenied for a web page that is not on the list."""
    if call.identity is None:
        raise Unauthenticated("this route needs a caller")
    origin = call.headers.get("origin")
    if origin is not None and not is_allowed(origin):
        # A page cannot forge its Origin, also not by a DNS name of its own that leads here.
        raise PermissionDenied("Origin: not one of ALLOWED_ORIGINS")
    status, body = anyio.run(_serve, server_for(Inside(call.identity)), call)
    return Reply(json.loads(body) if body else None, status)


async def _serve(server: Server[Any], call: Call) -> tuple[int, bytes]:
    """The SDK's own handling of one request, as (HTTP status, body)."""
    status, body = 500, b""
    unread = [call.body]

    async def receive() -> MutableMapping[str, Any]:
        if not unread:
            await anyio.sleep_forever()  # the next thing would be that the client has gone
        return {"type": "http.request", "body": unread.pop(), "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        nonlocal status, body
        status = message.get("status", status)
        body += message.get("body", b"")

    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
    async with manager.run():
        await manager.handle_request(_scope(call), receive, send)
    return status, body


def _scope(call: Call) -> dict[str, Any]:
    headers = [
        (name.encode("latin-1"), value.encode("latin-1"))
        for name, value in call.headers.items()
        if name in SENT_ON or name.startswith(SENT_ON_PREFIX)
    ]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "root_path": "",
        "query_string": b"",
        "headers": headers,
    }
