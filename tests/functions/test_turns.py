"""Questions asked in a session by /chat."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from shared import bootstrap
from shared.sessions.turns import LINE
from tests.fakes import ScriptedWriter
from tests.functions.conversations import ask, create, messages
from tests.functions.world import World, problem


def test_new_begins_a_session_that_is_named_after_the_question(boat: World) -> None:
    body = ask(boat, "What leaks in the boat?")
    session_id = body["meta"]["sessionId"]
    session = boat.json("GET", f"/sessions/{session_id}")
    assert session["title"] == "What leaks in the boat?"
    assert session["messageCount"] == 2
    user_message, answered = messages(boat, session_id)
    assert user_message["role"] == "user"
    assert user_message["text"] == "What leaks in the boat?"
    assert user_message["citations"] == []
    assert user_message["meta"] is None
    assert answered["role"] == "assistant"
    assert body["claims"]
    assert answered["citations"] == body["citations"]
    assert answered["claims"] == body["claims"]
    assert answered["meta"] == body["meta"]


def test_the_stored_answer_ends_with_a_list_of_sources_that_can_be_parsed(boat: World) -> None:
    body = ask(boat, "What leaks in the boat?")
    text = messages(boat, body["meta"]["sessionId"])[1]["text"]
    answer, _, listed = text.partition("\n\nSources:\n")
    assert answer == body["answer"]
    lines = [LINE.fullmatch(line) for line in listed.split("\n")]
    assert [line.groupdict() for line in lines if line] == [
        {
            "label": "N1",
            "title": "Boat",
            "day": "2026-11-21",
            "note": "boat",
            "chunk": "boat_000",
        }
    ]


def test_a_title_that_was_given_stays_and_taken_back_gives_way_to_the_first_question(
    boat: World,
) -> None:
    session_id = create(boat, title="Mine")
    ask(boat, "What leaks in the boat?", session_id)
    ask(boat, "What mends the leak?", session_id)
    assert boat.json("GET", f"/sessions/{session_id}")["title"] == "Mine"
    assert (
        boat.json("PATCH", f"/sessions/{session_id}", {"title": ""})["title"]
        == "What leaks in the boat?"
    )


def test_the_sessions_settings_hold_and_the_requests_own_go_before(boat: World) -> None:
    session_id = create(boat, settings={"topK": 3, "includeCitations": False})
    assert ask(boat, "What leaks in the boat?", session_id)["meta"]["retrieval"]["k"] == 3
    body = ask(boat, "What leaks in the boat?", session_id, topK=2, includeCitations=True)
    assert body["meta"]["retrieval"]["k"] == 2
    assert body["citations"]
    assert boat.json("GET", f"/sessions/{session_id}")["settings"]["topK"] == 3


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"threshold": 2}, 400),
        ({"template": "nope"}, 404),
    ],
)
def test_a_question_that_fails_leaves_no_empty_session(
    world: World, more: dict[str, object], status: int
) -> None:
    response = world.call(
        "chat",
        "POST",
        "/chat",
        {
            "message": "Why?",
            "sessionId": "new",
            **more,
        },
    )
    assert response.status_code == status
    assert world.json("GET", "/sessions")["sessions"] == []


def test_a_follow_up_is_searched_for_as_a_whole(boat: World) -> None:
    boat.save("car", title="Car", text="The car leaks oil.")
    session_id = ask(boat, "What leaks in the boat?")["meta"]["sessionId"]
    body = ask(boat, "And where?", session_id)
    assert set(body["meta"]["query"]["keywords"]) >= {"leaks", "boat"}
    assert body["citations"][0]["noteId"] == "boat"
    assert messages(boat, session_id)[2]["text"] == "And where?"
    alone = ask(boat, "And where?")
    assert "boat" not in alone["meta"]["query"]["keywords"]


def test_the_writer_is_told_what_was_said_and_the_wishes(boat: World) -> None:
    writer = ScriptedWriter("It leaks in the bow [N1].", "Tar mends it [N1].")
    boat.plug(writer=writer)
    session_id = create(boat, settings={"systemPrompt": "Like a pirate [N1]."})
    ask(boat, "What leaks in the boat?", session_id)
    ask(boat, "What mends it?", session_id)
    prompt = writer.prompts[1].user
    assert "> Question: What leaks in the boat?\n> Answer: It leaks in the bow.\n" in prompt
    assert "> Like a pirate (N1)." in prompt
    assert "Question: What mends it?\nThat is, in full: What mends it (leaks boat)?" in prompt


def test_a_model_that_may_be_chosen_writes(boat: World) -> None:
    other_writer = ScriptedWriter("It leaks in the bow [N1].")
    boat.plug(writers={"scripted": other_writer})
    session_id = create(boat, settings={"model": "scripted"})
    assert ask(boat, "What leaks in the boat?", session_id)["meta"]["model"] == "scripted"
    assert (
        ask(boat, "What leaks in the boat?", session_id, model=None)["meta"]["model"]
        == "extractive"
    )
    assert ask(boat, "What leaks in the boat?", model="scripted")["meta"]["model"] == "scripted"
    boat.plug(writers={})  # it may not be chosen any more
    assert ask(boat, "What leaks in the boat?", session_id)["meta"]["model"] == "extractive"


@pytest.mark.parametrize("form", ["sse", "callable"])
def test_a_streamed_answer_is_stored_before_its_result_is_told(boat: World, form: str) -> None:
    body: dict[str, Any] = {"message": "What leaks in the boat?", "sessionId": "new"}
    data = {**body, "stream": True} if form == "sse" else {"data": body}
    headers = {"Accept": "text/event-stream"}
    response = boat.call("chat", "POST", "/chat", data, headers=headers)
    events = [
        json.loads(line[6:])
        for line in response.get_data(as_text=True).splitlines()
        if line.startswith("data: ")
    ]
    started, result = (
        (events[0], events[-1]) if form == "sse" else (events[0]["message"], events[-1]["result"])
    )
    assert started["sessionId"] == result["meta"]["sessionId"]
    answered = messages(boat, started["sessionId"])[1]
    assert answered["citations"] == result["citations"]
    assert answered["meta"] == result["meta"]


# -- what becomes of citations


def test_a_deleted_notes_text_is_gone_from_citations_list_and_answer(boat: World) -> None:
    body = ask(boat, "What leaks in the boat?")
    assert boat.call("api", "DELETE", "/notes/boat").status_code == 204
    answered = messages(boat, body["meta"]["sessionId"])[1]
    assert answered["citations"] == [
        {
            **body["citations"][0],
            "snippet": "",
            "quote": "",
            "title": "",
            "folder": "",
            "path": "",
            "headingPath": "",
            "stale": True,
        }
    ]
    assert answered["text"] == (
        "Closest passages in your notes:\n\n> […] [N1]\n\nSources:\n- [N1] deleted note (2026-11-21) note:boat#boat_000"
    )
    assert answered["claims"] == []
    assert "bow" not in str(messages(boat, body["meta"]["sessionId"]))


def test_a_deleted_notes_text_is_not_told_to_the_writer_later(boat: World) -> None:
    session_id = ask(boat, "What leaks in the boat?")["meta"]["sessionId"]
    boat.call("api", "DELETE", "/notes/boat")
    boat.save("car", title="Car", text="The car leaks oil.")
    writer = ScriptedWriter("Oil [N1].")
    boat.plug(writer=writer)
    ask(boat, "And the car?", session_id)
    assert "bow" not in writer.prompts[0].user
    assert "> > […]" in writer.prompts[0].user


def test_a_refusal_is_kept_without_the_nearest_notes(boat: World) -> None:
    body = ask(boat, "Who won the chess match in Reykjavik?", threshold=1)
    assert body["meta"]["refusal"]["nearest"]
    refusal = messages(boat, body["meta"]["sessionId"])[1]["meta"]["refusal"]
    assert refusal == {**body["meta"]["refusal"], "nearest": []}


def test_a_follow_up_calls_no_model_once_the_days_budget_is_spent(
    boat: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranker = ScriptedWriter('{"question": "Where does the boat leak?"}')
    limited = bootstrap.assemble(
        replace(boat.app, ranker=ranker, settings=replace(boat.app.settings, daily_chat_limit=2))
    )
    monkeypatch.setattr(bootstrap, "_process", [limited])
    session_id = ask(boat, "What leaks in the boat?")["meta"]["sessionId"]
    ask(boat, "And where?", session_id)
    assert len(ranker.prompts) == 1
    follow_up = boat.call(
        "chat", "POST", "/chat", {"message": "And when?", "sessionId": session_id}
    )
    assert problem(follow_up)[:2] == (429, "EXHAUSTED")
    assert len(ranker.prompts) == 1
