"""Security rules on the emulator: who may do what with which collection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.product.emulator import Emulator
from shared.adapters.firestore import FirestoreStore
from shared.errors import OperatorError
from shared.model.documents import TEMPLATES
from shared.model.templates import StoredTemplate, Template
from tests.contracts.samples import chunk, note, save, unit
from tests.rules.apps import SERVER_TIME, App

RULES = (Path(__file__).parents[2] / "firestore.rules").read_text(encoding="utf-8")
CREATED = ("time", "2026-05-08T12:30:00Z")
NOTE: dict[str, object] = {
    "title": "Plan",
    "text": "# Plan\n",
    "createdAt": CREATED,
    "updatedAt": SERVER_TIME,
}
TEMPLATE: dict[str, object] = {"name": "Boat repair", "content": "1. Find the leak."}
REQUIRED = {"notes": NOTE, "templates": TEMPLATE}
FULL = {
    "notes": {
        **NOTE,
        "vault": "work",
        "path": "projects/api/plan.md",
        "tags": ["red", "to do"],
        "lang": "de",
    },
    "templates": {
        **TEMPLATE,
        "domain": "ships",
        "complexity": "simple",
        "methodology": "sequential",
        "keywords": ["boat", "leak"],
        "description": "Mend a boat.",
    },
}
"""A document by collection, with every field that apps may write."""
CHANGE: dict[str, dict[str, object]] = {"notes": {"title": "New"}, "templates": {"name": "New"}}
OTHERS = (
    *("chunks", "sessions", "sessions/s1/messages", "deletedSessions", "settings"),
    *(
        "feedback",
        "usage",
        "auroraRequests",
        "auroraTrash",
        "anything",
        "people/ann/sessions",
        "people/ann/feedback",
    ),
)
ROOTS = ("bookmarks", "tenants", "notes")
V = unit(1, 2, 3, 4)
Apps = Callable[..., App]
BOAT = "tenants/ann/templates/boat"

of_both = pytest.mark.parametrize("collection", ["notes", "templates"])


@pytest.fixture
def app(firestore_project: str, emulator: Emulator) -> Apps:
    """Makes apps: `app("ann")` is signed in as ann, `app(None)` is not signed in; further arguments are claims."""
    emulator.upload_rules(firestore_project, RULES)
    return lambda uid, **claims: App(emulator.host, firestore_project, uid, claims)


def change(app: App, path: str, fields: dict[str, object]) -> bool:
    """Change a document as an app does: with the server's time, where it has one."""
    return (app.update if "/notes/" in path else app.change)(path, fields)


@pytest.mark.parametrize("database", ["(default)", "notes-db"])
@of_both
def test_people_use_their_own_documents(app: Apps, collection: str, database: str) -> None:
    ann = replace(app("ann"), database=database)
    path = f"tenants/ann/{collection}/n1"
    assert ann.write(path, REQUIRED[collection])
    assert ann.write(path, FULL[collection])
    assert change(ann, path, CHANGE[collection])
    assert ann.get(path)
    assert ann.get(f"tenants/ann/{collection}/none")
    assert ann.list(f"tenants/ann/{collection}")
    assert ann.delete(path)


@pytest.mark.parametrize("person", ["bob", None])
@of_both
def test_nobody_uses_the_documents_of_others(
    app: Apps, collection: str, person: str | None
) -> None:
    path = f"tenants/ann/{collection}/n1"
    assert app("ann").write(path, FULL[collection])
    another_app = app(person)
    assert not another_app.get(path)
    assert not another_app.get(f"tenants/ann/{collection}/none")
    assert not another_app.list(f"tenants/ann/{collection}")
    assert not another_app.write(f"tenants/ann/{collection}/n2", FULL[collection])
    assert not change(another_app, path, CHANGE[collection])
    assert not another_app.delete(path)
    assert not another_app.everywhere(collection)


def test_the_store_reads_what_an_app_writes(app: Apps, firestore_store: FirestoreStore) -> None:
    assert app("ann").write("tenants/ann/notes/n1", FULL["notes"])
    stored_note = firestore_store.get_note("ann", "n1")
    assert stored_note is not None
    assert (stored_note.title, stored_note.vault, stored_note.path, stored_note.tags, stored_note.lang) == (
        "Plan", "work", "projects/api/plan.md", ("red", "to do"), "de",
    )  # fmt: skip
    assert app("ann").write(BOAT, FULL["templates"])
    bare = Template("boat", "Boat repair", "1. Find the leak.", domain="ships", complexity="simple")
    expected = replace(bare, keywords=("boat", "leak"), description="Mend a boat.")
    assert firestore_store.get("ann", TEMPLATES, "boat").value == StoredTemplate(expected)


def test_a_tenant_claim_takes_the_place_of_the_uid(app: Apps) -> None:
    member = app("ann", tenantId="team")
    assert member.write("tenants/team/notes/n1", NOTE)
    assert member.list("tenants/team/index")
    assert not member.write("tenants/ann/notes/n1", NOTE)
    assert not member.list("tenants/ann/folders")
    assert not app("bob", tenantId="other").get("tenants/team/notes/n1")
    assert not app("bob", tenantId=7).get("tenants/7/notes/n1")
    assert not app("bob", tenantId=None).get("tenants/bob/notes/n1")


def test_only_the_claim_opens_a_team_whose_id_begins_so(app: Apps) -> None:
    member = app("ann", tenantId="team:acme")
    assert member.write("tenants/team:acme/notes/n1", NOTE)
    for namesake in (
        app("team:acme"),
        app("team:acme", tenantId="team:acme"),
        app("team:a\nb"),
    ):
        assert not namesake.get("tenants/team:acme/notes/n1")
        assert not namesake.write("tenants/team:acme/notes/n1", NOTE)
        assert not namesake.list(f"tenants/{namesake.uid}/index")
    assert app("team").write("tenants/team/notes/n1", NOTE)


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


def test_everything_else_is_the_servers_alone(app: Apps) -> None:
    for path in (*(f"tenants/ann/{name}" for name in OTHERS), *ROOTS):
        for person in (app("ann"), app("bob"), app(None)):
            assert not person.get(f"{path}/x"), path
            assert not person.list(path), path
            assert not person.write(f"{path}/x", NOTE), path
            assert not person.delete(f"{path}/x"), path


@of_both
def test_a_document_without_a_required_field_is_refused(app: Apps, collection: str) -> None:
    required = REQUIRED[collection]
    lacking = [
        {name: required[name] for name in required if name != left_out} for left_out in required
    ]
    assert [
        fields for fields in lacking if app("ann").write(f"tenants/ann/{collection}/n1", fields)
    ] == []


FOREIGN: dict[str, tuple[tuple[str, object], ...]] = {
    "notes": (
        *(("status", "indexed"), ("tenantId", "ann")),
        *(("updatedAt", value) for value in (("time", "2020-01-01T00:00:00Z"), "now", None)),
        *(("createdAt", value) for value in ("2026-05-08", 1_770_000_000)),
        *(("path", value) for value in ("a//b.md", "a/./b.md")),  # the API mends these
    ),
    "templates": (("steps", "1."),),
}
"""Fields that are not an app's to write, times that are none, and what the API takes; all other values: test_limits."""


@of_both
def test_a_null_or_foreign_field_is_refused(app: Apps, collection: str) -> None:
    ann = app("ann")
    full = FULL[collection]
    bad = [*FOREIGN[collection], *((name, None) for name in full if name != "updatedAt")]
    assert [
        attempt
        for attempt in bad
        if ann.write(f"tenants/ann/{collection}/n1", {**full, attempt[0]: attempt[1]})
    ] == []
    assert ann.write(f"tenants/ann/{collection}/n2", full)
    accepted = [
        name for name, value in bad
        if name != "updatedAt" and change(ann, f"tenants/ann/{collection}/n2", {name: value})
    ]  # fmt: skip
    assert accepted == []


def test_a_note_that_the_server_saved_can_be_changed_by_its_owner(
    app: Apps, firestore_store: FirestoreStore
) -> None:
    firestore_store.put_note("ann", note("n1"))
    assert app("ann").update("tenants/ann/notes/n1", {"text": "Changed."})


@pytest.fixture
def indexed(app: Apps, firestore_store: FirestoreStore) -> App:
    """Ann, whose template has got its vector."""
    ann = app("ann")
    assert ann.write(BOAT, FULL["templates"])
    assert firestore_store.change("ann", TEMPLATES, "boat", {"vector": V, "vector_key": "key"})
    return ann


def test_a_change_keeps_the_vector_and_a_replacement_drops_it(
    indexed: App, firestore_store: FirestoreStore
) -> None:
    longest = {
        "content": "ü" * 8000,
        "keywords": ["k" * 100] * 20,
        "description": "x" * 1000,
    }
    assert indexed.change(BOAT, {"name": "Ship repair", **longest})
    changed = firestore_store.get("ann", TEMPLATES, "boat").value
    assert changed is not None
    assert changed.template.name == "Ship repair"
    assert changed.vector == V
    assert changed.vector_key == "key"
    assert indexed.write(BOAT, TEMPLATE)
    replaced = firestore_store.get("ann", TEMPLATES, "boat").value
    assert replaced is not None
    assert replaced.vector is None
    assert replaced.vector_key is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("vectorKey", "another"),
        ("embedding", ["1", "2"]),
        ("vectorKey", None),
    ],
)
def test_the_vector_is_the_servers(app: Apps, indexed: App, field: str, value: object) -> None:
    assert not indexed.change(BOAT, {field: value})
    assert not indexed.write(BOAT, {**FULL["templates"], field: value})
    assert not app("ann").write("tenants/ann/templates/new", {**FULL["templates"], field: value})


def test_rules_that_do_not_compile_are_reported(firestore_project: str, emulator: Emulator) -> None:
    with pytest.raises(OperatorError, match="rules"):
        emulator.upload_rules(firestore_project, "service nothing {")
