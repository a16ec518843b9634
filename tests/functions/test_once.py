"""A requestId is answered once: by /chat, by /ask, whoever dies or comes twice meanwhile."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest
from werkzeug.test import TestResponse

from functions.http.bodies import parse
from functions.http.calls import Call
from functions.routes.chat import ChatBody, turn_request
from shared.adapters.embedded import EmbeddedStore
from shared.errors import StoreUnavailable
from shared.model.answers import Delta, Draft, Prompt
from shared.model.documents import REQUESTS, Collection, Owner
from shared.ports.access import Identity
from shared.ports.models import Writer
from tests.fakes import ScriptedWriter
from tests.functions.world import ALICE, World, problem
from tests.servers.sdk_parsers import event_source

T = TypeVar("T")

ASKED = {"message": "Which colour is the boat?", "requestId": "r-1"}


@pytest.fixture
def writer(world: World) -> ScriptedWriter:
    """Says something else each time it is asked."""
    world.save("boat", title="Boat", text="The boat is blue.")
    scripted = ScriptedWriter(*(f"Answer {number}. The boat is blue [N1]." for number in range(9)))
    world.plug(writer=scripted)
    return scripted


def _chat(world: World, **fields: object) -> TestResponse:
    return world.call("chat", "POST", "/chat", {**ASKED, **fields})


def test_a_repeat_gets_the_same_json_and_the_model_is_not_asked(
    world: World, writer: ScriptedWriter
) -> None:
    first = _chat(world)
    second = _chat(world)
    assert first.status_code == 200
    assert first.data == second.data
    assert len(writer.prompts) == 1
    assert first.get_json()["meta"]["requestId"] == "r-1"


def test_ask_repeats_too_and_another_route_is_another_request(
    world: World, writer: ScriptedWriter
) -> None:
    question = {"question": "Which colour is the boat?", "requestId": "r-9"}
    first, second = (world.call("api", "POST", "/ask", question) for _ in range(2))
    assert first.status_code == 200
    assert first.data == second.data
    assert len(writer.prompts) == 1
    assert problem(_chat(world, requestId="r-9"))[:2] == (409, "CONFLICT")


def test_other_ids_and_no_id_are_answered_anew(world: World, writer: ScriptedWriter) -> None:
    for fields in (
        {"requestId": "r-1"},
        {"requestId": "r-2"},
        {"requestId": None},
        {"requestId": None},
    ):
        assert _chat(world, **fields).status_code == 200
    assert len(writer.prompts) == 4


@pytest.mark.parametrize(
    "other",
    [
        {"message": "And the car?"},
        {"topK": 3},
        {"includeCitations": False},
    ],
)
def test_the_same_id_with_another_body_is_a_conflict(
    world: World, writer: ScriptedWriter, other: dict[str, object]
) -> None:
    assert _chat(world).status_code == 200
    for streamed in (False, True):
        assert problem(_chat(world, stream=streamed, **other))[:2] == (409, "CONFLICT")
    assert len(writer.prompts) == 1


def test_fields_left_out_and_fields_at_their_defaults_ask_the_same(
    world: World, writer: ScriptedWriter
) -> None:
    assert (
        _chat(world).data
        == _chat(world, strategy="weighted", tenantId="alice", timeZone="UTC").data
    )
    assert len(writer.prompts) == 1


def test_after_a_day_the_id_is_free(world: World, writer: ScriptedWriter) -> None:
    _chat(world)
    world.clock.forward(hours=23, minutes=59)
    assert _chat(world).get_json()["answer"].startswith("Answer 0")
    world.clock.forward(minutes=1)
    assert _chat(world, message="What colour has the boat?").status_code == 200
    assert len(writer.prompts) == 2


@pytest.mark.usefixtures("writer")
def test_an_answer_from_a_note_that_is_gone_is_not_given_again(world: World) -> None:
    assert "blue" in _chat(world).get_json()["citations"][0]["quote"]
    assert world.call("api", "DELETE", "/notes/boat").status_code == 204
    repeated = _chat(world).get_json()
    assert repeated["citations"] == []
    assert "blue" not in repeated["answer"]


@pytest.mark.usefixtures("writer")
def test_only_the_citations_of_edited_notes_are_stale_in_a_repeat(world: World) -> None:
    world.save("paint", title="Paint", text="The colour of the boat needs paint.")
    world.plug(writer=ScriptedWriter("The boat is meant [N1]. The boat is meant [N2]."))
    assert len(_chat(world).get_json()["citations"]) == 2
    world.save("paint", title="Paint", text="The colour of the boat needs no paint.")
    expected = {"boat": False, "paint": True}
    assert {
        citation["noteId"]: citation["stale"] for citation in _chat(world).get_json()["citations"]
    } == expected
    streamed = _stream(world)
    assert {
        data["noteId"]: data["stale"] for name, data in streamed if name == "citation"
    } == expected
    assert streamed[-1][1] == _chat(world).get_json()


@pytest.mark.usefixtures("writer")
def test_a_request_that_failed_is_free_at_once(world: World) -> None:
    assert problem(_chat(world, template="nowhere"))[:2] == (404, "NOT_FOUND")
    assert _chat(world).status_code == 200


@pytest.mark.usefixtures("writer")
def test_a_worker_that_died_blocks_its_request_only_until_its_lease_ends(world: World) -> None:
    body = parse(json.dumps(ASKED).encode(), ChatBody)
    died = world.app.idempotency.locked(
        turn_request(Call("x", {}, b"", Identity("alice", "alice")), body).repeat
    )
    died.__enter__()
    world.clock.forward(minutes=1)
    assert _chat(world).get_json()["answer"].startswith("Answer 0")
    died.__exit__(None, None, None)  # it comes back to life, and changes nothing
    assert _chat(world).get_json()["answer"].startswith("Answer 0")


@pytest.mark.usefixtures("writer")
def test_a_request_that_was_taken_by_a_clock_a_year_ahead_can_be_answered(world: World) -> None:
    body = parse(json.dumps(ASKED).encode(), ChatBody)
    world.clock.forward(days=365)
    died = world.app.idempotency.locked(
        turn_request(Call("x", {}, b"", Identity("alice", "alice")), body).repeat
    )
    died.__enter__()
    world.clock.forward(days=-365)
    assert _chat(world).get_json()["answer"].startswith("Answer 0")
    died.__exit__(None, None, None)


def test_two_equal_requests_at_once_ask_the_model_once_and_both_get_the_answer(
    world: World, writer: ScriptedWriter
) -> None:
    slow = _Slow(writer)
    world.plug(writer=slow)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(_chat, world)
        assert slow.asked.wait(60)
        second = threads.submit(_chat, world)
        slow.go_on.set()
        assert first.result().data == second.result().data
    assert len(writer.prompts) == 1


def test_while_one_is_answering_a_repeat_is_told_to_come_back_when_its_lease_ends(
    world: World, writer: ScriptedWriter, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = _Slow(writer)
    world.plug(writer=slow, patience=0.2)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(_chat, world)
        assert slow.asked.wait(60)
        lease = world.app.store.get(ALICE, REQUESTS, "r-1").value
        assert lease is not None
        assert lease.lease_until is not None
        remaining = lease.lease_until - world.clock()
        capsys.readouterr()
        response = _chat(world)
        lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
        slow.go_on.set()
        assert first.result().status_code == 200
    assert problem(response)[:2] == (503, "UNAVAILABLE")
    assert int(response.headers["Retry-After"]) == math.ceil(remaining.total_seconds()) > 5
    assert [(line["severity"], line["route"]) for line in lines] == [("WARNING", "/chat")] * 2
    assert not any("exception" in line for line in lines)


@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_that_cannot_be_kept_is_given_all_the_same(
    world: World, writer: ScriptedWriter, *, streamed: bool
) -> None:
    forgetful = _Forgetful(world.app.settings.home)
    world.plug(store=forgetful)
    forgetful.keeps = 1  # the claim, not the answer
    answered = _stream(world)[-1][1] if streamed else _chat(world).get_json()
    assert str(answered["answer"]).startswith("Answer 0")
    forgetful.keeps = 9
    world.clock.forward(minutes=1)
    assert _chat(world).get_json()["answer"].startswith("Answer 1")
    assert len(writer.prompts) == 2
    forgetful.close()


def test_the_failure_is_returned_although_the_claim_cannot_be_released(world: World) -> None:
    forgetful = _Forgetful(world.app.settings.home)
    world.plug(store=forgetful)
    forgetful.keeps = 1
    assert problem(_chat(world, template="nowhere"))[:2] == (404, "NOT_FOUND")
    forgetful.close()


class _Forgetful(EmbeddedStore):
    """A store that can keep only so many further records of requests."""

    keeps = 0

    def swap(
        self,
        owner: Owner,
        collection: Collection[T],
        document_id: str,
        value: T | None,
        *,
        expected: str | None,
    ) -> str | None:
        if not self.keeps:
            raise StoreUnavailable("the disk is full")
        self.keeps -= 1
        return super().swap(owner, collection, document_id, value, expected=expected)


class _Slow:
    """Writes only when it is told to go on."""

    model = "slow"

    def __init__(self, inner: Writer) -> None:
        self.inner = inner
        self.asked = threading.Event()
        self.go_on = threading.Event()

    def write(self, prompt: Prompt) -> Draft:
        return Draft("".join(piece.text for piece in self.stream(prompt)), self.model)

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        self.asked.set()
        assert self.go_on.wait(60)
        yield from self.inner.stream(prompt)


# -- streams


def _stream(world: World, **fields: object) -> list[tuple[str, dict[str, object]]]:
    """(name, data) of the events."""
    return event_source(_chat(world, stream=True, **fields).get_data())


def test_a_streamed_repeat_gets_the_events_of_the_answer_there_is(
    world: World, writer: ScriptedWriter
) -> None:
    first = _stream(world)
    second = _stream(world)
    assert first[-1] == second[-1]
    assert first[-1][0] == "result"
    assert [name for name, _ in second] == [
        "start",
        "query",
        "citation",
        "token",
        "usage",
        "result",
    ]
    assert second[0] == first[0]
    assert (
        "".join(str(data["text"]) for name, data in second if name == "token")
        == second[-1][1]["answer"]
    )
    assert len(writer.prompts) == 1


@pytest.mark.parametrize("streamed_first", [True, False])
def test_streamed_and_whole_are_the_same_request(
    world: World, writer: ScriptedWriter, *, streamed_first: bool
) -> None:
    if streamed_first:
        streamed = _stream(world)[-1][1]
        whole_answer = _chat(world).get_json()
    else:
        whole_answer = _chat(world).get_json()
        streamed = _stream(world)[-1][1]
    assert streamed == whole_answer
    assert len(writer.prompts) == 1


def test_a_stream_that_is_left_frees_its_id(world: World, writer: ScriptedWriter) -> None:
    slow = _Slow(writer)
    world.plug(writer=slow)
    response = world.call("chat", "POST", "/chat", {**ASKED, "stream": True}, buffered=False)
    events = response.iter_encoded()
    assert b"start" in bytes(next(events))
    assert b"query" in bytes(next(events))
    assert slow.asked.wait(60)
    response.close()
    slow.go_on.set()
    deadline = time.monotonic() + 60
    while world.app.store.get(ALICE, REQUESTS, "r-1").value is not None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert _chat(world).status_code == 200
    assert len(writer.prompts) == 2
