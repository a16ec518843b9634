"""Every route of every function has an example here, and each example does what it says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import pytest

from functions import api, chat, reconcile
from functions.http.calls import Route
from shared.model.notes import Note, TrashedNote, TrashReason
from shared.model.sessions import Session
from tests.functions.world import ALICE, START, World


@dataclass(frozen=True)
class Example:
    path: str
    status: int = 200
    body: object = None
    key: str | None = None
    """Something the reply's JSON holds."""


MOMENT = "2026-05-08T12:30:15Z"
EXAMPLES: dict[tuple[str, str, str], Example] = {
    ("chat", "POST", "/"): Example("/", body={"message": "Which colour is the boat?"}, key="answer"),
    ("chat", "GET", "/health"): Example("/health", key="status"),
    ("chat", "GET", "/healthz"): Example("/healthz", key="status"),
    ("api", "GET", "/"): Example("/", key="routes"),
    ("api", "GET", "/notes"): Example("/notes", key="notes"),
    ("api", "GET", "/trash"): Example("/trash", key="trash"),
    ("api", "POST", "/trash"): Example("/trash", body={"noteId": "n1", "title": "T", "text": "x"}, key="trashId"),
    ("api", "GET", "/trash/{trash_id}"): Example("/trash/t1", key="text"),
    ("api", "POST", "/trash/{trash_id}:restore"): Example("/trash/t1:restore", key="revision"),
    ("api", "DELETE", "/trash/{trash_id}"): Example("/trash/t1", status=204),
    ("api", "POST", "/notes:import"): Example("/notes:import", body={"path": "a/b.md", "text": "Red."}, key="note"),
    ("api", "GET", "/notes/{note_id}:indexStatus"): Example("/notes/boat:indexStatus", key="current"),
    ("api", "GET", "/notes/{note_id}:links"): Example("/notes/boat:links", key="backlinks"),
    ("api", "PUT", "/notes/{note_id}"): Example("/notes/car", body={"title": "Car", "text": "red"}, key="updatedAt"),
    ("api", "GET", "/notes/{note_id}"): Example("/notes/boat", key="text"),
    ("api", "DELETE", "/notes/{note_id}"): Example("/notes/boat", status=204),
    ("api", "GET", "/index:coverage"): Example("/index:coverage", key="indexed"),
    ("api", "POST", "/search"): Example("/search", body={"query": "boat"}, key="results"),
    ("api", "GET", "/templates"): Example("/templates", key="ready"),
    ("api", "POST", "/templates:search"): Example("/templates:search", body={"query": "boat"}, key="templates"),
    ("api", "PUT", "/templates/{template_id}"): Example(
        "/templates/own", body={"name": "Own", "content": "1. Think."}, key="methodology"
    ),
    ("api", "GET", "/templates/{template_id}"): Example("/templates/plan", key="content"),
    ("api", "DELETE", "/templates/{template_id}"): Example("/templates/own", status=204),
    ("api", "POST", "/search:explain"): Example("/search:explain", body={"query": "boat"}, key="notes"),
    ("api", "POST", "/ask"): Example("/ask", body={"question": "Which colour is the boat?"}, key="references"),
    ("api", "POST", "/sessions"): Example("/sessions", body={"title": "Boats"}, key="settings"),
    ("api", "POST", "/sessions:import"): Example(
        "/sessions:import",
        body={"session": {"sessionId": "b1", "title": "B", "createdAt": MOMENT, "updatedAt": MOMENT}},
        key="settings",
    ),
    ("api", "GET", "/sessions"): Example("/sessions", key="sessions"),
    ("api", "GET", "/sessions/{session_id}"): Example("/sessions/boats", key="messageCount"),
    ("api", "PATCH", "/sessions/{session_id}"): Example("/sessions/boats", body={"title": "Cars"}, key="title"),
    ("api", "DELETE", "/sessions/{session_id}"): Example("/sessions/boats", status=204),
    ("api", "GET", "/sessions/{session_id}/messages"): Example("/sessions/boats/messages", key="messages"),
    ("api", "POST", "/feedback"): Example("/feedback", body={"requestId": "r-1", "rating": "up"}, key="feedbackId"),
    ("api", "GET", "/me:quality"): Example("/me:quality", key="answers"),
    ("api", "GET", "/me:export"): Example("/me:export"),
    ("api", "DELETE", "/me"): Example("/me", body={"confirm": "erase everything"}, key="erased"),
    ("api", "GET", "/tenant:export"): Example("/tenant:export"),
    ("api", "DELETE", "/tenant"): Example("/tenant", body={"confirm": "erase everything"}, key="erased"),
    ("api", "POST", "/graphql"): Example("/graphql", body={"query": "{ sessions { nextPageToken } }"}, key="data"),
    ("api", "GET", "/graphql/schema"): Example("/graphql/schema"),
    ("api", "GET", "/openapi.json"): Example("/openapi.json", key="openapi"),
    ("api", "POST", "/mcp"): Example("/mcp", body={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, key="result"),
    ("api", "GET", "/health"): Example("/health", key="status"),
    ("api", "GET", "/healthz"): Example("/healthz", key="status"),
    ("reconcile", "POST", "/"): Example("/", key="examined"),
    ("reconcile", "GET", "/health"): Example("/health", key="status"),
    ("reconcile", "GET", "/healthz"): Example("/healthz", key="status"),
}

TABLES: dict[str, tuple[Route, ...]] = {"chat": chat.ROUTES, "api": api.ROUTES, "reconcile": reconcile.ROUTES}


def test_every_route_has_an_example() -> None:
    routes = {(name, route.method, route.pattern) for name, table in TABLES.items() for route in table}
    assert set(EXAMPLES) == routes


@pytest.mark.parametrize(("name", "method", "pattern"), EXAMPLES)
def test_each_route_answers(world: World, name: str, method: str, pattern: str) -> None:
    _fill(world)
    example = EXAMPLES[name, method, pattern]
    for prefix in ("", f"/{name}"):
        response = world.call(name, method, prefix + example.path, example.body)
        assert response.status_code == example.status
        assert example.key is None or example.key in response.get_json()
        _fill(world)


def _fill(world: World) -> None:
    """Again after an example that deletes."""
    world.save("boat", title="Boat", text="The boat is blue.")
    expires = START + timedelta(days=30)
    old = Note("old", "Old", "The old boat.", START, START)
    trashed = TrashedNote(trash_id="t1", note=old, trashed_at=START, expires_at=expires, reason=TrashReason.DELETED)
    world.app.store.put_trashed("alice", trashed)
    own = {"name": "Own", "content": "1. Think."}
    assert world.call("api", "PUT", "/templates/own", own).status_code == 200
    if world.app.store.get_session(ALICE, "boats") is None:
        world.app.store.create_session(ALICE, Session(session_id="boats", created_at=START, updated_at=START))


def test_only_what_tells_nothing_of_anybody_answer_without_a_token() -> None:
    public = {(name, route.pattern) for name, table in TABLES.items() for route in table if route.public}
    health = {(name, path) for name in TABLES for path in ("/health", "/healthz")}
    assert public == health | {
        ("api", "/"),
        ("api", "/graphql/schema"),
        ("api", "/openapi.json"),
        ("reconcile", "/"),
    }
