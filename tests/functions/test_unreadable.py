"""Notes that an app wrote so that nobody can read them: what is told of them, and that nothing of them is lost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from zipfile import ZipFile

import pytest

from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.protocol import fill, protocol
from tests.functions.world import World, problem

NO_TEXT = "text: expected a string, found none; no other field stands in for it"
BAD_TIME = "createdAt: expected a timestamp, found str"
BAD: Mapping[str, tuple[Mapping[str, object], str]] = {
    "content": ({"title": "Boat", "content": "The boat is blue."}, NO_TEXT),
    "number": ({"title": "Boat", "text": 7}, "text: expected a string, found int"),
    "time": (
        {
            "title": "Boat",
            "text": "The boat is blue.",
            "createdAt": "2026-05-08",
        },
        BAD_TIME,
    ),
}
"""Note id -> what an app wrote, and what is wrong with it."""


def _written_by_an_app(world: World, note_id: str, fields: Mapping[str, object]) -> None:
    """Write as the Admin SDK does, which no rules check; then deliver the event."""
    store = world.app.store
    assert isinstance(store, FirestoreStore)
    write = protocol().Write()
    write.update.name = store._db.name("alice", "notes", note_id)
    for name, value in fields.items():
        fill(write.update.fields[name], value)
    store._db.commit([write])
    assert world.written(f"tenants/alice/notes/{note_id}").status_code == 200


@pytest.mark.parametrize("note_id", BAD)
def test_a_note_that_cannot_be_read_has_failed_says_why_and_is_mended_by_saving_it(
    cloud: World, note_id: str
) -> None:
    fields, reason = BAD[note_id]
    _written_by_an_app(cloud, note_id, fields)
    state = cloud.json("GET", f"/notes/{note_id}:indexStatus")
    assert state["status"] == "failed"
    assert state["error"] == reason
    assert state["chunkCount"] == 0
    coverage = cloud.json("GET", "/index:coverage")
    assert coverage["notes"] == 1
    assert coverage["failed"] == 1
    assert coverage["indexed"] == 0
    for path in (f"/notes/{note_id}", f"/notes/{note_id}:links"):
        refused = cloud.call("api", "GET", path)
        assert problem(refused) == (409, "NOTE_UNREADABLE", reason.partition(":")[0])
        error = refused.get_json()["error"]
        assert error["status"] == "FAILED_PRECONDITION"
        assert error["message"] == reason
    cloud.save(note_id, title="Boat", text="The boat is blue.")
    assert cloud.json("GET", f"/notes/{note_id}:indexStatus")["status"] == "indexed"


def test_the_list_has_all_of_them_each_with_its_reason(cloud: World) -> None:
    cloud.save("good", title="Boat", text="The boat is red.")
    for note_id, (fields, _) in BAD.items():
        _written_by_an_app(cloud, note_id, fields)
    listed = cloud.json("GET", "/notes")["notes"]
    assert {row["noteId"]: row["error"] for row in listed} == {
        "good": None, **{note_id: reason for note_id, (_, reason) in BAD.items()}
    }  # fmt: skip
    assert {row["title"] for row in listed} == {"Boat"}


def test_an_export_holds_all_of_it_says_why_and_counts_it(cloud: World) -> None:
    for number in range(25):  # more than a page, half of it unreadable
        cloud.put(f"n{number:02d}", title="Boat", text="Blue.")
        _written_by_an_app(cloud, f"n{number:02d}x", {"title": "Boat", "content": f"Red {number}."})
    *rows, end = map(
        json.loads, cloud.call("api", "GET", "/me:export").get_data(as_text=True).splitlines()
    )
    assert end == {"type": "end", "counts": {"note": 25, "unreadableNote": 25}}
    assert [row["noteId"] for row in rows] == [
        f"n{number:02d}{ending}" for number in range(25) for ending in ("", "x")
    ]
    assert rows[7] == {
        "type": "unreadableNote",
        "noteId": "n03x",
        "reason": NO_TEXT,
        "fields": {"title": {"stringValue": "Boat"}, "content": {"stringValue": "Red 3."}},
    }


def test_a_zip_of_markdown_holds_it_as_json(cloud: World) -> None:
    cloud.put("n1", title="Boat", text="Blue.")
    for note_id, (fields, _) in BAD.items():
        _written_by_an_app(cloud, note_id, fields)
    archive = ZipFile(BytesIO(cloud.call("api", "GET", "/me:export?format=markdown").data))
    assert set(archive.namelist()) == {
        "Boat.md",
        *(f"unreadable/{note_id}.json" for note_id in BAD),
    }
    reports = {note_id: json.loads(archive.read(f"unreadable/{note_id}.json")) for note_id in BAD}
    assert {note_id: row["reason"] for note_id, row in reports.items()} == {
        key: why for key, (_, why) in BAD.items()
    }
    assert reports["number"]["fields"]["text"] == {"integerValue": "7"}


def test_an_export_names_a_template_that_an_app_wrote_badly(cloud: World) -> None:
    store = cloud.app.store
    assert isinstance(store, FirestoreStore)
    write = protocol().Write()
    write.update.name = store._db.name("alice", "templates", "mine")
    fill(write.update.fields["name"], 7)
    store._db.commit([write])
    lines = cloud.call("api", "GET", "/me:export").get_data(as_text=True).splitlines()
    unreadable, end = map(json.loads, lines)
    assert unreadable["type"] == "unreadable"
    assert unreadable["collection"] == "templates"
    assert unreadable["id"] == "mine"
    assert unreadable["reason"].startswith("name: expected")
    assert end["counts"] == {"unreadable": 1}
