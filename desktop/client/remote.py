"""Client of a product behind an address, over HTTP: over the network by `requests`, on this machine
by the standard library alone, which loads at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlencode, urlsplit

from desktop.client.local import LOOPBACK, Models
from functions.http.errors import ERROR_FORMS
from shared.errors import (
    AuroraError,
    Erased,
    Exhausted,
    InvalidArgument,
    Unauthenticated,
    Unavailable,
)

if TYPE_CHECKING:
    from email.message import Message

    from functions.client import Json
    from shared.api.stream import StreamEvent

CONNECT_SECONDS = 10.0
READ_SECONDS = 120.0
"""Longest silence: an answer may take as long as its model may, and the server ends longer ones."""
_ERROR_BY_REASON = {form.reason: error for error, form in ERROR_FORMS.items()}


class BrokenOff(Exception):
    """Missing or incomplete reply; the message is the innermost reason."""


@dataclass(frozen=True, slots=True)
class Request:
    """Request to a server."""

    method: str
    address: str
    query: Mapping[str, str] | None = None
    body: Mapping[str, object] | None = None
    """Sent as JSON; None if the request has no body."""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServerReply:
    """Reply whose content may still be on its way."""

    status: int
    headers: Mapping[str, str]
    """Values of the headers by name in lower case."""
    lines: Iterator[bytes]
    """Lines of the content without their ends. Raises BrokenOff."""


Exchange: TypeAlias = Callable[[Request], AbstractContextManager[ServerReply]]
"""Sends a request and yields the reply. Redirects are not followed. Raises BrokenOff."""


@contextmanager
def on_this_machine(request: Request, seconds: float = READ_SECONDS) -> Iterator[ServerReply]:
    """Sends a request to this machine, without proxy and encryption.

    seconds: the longest silence.
    """
    address = urlsplit(request.address)
    connection = HTTPConnection(
        address.hostname or "",
        address.port,
        timeout=seconds,
    )
    target = address.path
    if request.query:
        target = f"{target}?{urlencode(request.query)}"
    headers = dict(request.headers)
    body = None
    if request.body is not None:
        body = json.dumps(request.body).encode()
        headers["Content-Type"] = "application/json"

    failures = (OSError, HTTPException)
    with closing(connection):
        with _explained(failures):
            connection.request(request.method, target, body, headers)
            response = connection.getresponse()
        content = iter(response.readline, b"")
        yield ServerReply(
            status=response.status,
            headers=_lowered(response.headers),
            lines=_lines(content, failures),
        )


@contextmanager
def over_the_network() -> Iterator[Exchange]:
    """Yields an exchange that keeps connections for the next request and uses the proxies of the
    environment.
    """
    import requests  # noqa: PLC0415 - 150 ms for those whose server is elsewhere

    failures = (requests.RequestException,)

    @contextmanager
    def exchange(request: Request) -> Iterator[ServerReply]:
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
            yield ServerReply(
                status=response.status_code,
                headers=_lowered(response.headers),
                lines=_lines(content, failures),
            )

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
    """Raises a failure as BrokenOff with the innermost reason, without the library's words around
    it.
    """
    try:
        yield
    except failures as error:
        innermost: BaseException = error
        cause = innermost.__cause__ or innermost.__context__
        while cause is not None:
            innermost = cause
            cause = innermost.__cause__ or innermost.__context__
        reason = getattr(innermost, "strerror", None) or type(innermost).__name__
        raise BrokenOff(reason) from error


@contextmanager
def reaching(server: str, token: str | None, models: Models | None = None) -> Iterator[HttpClient]:
    """Yields a client of a server.

    models: those of a product on this machine.

    Raises InvalidArgument for what is no address, or one where the token could be read on the way.
    """
    address = urlsplit(server)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise InvalidArgument(
            "--server",
            "an address like https://europe-west1-project.cloudfunctions.net",
        )

    is_here = address.scheme == "http" and address.hostname in LOOPBACK
    if token and address.scheme == "http" and not is_here:
        raise InvalidArgument("--server", "https, because a token is sent along")
    base = server.rstrip("/")
    if is_here:
        yield HttpClient(base, token, on_this_machine, models)
        return

    with over_the_network() as exchange:
        yield HttpClient(base, token, exchange, models)


class HttpClient:
    """Client of a server's routes.

    The function's name is the first part of each path, as on the shared functions host.
    """

    def __init__(
        self,
        base: str,
        token: str | None,
        exchange: Exchange,
        models: Models | None,
    ) -> None:
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
        """Returns the JSON of a reply; an empty object if the reply has none."""
        with self._reply(method, path, body, query) as reply:
            if reply.status == 204:
                return {}
            return self._json(reply)

    def events(self, path: str, body: Mapping[str, object]) -> Generator[StreamEvent]:
        """Yields the events of a stream. Raises the error that one of them names."""
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
        """Yields the lines of a reply."""
        with self._reply("GET", path, stream="application/x-ndjson") as reply:
            yield from self._lines(reply)

    def _lines(self, reply: ServerReply) -> Iterator[str]:
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
    ) -> Iterator[ServerReply]:
        """Yields a reply, and raises the error that it may be.

        stream: media type in which the reply is to come piece by piece.
        """
        function = "" if path == "/chat" else "/api"
        headers = dict(self._headers)
        if stream:
            headers["Accept"] = stream
        request = Request(
            method=method,
            address=f"{self._base}{function}{path}",
            query=query,
            body=body,
            headers=headers,
        )
        try:
            with self._exchange(request) as reply:
                if 300 <= reply.status < 400:
                    raise AuroraError(
                        f"{self._base} sends on to {reply.headers['location']}: give that address",
                    )
                if reply.status >= 400:
                    raise _error_of(self._json(reply), reply, self._base)
                yield reply
        except BrokenOff as error:
            raise Unavailable(f"{self._base} does not answer: {error}") from error

    def _json(self, reply: ServerReply) -> Json:
        try:
            value = json.loads("\n".join(self._lines(reply)))
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise AuroraError(f"{self._base} answered {reply.status}, but not as Aurora Notes does")
        return value


def _error_of(body: Json, reply: ServerReply, base: str) -> AuroraError:
    """Returns the error in a server's JSON with the type that it had there."""
    try:
        message = str(body["error"]["message"])
        detail = body["error"]["details"][0]
        error = _ERROR_BY_REASON.get(detail["reason"], AuroraError)
        metadata = detail.get("metadata", {})
    except (KeyError, IndexError, TypeError):
        return AuroraError(f"{base} answered {reply.status}, but not as Aurora Notes does")

    if issubclass(error, InvalidArgument):
        return error(str(metadata.get("field", "")), str(metadata.get("expected", "")))
    if error is Erased:
        return Erased()
    if error is Exhausted:
        return Exhausted(message, retry_after=int(reply.headers.get("retry-after", 0)))
    if error is Unauthenticated:
        return Unauthenticated(f"{message}: give a valid token by --token or AURORA_TOKEN")
    return error(message)
