"""Every route of every function has an example here, and each example does what it says."""

from __future__ import annotations

from datetime import timedelta

import pytest

from functions import reconcile, tables
from functions.http.calls import Route
from shared.model.documents import SESSIONS, TRASH
from shared.model.notes import Note, TrashedNote, TrashReason
from shared.model.sessions import Session
from tests.functions.world import ALICE, START, World

TABLES: dict[str, tuple[Route, ...]] = {
    "chat": tables.CHAT,
    "api": tables.API,
    "reconcile": reconcile.ROUTES,
}
HEALTH = (
    ("chat", "/health"),
    ("api", "/health"),
    ("api", "/healthz"),
    ("reconcile", "/health"),
)
MOMENT = "2026-05-08T12:30:15Z"
IMPORTED = {
    "session": {
        "sessionId": "b1",
        "title": "B",
        "createdAt": MOMENT,
        "updatedAt": MOMENT,
    }
}
OWN = {"name": "Own", "content": "1. Think."}
ERASE = {"confirm": "erase everything"}
EXAMPLES: dict[tuple[str, str, str], tuple[str, object, str | None]] = {
    **{(name, "GET", path): (path, None, "status") for name, path in HEALTH},
    ("chat", "POST", "/"): ("/", {"message": "Which colour is the boat?"}, "answer"),
    ("api", "GET", "/"): ("/", None, "routes"),
    ("api", "GET", "/notes"): ("/notes", None, "notes"),
    ("api", "GET", "/trash"): ("/trash", None, "trash"),
    ("api", "POST", "/trash"): (
        "/trash",
        {
            "noteId": "n1",
            "title": "T",
            "text": "x",
        },
        "trashId",
    ),
    ("api", "GET", "/trash/{trash_id}"): ("/trash/t1", None, "text"),
    ("api", "POST", "/trash/{trash_id}:restore"): ("/trash/t1:restore", None, "revision"),
    ("api", "DELETE", "/trash/{trash_id}"): ("/trash/t1", None, None),
    ("api", "POST", "/notes:import"): ("/notes:import", {"path": "a/b.md", "text": "Red."}, "note"),
    ("api", "GET", "/notes/{note_id}:indexStatus"): ("/notes/boat:indexStatus", None, "current"),
    ("api", "GET", "/notes/{note_id}:links"): ("/notes/boat:links", None, "backlinks"),
    ("api", "GET", "/notes/{note_id}:related"): ("/notes/boat:related", None, "related"),
    ("api", "PUT", "/notes/{note_id}"): (
        "/notes/car",
        {"title": "Car", "text": "red"},
        "updatedAt",
    ),
    ("api", "GET", "/notes/{note_id}"): ("/notes/boat", None, "text"),
    ("api", "DELETE", "/notes/{note_id}"): ("/notes/boat", None, None),
    ("api", "GET", "/index:coverage"): ("/index:coverage", None, "indexed"),
    ("api", "POST", "/search"): ("/search", {"query": "boat"}, "results"),
    ("api", "GET", "/templates"): ("/templates", None, "ready"),
    ("api", "POST", "/templates:search"): ("/templates:search", {"query": "boat"}, "templates"),
    ("api", "PUT", "/templates/{template_id}"): ("/templates/own", OWN, "methodology"),
    ("api", "GET", "/templates/{template_id}"): ("/templates/plan", None, "content"),
    ("api", "DELETE", "/templates/{template_id}"): ("/templates/own", None, None),
    ("api", "POST", "/search:explain"): ("/search:explain", {"query": "boat"}, "notes"),
    ("api", "POST", "/ask"): ("/ask", {"question": "Which colour is the boat?"}, "references"),
    ("api", "POST", "/sessions"): ("/sessions", {"title": "Boats"}, "settings"),
    ("api", "POST", "/sessions:import"): ("/sessions:import", IMPORTED, "settings"),
    ("api", "GET", "/sessions"): ("/sessions", None, "sessions"),
    ("api", "GET", "/sessions/{session_id}"): ("/sessions/boats", None, "messageCount"),
    ("api", "PATCH", "/sessions/{session_id}"): ("/sessions/boats", {"title": "Cars"}, "title"),
    ("api", "DELETE", "/sessions/{session_id}"): ("/sessions/boats", None, None),
    ("api", "GET", "/sessions/{session_id}/messages"): (
        "/sessions/boats/messages",
        None,
        "messages",
    ),
    ("api", "POST", "/feedback"): ("/feedback", {"requestId": "r-1", "rating": "up"}, "feedbackId"),
    ("api", "GET", "/me:quality"): ("/me:quality", None, "answers"),
    ("api", "GET", "/me:export"): ("/me:export", None, None),
    ("api", "DELETE", "/me"): ("/me", ERASE, "erased"),
    ("api", "GET", "/tenant:export"): ("/tenant:export", None, None),
    ("api", "DELETE", "/tenant"): ("/tenant", ERASE, "erased"),
    ("api", "POST", "/graphql"): ("/graphql", {"query": "{ sessions { nextPageToken } }"}, "data"),
    ("api", "GET", "/graphql/schema"): ("/graphql/schema", None, None),
    ("api", "GET", "/openapi.json"): ("/openapi.json", None, "openapi"),
    ("api", "POST", "/mcp"): (
        "/mcp",
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        "result",
    ),
    ("reconcile", "POST", "/"): ("/", None, "examined"),
}
"""Route -> path, body, and something that the reply's JSON holds."""


def test_every_route_has_an_example() -> None:
    routes = {
        (name, route.method, route.pattern) for name, table in TABLES.items() for route in table
    }
    assert set(EXAMPLES) == routes


@pytest.mark.parametrize(("name", "method", "pattern"), EXAMPLES)
def test_each_route_answers(world: World, name: str, method: str, pattern: str) -> None:
    _fill(world)
    path, body, key = EXAMPLES[name, method, pattern]
    for prefix in ("", f"/{name}"):
        response = world.call(name, method, prefix + path, body)
        assert response.status_code == (204 if method == "DELETE" and key is None else 200)
        assert key is None or key in response.get_json()
        _fill(world)


def _fill(world: World) -> None:
    """Again after an example that deletes."""
    world.save("boat", title="Boat", text="The boat is blue.")
    expires = START + timedelta(days=30)
    old = Note("old", "Old", "The old boat.", START, START)
    trashed = TrashedNote(
        trash_id="t1", note=old, trashed_at=START, expires_at=expires, reason=TrashReason.DELETED
    )
    world.app.store.put("alice", TRASH, trashed)
    assert world.call("api", "PUT", "/templates/own", OWN).status_code == 200
    if world.app.store.get(ALICE, SESSIONS, "boats").value is None:
        world.app.store.put(
            ALICE,
            SESSIONS,
            Session(
                session_id="boats",
                created_at=START,
                updated_at=START,
            ),
        )


def test_only_what_tells_nothing_of_anybody_answer_without_a_token() -> None:
    public = {
        (name, route.pattern) for name, table in TABLES.items() for route in table if route.public
    }
    opened = {
        ("api", "/"),
        ("api", "/graphql/schema"),
        ("api", "/openapi.json"),
        ("reconcile", "/"),
    }
    assert public == {*HEALTH, *opened}
