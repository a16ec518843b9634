"""Whoever watches `aurora dev` sees each request once it has ended."""

from __future__ import annotations

import io
import re

from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from cli.product.request_lines import with_request_lines


def test_a_line_tells_the_path_that_was_sent_the_status_and_how_long_it_took_but_not_what_was_looked_for() -> None:
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
