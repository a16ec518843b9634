"""Notes that an app wrote so that nobody can read them: what is told of them, and that nothing of them is lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from shared import bootstrap
from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.protocol import fill, protocol
from tests.functions.world import World, problem

NO_TEXT = "text: expected a string, found none; no other field stands in for it"
BAD_TIME = "createdAt: expected a timestamp, got str"
BAD: Mapping[str, tuple[Mapping[str, object], str]] = {
    "content": ({"title": "Boat", "content": "The boat is blue."}, NO_TEXT),
    "number": ({"title": "Boat", "text": 7}, "text: expected a string, found int"),
    "time": ({"title": "Boat", "text": "The boat is blue.", "createdAt": "2026-05-08"}, BAD_TIME),
}
"""Note id -> what an app wrote, and what is wrong with it."""


@pytest.fixture
def cloud(world: World, firestore_store: FirestoreStore, monkeypatch: pytest.MonkeyPatch) -> World:
    app = replace(world.app, store=firestore_store)
    monkeypatch.setattr(bootstrap, "_process", [app])
    return replace(world, app=app)


def _written_by_an_app(world: World, note_id: str, fields: Mapping[str, object]) -> None:
    """As the Admin SDK writes, which no rules check; then the event."""
    store = world.app.store
    assert isinstance(store, FirestoreStore)
    write = protocol().Write()
    write.update.name = store._note("alice", note_id)
    for name, value in fields.items():
        fill(write.update.fields[name], value)
    store._connection.commit([write])
    assert world.written(f"tenants/alice/notes/{note_id}").status_code == 200


@pytest.mark.parametrize("note_id", BAD)
def test_a_note_that_cannot_be_read_has_failed_and_says_why(cloud: World, note_id: str) -> None:
    fields, reason = BAD[note_id]
    _written_by_an_app(cloud, note_id, fields)
    state = cloud.call("api", "GET", f"/notes/{note_id}:indexStatus").get_json()
    assert (state["status"], state["error"], state["chunkCount"]) == ("failed", reason, 0)
    coverage = cloud.call("api", "GET", "/index:coverage").get_json()
    assert (coverage["notes"], coverage["failed"], coverage["indexed"]) == (1, 1, 0)


@pytest.mark.parametrize("note_id", BAD)
def test_reading_it_is_no_fault_of_the_request_and_saving_it_mends_it(cloud: World, note_id: str) -> None:
    fields, reason = BAD[note_id]
    _written_by_an_app(cloud, note_id, fields)
    for path in (f"/notes/{note_id}", f"/notes/{note_id}:links"):
        refused = cloud.call("api", "GET", path)
        assert problem(refused) == (409, "NOTE_UNREADABLE", reason.partition(":")[0])
        error = refused.get_json()["error"]
        assert (error["status"], error["message"]) == ("FAILED_PRECONDITION", reason)
    cloud.save(note_id, title="Boat", text="The boat is blue.")
    assert cloud.call("api", "GET", f"/notes/{note_id}:indexStatus").get_json()["status"] == "indexed"
