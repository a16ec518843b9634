"""Security rules of reasoning templates: people write their own, the vector is the server's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cli.product.emulator import Emulator
from shared.adapters.firestore import FirestoreStore
from shared.model.templates import StoredTemplate, Template
from tests.contracts.samples import unit
from tests.rules.apps import App

RULES = (Path(__file__).parents[2] / "firestore.rules").read_text(encoding="utf-8")
BARE: dict[str, object] = {"name": "Boat repair", "content": "1. Find the leak."}
FULL: dict[str, object] = {
    **BARE,
    "domain": "ships",
    "complexity": "simple",
    "methodology": "sequential",
    "keywords": ["boat", "leak"],
    "description": "Mend a boat.",
}
PATH = "tenants/ann/templates/boat"
V = unit(1, 2, 3, 4)
Apps = Callable[..., App]


@pytest.fixture
def app(firestore_project: str, emulator: Emulator) -> Apps:
    emulator.upload_rules(firestore_project, RULES)
    return lambda uid, **claims: App(emulator.host, firestore_project, uid, claims)


@pytest.fixture
def indexed(app: Apps, firestore_store: FirestoreStore) -> App:
    """Ann, whose template has got its vector."""
    ann = app("ann")
    assert ann.write(PATH, FULL)
    assert firestore_store.put_template_vector("ann", "boat", V, "key")
    return ann


def test_people_use_their_own_templates(app: Apps) -> None:
    ann = app("ann")
    assert ann.write(PATH, BARE)
    assert ann.write(PATH, FULL)
    assert ann.get(PATH)
    assert ann.list("tenants/ann/templates")
    assert ann.delete(PATH)


@pytest.mark.parametrize("person", ["bob", None])
def test_nobody_uses_the_templates_of_others(app: Apps, person: str | None) -> None:
    assert app("ann").write(PATH, FULL)
    other = app(person)
    assert not other.get(PATH)
    assert not other.list("tenants/ann/templates")
    assert not other.write(PATH, FULL)
    assert not other.change(PATH, {"name": "Mine"})
    assert not other.delete(PATH)
    assert not other.everywhere("templates")


def test_what_an_app_writes_the_store_reads(app: Apps, firestore_store: FirestoreStore) -> None:
    assert app("ann").write(PATH, FULL)
    bare = Template("boat", "Boat repair", "1. Find the leak.", domain="ships", complexity="simple")
    expected = replace(bare, keywords=("boat", "leak"), description="Mend a boat.")
    assert firestore_store.get_template("ann", "boat") == StoredTemplate(expected)


def test_a_change_keeps_the_vector_and_a_replacement_drops_it(indexed: App, firestore_store: FirestoreStore) -> None:
    assert indexed.change(PATH, {"name": "Ship repair"})
    changed = firestore_store.get_template("ann", "boat")
    assert changed is not None
    assert (changed.template.name, changed.vector, changed.vector_key) == ("Ship repair", V, "key")
    assert indexed.write(PATH, BARE)
    replaced = firestore_store.get_template("ann", "boat")
    assert replaced is not None
    assert (replaced.vector, replaced.vector_key) == (None, None)


@pytest.mark.parametrize(("field", "value"), [("vectorKey", "another"), ("embedding", ["1", "2"]), ("vectorKey", None)])
def test_the_vector_is_the_servers(app: Apps, indexed: App, field: str, value: object) -> None:
    assert not indexed.change(PATH, {field: value})
    assert not indexed.write(PATH, {**FULL, field: value})
    assert not app("ann").write("tenants/ann/templates/new", {**FULL, field: value})


BAD: dict[str, list[object]] = {
    "name": [7, None, "", "x" * 201],
    "content": [7, None, "", "x" * 8001],
    "domain": [7, None, "", "x" * 201],
    "complexity": [["a"], ""],
    "methodology": [7, ""],
    "keywords": ["boat", [7], [""], ["x" * 101], [str(n) for n in range(21)]],
    "description": [7, None, "x" * 1001],
    "steps": ["1."],
}


@pytest.mark.parametrize("field", BAD)
def test_a_bad_or_foreign_field_is_refused(app: Apps, field: str) -> None:
    ann = app("ann")
    assert [value for value in BAD[field] if ann.write(PATH, {**FULL, field: value})] == []
    assert ann.write(PATH, FULL)
    assert [value for value in BAD[field] if ann.change(PATH, {field: value})] == []


@pytest.mark.parametrize("field", ["name", "content"])
def test_a_template_without_a_required_field_is_refused(app: Apps, field: str) -> None:
    assert not app("ann").write(PATH, {key: FULL[key] for key in FULL if key != field})


@pytest.mark.parametrize("template_id", ["auto", "none", "x" * 1001])
def test_an_id_that_no_template_can_have_is_refused(app: Apps, template_id: str) -> None:
    assert not app("ann").write(f"tenants/ann/templates/{template_id}", FULL)


def test_the_full_range_of_every_field_is_allowed(indexed: App) -> None:
    """Beside its vector, which is looked at too."""
    full = {**FULL, "name": "x" * 200, "content": "ü" * 8000, "keywords": ["k" * 100] * 20, "description": "x" * 1000}
    assert indexed.change(PATH, full)
    assert indexed.write(PATH, full)
