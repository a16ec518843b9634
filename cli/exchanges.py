"""One request and its reply: over the network by `requests`, with this machine by the standard library alone, for which
nobody has to wait.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlencode, urlsplit

if TYPE_CHECKING:
    from email.message import Message

    import requests

CONNECT_SECONDS, READ_SECONDS = 10.0, 120.0
"""An answer may take as long as its writing model may; the server ends what takes longer."""


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
        with _told():
            connection.request(
                asked.method, target, None if asked.body is None else json.dumps(asked.body).encode(), headers
            )
            response = connection.getresponse()
        yield Received(response.status, _lowered(response.headers), _lines(iter(response.readline, b"")))


def _lowered(headers: Message | Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _lines(content: Iterator[bytes]) -> Iterator[bytes]:
    with _told():
        for line in content:
            yield line.removesuffix(b"\n")


@contextmanager
def _told() -> Iterator[None]:
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
