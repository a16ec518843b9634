"""GET /notes/{id}:links, on both stores."""

from __future__ import annotations

import pytest

from shared.markdown.pointers import index_term
from shared.model.retrieval import Restriction
from shared.notes.linked import MAX_BACKLINKS, MAX_LINKS
from tests.functions.world import World


@pytest.fixture(params=["embedded", "firestore"])
def linked(request: pytest.FixtureRequest, world: World) -> World:
    if request.param == "embedded":
        return world
    cloud: World = request.getfixturevalue("cloud")
    return cloud


def links(world: World, note_id: str, **options: str) -> dict[str, str | None]:
    body = world.json("GET", f"/notes/{note_id}:links", **options)
    return {link["target"]: link["noteId"] for link in body["links"]}


def backlinks(world: World, note_id: str) -> list[str]:
    body = world.json("GET", f"/notes/{note_id}:links")
    assert body["complete"]
    return [note["noteId"] for note in body["backlinks"]]


def test_links_lead_to_notes_and_back(linked: World) -> None:
    linked.save(
        "boat", title="The Boat", text="---\naliases: Dinghy\n---\nBlue.", path="toys/Boat.md"
    )
    linked.save(
        "far",
        title="Another",
        text="Red. [[Nothing]]",
        path="far/Boat.md",
    )
    linked.save(
        "log",
        title="Log",
        text="[[boat#Hull|hers]] and [[Dinghy]], [far](../far/Boat.md).",
        path="toys/Log.md",
    )
    linked.save("app", title="Kept by an app", text="[[The boat]], [[Log]], [[Ship]]")

    body = linked.json("GET", "/notes/log:links")
    assert body["links"][0] == {
        "target": "boat#Hull", "noteId": "boat", "title": "The Boat", "heading": "Hull", "label": "hers",
    }  # fmt: skip
    assert links(linked, "log") == {"boat#Hull": "boat", "Dinghy": "boat", "../far/Boat.md": "far"}
    assert links(linked, "app") == {
        "The boat": "boat",
        "Log": "log",
        "Ship": None,
    }
    assert links(linked, "far") == {"Nothing": None}
    assert sorted(backlinks(linked, "boat")) == ["app", "log"]
    assert backlinks(linked, "far") == ["log"]
    assert backlinks(linked, "app") == []


def test_a_link_follows_what_is_renamed_written_and_deleted(linked: World) -> None:
    linked.save("log", title="Log", text="[[Ship]]")
    linked.save("boat", title="Boat", text="Blue.")
    assert links(linked, "log") == {"Ship": None}
    assert backlinks(linked, "boat") == []
    linked.save("boat", title="Ship", text="Blue.")
    assert links(linked, "log") == {"Ship": "boat"}
    assert backlinks(linked, "boat") == ["log"]
    assert (
        linked.put("log", title="Log", text="No more.").status_code == 200
    )  # the index has not followed yet
    assert links(linked, "log") == {}
    assert backlinks(linked, "boat") == []
    linked.save("log", title="Log", text="[[Ship]]")
    assert linked.call("api", "DELETE", "/notes/boat").status_code == 204
    assert links(linked, "log") == {"Ship": None}
    assert linked.call("api", "GET", "/notes/boat:links").status_code == 404


def test_a_link_stays_within_its_owners_notes_and_its_vault(linked: World) -> None:
    linked.save("log", title="Log", text="[[Boat]]")
    linked.save("boat", title="Boat", text="[[Log]]", vault="toys")
    theirs = {"title": "Boat", "text": "[[Log]]"}
    assert (
        linked.call("api", "PUT", "/notes/boat-of-bob", theirs, token="bob-token").status_code
        == 200
    )
    assert linked.written("tenants/bob/notes/boat-of-bob").status_code == 200
    assert links(linked, "log") == {"Boat": None}
    assert backlinks(linked, "log") == []
    assert links(linked, "boat-of-bob", token="bob-token") == {"Log": None}
    assert linked.call("api", "GET", "/notes/log:links", token="bob-token").status_code == 404


def test_what_is_not_looked_at_is_said(world: World) -> None:
    world.save(
        "hub", title="Hub", text="".join(f"[[Note {number}]]\n" for number in range(MAX_LINKS + 1))
    )
    body = world.json("GET", "/notes/hub:links")
    assert len(body["links"]) == MAX_LINKS
    assert body["complete"] is False
    for number in range(MAX_BACKLINKS + 1):
        world.save(f"n{number}", title=f"Leaf {number}", text="[[Root]]")
    world.save("root", title="Root", text="")
    body = world.json("GET", "/notes/root:links")
    assert len(body["backlinks"]) == MAX_BACKLINKS
    assert body["complete"] is False


def test_terms_of_links_are_no_words_of_the_note(world: World) -> None:
    world.save("log", title="Log", text="Saw the [[Boat]].")
    term = index_term("link", "default", "boat")
    (chunk,) = world.app.store.postings(
        "alice", term, limit=9, stems=("log", "boat"), restriction=Restriction()
    )
    assert chunk.position == 0
    world.save("plain", title="Log", text="Saw the Boat.")
    (plain,) = world.app.store.note_chunks("alice", "plain", stems=())
    assert chunk.length == plain.length
