"""Events of templates: the vector follows what the template says, and writing it does not go round in circles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.protocol import fill, protocol
from shared.errors import ModelUnavailable
from shared.model.documents import TEMPLATES
from shared.model.templates import StoredTemplate, Template
from tests.fakes import HashingEmbedder
from tests.functions.world import World

BOAT = Template("boat", "Boat repair", "1. Find the leak.")
PATH = "tenants/alice/templates/boat"


def _stored(world: World) -> StoredTemplate | None:
    return world.app.store.get("alice", TEMPLATES, "boat").value


@pytest.fixture
def written(world: World) -> World:
    """An app has written a template, past us."""
    world.app.store.put("alice", TEMPLATES, StoredTemplate(BOAT))
    return world


def test_an_event_gives_the_template_its_vector(written: World, embedder: HashingEmbedder) -> None:
    assert written.written(PATH).status_code == 200
    stored = _stored(written)
    assert stored is not None
    assert stored.vector is not None
    assert len(stored.vector) == embedder.dimension


def test_the_event_of_our_own_write_embeds_and_writes_nothing(
    written: World, embedder: HashingEmbedder
) -> None:
    written.written(PATH)
    stored_before = _stored(written)
    embedded = embedder.embedded.copy()
    for _ in range(3):
        assert written.written(PATH).status_code == 200
    assert _stored(written) == stored_before
    assert embedder.embedded == embedded


def test_a_template_that_is_not_there_is_acknowledged(world: World) -> None:
    assert world.written(PATH).status_code == 200
    assert _stored(world) is None


def test_during_an_outage_the_event_comes_again(written: World, embedder: HashingEmbedder) -> None:
    embedder.outage = ModelUnavailable("away")
    assert written.written(PATH).status_code == 503
    embedder.outage = None
    assert written.written(PATH).status_code == 200
    assert _stored(written) != StoredTemplate(BOAT)


def _document(store: FirestoreStore) -> Any:  # noqa: ANN401 - a protobuf message
    name = f"{store._db.root}/{PATH}"
    return store._db.lookup([name])[name]


def _write(store: FirestoreStore, **fields: object) -> None:
    """Write these fields alone, as an app does."""
    write = protocol().Write()
    write.update.name = f"{store._db.root}/{PATH}"
    for field, value in fields.items():
        fill(write.update.fields[field], value)
        write.update_mask.field_paths.append(field)
    store._db.commit([write])


def test_cloud_the_second_event_leaves_the_document_untouched(
    cloud: World, firestore_store: FirestoreStore
) -> None:
    _write(firestore_store, name="Boat repair", content="1. Find the leak.")
    cloud.written(PATH)
    first = _document(firestore_store)
    assert first.fields["vectorKey"].string_value
    cloud.written(PATH)
    assert _document(firestore_store) == first


def test_a_change_by_an_app_is_embedded_anew(
    cloud: World, firestore_store: FirestoreStore, embedder: HashingEmbedder
) -> None:
    _write(firestore_store, name="Boat repair", content="1. Find the leak.")
    cloud.written(PATH)
    _write(firestore_store, name="Ship repair")
    cloud.written(PATH)
    stored = firestore_store.get("alice", TEMPLATES, "boat").value
    assert stored is not None
    assert stored.template == replace(BOAT, name="Ship repair")
    assert stored.vector == embedder.embed_query("Ship repair\nsequential\n1. Find the leak.")


def test_an_unreadable_document_of_an_app_is_acknowledged_and_hides_nothing(
    cloud: World, firestore_store: FirestoreStore, caplog: pytest.LogCaptureFixture
) -> None:
    before = cloud.json("GET", "/templates")["templates"]
    _write(firestore_store, name=7, content="1.")
    assert cloud.written(PATH).status_code == 200
    assert cloud.json("GET", "/templates")["templates"] == before
    assert "left out: name" in caplog.text
    assert (
        cloud.call("api", "PUT", "/templates/boat", {"name": "B", "content": "1."}).status_code
        == 200
    )
