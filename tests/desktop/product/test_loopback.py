"""Callers that may talk to the server on loopback, and the line that each request leaves."""

from __future__ import annotations

import io
import json
import re

import pytest
from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from desktop.product.loopback import (
    for_this_machine_alone,
    only_from_this_machine,
    with_request_lines,
)

ALLOWED = ("https://notes.example",)


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("localhost:8080", None, 200),
        ("127.0.0.1:8080", None, 200),
        ("[::1]:8080", None, 200),
        ("localhost:8080", "http://localhost:8080", 200),
        ("localhost:8080", "https://notes.example", 200),
        ("localhost:8080", "https://evil.example", 403),
        ("localhost:8080", "http://localhost:3000", 403),
        ("localhost:8080", "null", 403),
        ("evil.example:8080", None, 403),
        ("evil.example", "http://evil.example", 403),
        ("localhost.evil.example", None, 403),
        ("[::1", None, 403),
    ],
)
def test_only_this_machine_and_named_pages(host: str, origin: str | None, status: int) -> None:
    client = Client(only_from_this_machine(Response("in"), ALLOWED))
    headers = {"Origin": origin} if origin else {}
    reply = client.get("/", headers=headers, environ_overrides={"HTTP_HOST": host})
    assert reply.status_code == status
    if status == 403:
        error = json.loads(reply.text)["error"]
        assert reply.mimetype == "application/json"
        assert error["code"] == 403
        assert error["status"] == "PERMISSION_DENIED"
        assert "ALLOWED_ORIGINS" in error["message"]


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("127.0.0.1", 200),
        ("127.8.8.8", 200),
        ("::1", 200),
        ("192.168.0.7", 403),
        (None, 403),
    ],
)
def test_what_asks_nobody_to_sign_in_answers_this_machine_whatever_its_host_says(
    address: str | None, status: int
) -> None:
    client = Client(for_this_machine_alone(Response("in")))
    environ = {"HTTP_HOST": "localhost", "REMOTE_ADDR": address}
    assert client.get("/", environ_overrides=environ).status_code == status


def test_any_page_may_be_let_in() -> None:
    client = Client(only_from_this_machine(Response("in"), ("*",)))
    assert (
        client.get(
            "/", base_url="http://localhost", headers={"Origin": "https://x.example"}
        ).status_code
        == 200
    )


def test_a_line_tells_the_path_that_was_sent_the_status_and_how_long_it_took_but_not_what_was_looked_for() -> (
    None
):
    lines = io.StringIO()
    client = Client(with_request_lines(Response("gone", 404), to=lines))
    client.get("/api/notes/a%20b?query=secret").close()
    assert re.fullmatch(r"\d\d:\d\d:\d\d GET /api/notes/a%20b 404 \d+ ms\n", lines.getvalue())


def test_a_stream_is_told_when_it_has_ended() -> None:
    lines = io.StringIO()

    @Request.application
    def streamed(request: Request) -> Response:
        assert request.path == "/chat"
        return Response(iter([b"a", b"b"]))

    reply = Client(with_request_lines(streamed, to=lines)).post("/chat", buffered=False)
    assert lines.getvalue() == ""
    assert reply.get_data() == b"ab"
    reply.close()
    assert "POST /chat 200" in lines.getvalue()
