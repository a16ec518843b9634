"""The routes of a product behind an address, over HTTP: over the network by `requests`, on this machine by the standard
library alone, for which nobody has to wait.
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

    import requests

    from cli.product.running import Models
    from functions.client import Json
    from shared.api.stream import StreamEvent

CONNECT_SECONDS, READ_SECONDS = 10.0, 120.0
"""An answer may take as long as its writing model may; the server ends what takes longer."""
_BY_REASON = {kind.reason: error for error, kind in KINDS.items()}


class BrokenOff(Exception):
    """No reply, or not all of one; the message is the innermost reason."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request."""

    method: str
    address: str
    query: Mapping[str, str] | None = None
    body: Mapping[str, object] | None = None
    """Sent as JSON; None: there is none."""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Received:
    """A reply whose content may still be on its way."""

    status: int
    headers: Mapping[str, str]
    """By name in lower case."""
    lines: Iterator[bytes]
    """The content, without the ends of its lines. Raises BrokenOff."""


Exchange: TypeAlias = Callable[[Asked], AbstractContextManager[Received]]
"""Redirects are not followed. Raises BrokenOff."""


@contextmanager
def on_this_machine(asked: Asked, seconds: float = READ_SECONDS) -> Iterator[Received]:
    """No proxy, no encryption. `seconds`: the longest silence."""
    address = urlsplit(asked.address)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=seconds)
    target = f"{address.path}?{urlencode(asked.query)}" if asked.query else address.path
    headers = {**asked.headers, **({} if asked.body is None else {"Content-Type": "application/json"})}
    with closing(connection):
        with _explained():
            connection.request(
                asked.method, target, None if asked.body is None else json.dumps(asked.body).encode(), headers
            )
            response = connection.getresponse()
        yield Received(response.status, _lowered(response.headers), _lines(iter(response.readline, b"")))


def _lowered(headers: Message | Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _lines(content: Iterator[bytes]) -> Iterator[bytes]:
    with _explained():
        for line in content:
            yield line.removesuffix(b"\n")


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except (OSError, HTTPException) as error:
        raise BrokenOff(_cause(error)) from error


@contextmanager
def over_the_network() -> Iterator[Exchange]:
    """Connections are kept for the next request, and the environment's proxies asked."""
    import requests  # noqa: PLC0415 - 150 ms for those whose server is elsewhere

    @contextmanager
    def exchange(asked: Asked) -> Iterator[Received]:
        try:
            response = session.request(
                asked.method,
                asked.address,
                params=asked.query,
                json=asked.body,
                headers=asked.headers,
                timeout=(CONNECT_SECONDS, READ_SECONDS),
                allow_redirects=False,
                stream=True,
            )
        except requests.RequestException as error:
            raise BrokenOff(_cause(error)) from error
        with response:
            yield Received(response.status_code, _lowered(response.headers), _content(response))

    with requests.Session() as session:
        yield exchange


def _content(response: requests.Response) -> Iterator[bytes]:
    import requests  # noqa: PLC0415 - already loaded

    try:
        yield from response.iter_lines(chunk_size=None, delimiter=b"\n")
    except requests.RequestException as error:
        raise BrokenOff(_cause(error)) from error


def _cause(error: Exception) -> str:
    """The innermost reason, without the library's own words around it."""
    inner: BaseException = error
    while (cause := inner.__cause__ or inner.__context__) is not None:
        inner = cause
    return getattr(inner, "strerror", None) or type(inner).__name__


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
        with self._received(method, path, body, query) as received:
            return {} if received.status == 204 else self._json(received)

    def events(self, path: str, body: Mapping[str, object]) -> Generator[StreamEvent]:
        from shared.api.stream import StreamEvent  # noqa: PLC0415 - 150 ms for those who read a stream

        with self._received("POST", path, body, stream="text/event-stream") as received:
            name = ""
            for line in self._lines(received):
                field, _, value = line.partition(": ")
                if field == "event":
                    name = value
                elif field == "data":
                    data = json.loads(value)
                    if name == "error":
                        raise _told(data, received, self._base)
                    yield StreamEvent(name, data)

    def lines(self, path: str) -> Generator[str]:
        with self._received("GET", path, stream="application/x-ndjson") as received:
            yield from self._lines(received)

    def _lines(self, received: Received) -> Iterator[str]:
        try:
            for line in received.lines:
                yield line.decode()
        except BrokenOff as error:
            raise Unavailable(f"{self._base} broke off: {error}") from error

    @contextmanager
    def _received(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        query: Mapping[str, str] | None = None,
        *,
        stream: str | None = None,
    ) -> Iterator[Received]:
        """A reply that is no error. `stream`: the media type in which it is to come piece by piece."""
        address = self._base + (path if path == "/chat" else f"/api{path}")
        headers = {**self._headers, **({"Accept": stream} if stream else {})}
        try:
            with self._exchange(
                Asked(method=method, address=address, query=query, body=body, headers=headers)
            ) as received:
                if 300 <= received.status < 400:
                    raise AuroraError(f"{self._base} sends on to {received.headers['location']}: give that address")
                if received.status >= 400:
                    raise _told(self._json(received), received, self._base)
                yield received
        except BrokenOff as error:
            raise Unavailable(f"{self._base} does not answer: {error}") from error

    def _json(self, received: Received) -> Json:
        try:
            value = json.loads("\n".join(self._lines(received)))
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise AuroraError(f"{self._base} answered {received.status}, but not as Aurora Notes does")
        return value


def _told(body: Json, received: Received, base: str) -> AuroraError:
    """The error a server's JSON tells of, as the one it was there."""
    try:
        message, detail = str(body["error"]["message"]), body["error"]["details"][0]
        kind, told = _BY_REASON.get(detail["reason"], AuroraError), detail.get("metadata", {})
    except (KeyError, IndexError, TypeError):
        return AuroraError(f"{base} answered {received.status}, but not as Aurora Notes does")
    if kind is InvalidArgument:
        return InvalidArgument(str(told.get("field", "")), str(told.get("expected", "")))
    if kind is Exhausted:
        return Exhausted(message, retry_after=int(received.headers.get("retry-after", 0)))
    if kind is Unauthenticated:
        return Unauthenticated(f"{message}: give a valid token by --token or AURORA_TOKEN")
    return kind(message)
