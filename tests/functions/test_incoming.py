"""Bodies that do not come hold up nobody but their senders."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
import yaml

from functions.http import incoming
from shared.errors import Exhausted, TooSlow
from tests.servers.certificates import PROJECT, unsigned
from tests.servers.function import RunningFunction, environment, running
from tests.servers.gemini import GeminiServer

ROOT = Path(__file__).resolve().parents[2]
HELD_UP = incoming.PIECE_SECONDS - 1
"""Seconds: until then no slow body is given up, so who waits for one is answered later."""


def _token(person: str) -> str:
    now = int(time.time())
    issuer = f"https://securetoken.google.com/{PROJECT}"
    return unsigned(
        {
            "sub": person,
            "aud": PROJECT,
            "iss": issuer,
            "iat": now,
            "exp": now + 3600,
        }
    )


def _head(person: str, length: int) -> bytes:
    return (
        "POST /chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {_token(person)}\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFunction]:
    """The deployed function, with 40 threads."""
    home = tmp_path_factory.mktemp("home")
    gemini = GeminiServer("The API runs on Cloud Run [N1].")
    with (
        gemini,
        running("chat", {**environment(home, PROJECT, gemini), "THREADS": "40"}) as function,
    ):
        assert _asked(function, "mara")[0] == 200
        yield function


def _asked(function: RunningFunction, person: str) -> tuple[int, float]:
    """The status of a whole question, and the seconds until it was answered."""
    body = json.dumps({"message": "Where does the API run?"}).encode()
    began = time.perf_counter()
    with socket.create_connection(("127.0.0.1", function.port), 60) as connection:
        connection.sendall(_head(person, len(body)) + body)
        status = _status(connection)
    return status, time.perf_counter() - began


def _status(connection: socket.socket) -> int:
    return int(connection.recv(65536).split()[1])


@contextmanager
def _trickling(function: RunningFunction, *people: str) -> Iterator[list[socket.socket]]:
    """A body of each of `people`, of which a byte comes each half a second."""
    with ExitStack() as stack:
        connections = []
        for person in people:
            connection = socket.create_connection(("127.0.0.1", function.port), 60)
            connections.append(stack.enter_context(closing(connection)))
            connection.sendall(_head(person, 60_000) + b'{"message": "')
        ended = threading.Event()

        def trickle() -> None:
            while not ended.wait(0.5):
                for connection in connections:
                    _send_byte(connection)

        thread = threading.Thread(target=trickle)
        thread.start()
        try:
            yield connections
        finally:
            ended.set()
            thread.join()


def _send_byte(connection: socket.socket) -> None:
    try:
        connection.sendall(b"x")
    except OSError:
        return  # it was given up


def _statuses(connections: list[socket.socket]) -> Counter[int]:
    return Counter(_status(connection) for connection in connections)


def test_forty_slow_bodies_of_one_person_leave_room_for_another(chat: RunningFunction) -> None:
    with _trickling(chat, *["mallory"] * 40) as connections:
        time.sleep(0.1)
        status, seconds = _asked(chat, "mara")
        assert status == 200
        assert seconds < HELD_UP
        assert _statuses(connections) == {429: 40 - incoming.PER_PERSON, 408: incoming.PER_PERSON}


def test_slow_bodies_of_many_people_leave_room_for_another(chat: RunningFunction) -> None:
    people = [f"mallory-{number % 10}" for number in range(40)]
    with _trickling(chat, *people) as connections:
        time.sleep(0.1)
        status, seconds = _asked(chat, "mara")
        assert status == 200
        assert seconds < HELD_UP
        statuses = _statuses(connections)
    assert statuses[408] <= incoming.TOGETHER
    assert statuses.total() == statuses[408] + statuses[429] == 40


def test_callers_without_a_valid_token_hold_up_nobody(chat: RunningFunction) -> None:
    with ExitStack() as stack:
        for _ in range(40):
            connection = socket.create_connection(("127.0.0.1", chat.port), 60)
            stack.enter_context(closing(connection))
            head = b"POST /chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n{"
            connection.sendall(head)
        time.sleep(0.1)
        status, seconds = _asked(chat, "mara")
    assert status == 200
    assert seconds < HELD_UP


def test_forty_whole_bodies_of_one_person_at_once_are_all_read(chat: RunningFunction) -> None:
    statuses: list[int] = []
    threads = [
        threading.Thread(target=lambda: statuses.append(_asked(chat, "mara")[0])) for _ in range(40)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 40


def test_the_bodies_of_all_people_leave_threads_of_an_instance_free() -> None:
    steps = yaml.safe_load((ROOT / "cloudbuild.yaml").read_text(encoding="utf-8"))["steps"]
    for function in ("chat", "api"):
        (step,) = (step for step in steps if step.get("id") == function)
        (variables,) = (part for part in step["args"] if "THREADS=" in part)
        threads = int(variables.partition("THREADS=")[2].partition("|")[0])
        assert threads > incoming.TOGETHER + incoming.DRAINED_AT_ONCE


@contextmanager
def _body(person: str = "mara") -> Iterator[tuple[incoming._Body, socket.socket]]:
    server_end, there = socket.socketpair()
    with closing(server_end), closing(there):
        yield incoming._Body(person, server_end), there


class _Arriving(threading.Event):
    """Lets so many bytes of the body arrive during each wait, which takes no time."""

    def __init__(self, *pieces: int) -> None:
        super().__init__()
        self.body: incoming._Body | None = None
        self.pieces = list(pieces)

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout == incoming.PIECE_SECONDS
        assert self.body is not None
        assert self.body.problem is None
        self.body.received += self.pieces.pop(0)
        return False


def test_a_body_that_keeps_the_least_rate_is_not_given_up() -> None:
    arriving = _Arriving(*[incoming.PIECE] * 5, incoming.PIECE - 1)
    server_end, there = socket.socketpair()
    with closing(server_end), closing(there):
        arriving.body = incoming._Body("mara", server_end, ended=arriving)
        arriving.body.watch(3600.0)
        assert isinstance(arriving.body.problem, TooSlow)
    assert arriving.pieces == []


def test_the_body_awaited_longest_gives_way_when_an_instance_has_too_many() -> None:
    bodies = incoming.IncomingBodies(per_person=2, together=2)
    with _body("a") as (first, _), _body("b") as (second, _), _body("c") as (third, _):
        with bodies.counted(first), bodies.counted(second), bodies.counted(third):
            assert isinstance(first.problem, Exhausted)
            assert first.connection is not None
            assert first.connection.recv(1) == b"", "who reads it finds its end"
        assert second.problem is None
        assert third.problem is None


def test_a_body_of_who_has_many_gives_way_before_the_only_one_of_another() -> None:
    bodies = incoming.IncomingBodies(per_person=3, together=3)
    with (
        _body("mara") as (only, _),
        _body("mallory") as (first, _),
        _body("mallory") as (second, _),
        _body("mallory") as (third, _),
    ):
        with (
            bodies.counted(only),
            bodies.counted(first),
            bodies.counted(second),
            bodies.counted(third),
        ):
            assert isinstance(first.problem, Exhausted)
        assert only.problem is None
        assert second.problem is None
        assert third.problem is None


def test_one_more_body_of_a_person_is_read_when_another_has_ended() -> None:
    bodies = incoming.IncomingBodies(per_person=1, together=9)
    with _body() as (first, _), _body() as (second, _):
        with bodies.counted(first), pytest.raises(Exhausted), bodies.counted(second):
            pass
        with bodies.counted(second):
            pass
