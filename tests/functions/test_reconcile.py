"""The scheduler's call."""

from __future__ import annotations

from tests.functions.world import World


def test_a_note_whose_event_was_lost_is_found_and_indexed(world: World) -> None:
    world.put("n1", title="Boat", text="The boat is blue.")
    report = world.call("reconcile", "POST", "/", {}, token=None).get_json()
    assert report["indexed"] == 1
    assert report["complete"]
    found = world.json("POST", "/search", {"query": "boat"})["results"]
    assert [result["noteId"] for result in found] == ["n1"]


def test_a_dry_run_counts_and_changes_nothing(world: World) -> None:
    world.put("n1", title="Boat", text="The boat is blue.")
    report = world.call("reconcile", "POST", "/", {"dryRun": True, "full": True}).get_json()
    assert report["dryRun"]
    assert report["texts"] == 1
    assert report["tokens"] > 0
    assert world.app.store.read_record("alice", "n1").record is None


def test_an_empty_body_is_a_plain_call(world: World) -> None:
    assert world.call("reconcile", "POST", "/").status_code == 200
