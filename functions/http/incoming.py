"""Request bodies as they arrive. A body that is awaited holds one of the instance's threads, so there are limits:

1. A person has at most PER_PERSON bodies on their way to one instance. One more waits PATIENCE for another to end, and is
   then refused (429) before any of it is read.
2. All people together have at most TOGETHER, fewer than an instance has threads. One more is read all the same, and
   of those who have most on their way the one that has been awaited longest is given up (429).
3. A body brings at least PIECE bytes in each PIECE_SECONDS and is complete within BODY_SECONDS, else it is given up
   (408).
4. The rest of a refused body is dropped for at most REFUSED_SECONDS, of DRAINED_AT_ONCE bodies at the same time.
"""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import flask

from functions.http.calls import BODY_LIMIT
from shared import errors

PER_PERSON = 8
TOGETHER = 24
"""Bodies read at once, of the 40 threads of `chat` and `api`."""
PATIENCE = 0.2
"""Seconds: bodies of a few kilobytes, of which a person sends many at the same moment, arrive in less."""
RETRY_SECONDS = 5

BODY_SECONDS = 30.0
PIECE = 16 * 1024
PIECE_SECONDS = 5.0
AT_ONCE = 4 * 1024
"""Bytes read at once: how closely it is known how much has arrived."""

REFUSED_SECONDS = 1.0
"""Seconds for which a refused request's body is still read, so that its sender gets to read the refusal."""
MAX_DRAINED = 8 * 1024 * 1024
"""Bytes of it."""
DRAINED_AT_ONCE = 8

_BODY_READ = "aurora.body_read"
_drains = threading.BoundedSemaphore(DRAINED_AT_ONCE)


@dataclass(eq=False, slots=True)
class _Body:
    """A body that is being read."""

    person: Hashable
    connection: socket.socket | None
    received: int = 0
    problem: errors.AuroraError | None = None
    """Why it was given up; None if it was not."""
    ended: threading.Event = field(default_factory=threading.Event)

    def give_up(self, problem: errors.AuroraError) -> None:
        """Ends the connection for whoever reads from it: a read has no deadline of its own."""
        if self.problem is None:
            self.problem = problem
            _stop_reading(self.connection)

    def watch(self, seconds: float) -> None:
        """Gives the body up when it is too slow. Returns when it has ended."""
        waited = 0.0
        while True:
            received_earlier = self.received
            pause = min(PIECE_SECONDS, seconds - waited)
            if self.ended.wait(pause):
                return
            waited += pause
            if waited >= seconds:
                message = f"the body was not complete within {seconds:g} seconds"
                self.give_up(errors.TooSlow(message))
                return
            if self.received - received_earlier < PIECE:
                least = f"{PIECE} bytes in {PIECE_SECONDS:g} seconds"
                self.give_up(errors.TooSlow(f"the body came more slowly than {least}"))
                return


class IncomingBodies:
    """Counts the bodies that an instance is reading. Safe between threads."""

    def __init__(self, *, per_person: int, together: int) -> None:
        self._per_person = per_person
        self._together = together
        self._open: list[_Body] = []
        """The one that has been awaited longest first."""
        self._changed = threading.Condition()

    @contextmanager
    def counted(self, body: _Body) -> Iterator[None]:
        """Counts a body while it is read. Raises Exhausted if its person has too many on their way."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._has_room(body.person), PATIENCE):
                raise _too_many()
            waiting = [open_body for open_body in self._open if open_body.problem is None]
            if len(waiting) >= self._together:
                _dispensable(waiting).give_up(_too_many())
            self._open.append(body)
        try:
            yield
        finally:
            with self._changed:
                self._open.remove(body)
                self._changed.notify_all()

    def _has_room(self, person: Hashable) -> bool:
        bodies_of_person = [body for body in self._open if body.person == person]
        return len(bodies_of_person) < self._per_person


def _dispensable(bodies: Sequence[_Body]) -> _Body:
    """Returns the first of the bodies whose person has most."""
    counts = Counter([body.person for body in bodies])
    return max(bodies, key=lambda body: counts[body.person])


def _too_many() -> errors.Exhausted:
    return errors.Exhausted(
        "too many request bodies are on their way; wait for one to arrive, or try again",
        retry_after=RETRY_SECONDS,
    )


BODIES = IncomingBodies(per_person=PER_PERSON, together=TOGETHER)


def read_body(request: flask.Request, limit: int, *, person: Hashable, seconds: float) -> bytes:
    """Returns all of the request's body.

    person: the sender; all who bring no valid token are one.
    seconds: time within which the body must be complete.
    Raises TooLarge beyond `limit` bytes, Exhausted, TooSlow; InvalidArgument if it is no HTTP.
    """
    announced = request.content_length or 0
    if announced > limit:
        raise errors.TooLarge(f"the body is over {limit} bytes")
    if not _has_body(request):
        return b""
    body = _Body(person, connection_of(request.environ))
    with BODIES.counted(body):
        content = _read(request, limit, body, seconds)
    if len(content) > limit:
        raise errors.TooLarge(f"the body is over {limit} bytes")
    request.environ[_BODY_READ] = True
    return content


def _read(request: flask.Request, limit: int, body: _Body, seconds: float) -> bytes:
    """Reads the body, at most a byte more than `limit`, while another thread watches its speed."""
    if body.connection is not None:
        watch = threading.Thread(
            target=body.watch,
            args=(seconds,),
            name="body",
            daemon=True,
        )
        watch.start()
    parts: list[bytes] = []
    try:
        while body.received <= limit:
            wanted_bytes = min(AT_ONCE, limit + 1 - body.received)
            part = request.stream.read(wanted_bytes)
            if not part:
                break
            parts.append(part)
            body.received += len(part)
    except Exception as error:  # the host's readers have errors of their own for what is no HTTP
        if body.problem is None:
            expected = "all the bytes that its headers announce"
            raise errors.InvalidArgument("body", expected) from error
    finally:
        body.ended.set()
    if body.problem is not None:
        raise body.problem
    return b"".join(parts)


def is_read(request: flask.Request) -> bool:
    """Reports whether nothing of the body is left to read."""
    return _BODY_READ in request.environ or not _has_body(request)


def then_drained(text: bytes, request: flask.Request) -> Iterator[bytes]:
    """Yields the reply, then drops the rest of the body: closing on a sender makes it lose the reply."""
    yield text
    connection = connection_of(request.environ)
    announced = request.content_length or 0
    if announced > MAX_DRAINED or not _drains.acquire(blocking=False):
        _stop_reading(connection)
        return
    timer = threading.Timer(REFUSED_SECONDS, _stop_reading, (connection,))
    timer.daemon = True
    timer.start()
    remaining = MAX_DRAINED
    try:
        with suppress(Exception):  # as in `_read`
            while remaining > 0:
                part = request.stream.read(min(remaining, BODY_LIMIT))
                if not part:
                    break
                remaining -= len(part)
    finally:
        timer.cancel()
        _drains.release()


def connection_of(environ: Mapping[str, object]) -> socket.socket | None:
    """Returns the request's socket; None if the server does not expose it."""
    connection = environ.get("gunicorn.socket") or environ.get("werkzeug.socket")
    if isinstance(connection, socket.socket):
        return connection
    return None


def _has_body(request: flask.Request) -> bool:
    return bool(request.content_length) or "Transfer-Encoding" in request.headers


def _stop_reading(connection: socket.socket | None) -> None:
    if connection is not None:
        with suppress(OSError):  # the sender was faster
            connection.shutdown(socket.SHUT_RD)
