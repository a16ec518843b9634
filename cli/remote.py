"""The routes of a deployed product, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import requests

from functions.client import Json
from functions.http.errors import KINDS
from shared.api.stream import StreamEvent
from shared.errors import AuroraError, Exhausted, InvalidArgument, Unauthenticated, Unavailable

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
CONNECT_SECONDS, READ_SECONDS = 10.0, 120.0
"""An answer may take as long as its writing model may; the server ends what takes longer."""

_BY_REASON = {kind.reason: error for error, kind in KINDS.items()}


class HttpClient:
    """The routes of a server: the function's name is the first part of each path, as on the shared functions host."""

    def __init__(self, server: str, token: str | None) -> None:
        """Raises InvalidArgument for what is no address, or one where the token could be read on the way."""
        address = urlsplit(server)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise InvalidArgument("--server", "an address like https://europe-west1-project.cloudfunctions.net")
        if token and address.scheme == "http" and address.hostname not in LOOPBACK:
            raise InvalidArgument("--server", "https, because a token is sent along")
        self._base = server.rstrip("/")
        self._session = requests.Session()
        if token:
            self._session.headers["Authorization"] = f"Bearer {token}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()

    def send(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        query: Mapping[str, str] | None = None,
    ) -> Json:
        response = self._response(method, path, body, query)
        return {} if response.status_code == 204 else self._json(response)

    def events(self, path: str, body: Mapping[str, object]) -> Generator[StreamEvent]:
        with self._response("POST", path, body, stream="text/event-stream") as response:
            name = ""
            for line in self._lines(response):
                field, _, value = line.partition(": ")
                if field == "event":
                    name = value
                elif field == "data":
                    data = json.loads(value)
                    if name == "error":
                        raise _told(data, response, self._base)
                    yield StreamEvent(name, data)

    def lines(self, path: str) -> Generator[str]:
        with self._response("GET", path, stream="application/x-ndjson") as response:
            yield from self._lines(response)

    def _lines(self, response: requests.Response) -> Generator[str]:
        try:
            for line in response.iter_lines(chunk_size=None, delimiter=b"\n"):
                yield line.decode()
        except requests.RequestException as error:
            raise Unavailable(f"{self._base} broke off: {_cause(error)}") from error

    def _response(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        query: Mapping[str, str] | None = None,
        *,
        stream: str | None = None,
    ) -> requests.Response:
        """An answer that is not an error. `stream`: the media type in which it is to come piece by piece."""
        try:
            response = self._session.request(
                method,
                self._base + (path if path == "/chat" else f"/api{path}"),
                params=query,
                json=body,
                headers={"Accept": stream} if stream else None,
                timeout=(CONNECT_SECONDS, READ_SECONDS),
                allow_redirects=False,
                stream=stream is not None,
            )
        except requests.RequestException as error:
            raise Unavailable(f"{self._base} does not answer: {_cause(error)}") from error
        if response.is_redirect:
            raise AuroraError(f"{self._base} sends on to {response.headers['Location']}: give that address")
        if not response.ok:
            raise _told(self._json(response), response, self._base)
        return response

    def _json(self, response: requests.Response) -> Json:
        try:
            value = response.json()
        except requests.JSONDecodeError:
            value = None
        if not isinstance(value, dict):
            raise AuroraError(f"{self._base} answered {response.status_code}, but not as Aurora Notes does")
        return value


def _told(body: Json, response: requests.Response, base: str) -> AuroraError:
    """The error a server's JSON tells of, as the one it was there."""
    try:
        message, detail = str(body["error"]["message"]), body["error"]["details"][0]
        kind, told = _BY_REASON.get(detail["reason"], AuroraError), detail.get("metadata", {})
    except (KeyError, IndexError, TypeError):
        return AuroraError(f"{base} answered {response.status_code}, but not as Aurora Notes does")
    if kind is InvalidArgument:
        return InvalidArgument(str(told.get("field", "")), str(told.get("expected", "")))
    if kind is Exhausted:
        return Exhausted(message, retry_after=int(response.headers.get("Retry-After", 0)))
    if kind is Unauthenticated:
        return Unauthenticated(f"{message}: give a valid token by --token or AURORA_TOKEN")
    return kind(message)


def _cause(error: requests.RequestException) -> str:
    """The innermost reason, without the library's own words around it."""
    inner: BaseException = error
    while (cause := inner.__cause__ or inner.__context__) is not None:
        inner = cause
    return getattr(inner, "strerror", None) or type(inner).__name__
