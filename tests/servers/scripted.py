"""A threaded HTTP/1.1 server that answers by script: statuses, delays, replies that hang, drip or are cut.

with ScriptedServer(lambda request: Reply(body={"ok": True})) as server:
    server.script(Reply(status=503), Reply(delay=0.2))   # the next two; after them the rule above again
    ...
    server.requests                                       # everything that came, bodies included
"""

from __future__ import annotations

import json
import re
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came. Header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:  # noqa: ANN401 - whatever the client sent
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply. `body`: bytes go out as they are, anything else as JSON."""

    status: int = 200
    body: object = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds before the first byte."""
    cut_after: int | None = None
    """Bytes of the body after which the connection is closed."""
    hang_after: int | None = None
    """Bytes of the body after which nothing more comes, the connection staying open."""
    drip: float | None = None
    """Seconds between single bytes of the body."""
    pause: float | None = None
    """Seconds before each event (up to an empty line) of a body of server-sent events."""

    def payload(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class ScriptedServer:
    """Listens on a free loopback port from construction to `close`; a context manager."""

    def __init__(self, answer: Callable[[Request], Reply]) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.hung_up = threading.Event()
        """A client has left before its reply was complete."""
        self._script: deque[Reply] = deque()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """Without a slash at the end."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def bodies(self) -> list[Any]:
        """The JSON bodies of all requests, in order."""
        return [request.json() for request in self.requests]

    def script(self, *replies: Reply) -> None:
        """The next requests get these, each one; then `answer` decides again."""
        self._script.extend(replies)

    def close(self) -> None:
        """Ends everything under way, hanging replies included."""
        self._closing.set()
        self._server.shutdown()
        self._server.end_connections()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def reply_to(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            scripted = self._script.popleft() if self._script else None
        return scripted if scripted is not None else self.answer(request)

    def wait(self, seconds: float | None) -> bool:
        """Sleeps, but not beyond `close`. Whether the server is closing."""
        return self._closing.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    """With the standard library's five, of forty clients at once most must knock again, a second later."""

    def __init__(self, scripted: ScriptedServer) -> None:
        self.scripted = scripted
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._connections.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - as in socketserver
        self._connections.discard(request)
        super().shutdown_request(request)

    def end_connections(self) -> None:
        for connection in list(self._connections):
            _hang_up(connection)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as in socketserver
        """A client that hangs up is a part of many tests."""


def _hang_up(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the client was first


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _serve(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.scripted.reply_to(
            Request(self.command, self.path, headers, self.rfile.read(length))
        )
        if reply.delay and self.server.scripted.wait(reply.delay):
            return
        self._send(reply)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _serve  # noqa: N815 - the names http.server calls

    def do_CONNECT(self) -> None:
        self._serve()
        self.close_connection = False  # what is tunnelled follows

    def _send(self, reply: Reply) -> None:
        payload = reply.payload()
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self._send_body(reply, payload)

    def _send_body(self, reply: Reply, payload: bytes) -> None:
        stops = [stop for stop in (reply.cut_after, reply.hang_after) if stop is not None]
        sent = payload[: min(stops, default=len(payload))]
        try:
            for piece in _pieces(sent, reply):
                if reply.pause is not None and self._left_within(reply.pause):
                    return
                self.wfile.write(piece)
                if reply.drip is not None and self._left_within(reply.drip):
                    return
        except OSError:
            self.server.scripted.hung_up.set()
            raise
        if reply.hang_after is not None:
            while not self._left_within(60.0):
                pass
        if stops:
            self.close_connection = True

    def _left_within(self, seconds: float) -> bool:
        """Waits. Whether meanwhile the client hung up, or the server is closing."""
        end = time.monotonic() + seconds
        while (seconds_left := end - time.monotonic()) > 0:
            if self.server.scripted.wait(0):
                return True
            if select.select([self.connection], [], [], min(seconds_left, 0.05))[0]:
                if not self.connection.recv(1, socket.MSG_PEEK):
                    self.server.scripted.hung_up.set()
                    return True
                time.sleep(min(seconds_left, 0.01))  # the next request has been sent ahead
        return False

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401 - as in http.server
        """Silent: `requests` records more than a log line would."""


def _pieces(payload: bytes, reply: Reply) -> list[bytes]:
    if reply.drip is not None:
        return [payload[offset : offset + 1] for offset in range(len(payload))]
    return (
        re.findall(rb"(?s).+?(?:\r?\n\r?\n|\Z)", payload) if reply.pause is not None else [payload]
    )
