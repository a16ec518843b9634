"""Client of the product's routes without HTTP, for front doors in this process.

Commands, tools and client apps send the same fields and read the same JSON.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from functions import tables
from functions.http.calls import Call, Reply, find_route
from shared.errors import NotFound, PortContractError, TooLarge
from shared.ports.access import Identity
from shared.tracing import RequestRecord

if TYPE_CHECKING:
    from shared.api.stream import StreamEvent

Json: TypeAlias = dict[str, Any]
Fields: TypeAlias = Mapping[str, object]
Query: TypeAlias = Mapping[str, str]


class ApiClient(Protocol):
    """The routes, called by one caller."""

    def send(
        self,
        method: str,
        path: str,
        body: Fields | None = None,
        *,
        query: Query | None = None,
    ) -> Json:
        """Returns the reply's JSON, empty if it has none. Raises the errors of `shared.errors`. `path` is percent-encoded."""
        ...

    def events(self, path: str, body: Fields) -> Generator[StreamEvent]:
        """Streams a POST's events; the last is `result`. Raises as `send` does, also half-way."""
        ...

    def lines(self, path: str) -> Generator[str]:
        """Yields the lines that a GET answers, without their ends. Raises as `send` does."""
        ...


@dataclass(frozen=True, slots=True)
class InProcessClient:
    """The routes of this process's App."""

    identity: Identity

    def send(
        self,
        method: str,
        path: str,
        body: Fields | None = None,
        *,
        query: Query | None = None,
    ) -> Json:
        with RequestRecord().active():
            reply = self._reply(method, path, body, query or {})
        if reply.body is None:
            return {}
        return dict(reply.body)

    def events(self, path: str, body: Fields) -> Generator[StreamEvent]:
        reply = self._reply("POST", path, {**body, "stream": True}, {})
        if reply.events is None:
            raise PortContractError(f"POST {path} answers no stream")

        with closing(RequestRecord().following(reply.events)) as events:
            for event in events:
                if event is not None:
                    yield event

    def lines(self, path: str) -> Generator[str]:
        reply = self._reply("GET", path, None, {})
        if reply.stream is None:
            raise PortContractError(f"GET {path} answers no lines")

        for line in reply.stream:
            text = line.decode()
            yield text.rstrip("\n")

    def _reply(self, method: str, path: str, body: Fields | None, query: Query) -> Reply:
        if path == "/chat":
            match = find_route(tables.CHAT, method, "/")
        else:
            match = find_route(tables.API, method, path)
        route = match.route
        if route is None:
            raise NotFound(f"there is no route {method} {path}")

        content = b""
        if body is not None:
            content = json.dumps(body).encode()
        if len(content) > route.limit:
            raise TooLarge(f"the body is over {route.limit} bytes")

        call = Call(
            request_id=uuid.uuid4().hex,
            query=query,
            body=content,
            identity=self.identity,
        )
        handler = route.load()
        return handler(call, **match.segments)
