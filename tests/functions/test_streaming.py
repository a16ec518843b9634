"""POST /chat streamed: one sequence of events in three forms, each read as its clients read it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from werkzeug.test import TestResponse

from functions.http.streams import Form, StartThrottle, encoded, pump_with_keepalive, unwrapped
from shared import bootstrap
from shared.adapters.gemini import GeminiWriter
from shared.api.stream import StreamEvent
from shared.errors import ModelUnavailable
from shared.model.answers import Delta
from shared.ports.models import Writer
from shared.settings import Settings
from tests.fakes import ScriptedWriter
from tests.functions.world import World, problem
from tests.servers.gemini import GeminiServer, streamed
from tests.servers.scripted import Reply, Request
from tests.servers.sdk_parsers import Received, android, event_source, ios, javascript

STREAM = {"Accept": "text/event-stream"}
ASKED = {"message": "What did we decide to use for the API?"}
SDKS = pytest.mark.parametrize("parser", [javascript, android, ios])
Parser = Callable[[bytes], Received]


@pytest.fixture
def told(world: World) -> Callable[..., ScriptedWriter]:
    """Three notes, and a writer that says what it is told."""
    world.save(
        "api", title="API", text="We decided to use Cloud Run for the API.", path="projects/api.md"
    )
    world.save(
        "store", title="Store", text="We decided to use Firestore for the API 😀.\u2028It scales."
    )

    def tell(*script: Any) -> ScriptedWriter:  # noqa: ANN401
        writer = ScriptedWriter(script)
        world.plug(writer=writer)
        return writer

    tell("Cloud ", "Run [N1] and", " \u2028Firestore [N", "2].", Delta(" Yes [N9]. 😀", None))
    return tell


def events_of(response: TestResponse) -> list[tuple[str, Any]]:
    assert response.status_code == 200, response.get_data(as_text=True)
    return event_source(response.get_data())


def shown(messages: list[tuple[str, Any]]) -> str:
    """Put together the text that a client shows at the end, counting UTF-16 units as clients do."""
    text = b""
    for name, data in messages:
        if name == "token":
            text += data["text"].encode("utf-16-le")
        elif name == "retract":
            assert data["from"] == 0
            text = b""
    return text.decode("utf-16-le")


def without_times_and_ids(body: dict[str, Any]) -> dict[str, Any]:
    meta = body["meta"]
    return {
        **body,
        "meta": {
            **meta,
            "requestId": None,
            "timings": None,
            "retrieval": {**meta["retrieval"], "timeMs": None},
        },
    }


# -- server-sent events


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("how", ["accept", "field"])
def test_events_come_in_their_order(world: World, how: str) -> None:
    headers, fields = (
        (STREAM, {})
        if how == "accept"
        else (
            {},
            {"stream": True},
        )
    )
    response = world.call(
        "chat", "POST", "/chat", {**ASKED, **fields, "requestId": "r1"}, headers=headers
    )
    events = events_of(response)
    names = [name for name, _ in events]
    assert names[:3] == ["start", "query", "sources"]
    assert names[-2:] == ["usage", "result"]
    assert set(names[3:-2]) == {"token", "citation"}
    assert events[0][1] == {"requestId": "r1", "sessionId": None}
    assert [row["noteId"] for row in events[2][1]["sources"]] == ["api", "store"]
    assert events[-2][1] == events[-1][1]["meta"]["usage"]
    assert shown(events) == events[-1][1]["answer"] == "Cloud Run [N1] and  Firestore [N2]. Yes. 😀"


@pytest.mark.usefixtures("told")
def test_a_piece_comes_whole_with_its_citations_before_it_and_its_claim_judged(
    world: World,
) -> None:
    events = events_of(world.call("chat", "POST", "/chat", ASKED, headers=STREAM))
    result = events[-1][1]
    assert [(name, data.get("cid") or data.get("text")) for name, data in events[3:-2]] == [
        ("citation", "N1"),
        ("token", "Cloud Run [N1] and"),
        ("citation", "N2"),
        ("token", "  Firestore [N2]."),
        ("token", " Yes."),
        ("token", " 😀"),
    ]
    assert [data for name, data in events if name == "citation"] == result["citations"]
    assert [data["claim"] for name, data in events if name == "token" and data["claim"]] == result[
        "claims"
    ]
    first, second = result["claims"]
    assert [claim["cids"] for claim in (first, second)] == [["N1"], ["N2"]]
    assert first["span"] == {"start": 0, "end": 18}
    assert second["span"] == {"start": 20, "end": 35}
    assert [claim["support"]["state"] for claim in (first, second)] == ["supported", "supported"]
    assert first["quotes"] == [
        {
            "cid": "N1",
            "span": {"start": 0, "end": 40},
            "quote": "We decided to use Cloud Run for the API.",
            "title": events[3][1]["title"],
            "createdAt": events[3][1]["createdAt"],
        }
    ]


def test_the_streamed_result_is_the_unstreamed_body(
    world: World, told: Callable[..., ScriptedWriter]
) -> None:
    streamed = events_of(world.call("chat", "POST", "/chat", ASKED, headers=STREAM))[-1][1]
    told("Cloud Run [N1] and \u2028Firestore [N2]. Yes [N9]. 😀")
    whole_answer = world.json("POST", "/chat", ASKED)
    assert without_times_and_ids(streamed) == without_times_and_ids(whole_answer)


@pytest.mark.usefixtures("told")
def test_the_reply_may_be_read_by_pages_that_may_and_is_kept_by_nobody(world: World) -> None:
    response = world.call(
        "chat",
        "POST",
        "/chat",
        ASKED,
        headers={
            **STREAM,
            "Origin": "https://notes.example",
            "X-Request-Id": "h-1",
        },
    )
    assert response.mimetype == "text/event-stream"
    assert response.headers["Access-Control-Allow-Origin"] == "https://notes.example"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Accel-Buffering"] == "no"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["X-Request-Id"] == "h-1"
    assert "Content-Length" not in response.headers


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/*", "text/event-stream;q=0"])
def test_a_client_that_asks_for_no_stream_gets_json(world: World, accept: str) -> None:
    assert world.call("chat", "POST", "/chat", ASKED, headers={"Accept": accept}).is_json


@pytest.mark.parametrize(
    ("body", "token", "status"),
    [
        ({"message": 3}, "alice-token", 400),
        ({"message": "x", "tenantId": "bob"}, "alice-token", 403),
        ({"message": "x"}, None, 401),
        ({"message": "x" * 70_000}, "alice-token", 413),
        ([], "alice-token", 400),
    ],
)
def test_an_invalid_request_gets_an_ordinary_error(
    world: World, body: object, token: str | None, status: int
) -> None:
    response = world.call("chat", "POST", "/chat", body, headers=STREAM, token=token)
    assert response.status_code == status
    assert response.get_json()["error"]["code"] == status


@pytest.mark.usefixtures("told")
def test_an_error_on_the_way_is_the_last_event(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    events = events_of(
        world.call("chat", "POST", "/chat", {**ASKED, "template": "no-such"}, headers=STREAM)
    )
    assert [name for name, _ in events] == ["start", "error"]
    assert events[1][1]["error"]["code"] == 404
    assert json.loads(capsys.readouterr().err.splitlines()[-1])["httpRequest"]["status"] == 404


def test_a_bug_on_the_way_is_told_without_its_text(
    world: World, told: Callable[..., ScriptedWriter], capsys: pytest.CaptureFixture[str]
) -> None:
    told("Cloud Run [N1].", ZeroDivisionError("the treasure lies under the oak"))
    response = world.call("chat", "POST", "/chat", ASKED, headers=STREAM)
    assert events_of(response)[-1][1]["error"]["status"] == "INTERNAL"
    assert "oak" not in response.get_data(as_text=True) + capsys.readouterr().err


def test_only_all_of_an_answer_is_ever_taken_back(
    world: World, told: Callable[..., ScriptedWriter]
) -> None:
    told("😀 Cloud Run [N1]. Uncited 😀", ModelUnavailable("away"))
    events = events_of(world.call("chat", "POST", "/chat", ASKED, headers=STREAM))
    assert shown(events) == events[-1][1]["answer"] == "😀 Cloud Run [N1]. …"
    assert events[-1][1]["claims"][0]["span"] == {"start": 0, "end": 18}
    told("Nothing here is cited, it is invented. " * 3)
    events = events_of(world.call("chat", "POST", "/chat", ASKED, headers=STREAM))
    assert [data for name, data in events if name == "retract"] == [
        {"from": 0, "reason": "refused"}
    ]
    assert shown(events) == events[-1][1]["answer"]
    assert events[-1][1]["meta"]["refusal"]["reason"] == "unsupported_claims"


def test_a_refusal_offers_no_sources(world: World) -> None:
    events = events_of(world.call("chat", "POST", "/chat", ASKED, headers=STREAM))
    assert dict(events)["sources"] == {"sources": []}
    assert dict(events)["result"]["meta"]["refusal"]["reason"] == "no_notes"
    assert shown(events) == dict(events)["result"]["answer"]


# -- callables


@pytest.mark.usefixtures("told")
@SDKS
def test_every_sdk_reads_the_whole_stream(world: World, parser: Parser) -> None:
    plain = events_of(world.call("chat", "POST", "/chat", ASKED, headers=STREAM))
    received = parser(
        world.call("chat", "POST", "/chat", {"data": ASKED}, headers=STREAM).get_data()
    )
    messages = [(message["type"], message) for message in received.messages]
    assert [name for name, _ in messages] == [name for name, _ in plain[:-1]]
    assert shown(messages) == plain[-1][1]["answer"] == received.result["answer"]
    assert without_times_and_ids(received.result) == without_times_and_ids(plain[-1][1])
    assert messages[1][1]["query"] == plain[1][1]
    assert [message["citation"] for name, message in messages if name == "citation"] == [
        data for name, data in plain if name == "citation"
    ]


@SDKS
@pytest.mark.parametrize(
    ("body", "token", "status"),
    [
        ({"message": 3}, "alice-token", "INVALID_ARGUMENT"),
        (None, "alice-token", "INVALID_ARGUMENT"),
        ({"message": "x"}, None, "UNAUTHENTICATED"),
        ({"message": "x", "template": "no-such"}, "alice-token", "NOT_FOUND"),
    ],
)
def test_every_sdk_reads_an_error_of_a_stream(
    world: World, parser: Parser, body: object, token: str | None, status: str
) -> None:
    response = world.call("chat", "POST", "/chat", {"data": body}, headers=STREAM, token=token)
    assert response.status_code == 200
    assert response.mimetype == "text/event-stream"
    received = parser(response.get_data())
    assert received.error["status"] == status
    assert received.error["message"]
    assert received.error["details"][0]["reason"]
    assert received.result is None


@pytest.mark.usefixtures("told")
def test_an_unstreamed_callable_gets_its_result(world: World) -> None:
    whole_answer = world.json("POST", "/chat", ASKED)
    body = world.json("POST", "/chat", {"data": {**ASKED, "stream": True}})
    assert set(body) == {"result"}
    refused = world.call("chat", "POST", "/chat", {"data": {"message": 3}})
    error = refused.get_json()["error"]
    assert refused.status_code == 400
    assert error["status"] == "INVALID_ARGUMENT"
    assert error["details"][0]["metadata"]["field"] == "message"
    assert without_times_and_ids(body["result"]) == without_times_and_ids(whole_answer)


def test_the_wrapped_integers_of_mobile_sdks_are_numbers() -> None:
    wrapped = {"@type": "type.googleapis.com/google.protobuf.Int64Value", "value": "8"}
    assert json.loads(
        unwrapped(json.dumps({"data": {"topK": wrapped, "x": [wrapped]}}).encode()) or b""
    ) == {
        "topK": 8,
        "x": [8],
    }
    assert unwrapped(b'{"data": {}, "more": 1}') is None
    assert unwrapped(b"{") is None


def test_other_routes_are_no_callables(world: World) -> None:
    assert world.call("api", "POST", "/search", {"data": {"query": "x"}}).status_code == 400


# -- silence and leaving


def ticks(*events: StreamEvent | None) -> Generator[StreamEvent | None]:
    yield from events


START = StreamEvent("start", {"requestId": "r"})


def test_silence_is_broken_by_a_comment_or_a_message() -> None:
    silent = [START, None, None]
    assert list(encoded(ticks(*silent), Form.PLAIN, silence=0))[1:] == [b": heartbeat\n\n"] * 2
    beats = b"".join(encoded(ticks(*silent), Form.CALLABLE_STREAM, silence=0))
    for parser in (javascript, android, ios):
        assert parser(beats).messages[1:] == [{"type": "heartbeat"}] * 2


def test_no_heartbeat_comes_early_and_none_to_a_client_that_is_gone() -> None:
    assert len(list(encoded(ticks(START, None, None), Form.PLAIN))) == 1
    assert len(list(encoded(ticks(START, None, START), Form.PLAIN, gone=lambda: True))) == 1


def test_a_slow_step_does_not_hold_up_the_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("functions.http.streams.LOOK_SECONDS", 0.02)
    finished = threading.Event()

    def slow() -> Generator[str]:
        finished.wait(60)
        yield "second"

    events = pump_with_keepalive("first", slow())
    assert next(events) == "first"
    assert next(events) is None
    finished.set()
    assert [event for event in events if event] == ["second"]


def test_a_stream_alone_begins_at_once_and_one_in_a_burst_waits_for_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    throttle = StartThrottle()
    waits = list[float]()
    sleep = time.sleep

    def counted(seconds: float) -> None:
        waits.append(seconds)
        sleep(seconds)

    monkeypatch.setattr("functions.http.streams.time.sleep", counted)
    throttle.wait()
    assert waits == []
    with ThreadPoolExecutor(5) as pool:
        list(pool.map(lambda _: throttle.wait(), range(5)))
    assert waits
    throttle._last = time.monotonic() + 60  # beginnings without end
    started = time.monotonic()
    throttle.wait()
    assert time.monotonic() - started < 10


@pytest.mark.usefixtures("told")
def test_leaving_a_reply_stops_the_writer_and_is_logged(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    class Slow(ScriptedWriter):
        def stream(self, prompt: Any) -> Generator[Delta]:  # noqa: ANN401
            for piece in super().stream(prompt):
                time.sleep(0.02)
                yield piece

    writer: Writer = Slow(tuple("Cloud Run [N1]. " for _ in range(500)))
    app = bootstrap.assemble(replace(world.app, writer=writer))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrap, "_process", [app])
        response = world.call("chat", "POST", "/chat", ASKED, headers=STREAM, buffered=False)
        pieces = response.iter_encoded()
        assert any(b"event: token" in piece for piece in pieces)
        response.close()
    deadline = time.monotonic() + 60
    while not writer.hung_up and time.monotonic() < deadline:  # type: ignore[attr-defined]
        time.sleep(0.01)
    assert writer.hung_up == 1  # type: ignore[attr-defined]
    assert json.loads(capsys.readouterr().err.splitlines()[-1])["httpRequest"]["status"] == 499


# -- general knowledge

GENERAL = {"whenNotInNotes": "general"}


@pytest.fixture
def unread(boat: World) -> Iterator[World]:
    """A model that finds no answer in the notes about a boat, and knows one."""

    def written(request: Request) -> Reply:
        request_body = request.body.decode()
        return (
            streamed("Oslo is ", "in Norway [N1].")
            if "general knowledge" in request_body
            else streamed("ANSWER: no\n")
        )

    with GeminiServer() as server:
        server.answer = written
        boat.plug(
            writer=GeminiWriter(
                api_key="k",
                base_url=server.url,
                timeout=30,
            )
        )
        yield boat


def test_general_knowledge_is_told_from_the_notes_on_every_door(unread: World) -> None:
    question = {"message": "Where does the boat of Oslo leak?", **GENERAL}
    refused = unread.ask(question["message"])
    assert refused["meta"]["refusal"]["reason"] == "below_threshold"
    assert refused["meta"]["answerKind"] == "written"
    whole_answer = unread.ask(**question)
    assert (
        whole_answer["answer"]
        == "Your notes do not hold the answer. From general knowledge:\n\nOslo is in Norway."
    )
    assert whole_answer["meta"]["answerKind"] == "general"
    assert whole_answer["meta"]["refusal"] is None
    assert whole_answer["citations"] == []
    assert whole_answer["claims"] == []

    events = events_of(unread.call("chat", "POST", "/chat", question, headers=STREAM))
    called = unread.json("POST", "/chat", {"data": question})["result"]
    assert (
        without_times_and_ids(events[-1][1])
        == without_times_and_ids(called)
        == without_times_and_ids(whole_answer)
    )
    assert shown(events) == whole_answer["answer"]

    defaults = Settings.from_env({"SESSION_DEFAULTS": "whenNotInNotes=general"}).session_defaults
    unread.plug(settings=replace(unread.app.settings, session_defaults=defaults))
    in_session = unread.ask(question["message"], sessionId="new")
    folders = unread.json("POST", "/ask", {"question": question["message"], **GENERAL})
    query = 'mutation { askFolders(question: "Where is Oslo?", whenNotInNotes: "general") { answer meta } }'
    graph = unread.json("POST", "/graphql", {"query": query})["data"]["askFolders"]
    tool = {"name": "rag-search", "arguments": question}
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": tool,
    }
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
    }
    by_mcp = unread.json("POST", "/mcp", call, headers=headers)["result"]["structuredContent"]
    for reply in (in_session, folders, graph, by_mcp):
        assert reply["answer"] == whole_answer["answer"]
        assert reply["meta"]["answerKind"] == "general"
    assert folders["references"] == []


def test_a_question_may_ask_for_nothing_else_in_place_of_the_notes(world: World) -> None:
    for function, path, field in (
        ("chat", "/chat", "message"),
        ("api", "/ask", "question"),
    ):
        response = world.call(function, "POST", path, {field: "Why?", "whenNotInNotes": "guess"})
        assert problem(response) == (400, "INVALID_FIELD", "whenNotInNotes")
        assert "refuse or general" in response.get_data(as_text=True)
