"""The routes of a product behind an address, over HTTP: over the network by `requests`, on this machine by the standard
library alone, which loads at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlencode, urlsplit

from cli.product.loopback import LOOPBACK
from functions.http.errors import KINDS
from shared.errors import AuroraError, Exhausted, InvalidArgument, Unauthenticated, Unavailable

if TYPE_CHECKING:
    from email.message import Message

    from cli.product.running import Models
    from functions.client import Json
    from shared.api.stream import StreamEvent

CONNECT_SECONDS, READ_SECONDS = 10.0, 120.0
"""An answer may take as long as its writing model may; the server ends what takes longer."""
_BY_REASON = {kind.reason: error for error, kind in KINDS.items()}


class BrokenOff(Exception):
    """No reply, or not all of one; the message is the innermost reason."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a server."""

    method: str
    address: str
    query: Mapping[str, str] | None = None
    body: Mapping[str, object] | None = None
    """Sent as JSON; None: there is none."""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply whose content may still be on its way."""

    status: int
    headers: Mapping[str, str]
    """By name in lower case."""
    lines: Iterator[bytes]
    """The content, without the ends of its lines. Raises BrokenOff."""


Exchange: TypeAlias = Callable[[Request], AbstractContextManager[Reply]]
"""Redirects are not followed. Raises BrokenOff."""


@contextmanager
def on_this_machine(request: Request, seconds: float = READ_SECONDS) -> Iterator[Reply]:
    """No proxy, no encryption. `seconds`: the longest silence."""
    address = urlsplit(request.address)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=seconds)
    target = f"{address.path}?{urlencode(request.query)}" if request.query else address.path
    body = None if request.body is None else json.dumps(request.body).encode()
    headers = {**request.headers, **({} if body is None else {"Content-Type": "application/json"})}
    failures = (OSError, HTTPException)
    with closing(connection):
        with _explained(failures):
            connection.request(request.method, target, body, headers)
            response = connection.getresponse()
        yield Reply(response.status, _lowered(response.headers), _lines(iter(response.readline, b""), failures))


@contextmanager
def over_the_network() -> Iterator[Exchange]:
    """Connections are kept for the next request, and the environment's proxies asked."""
    import requests  # noqa: PLC0415 - 150 ms for those whose server is elsewhere

    failures = (requests.RequestException,)

    @contextmanager
    def exchange(request: Request) -> Iterator[Reply]:
        with _explained(failures):
            response = session.request(
                request.method,
                request.address,
                params=request.query,
                json=request.body,
                headers=request.headers,
                timeout=(CONNECT_SECONDS, READ_SECONDS),
                allow_redirects=False,
                stream=True,
            )
        with response:
            content = response.iter_lines(chunk_size=None, delimiter=b"\n")
            yield Reply(response.status_code, _lowered(response.headers), _lines(content, failures))

    with requests.Session() as session:
        yield exchange


def _lowered(headers: Message | Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _lines(content: Iterator[bytes], failures: tuple[type[Exception], ...]) -> Iterator[bytes]:
    with _explained(failures):
        for line in content:
            yield line.removesuffix(b"\n")


@contextmanager
def _explained(failures: tuple[type[Exception], ...]) -> Iterator[None]:
    """A failure as BrokenOff with the innermost reason, without the library's own words around it."""
    try:
        yield
    except failures as error:
        inner: BaseException = error
        while (cause := inner.__cause__ or inner.__context__) is not None:
            inner = cause
        raise BrokenOff(getattr(inner, "strerror", None) or type(inner).__name__) from error


@contextmanager
def reaching(server: str, token: str | None, models: Models | None = None) -> Iterator[HttpClient]:
    """`models`: of a product on this machine. Raises InvalidArgument for what is no address, or one where the token
    could be read on the way.
    """
    address = urlsplit(server)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise InvalidArgument("--server", "an address like https://europe-west1-project.cloudfunctions.net")
    is_here = address.scheme == "http" and address.hostname in LOOPBACK
    if token and address.scheme == "http" and not is_here:
        raise InvalidArgument("--server", "https, because a token is sent along")
    with nullcontext(on_this_machine) if is_here else over_the_network() as exchange:
        yield HttpClient(server.rstrip("/"), token, exchange, models)


class HttpClient:
    """The routes of a server: the function's name is the first part of each path, as on the shared functions host."""

    def __init__(self, base: str, token: str | None, exchange: Exchange, models: Models | None) -> None:
        self.models = models
        self._base = base
        self._exchange = exchange
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def send(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        query: Mapping[str, str] | None = None,
    ) -> Json:
        with self._reply(method, path, body, query) as reply:
            return {} if reply.status == 204 else self._json(reply)

    def events(self, path: str, body: Mapping[str, object]) -> Generator[StreamEvent]:
        from shared.api.stream import StreamEvent  # noqa: PLC0415 - 150 ms for those who read a stream

        with self._reply("POST", path, body, stream="text/event-stream") as reply:
            name = ""
            for line in self._lines(reply):
                field, _, value = line.partition(": ")
                if field == "event":
                    name = value
                elif field == "data":
                    data = json.loads(value)
                    if name == "error":
                        raise _error_of(data, reply, self._base)
                    yield StreamEvent(name, data)

    def lines(self, path: str) -> Generator[str]:
        with self._reply("GET", path, stream="application/x-ndjson") as reply:
            yield from self._lines(reply)

    def _lines(self, reply: Reply) -> Iterator[str]:
        try:
            for line in reply.lines:
                yield line.decode()
        except BrokenOff as error:
            raise Unavailable(f"{self._base} broke off: {error}") from error

    @contextmanager
    def _reply(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        query: Mapping[str, str] | None = None,
        *,
        stream: str | None = None,
    ) -> Iterator[Reply]:
        """A reply that is no error. `stream`: the media type in which it is to come piece by piece."""
        address = self._base + (path if path == "/chat" else f"/api{path}")
        headers = {**self._headers, **({"Accept": stream} if stream else {})}
        try:
            with self._exchange(
                Request(method=method, address=address, query=query, body=body, headers=headers)
            ) as reply:
                if 300 <= reply.status < 400:
                    raise AuroraError(f"{self._base} sends on to {reply.headers['location']}: give that address")
                if reply.status >= 400:
                    raise _error_of(self._json(reply), reply, self._base)
                yield reply
        except BrokenOff as error:
            raise Unavailable(f"{self._base} does not answer: {error}") from error

    def _json(self, reply: Reply) -> Json:
        try:
            value = json.loads("\n".join(self._lines(reply)))
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise AuroraError(f"{self._base} answered {reply.status}, but not as Aurora Notes does")
        return value


def _error_of(body: Json, reply: Reply, base: str) -> AuroraError:
    """The error in a server's JSON, as the one it was there."""
    try:
        message, detail = str(body["error"]["message"]), body["error"]["details"][0]
        kind, metadata = _BY_REASON.get(detail["reason"], AuroraError), detail.get("metadata", {})
    except (KeyError, IndexError, TypeError):
        return AuroraError(f"{base} answered {reply.status}, but not as Aurora Notes does")
    if kind is InvalidArgument:
        return InvalidArgument(str(metadata.get("field", "")), str(metadata.get("expected", "")))
    if kind is Exhausted:
        return Exhausted(message, retry_after=int(reply.headers.get("retry-after", 0)))
    if kind is Unauthenticated:
        return Unauthenticated(f"{message}: give a valid token by --token or AURORA_TOKEN")
    return kind(message)
