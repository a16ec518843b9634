"""Behaviour that all functions share: ids, CORS, routes, limits, identity, errors, logs."""

from __future__ import annotations

import io
import json
import uuid
from dataclasses import replace

import pytest

from shared import bootstrap
from shared.answering.extractive import ExtractiveWriter
from shared.errors import (
    AuroraError,
    Conflict,
    Exhausted,
    ModelUnavailable,
    NotFound,
    PermissionDenied,
    PortContractError,
    StoreUnavailable,
    TooLarge,
)
from tests.functions.world import World, problem

SECRET = "the treasure lies under the third oak"


def test_an_unknown_route_is_404_as_json(world: World) -> None:
    for path in ("/nowhere", "/notes/a%0Ab"):  # which the host itself does not hand on
        assert problem(world.call("api", "GET", path)) == (404, "NO_SUCH_ROUTE", "")


def test_a_wrong_method_is_405_options_says_which_are_right_and_head_is_get_without_a_body(
    world: World,
) -> None:
    response = world.call("api", "PATCH", "/notes/n1")
    assert problem(response)[:2] == (405, "METHOD_NOT_ALLOWED")
    assert response.headers["Allow"] == "DELETE, GET, OPTIONS, PUT"
    response = world.call("api", "OPTIONS", "/search")
    assert response.status_code == 204
    assert response.headers["Allow"] == "OPTIONS, POST"
    response = world.call("api", "HEAD", "/health")
    assert response.status_code == 200
    assert response.data == b""


def test_a_request_id_is_taken_over_or_made(world: World) -> None:
    named = world.call("api", "GET", "/notes", headers={"X-Request-Id": "job-7.a"})
    assert named.headers["X-Request-Id"] == "job-7.a"
    unnamed = world.call("api", "GET", "/notes", headers={"X-Request-Id": 'evil" id'})
    assert uuid.UUID(unnamed.headers["X-Request-Id"])


def test_every_reply_has_the_security_headers(world: World) -> None:
    for response in (
        world.call("api", "GET", "/health"),
        world.call("api", "GET", "/nothing"),
    ):
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Cache-Control"] == "no-store"
        assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]


# -- CORS


def test_a_page_on_the_list_may_read_and_others_may_not(world: World) -> None:
    for path, status in (("/notes", 200), ("/notes/none", 404)):
        listed = world.call("api", "GET", path, headers={"Origin": "https://notes.example"})
        assert listed.status_code == status
        assert listed.headers["Access-Control-Allow-Origin"] == "https://notes.example"
        assert "Origin" in listed.headers["Vary"]
    stranger = world.call("api", "GET", "/notes", headers={"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in stranger.headers
    assert "Origin" in stranger.headers["Vary"]


def test_a_preflight_needs_no_token(world: World) -> None:
    preflight = {"Origin": "https://notes.example", "Access-Control-Request-Method": "PUT"}
    response = world.call("api", "OPTIONS", "/notes/n1", headers=preflight, token=None)
    assert response.status_code == 204
    assert "PUT" in response.headers["Access-Control-Allow-Methods"]
    assert {"Authorization", "X-Firebase-AppCheck"} <= set(
        response.headers["Access-Control-Allow-Headers"].split(", ")
    )


# -- identity


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer stranger", "Basic YWxpY2U6", "alice-token"]
)
def test_a_caller_without_a_valid_token_gets_401(world: World, header: str) -> None:
    response = world.call(
        "chat", "POST", "/chat", {"message": "Why?"}, token=None, headers={"Authorization": header}
    )
    assert problem(response)[:2] == (401, "UNAUTHENTICATED")
    assert response.headers["WWW-Authenticate"] == "Bearer"


# -- limits


def test_a_body_over_the_limit_is_413_without_being_read(world: World) -> None:
    class Watched(io.BytesIO):
        taken = 0

        def read(self, size: int | None = -1) -> bytes:
            Watched.taken += 1
            return super().read(size)

    over = world.call("chat", "POST", "/chat", b" " * 65_537)
    assert problem(over)[:2] == (413, "TOO_LARGE")
    length = {"CONTENT_LENGTH": str(10**12)}
    huge = world.call(
        "chat", "POST", "/chat", input_stream=Watched(b" " * 10**6), environ_overrides=length
    )
    assert problem(huge)[:2] == (413, "TOO_LARGE")
    assert Watched.taken == 0


def test_a_body_without_a_length_is_cut_off_at_the_limit(world: World) -> None:
    endless = world.call(
        "chat",
        "POST",
        "/chat",
        input_stream=io.BytesIO(b" " * 20_000_000),
        headers={"Transfer-Encoding": "chunked"},
        environ_overrides={"wsgi.input_terminated": True},
    )
    assert problem(endless)[:2] == (413, "TOO_LARGE")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/search", {"query": "boat"}),
        ("/search:explain", {"query": "boat"}),
        ("/templates:search", {"query": "boat"}),
        ("/ask", {"question": "Which boat?"}),
    ],
)
def test_over_a_days_limit_a_search_or_an_answer_is_429(
    world: World, monkeypatch: pytest.MonkeyPatch, path: str, body: dict[str, str]
) -> None:
    limited = bootstrap.assemble(
        replace(
            world.app,
            settings=replace(world.app.settings, daily_search_limit=1, daily_chat_limit=1),
        )
    )
    monkeypatch.setattr(bootstrap, "_process", [limited])
    assert world.call("api", "POST", path, body).status_code == 200
    response = world.call("api", "POST", path, body)
    assert problem(response)[:2] == (429, "EXHAUSTED")
    assert int(response.headers["Retry-After"]) == 12 * 3600
    assert world.call("api", "POST", path, body, token="bob-token").status_code == 200


# -- errors


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (PermissionDenied("no"), 403, "PERMISSION_DENIED"),
        (NotFound("none"), 404, "NOT_FOUND"),
        (Conflict("moved"), 409, "CONFLICT"),
        (TooLarge("much"), 413, "TOO_LARGE"),
        (Exhausted("spent", retry_after=30), 429, "EXHAUSTED"),
        (StoreUnavailable("away"), 503, "UNAVAILABLE"),
        (PortContractError("three vectors for two texts"), 500, "INTERNAL"),
    ],
)
def test_each_kind_of_error_has_its_status(
    world: World, error: AuroraError, status: int, reason: str
) -> None:
    world.tokens.outage = error
    assert problem(world.call("api", "GET", "/notes"))[:2] == (status, reason)


def test_a_caller_is_told_when_to_come_back(world: World) -> None:
    world.tokens.outage = Exhausted("spent", retry_after=30)
    response = world.call("api", "GET", "/notes")
    assert response.headers["Retry-After"] == "30"
    assert response.get_json()["error"]["details"][1]["retryDelay"] == "30s"
    called = world.call("chat", "POST", "/chat", {"data": {"message": "Why?"}}).get_json()
    assert called["error"]["details"][1] == {"retryDelay": "30s"}, "callable clients see no headers"
    for outage, seconds in (
        (ModelUnavailable("away", retry_after=1.2), "2"),
        (StoreUnavailable("away"), "5"),
    ):
        world.tokens.outage = outage
        assert world.call("api", "GET", "/notes").headers["Retry-After"] == seconds


def test_a_bug_is_told_without_its_text(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks(*_: object) -> object:
        raise ZeroDivisionError(SECRET)

    world.save("n1", title="Treasure", text=SECRET)
    monkeypatch.setattr(ExtractiveWriter, "quotes", breaks)
    response = world.call("chat", "POST", "/chat", {"message": "Where is the treasure?"})
    assert problem(response)[:2] == (500, "INTERNAL")
    assert "treasure" not in response.get_data(as_text=True)
    assert "Traceback" not in response.get_data(as_text=True)
    log = capsys.readouterr().err
    assert "ZeroDivisionError" in log
    assert "oak" not in log


# -- logs


def test_a_request_is_one_json_line_without_note_text(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    note = {"title": SECRET, "text": SECRET}
    headers = {"X-Request-Id": "r-1"}
    assert world.call("api", "PUT", "/notes/secret-id", note, headers=headers).status_code == 200
    (line,) = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert line["severity"] == "INFO"
    assert line["requestId"] == "r-1"
    assert line["route"] == "/notes/{note_id}"
    assert line["httpRequest"]["status"] == 200
    assert "treasure" not in json.dumps(line)
    assert "secret-id" not in json.dumps(line)


@pytest.mark.parametrize(
    ("header", "sent", "told"),
    [
        ("traceparent", "00-{trace}-b7ad6b7169203331-01", "b7ad6b7169203331"),
        (
            "X-Cloud-Trace-Context",
            "{trace}/1234567890123456;o=1",
            "000462d53c8abac0",
        ),  # decimal all the same
        ("X-Cloud-Trace-Context", "{trace}/18446744073709551615;o=1", "f" * 16),
        ("X-Cloud-Trace-Context", "{trace}/18446744073709551616;o=1", None),
        ("X-Cloud-Trace-Context", "{trace}/0;o=1", None),
    ],
)
def test_a_trace_is_told_with_its_span_in_sixteen_hexadecimal_digits(
    world: World, capsys: pytest.CaptureFixture[str], header: str, sent: str, told: str | None
) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    world.call("api", "GET", "/notes", headers={header: sent.format(trace=trace)})
    line = json.loads(capsys.readouterr().err)
    assert line["logging.googleapis.com/trace"].endswith(trace)
    assert line.get("logging.googleapis.com/spanId") == told


def test_health_is_no_line_of_the_log(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    for name, path in (
        ("chat", "/health"),
        ("api", "/health"),
        ("api", "/healthz"),
    ):
        assert world.call(name, "GET", path, token=None).get_json() == {"status": "ok"}
    assert capsys.readouterr().err == ""
