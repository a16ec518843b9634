"""The product's routes without HTTP: what front doors other than HTTP call, in this process or behind a server.

So a command, a tool and a client app ask the same thing in the same words and read the same JSON.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from functions import api, chat
from functions.http.calls import Call, Reply, find
from shared.api.stream import StreamEvent
from shared.errors import NotFound, PortContractError, TooLarge
from shared.ports.access import Identity
from shared.tracing import RequestRecord

Json: TypeAlias = dict[str, Any]
Fields: TypeAlias = Mapping[str, object]
Query: TypeAlias = Mapping[str, str]


class ApiClient(Protocol):
    """The routes, called by one caller."""

    def send(self, method: str, path: str, body: Fields | None = None, *, query: Query | None = None) -> Json:
        """The reply's JSON, empty if it has none. Raises the errors of `shared.errors`. `path` is percent-encoded."""
        ...

    def events(self, path: str, body: Fields) -> Generator[StreamEvent]:
        """Streams a POST's events; the last is `result`. Raises as `send` does, also half-way."""
        ...

    def lines(self, path: str) -> Generator[str]:
        """The lines that a GET answers, without their ends. Raises as `send` does."""
        ...


@dataclass(frozen=True, slots=True)
class InProcessClient:
    """The routes of this process's App."""

    identity: Identity

    def send(self, method: str, path: str, body: Fields | None = None, *, query: Query | None = None) -> Json:
        with RequestRecord().active():
            reply = self._reply(method, path, body, query or {})
        return {} if reply.body is None else dict(reply.body)

    def events(self, path: str, body: Fields) -> Generator[StreamEvent]:
        reply = self._reply("POST", path, {**body, "stream": True}, {})
        if reply.events is None:
            raise PortContractError(f"POST {path} answers no stream")
        with closing(RequestRecord().following(reply.events)) as events:
            yield from (event for event in events if event is not None)

    def lines(self, path: str) -> Generator[str]:
        reply = self._reply("GET", path, None, {})
        if reply.stream is None:
            raise PortContractError(f"GET {path} answers no lines")
        for line in reply.stream:
            yield line.decode().rstrip("\n")

    def _reply(self, method: str, path: str, body: Fields | None, query: Query) -> Reply:
        table, inner = (chat.ROUTES, "/") if path == "/chat" else (api.ROUTES, path)
        found = find(table, method, inner)
        if found.route is None:
            raise NotFound(f"there is no route {method} {path}")
        raw = b"" if body is None else json.dumps(body).encode()
        if len(raw) > found.route.limit:
            raise TooLarge(f"the body is over {found.route.limit} bytes")
        return found.route.load()(
            Call(request_id=uuid.uuid4().hex, query=query, body=raw, identity=self.identity), **found.segments
        )
