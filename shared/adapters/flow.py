"""A model's stream, read in a thread of its own, so that a stalled server never holds up the listener.

The listener keeps one deadline over all attempts, gets a sign of life while nothing comes, and hangs up by closing:
the connection is shut down under the reading thread, which then ends.
"""

from __future__ import annotations

import contextvars
import itertools
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeAlias

from shared.adapters.retry import Clock, again
from shared.errors import ModelUnavailable
from shared.model.answers import Piece
from shared.ports.models import SIGN_OF_LIFE

if TYPE_CHECKING:
    from httpx2 import Response

Open: TypeAlias = "Callable[[float], Generator[Piece]]"
"""Seconds that are left -> the pieces of one attempt."""

_line: contextvars.ContextVar[_Line] = contextvars.ContextVar("line")


class _Line:
    """The connection that a stream comes over, shared by who reads and who may hang up."""

    def __init__(self) -> None:
        self._response: Response | None = None
        self._lock = threading.Lock()
        self.hung_up = False

    def attach(self, response: Response) -> None:
        with self._lock:
            self._response = response
            if self.hung_up:
                _shut(response)

    def detach(self) -> None:
        """All has been read: the connection is another request's."""
        with self._lock:
            response, self._response = self._response, None
        if response is not None:
            response.close()

    def hang_up(self) -> None:
        with self._lock:
            self.hung_up = True
            if self._response is not None:
                _shut(self._response)


def attach(response: Response) -> None:
    """Called by an adapter as soon as a reply begins: the connection under way in this thread."""
    line = _line.get(None)
    if line is not None:
        line.attach(response)


def flow(open_stream: Open, *, model: str, seconds: float, clock: Clock = time) -> Generator[Piece]:
    """The pieces of the first attempt that brings text. `seconds` for all attempts and all reading.

    Raises ModelUnavailable, and any other error of `open_stream` as it comes. Attempts are made again as `insist`
    does, but not once there was text.
    """
    deadline = clock.monotonic() + seconds
    line, inbox = _Line(), SimpleQueue[Piece | BaseException | None]()
    context = contextvars.copy_context()

    def read() -> None:
        _line.set(line)
        try:
            for piece in _pieces(open_stream, line, deadline, clock):
                inbox.put(piece)
            inbox.put(None)
        except BaseException as error:  # noqa: BLE001 - raised again where the pieces are awaited
            inbox.put(error)

    threading.Thread(target=context.run, args=(read,), name="model-stream", daemon=True).start()
    try:
        while (piece := _next(inbox, deadline - clock.monotonic(), model)) is not None:
            yield piece
    finally:
        line.hang_up()


def _next(inbox: SimpleQueue[Piece | BaseException | None], left: float, model: str) -> Piece | None:
    try:
        found = inbox.get(timeout=max(0.0, min(left, SIGN_OF_LIFE)))
    except Empty:
        found = Piece("")
    if isinstance(found, BaseException):
        raise found
    if found is not None and left <= 0:
        raise ModelUnavailable(f"{model}: no complete reply in time")
    return found


def _pieces(open_stream: Open, line: _Line, deadline: float, clock: Clock) -> Iterator[Piece]:
    """In the reading thread: until the end, or until the listener has gone."""

    def begin(left: float) -> tuple[list[Piece], Generator[Piece]]:
        if line.hung_up:
            return [], _nothing()
        pieces = open_stream(left)
        try:
            return _up_to_text(pieces), pieces
        except BaseException:
            line.detach()
            raise

    first, rest = again(begin, deadline=deadline, clock=clock)
    try:
        with closing(rest):
            yield from itertools.takewhile(lambda _: not line.hung_up, itertools.chain(first, rest))
    finally:
        line.detach()


def _up_to_text(pieces: Iterator[Piece]) -> list[Piece]:
    """The first pieces, the last of them with text: so far another attempt can be made."""
    read: list[Piece] = []
    for piece in pieces:
        read.append(piece)
        if piece.text:
            break
    return read


def _nothing() -> Generator[Piece]:
    yield from ()


def _shut(response: Response) -> None:
    """End the connection under whoever reads from it; closing it would leave them waiting."""
    stream = response.extensions.get("network_stream")
    connection = stream.get_extra_info("socket") if stream is not None else None
    if isinstance(connection, socket.socket):
        try:
            socket.socket.shutdown(connection, socket.SHUT_RDWR)
        except OSError:
            return  # the server was first
