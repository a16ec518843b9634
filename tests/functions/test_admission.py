"""Nobody can hold up an instance: a thread by a body that does not come, an instance's memory by replies that are not read."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest
from gunicorn.http.body import Body, ChunkedReader  # type: ignore[import-untyped]
from gunicorn.http.unreader import IterUnreader  # type: ignore[import-untyped]
from werkzeug.test import TestResponse

from functions.http import admission, incoming
from shared import bootstrap
from shared.account import export
from shared.errors import Exhausted
from shared.model.notes import Note
from tests.functions.world import START, World, listening, problem

ALICE = "alice-token"
ANNOUNCED = "Content-Type: application/json\r\nContent-Length: 60000\r\n"


def _told(port: int, path: str, headers: str) -> tuple[int, str]:
    """Status and body that a request is answered with which never sends what it announces."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{headers}{ANNOUNCED}\r\n".encode()
            + b'{"da'
        )
        received = b""
        while part := connection.recv(65_536):
            received += part
    head, _, body = received.partition(b"\r\n\r\n")
    return int(head.split()[1]), body.decode()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incoming, "BODY_SECONDS", 0.2)
    monkeypatch.setattr(incoming, "REFUSED_SECONDS", 0.1)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("function", "path"),
    [
        ("api", "/search"),
        ("chat", "/"),
        ("api", "/nowhere"),
    ],
)
def test_a_caller_without_a_token_is_refused_without_waiting_for_the_body(
    world: World, monkeypatch: pytest.MonkeyPatch, function: str, path: str
) -> None:
    monkeypatch.setattr(incoming, "BODY_SECONDS", 3600.0)
    with listening(world, function) as port:
        status, body = _told(port, path, "")
    assert (status, json.loads(body)["error"]["code"]) == (
        (404,) * 2 if path == "/nowhere" else (401,) * 2
    )


@pytest.mark.usefixtures("hasty")
def test_a_body_that_does_not_come_in_time_is_refused(world: World) -> None:
    with listening(world, "api") as port:
        status, body = _told(port, "/search", "Authorization: Bearer alice-token\r\n")
    assert status == 408
    assert json.loads(body)["error"]["details"][0]["reason"] == "TOO_SLOW"


@pytest.mark.parametrize(
    "sent", [b"zz\r\nhello\r\n", b"5;\x00\r\nhello\r\n", b"5\r\nhelloXX0\r\n", b"5\r\nhe"]
)
def test_a_body_in_bad_chunks_is_the_callers_mistake(
    world: World, capsys: pytest.CaptureFixture[str], sent: bytes
) -> None:
    body = Body(
        ChunkedReader(SimpleNamespace(), IterUnreader(iter([sent])))
    )  # as gunicorn reads it
    response = world.call(
        "api",
        "POST",
        "/search",
        headers={"Transfer-Encoding": "chunked"},
        environ_overrides={"wsgi.input": body, "wsgi.input_terminated": True},
    )
    assert problem(response) == (400, "INVALID_FIELD", "body")
    assert '"severity": "ERROR"' not in capsys.readouterr().err


# -- replies that stay open


def _export(world: World, token: str = ALICE) -> TestResponse:
    return world.call("api", "GET", "/me:export", token=token, buffered=False)


def _stream(world: World, token: str = ALICE) -> TestResponse:
    body = {"message": "Which colour is the boat?", "stream": True}
    return world.call("chat", "POST", "/", body, token=token, buffered=False)


@contextmanager
def _open(world: World, call: Callable[[World], TestResponse], times: int) -> Iterator[None]:
    responses = [call(world) for _ in range(times)]
    assert [response.status_code for response in responses] == [200] * times
    try:
        yield
    finally:
        for response in responses:
            response.close()


@pytest.fixture
def signed_in(world: World) -> World:
    """A product where people sign in."""
    world.app = bootstrap.assemble(
        replace(world.app, settings=replace(world.app.settings, auth="firebase", project="demo"))
    )
    bootstrap.use(world.app)
    return world


@pytest.mark.parametrize(("call", "most"), [(_export, 2), (_stream, 8)])
def test_a_person_keeps_a_bounded_number_of_replies_open(
    signed_in: World, call: Callable[..., TestResponse], most: int
) -> None:
    with _open(signed_in, call, most):
        refused = call(signed_in)
        assert problem(refused)[:2] == (429, "EXHAUSTED")
        assert int(refused.headers["Retry-After"]) > 0
        with closing(call(signed_in, "bob-token")) as bobs_response:
            assert bobs_response.status_code == 200
    with _open(signed_in, call, most):
        pass  # those that ended count no longer


def test_on_ones_own_machine_nobody_is_counted(world: World) -> None:
    with _open(world, _export, 3):
        pass


def test_an_instance_sends_a_bounded_number_of_exports() -> None:
    exports = admission.OpenReplies("exports", per_person=2, together=3)
    ends = [exports.add(person) for person in ("a", "a", "b")]
    for person in ("a", "c"):
        with pytest.raises(Exhausted):
            exports.add(person)
    ends[0]()
    exports.add("c")


def test_pages_of_an_export_are_short_where_notes_are_long(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int] = []
    whole_notes = world.app.store.whole_notes

    def watched(tenant_id: str, *, limit: int, token: str | None = None) -> object:
        limits.append(limit)
        return whole_notes(tenant_id, limit=limit, token=token)

    for number in range(40):
        text = "x" * (300_000 if number < 10 else 10)
        world.app.store.put_note("alice", Note(f"n{number:02}", "T", text, START, START))
    monkeypatch.setattr(world.app.store, "whole_notes", watched)
    assert len(list(export.all_notes("alice", world.app.store))) == 40
    assert limits[:6] == [2, 3, 3, 3, 3, 6]
    assert max(limits) == export.NOTES_AT_ONCE
