"""POST /feedback, GET /me:export, DELETE /me."""

from __future__ import annotations

import json
from http.client import IncompleteRead
from io import BytesIO
from typing import Any
from urllib.request import Request, urlopen
from zipfile import ZipFile

import pytest
from werkzeug.test import TestResponse

from shared.api.values import instant
from shared.errors import StoreUnavailable
from shared.markdown.file import fields_of
from shared.model.notes import Note, UnreadableNote
from shared.ports.pages import Page
from shared.ports.stores import Store
from tests.functions.world import START, World, listening, problem

SECRET = "the treasure lies under the third oak"
RATED = {
    "requestId": "r-1",
    "rating": "down",
    "comment": "Wrong boat.",
}


def _rows(response: TestResponse) -> list[dict[str, Any]]:
    assert response.mimetype == "application/x-ndjson"
    return [json.loads(line) for line in response.get_data(as_text=True).splitlines()]


def _export(world: World, **caller: str) -> list[dict[str, Any]]:
    response = world.call("api", "GET", "/me:export", **caller)
    assert response.status_code == 200
    return _rows(response)


# -- feedback


def test_feedback_is_kept_and_given_back_with_everything_else(world: World) -> None:
    rated = world.json("POST", "/feedback", RATED)
    assert rated["requestId"] == "r-1"
    assert rated["rating"] == "down"
    assert rated["comment"] == "Wrong boat."
    assert [row for row in _export(world) if row["type"] == "feedback"] == [
        {"type": "feedback", **rated}
    ]


def test_a_second_thought_replaces_the_first_and_a_click_is_another_matter(world: World) -> None:
    for body in (
        RATED,
        {"requestId": "r-1", "rating": "up"},
        {"requestId": "r-1", "citation": "N2"},
    ):
        assert world.call("api", "POST", "/feedback", body).status_code == 200
    ratings = {
        (row["rating"], row["citation"]) for row in _export(world) if row["type"] == "feedback"
    }
    assert ratings == {("up", None), (None, "N2")}


def test_only_null_takes_a_rating_back_and_only_an_empty_comment_a_comment(world: World) -> None:
    for patch, rating, comment in (
        (RATED, "down", "Wrong boat."),
        ({}, "down", "Wrong boat."),
        ({"comment": "Still wrong."}, "down", "Still wrong."),
        ({"rating": None}, None, "Still wrong."),
        ({"rating": "up"}, "up", "Still wrong."),
        ({"comment": ""}, "up", ""),
        ({}, "up", ""),
    ):
        rated = world.json("POST", "/feedback", {"requestId": "r-1", **patch})
        assert rated["rating"] == rating
        assert rated["comment"] == comment
        assert [row for row in _export(world) if row["type"] == "feedback"] == [
            {"type": "feedback", **rated}
        ]


@pytest.mark.parametrize("place", ["world", "cloud"])
def test_quality_is_the_share_of_answers_that_were_rated_opened_and_followed_up(
    place: str, request: pytest.FixtureRequest
) -> None:
    world: World = request.getfixturevalue(place)
    none = dict.fromkeys(("feedbackRate", "clickThroughRate", "followUpRate"))
    assert (
        world.json("GET", "/me:quality").items()
        >= {**none, "answers": 0, "clicked": 0, "followUps": 0}.items()
    )
    for session in (["r-1", "r-2", "r-3"], ["r-4"]):
        session_id = "new"
        for request_id in session:
            meta = world.ask("Boat?", sessionId=session_id, requestId=request_id)["meta"]
            session_id = meta["sessionId"]
    for click in (
        {"requestId": "r-1", "rating": "up"},
        {"requestId": "r-2", "rating": "down"},
        {"requestId": "r-2", "rating": None},
        {"requestId": "r-4", "rating": "down"},
        {"requestId": "r-4", "citation": "N1"},
        {"requestId": "r-4", "citation": "N2"},
        {"requestId": "r-of-no-session", "rating": "up"},
    ):
        world.json("POST", "/feedback", click)
    counts = {
        "answers": 4,
        "ratedUp": 1,
        "ratedDown": 1,
        "clicked": 1,
        "followUps": 2,
    }
    rates = {
        "feedbackRate": 0.5,
        "clickThroughRate": 0.25,
        "followUpRate": 0.5,
    }
    assert world.json("GET", "/me:quality?days=365") == {**counts, **rates}
    assert world.json("GET", "/me:quality", token="bob-token")["answers"] == 0
    world.clock.forward(days=30, seconds=1)
    assert world.json("GET", "/me:quality")["answers"] == 0


# -- export


def test_everything_comes_a_line_each_and_the_last_line_counts_it(world: World) -> None:
    for number in range(45):  # more than two pages
        world.put(f"n{number:02d}", title=f"Note {number}", text=f"Text {number} 😀\nmore")
    template = {"name": "Own", "content": "1. Think."}
    world.call("api", "PUT", "/templates/own", template)
    world.call("api", "POST", "/feedback", RATED)
    *rows, end = _export(world)
    notes = [row for row in rows if row["type"] == "note"]
    assert [row["noteId"] for row in notes] == [f"n{number:02d}" for number in range(45)]
    assert notes[7]["text"] == "Text 7 😀\nmore"
    assert [row["content"] for row in rows if row.get("templateId") == "own"] == ["1. Think."]
    counted = {
        kind: sum(row["type"] == kind for row in rows) for kind in {row["type"] for row in rows}
    }
    assert end == {"type": "end", "counts": counted}


def test_a_session_comes_with_its_messages_and_without_what_was_deleted(world: World) -> None:
    world.save("boat", title="Boat", text=f"The boat is blue. {SECRET}.")
    question = {"message": "Where does the treasure lie?", "sessionId": "new"}
    session_id = world.json("POST", "/chat", question)["meta"]["sessionId"]
    for number in range(60):  # more messages than a page
        world.call(
            "chat",
            "POST",
            "/chat",
            {
                "message": f"And {number}?",
                "sessionId": session_id,
                "useNotes": False,
            },
        )
    rows = _export(world)
    (session,) = [row for row in rows if row["type"] == "session"]
    messages = [row for row in rows if row["type"] == "message"]
    assert (
        session["messageCount"]
        == len(messages)
        == len({row["messageId"] for row in messages})
        == 122
    )
    assert {row["sessionId"] for row in messages} == {session_id}
    assert SECRET in json.dumps(messages)
    world.call("api", "DELETE", "/notes/boat")
    rows = _export(world)
    assert SECRET not in json.dumps([row for row in rows if row["type"] == "message"])
    assert [row["type"] for row in rows if SECRET in json.dumps(row)] == ["trashedNote"]


def test_an_exported_note_can_be_saved_again(world: World) -> None:
    world.put(
        "n1", title="T", text="x", vault="work", path="a/b.md", tags=["red"], createdAt="2026-01-02"
    )
    (row,) = [row for row in _export(world) if row["type"] == "note"]
    saved = {name: value for name, value in row.items() if name != "type"}
    assert world.json("PUT", "/notes/n1", saved) == saved


def test_notes_come_as_a_zip_of_markdown_that_says_all_of_them_again(world: World) -> None:
    notes_by_file: dict[str, dict[str, Any]] = {
        "a/b.md": {
            "title": "Plain",
            "text": "x\n",
            "path": "a/b.md",
            "tags": ["red"],
            "createdAt": "2021-01-02",
        },
        "A/B (2).md": {
            "title": "B",
            "text": "# B",
            "path": "A/B.md",
            "createdAt": "2021-01-02T03:04:05.678Z",
        },
        "c.md": {
            "title": "New",
            "text": "---\ntitle: Old\naliases: [x]\n---\ny",
            "path": "c.md",
            "lang": "de",
        },
        "A-B- what-.md": {"title": "A/B: what?", "text": "No path."},
        "d.md": {
            "title": "Broken",
            "text": "---\ntags: [\n---\nz",
            "path": "d.md",
            "createdAt": "2020-01-01",
        },
        "work/a/b.md": {
            "title": "b",
            "text": "Another vault's.",
            "path": "a/b.md",
            "vault": "work",
        },
    }
    saved = {
        name: world.put(f"n{number}", **note).get_json()
        for number, (name, note) in enumerate(notes_by_file.items())
    }
    response = world.call("api", "GET", "/me:export?format=markdown")
    assert response.mimetype == "application/zip"
    assert "aurora-notes.zip" in response.headers["Content-Disposition"]
    archive = ZipFile(BytesIO(response.data))
    assert archive.testzip() is None
    assert set(archive.namelist()) == set(notes_by_file)
    for name, note in saved.items():
        text = archive.read(name).decode()
        body = note["text"].replace("title: Old\n", "")
        assert all(line in text for line in body.splitlines())
        file = fields_of(text, name)
        assert file.title == note["title"]
        assert list(file.tags) == note["tags"]
        assert file.lang == note["lang"]
        assert file.created_at is not None
        assert instant(file.created_at) == note["createdAt"]


def test_a_zip_that_fails_half_way_is_no_whole_reply(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    store = _CountingStore(world.app.store, StoreUnavailable(SECRET), fails_at=2)
    world.plug(store=store)
    for number in range(25):
        world.app.store.put_note("alice", Note(f"n{number}", "T", "x", START, START))
    with listening(world, "api") as port:
        address = f"http://127.0.0.1:{port}/me:export?format=markdown"
        request = Request(address, headers={"Authorization": "Bearer alice-token"})
        with pytest.raises(IncompleteRead):
            urlopen(request).read()
    log = capsys.readouterr().err
    assert "broke off" in log
    assert SECRET not in log


def test_only_a_page_of_notes_is_read_before_the_first_line_leaves(world: World) -> None:
    store = _CountingStore(world.app.store)
    world.plug(store=store)
    for number in range(60):
        world.app.store.put_note("alice", Note(f"n{number}", "T", "x", START, START))
    response = world.call("api", "GET", "/me:export", buffered=False)
    assert json.loads(bytes(next(response.iter_encoded())))["type"] == "note"
    assert store.pages == 1
    response.close()


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (StoreUnavailable("away"), "UNAVAILABLE"),
        (ZeroDivisionError(SECRET), "INTERNAL"),
    ],
)
def test_an_export_that_fails_half_way_says_so_in_its_last_line(
    world: World, failure: Exception, status: str, capsys: pytest.CaptureFixture[str]
) -> None:
    store = _CountingStore(world.app.store, failure, fails_at=2)
    world.plug(store=store)
    for number in range(25):
        world.app.store.put_note("alice", Note(f"n{number}", "T", "x", START, START))
    *rows, last = _export(world)
    assert len(rows) == 2
    assert last["type"] == "error"
    assert last["error"]["status"] == status
    assert SECRET not in json.dumps(last) + capsys.readouterr().err


class _CountingStore:
    """Counts pages of notes, and fails at one of them."""

    def __init__(
        self, inner: Store, failure: Exception | None = None, *, fails_at: int | None = None
    ) -> None:
        self._inner = inner
        self._failure = failure
        self._fails_at = fails_at
        self.pages = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def whole_notes(
        self, tenant_id: str, *, limit: int, token: str | None = None
    ) -> Page[Note | UnreadableNote]:
        self.pages += 1
        if self._failure is not None and self.pages == self._fails_at:
            raise self._failure
        return self._inner.whole_notes(tenant_id, limit=limit, token=token)


# -- erasure


def test_erasing_gives_a_receipt_and_leaves_nothing(world: World) -> None:
    world.save("n1", title="Boat", text="The boat is blue.")
    world.call(
        "chat", "POST", "/chat", {"message": "Which colour is the boat?", "requestId": "r-1"}
    )
    world.call(
        "chat", "POST", "/chat", {"message": "Which colour is the boat?", "sessionId": "new"}
    )
    world.call("api", "POST", "/feedback", RATED)
    erased = world.json("DELETE", "/me", {"confirm": "erase everything"})["erased"]
    assert erased == {
        "notes": 1, "chunks": 1, "index": 1, "feedback": 1, "requests": 1, "sessions": 1, "messages": 2,
    }  # fmt: skip
    assert [row["type"] for row in _export(world)] == ["end"]
    body = world.json("POST", "/search", {"query": "boat"})
    assert body["results"] == []
    assert world.json("DELETE", "/me", {"confirm": "erase everything"}) == {"erased": {}}


@pytest.mark.parametrize(
    "body", [None, {}, {"confirm": "yes"}, {"confirm": True}, {"confirm": "Erase everything"}]
)
def test_nothing_is_erased_without_the_words(world: World, body: object) -> None:
    world.put("n1", title="T", text="x")
    assert problem(world.call("api", "DELETE", "/me", body)) == (400, "INVALID_FIELD", "confirm")
    assert world.call("api", "GET", "/notes/n1").status_code == 200


def test_nobody_erases_what_is_anothers(world: World) -> None:
    world.put("n1", title="T", text="x")
    body = {"confirm": "erase everything"}
    assert (
        world.call(
            "api", "DELETE", "/me", {**body, "tenantId": "alice"}, token="bob-token"
        ).status_code
        == 403
    )
    assert world.call("api", "DELETE", "/me", body, token="bob-token").status_code == 200
    assert world.call("api", "GET", "/notes/n1").status_code == 200


def test_a_save_that_names_an_erasure_is_refused_after_the_next(world: World) -> None:
    began = world.json("GET", "/notes")["erasure"]
    note = {"title": "Boat", "text": "The boat is blue."}
    file = {"path": "boat.md", "text": "The boat is blue."}
    template = {"name": "Mine", "content": "1. Think."}
    times = {"createdAt": "2026-11-01T00:00:00Z", "updatedAt": "2026-11-01T00:00:00Z"}
    saves = (
        ("PUT", "/notes/boat", note),
        ("POST", "/notes:import", file),
        ("POST", "/trash", {**note, "noteId": "boat"}),
        ("PUT", "/templates/mine", template),
        (
            "POST",
            "/sessions:import",
            {
                "session": {
                    "sessionId": "s1",
                    "title": "Boats",
                    **times,
                }
            },
        ),
    )
    for method, path, body in saves:
        assert world.call("api", method, path, {**body, "erasure": began}).status_code == 200
    world.json("DELETE", "/me", {"confirm": "erase everything"})
    for method, path, body in saves:
        reply = world.call("api", method, path, {**body, "erasure": began})
        assert problem(reply)[:2] == (409, "ERASED")
    assert world.json("DELETE", "/me", {"confirm": "erase everything"}) == {"erased": {}}
    anew = world.json("GET", "/notes")["erasure"]
    assert anew != began
    for method, path, body in saves:
        assert world.call("api", method, path, {**body, "erasure": anew}).status_code == 200
        assert world.call("api", method, path, body).status_code == 200
