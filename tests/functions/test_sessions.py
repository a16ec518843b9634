"""/sessions: what they are, and how they are listed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from shared.ports.pages import make_token
from shared.settings import Settings
from tests.functions.conversations import ask, create, messages
from tests.functions.world import World, problem

DEFAULTS = {
    "useNotes": True,
    "topK": 5,
    "threshold": 0.0,
    "includeCitations": True,
    "systemPrompt": "",
    "model": None,
    "maxContextTokens": 4000,
    "maxHistory": 20,
    "lookIn": "",
    "windowDays": 0,
    "strategy": "weighted",
    "whenNotInNotes": "refuse",
    "template": "none",
}


# -- the sessions themselves

TIME = "2026-11-21T12:00:00.000Z"


def test_a_session_remembers_where_it_looks_unless_a_question_says_it(world: World) -> None:
    for vault, colour in (("work", "red"), ("home", "blue")):
        world.save(
            vault, title="Boat", text=f"The boat is {colour}.", vault=vault, path="harbour/boat.md"
        )
    world.save(
        "attic",
        title="Boat",
        text="The boat is green.",
        path="attic/boat.md",
    )
    session_id = create(world, settings={"lookIn": "work/harbour"})

    def cited(**more: object) -> set[str]:
        return {
            citation["noteId"]
            for citation in ask(world, "Which colour is the boat?", session_id, **more)["citations"]
        }

    assert cited() == {"work"}
    assert cited(filters={"vaults": ["home"]}) == {"home"}
    assert cited(lookIn="") == {"work", "home", "attic"}
    assert cited(lookIn="/harbour") == {"work", "home"}
    world.json("PATCH", f"/sessions/{session_id}", {"settings": {"lookIn": "home/"}})
    assert cited() == {"home"}
    assert cited(lookIn="work/") == {"work"}


def test_a_session_remembers_how_far_back_it_looks(world: World) -> None:
    world.save(
        "old",
        title="Boat",
        text="The boat is red.",
        createdAt="2026-01-02",
    )
    session_id = create(world, settings={"windowDays": 30})
    refused = ask(world, "Which colour is the boat?", session_id)
    assert refused["citations"] == []
    assert ask(world, "Which colour is the boat?", session_id, windowDays=0)["citations"]
    assert ask(world, "Which colour is the boat?", session_id, filters={"windowDays": 900})[
        "citations"
    ]


def test_a_session_keeps_its_strategy_and_template_and_a_question_may_say_others(
    boat: World,
) -> None:
    session_id = create(boat, settings={"strategy": "rrf", "template": "plan"})

    def asked(**more: object) -> tuple[str, object]:
        meta = ask(boat, "What leaks in the boat?", session_id, **more)["meta"]
        return meta["retrieval"]["strategy"], meta["template"] and meta["template"]["id"]

    assert asked() == ("hybrid_rrf", "plan")
    assert asked(strategy="weighted", template="none") == ("hybrid_reranked", None)
    assert asked(template=None) == ("hybrid_rrf", "plan")


def test_a_deployment_gives_new_sessions_its_own_defaults(world: World) -> None:
    earlier_session = create(world)
    defaults = Settings.from_env(
        {"SESSION_DEFAULTS": "topK=8, strategy=rrf,useNotes=false"}
    ).session_defaults
    world.plug(settings=replace(world.app.settings, session_defaults=defaults))
    expected = {
        **DEFAULTS,
        "topK": 8,
        "strategy": "rrf",
        "useNotes": False,
    }
    assert world.json("POST", "/sessions")["settings"] == expected
    assert world.json("POST", "/sessions", {"settings": {"topK": 3}})["settings"] == {
        **expected,
        "topK": 3,
    }
    assert world.json("GET", f"/sessions/{earlier_session}")["settings"] == DEFAULTS


def test_a_session_is_created_read_changed_and_deleted(world: World) -> None:
    assert world.json("POST", "/sessions")["settings"] == DEFAULTS
    created = world.json("POST", "/sessions", {"title": " Trip ", "settings": {"topK": 9}})
    path = f"/sessions/{created['sessionId']}"
    assert created == {
        "sessionId": created["sessionId"],
        "title": "Trip",
        "createdAt": "2026-11-21T12:00:00.000Z",
        "updatedAt": "2026-11-21T12:00:00.000Z",
        "messageCount": 0,
        "settings": {**DEFAULTS, "topK": 9},
    }
    assert world.json("GET", path) == created
    world.clock.forward(minutes=5)
    changed = world.json(
        "PATCH", path, {"title": "Lisbon", "settings": {"threshold": 0.5, "useNotes": False}}
    )
    assert changed["title"] == "Lisbon"
    assert changed["updatedAt"] == "2026-11-21T12:05:00.000Z"
    assert changed["settings"] == {
        **DEFAULTS,
        "topK": 9,
        "threshold": 0.5,
        "useNotes": False,
    }
    assert world.call("api", "DELETE", path).status_code == 204
    assert problem(world.call("api", "GET", path))[:2] == (404, "NOT_FOUND")
    assert problem(world.call("api", "DELETE", path))[:2] == (404, "NOT_FOUND")


def test_null_takes_a_model_back_and_leaves_everything_else(world: World) -> None:
    session_id = create(world, settings={"model": "extractive", "topK": 7})
    assert world.json("GET", f"/sessions/{session_id}")["settings"]["model"] == "extractive"
    settings = {"model": None, "topK": None}
    changed = world.json("PATCH", f"/sessions/{session_id}", {"settings": settings})
    assert changed["settings"] == {**DEFAULTS, "topK": 7}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("topK", 21),
        ("topK", 2.5),
        ("maxContextTokens", 32_001),
        ("maxHistory", -1),
        ("template", "a/b"),
        ("maxhistory", 1),
    ],
)
def test_a_setting_out_of_range_is_named(world: World, field: str, value: object) -> None:
    for method, path in (
        ("POST", "/sessions"),
        ("PATCH", f"/sessions/{create(world)}"),
    ):
        response = world.call("api", method, path, {"settings": {field: value}})
        assert problem(response) == (400, "INVALID_FIELD", f"settings.{field}")


@pytest.mark.parametrize("session_id", ["nope", "..", "a%2Fb", "__x__", "%00", "%ff"])
def test_an_unknown_session_is_404_however_it_is_spelled(world: World, session_id: str) -> None:
    assert world.call("api", "GET", f"/sessions/{session_id}").status_code == 404
    assert world.call("api", "DELETE", f"/sessions/{session_id}").status_code == 404


# -- lists


def test_sessions_page_by_their_last_change_and_are_found_by_title(world: World) -> None:
    ids = []
    for number in range(5):
        world.clock.forward(minutes=1)
        ids.append(create(world, title=f"Müller {number}" if number % 2 else f"Trip {number}"))
    first = world.json("GET", "/sessions?pageSize=3")
    assert [session["sessionId"] for session in first["sessions"]] == ids[:1:-1]
    rest = world.json("GET", f"/sessions?pageSize=3&pageToken={first['nextPageToken']}")
    assert [session["sessionId"] for session in rest["sessions"]] == ids[1::-1]
    assert rest["nextPageToken"] is None
    first_match = world.json("GET", "/sessions?query=MULLER&pageSize=1")
    assert [session["title"] for session in first_match["sessions"]] == ["Müller 3"]
    second_match = world.json(
        "GET", f"/sessions?query=MULLER&pageSize=1&pageToken={first_match['nextPageToken']}"
    )
    assert [session["title"] for session in second_match["sessions"]] == ["Müller 1"]


def test_messages_page_backwards_each_page_in_the_order_of_time(boat: World) -> None:
    session_id = create(boat)
    for number in range(3):
        boat.clock.forward(minutes=1)
        ask(boat, f"What leaks in the boat {number}?", session_id)
    newest = boat.json("GET", f"/sessions/{session_id}/messages?pageSize=4")
    assert [message["role"] for message in newest["messages"]] == ["user", "assistant"] * 2
    assert newest["messages"][0]["text"] == "What leaks in the boat 1?"
    older = messages(boat, session_id, f"?pageSize=4&pageToken={newest['nextPageToken']}")
    assert older[0]["text"] == "What leaks in the boat 0?"
    assert len(older) == 2


def test_a_forged_page_token_is_named(world: World) -> None:
    for path in ("/sessions", f"/sessions/{create(world)}/messages"):
        for token in ("x", "%20", "AAAA", "%C3%A9", "a" * 500):
            response = world.call("api", "GET", f"{path}?pageToken={token}")
            assert problem(response) == (400, "INVALID_FIELD", "pageToken"), token
    now = world.clock().isoformat()
    for moment in (
        "9999-12-31T23:59:59-12:00",
        "0001-01-01T00:00:00+12:00",
        "2200-01-01T00:00:00+00:00",
        "2026-01-01",
    ):
        token = make_token("sessions alice ", now, moment, "abc")  # of a time that no store holds
        response = world.call("api", "GET", f"/sessions?pageToken={token}")
        assert problem(response) == (400, "INVALID_FIELD", "pageToken"), moment


def test_a_page_token_serves_its_own_listing_for_a_day(world: World) -> None:
    for _ in range(3):
        create(world)
    token = world.json("GET", "/sessions?pageSize=1")["nextPageToken"]
    changed = token[:-2] + ("AA" if token[-2:] != "AA" else "BB")
    for query, caller in (
        (f"query=a&pageToken={token}", "alice"),
        (token, "bob"),
        (changed, "alice"),
    ):
        path = f"/sessions?{query}" if "=" in query else f"/sessions?pageToken={query}"
        refused = world.call("api", "GET", path, token=f"{caller}-token")
        assert problem(refused) == (400, "INVALID_FIELD", "pageToken")
    world.clock.forward(hours=24)
    assert world.call("api", "GET", f"/sessions?pageToken={token}").status_code == 200
    world.clock.forward(seconds=1)
    assert problem(world.call("api", "GET", f"/sessions?pageToken={token}")) == (
        400,
        "INVALID_FIELD",
        "pageToken",
    )


def test_a_conversation_of_an_export_is_brought_back_once(boat: World) -> None:
    session_id = ask(boat, "What leaks in the boat?")["meta"]["sessionId"]
    path = f"/sessions/{session_id}"
    session = boat.json("GET", path)
    conversation = messages(boat, session_id)
    assert boat.call("api", "DELETE", path).status_code == 204
    assert (
        boat.json("POST", "/sessions:import", {"session": session, "messages": conversation})
        == session
    )
    assert messages(boat, session_id) == conversation
    assert conversation[1]["citations"][0]["stale"] is False
    boat.call("api", "DELETE", path)
    boat.save("boat", title="Boat", text="Nothing leaks any more.")
    boat.json("POST", "/sessions:import", {"session": session, "messages": conversation})
    assert messages(boat, session_id)[1]["citations"][0]["stale"] is True
    boat.json("PATCH", path, {"title": "Mine"})
    imported = boat.json("POST", "/sessions:import", {"session": session, "messages": conversation})
    assert imported["title"] == "Mine"
    assert imported["messageCount"] == 2


def test_a_conversation_that_an_earlier_release_exported_is_brought_back(boat: World) -> None:
    """Its answers do not say in which language their question was read."""
    session_id = ask(boat, "What leaks in the boat?")["meta"]["sessionId"]
    path = f"/sessions/{session_id}"
    session = boat.json("GET", path)
    conversation = messages(boat, session_id)
    del conversation[1]["meta"]["query"]["lang"]
    boat.call("api", "DELETE", path)
    boat.json("POST", "/sessions:import", {"session": session, "messages": conversation})
    assert messages(boat, session_id) == conversation


SESSION = {
    "sessionId": "s1",
    "title": "",
    "createdAt": TIME,
    "updatedAt": TIME,
}
SAID = {
    "messageId": "m1",
    "role": "user",
    "text": "x",
    "createdAt": TIME,
}
UNKNOWN = "no such field; there are messageId, requestId, role, text, createdAt"


@pytest.mark.parametrize(
    ("session", "messages", "field", "expected"),
    [
        ({"sessionId": "a/b"}, [], "session.sessionId", "1-64 letters and digits"),
        ({"createdAt": "yesterday"}, [], "session.createdAt", "an RFC 3339 time with its offset"),
        ({"settings": {"topK": 99}}, [], "session.settings.topK", "a whole number from 1 to 20"),
        ({"title": "a\nb"}, [], "session.title", ""),
        ({}, [{"role": "system"}], "messages[1].role", "user or assistant"),
        (
            {},
            [{"createdAt": "yesterday"}],
            "messages[1].createdAt",
            "an RFC 3339 time with its offset",
        ),
        ({}, [{"text": "x" * 2001}], "messages[1].text", "a question of at most 2000 characters"),
        ({}, [{"answer": "x"}], "messages[1].answer", UNKNOWN),
        ({}, [{"citations": [{"cid": "N1"}]}], "messages[1].citations[0].noteId", ""),
        ({}, [{"messageId": "m1"}], "messages", "messages of different ids"),
        (
            {},
            [{"messageId": f"n{number}"} for number in range(20)],
            "messages",
            "at most 20 messages",
        ),
    ],
)
def test_a_field_that_no_export_holds_is_refused_by_name(
    world: World,
    *,
    session: dict[str, object],
    messages: list[dict[str, object]],
    field: str,
    expected: str,
) -> None:
    body = {
        "session": SESSION | session,
        "messages": [SAID, *(SAID | {"messageId": "m2"} | fields for fields in messages)],
    }
    response = world.call("api", "POST", "/sessions:import", body)
    assert problem(response) == (400, "INVALID_FIELD", field)
    assert json.loads(response.data)["error"]["details"][0]["metadata"]["expected"].startswith(
        expected
    )
    assert world.json("GET", "/sessions")["sessions"] == []


def test_conversations_are_found_by_what_was_said_in_them(world: World) -> None:
    world.save("boat", title="Boat", text="The boat has a müllerfarbene hull.")
    session_id = world.ask("What colour is the hull of the boat?", sessionId="new")["meta"][
        "sessionId"
    ]
    world.ask("hello", sessionId="new")

    def found(query: str) -> list[str]:
        sessions = world.json("GET", f"/sessions?query={query}")["sessions"]
        return [session["sessionId"] for session in sessions]

    assert found("mullerfarbene") == []
    assert found("mullerfarbene&text=true") == [session_id]
    assert found("mullerfarbene+nowhere&text=true") == []
    first = world.json("GET", "/sessions?query=boat&text=true&pageSize=1")
    token = first["nextPageToken"]
    assert (
        token is None or world.call("api", "GET", f"/sessions?pageToken={token}").status_code == 400
    )
