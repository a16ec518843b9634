"""Security rules on the emulator: who may do what with which collection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cli.product.emulator import Emulator
from shared.adapters.firestore import FirestoreStore
from shared.errors import OperatorError
from shared.model.notes import Note
from tests.contracts.samples import chunk, note, save, unit
from tests.rules.apps import SERVER_TIME, App

RULES = (Path(__file__).parents[2] / "firestore.rules").read_text(encoding="utf-8")
CREATED = ("time", "2026-05-08T12:30:00Z")
NOTE: dict[str, object] = {"title": "Plan", "text": "# Plan\n", "createdAt": CREATED, "updatedAt": SERVER_TIME}
FULL = {**NOTE, "vault": "work", "path": "projects/api/plan.md", "tags": ["red", "to do"], "lang": "de"}
OTHERS = (
    *("chunks", "sessions", "sessions/s1/messages", "deletedSessions", "settings"),
    *("feedback", "usage", "auroraRequests", "auroraTrash", "anything", "people/ann/sessions", "people/ann/feedback"),
)
ROOTS = ("bookmarks", "tenants", "notes")
Apps = Callable[..., App]


@pytest.fixture
def app(firestore_project: str, emulator: Emulator) -> Apps:
    """Makes apps: `app("ann")` is signed in as ann, `app(None)` is not signed in; further arguments are claims."""
    emulator.upload_rules(firestore_project, RULES)

    def make(uid: str | None, **claims: object) -> App:
        return App(emulator.host, firestore_project, uid, claims)

    return make


@pytest.mark.parametrize("database", ["(default)", "notes-db"])
def test_people_use_their_own_notes(app: Apps, database: str) -> None:
    ann = replace(app("ann"), database=database)
    assert ann.write("tenants/ann/notes/n1", NOTE)
    assert ann.write("tenants/ann/notes/n1", FULL)
    assert ann.update("tenants/ann/notes/n1", {"title": "New"})
    assert ann.get("tenants/ann/notes/n1")
    assert ann.get("tenants/ann/notes/none")
    assert ann.list("tenants/ann/notes")
    assert ann.delete("tenants/ann/notes/n1")


def test_what_an_app_writes_the_store_reads(app: Apps, firestore_store: FirestoreStore) -> None:
    assert app("ann").write("tenants/ann/notes/n1", FULL)
    found = firestore_store.get_note("ann", "n1")
    assert found is not None
    assert (found.title, found.vault, found.path, found.tags, found.lang) == (
        "Plan", "work", "projects/api/plan.md", ("red", "to do"), "de",
    )  # fmt: skip


@pytest.mark.parametrize("person", ["bob", None])
def test_nobody_uses_the_notes_of_others(app: Apps, person: str | None) -> None:
    assert app("ann").write("tenants/ann/notes/n1", NOTE)
    other = app(person)
    assert not other.get("tenants/ann/notes/n1")
    assert not other.get("tenants/ann/notes/none")
    assert not other.list("tenants/ann/notes")
    assert not other.write("tenants/ann/notes/n2", NOTE)
    assert not other.update("tenants/ann/notes/n1", {"title": "New"})
    assert not other.delete("tenants/ann/notes/n1")
    assert not other.everywhere("notes")


def test_a_tenant_claim_takes_the_place_of_the_uid(app: Apps) -> None:
    member = app("ann", tenantId="team")
    assert member.write("tenants/team/notes/n1", NOTE)
    assert member.list("tenants/team/index")
    assert not member.write("tenants/ann/notes/n1", NOTE)
    assert not member.list("tenants/ann/folders")
    assert not app("bob", tenantId="other").get("tenants/team/notes/n1")
    assert not app("bob", tenantId=7).get("tenants/7/notes/n1")
    assert not app("bob", tenantId=None).get("tenants/bob/notes/n1")


@pytest.mark.parametrize("collection", ["index", "folders"])
def test_how_far_the_index_is_can_be_read_by_its_owner_alone(
    app: Apps, firestore_store: FirestoreStore, collection: str
) -> None:
    save(firestore_store, chunk("n1"), vector=unit(1, 0, 0, 0), tenant="ann")
    ann = app("ann")
    assert ann.list(f"tenants/ann/{collection}")
    assert ann.get(f"tenants/ann/{collection}/n1")
    assert not ann.write(f"tenants/ann/{collection}/n1", {"status": "indexed"})
    assert not ann.delete(f"tenants/ann/{collection}/n1")
    for stranger in (app("bob"), app(None)):
        assert not stranger.list(f"tenants/ann/{collection}")
        assert not stranger.get(f"tenants/ann/{collection}/n1")


@pytest.mark.parametrize("path", [*(f"tenants/ann/{name}" for name in OTHERS), *ROOTS])
def test_everything_else_is_the_servers_alone(app: Apps, path: str) -> None:
    for person in (app("ann"), app("bob"), app(None)):
        assert not person.get(f"{path}/x")
        assert not person.list(path)
        assert not person.write(f"{path}/x", NOTE)
        assert not person.delete(f"{path}/x")


@pytest.mark.parametrize("field", ["title", "text", "createdAt", "updatedAt"])
def test_a_note_without_a_required_field_is_refused(app: Apps, field: str) -> None:
    assert not app("ann").write("tenants/ann/notes/n1", {key: NOTE[key] for key in NOTE if key != field})


BAD: dict[str, list[object]] = {
    "title": [7, None, ["a"], "x" * 1001],
    "text": [7, None, "x" * 900_001, "ü" * 450_001],
    "createdAt": ["2026-05-08", 1_770_000_000, None],
    "updatedAt": [("time", "2020-01-01T00:00:00Z"), "now", None],
    "vault": [7, None, "", "a/b", "x" * 201, "a\nb"],
    "path": [7, None, "/a.md", "a/", "a//b.md", "../a.md", "a/./b.md", "a/..", ".", "x" * 1001],
    "tags": ["red", 7, [7], ["red", ""], ["x" * 201], ["red", None], [str(n) for n in range(51)]],
    "lang": [7, None, "", "DE", "german"],
    "status": ["indexed"],
    "tenantId": ["ann"],
}


@pytest.mark.parametrize("field", BAD)
def test_a_bad_or_foreign_field_is_refused(app: Apps, field: str) -> None:
    ann, other = app("ann"), "tenants/ann/notes/n2"
    assert ann.write(other, FULL)
    assert [value for value in BAD[field] if ann.write("tenants/ann/notes/n1", {**FULL, field: value})] == []
    assert field == "updatedAt" or [value for value in BAD[field] if ann.update(other, {field: value})] == []


GOOD: dict[str, list[object]] = {
    "title": ["", "x" * 1000],
    "text": ["", "x" * 900_000, "ü" * 450_000],
    "vault": ["Wörk 2", "x" * 200],
    "path": ["", "note.md", "a b/ü/日本.md", ".hidden/x..md", "a/...", "v1.2/x.md"],
    "tags": [[], [f"tag {n}" for n in range(50)], ["x" * 200, "a/b"]],
    "lang": ["en", "yue"],
}


@pytest.mark.parametrize("field", GOOD)
def test_the_full_range_of_a_field_is_allowed(app: Apps, field: str) -> None:
    ann = app("ann")
    assert all(ann.write("tenants/ann/notes/n1", {**FULL, field: value}) for value in GOOD[field])


def test_a_note_that_the_server_saved_can_be_changed_by_its_owner(app: Apps, firestore_store: FirestoreStore) -> None:
    saved: Note = note("n1")
    firestore_store.put_note("ann", saved)
    assert app("ann").update("tenants/ann/notes/n1", {"text": "Changed."})


def test_rules_that_do_not_compile_are_reported(firestore_project: str, emulator: Emulator) -> None:
    with pytest.raises(OperatorError, match="rules"):
        emulator.upload_rules(firestore_project, "service nothing {")
