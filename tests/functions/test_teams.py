"""Several people in one tenant: notes are the team's; conversations, feedback and kept answers are a person's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.functions.world import World, problem

CONFIRM = {"confirm": "erase everything"}
QUESTION = "Which colour is the boat?"
GRAPHQL = "{ sessions { sessions { sessionId } } }"


def _json(
    world: World, method: str, path: str, body: object = None, *, by: str, status: int = 200
) -> Any:  # noqa: ANN401
    function = "chat" if path == "/chat" else "api"
    response = world.call(function, method, path, body, token=f"{by}-token")
    assert response.status_code == status, response.get_data(as_text=True)
    return response.get_json()


def _lines(world: World, path: str, *, by: str) -> list[dict[str, Any]]:
    response = world.call("api", "GET", path, token=f"{by}-token")
    assert response.status_code == 200
    return [json.loads(line) for line in response.get_data(as_text=True).splitlines()]


@pytest.fixture
def team(world: World) -> World:
    """A note of the team; Anna has asked about it in a session and rated the answer."""
    _json(world, "PUT", "/notes/boat", {"title": "Boat", "text": "The boat is blue."}, by="anna")
    assert world.written("tenants/acme/notes/boat").status_code == 200
    _json(
        world,
        "POST",
        "/chat",
        {"message": QUESTION, "sessionId": "new", "requestId": "r-1"},
        by="anna",
    )
    _json(world, "POST", "/feedback", {"requestId": "r-1", "rating": "up"}, by="anna")
    return world


def _session_id(team: World) -> str:
    (session,) = _json(team, "GET", "/sessions", by="anna")["sessions"]
    return str(session["sessionId"])


@pytest.mark.parametrize("colleague", ["ben", "owner"])
def test_nobody_reads_or_changes_the_conversation_of_a_colleague(
    team: World, colleague: str
) -> None:
    session = f"/sessions/{_session_id(team)}"
    assert _json(team, "GET", "/sessions", by=colleague)["sessions"] == []
    assert (
        _json(team, "POST", "/graphql", {"query": GRAPHQL}, by=colleague)["data"]["sessions"][
            "sessions"
        ]
        == []
    )
    for method, path, body in (
        ("GET", session, None),
        ("GET", f"{session}/messages", None),
        ("PATCH", session, {"title": "Mine"}),
        ("DELETE", session, None),
        ("POST", "/chat", {"message": QUESTION, "sessionId": _session_id(team)}),
    ):
        _json(team, method, path, body, by=colleague, status=404)
    assert _json(team, "GET", session, by="anna")["messageCount"] == 2
    assert {row["type"] for row in _lines(team, "/me:export", by=colleague)} == {"end"}


def test_the_team_shares_its_notes_and_no_request_id(team: World) -> None:
    answer = _json(
        team, "POST", "/chat", {"message": "Is the boat blue?", "requestId": "r-1"}, by="ben"
    )
    assert answer["citations"][0]["noteId"] == "boat"


def test_a_person_exports_and_erases_what_is_theirs_and_nothing_of_the_team(team: World) -> None:
    _json(team, "POST", "/chat", {"message": QUESTION, "sessionId": "new"}, by="ben")
    assert [row["type"] for row in _lines(team, "/me:export", by="anna")] == [
        "session", "message", "message", "feedback", "end",
    ]  # fmt: skip
    erased = _json(team, "DELETE", "/me", CONFIRM, by="anna")["erased"]
    assert erased["sessions"] == 1
    assert erased["messages"] == 2
    assert erased["feedback"] == 1
    assert "notes" not in erased
    assert _json(team, "GET", "/notes/boat", by="anna")["text"] == "The boat is blue."
    assert len(_json(team, "GET", "/sessions", by="ben")["sessions"]) == 1


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/tenant:export", None),
        ("GET", "/tenant:export?format=markdown", None),
        ("GET", "/me:export?format=markdown", None),
        ("DELETE", "/tenant", CONFIRM),
    ],
)
def test_a_member_who_is_not_the_owner_exports_and_erases_no_team(
    team: World, method: str, path: str, body: object
) -> None:
    for member in ("anna", "ben"):
        refused = team.call("api", method, path, body, token=f"{member}-token")
        assert problem(refused)[:2] == (403, "PERMISSION_DENIED")
    assert _json(team, "GET", "/notes/boat", by="ben")["title"] == "Boat"


def test_the_owner_exports_and_erases_the_team(team: World) -> None:
    assert [row["type"] for row in _lines(team, "/tenant:export", by="owner")] == ["note", "end"]
    assert (
        team.call("api", "GET", "/tenant:export?format=markdown", token="owner-token").mimetype
        == "application/zip"
    )
    erased = _json(team, "DELETE", "/tenant", CONFIRM, by="owner")["erased"]
    assert erased["notes"] == 1
    assert erased["sessions"] == 1
    assert erased["messages"] == 2
    assert _json(team, "GET", "/sessions", by="anna")["sessions"] == []
    assert _lines(team, "/me:export", by="anna") == [{"type": "end", "counts": {}}]


def test_the_only_person_of_a_tenant_owns_it(world: World) -> None:
    world.save("boat", title="Boat", text="The boat is blue.")
    _json(world, "POST", "/sessions", {"title": "Boats"}, by="alice")
    assert [row["type"] for row in _lines(world, "/me:export", by="alice")] == [
        "note",
        "session",
        "end",
    ]
    assert [row["type"] for row in _lines(world, "/tenant:export", by="alice")] == ["note", "end"]
    erased = _json(world, "DELETE", "/me", CONFIRM, by="alice")["erased"]
    assert erased["notes"] == 1
    assert erased["sessions"] == 1
