"""The scheduler's call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import Barrier

from shared.model.index import Vector
from tests.fakes import HashingEmbedder
from tests.functions.world import World


def test_a_note_whose_event_was_lost_is_found_and_indexed(world: World) -> None:
    world.put("n1", title="Boat", text="The boat is blue.")
    report = world.call("reconcile", "POST", "/", {}, token=None).get_json()
    assert report["indexed"] == 1
    assert report["complete"]
    results = world.json("POST", "/search", {"query": "boat"})["results"]
    assert [result["noteId"] for result in results] == ["n1"]


def test_a_dry_run_counts_and_changes_nothing(world: World) -> None:
    world.put("n1", title="Boat", text="The boat is blue.")
    report = world.call("reconcile", "POST", "/", {"dryRun": True, "full": True}).get_json()
    assert report["dryRun"]
    assert report["texts"] == 1
    assert report["tokens"] > 0
    assert world.app.store.read_record("alice", "n1").record is None


def test_as_many_notes_as_the_setting_says_are_indexed_side_by_side(world: World) -> None:
    together = Barrier(3, timeout=30)

    class Patient(HashingEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
            together.wait()
            return super().embed_documents(texts)

    for number in range(6):
        world.put(f"n{number}", title="Boat", text=f"Boat {number} is blue.")
    world.plug(embedder=Patient(), settings=replace(world.app.settings, sweep_workers=3))
    assert world.call("reconcile", "POST", "/", {}, token=None).get_json()["indexed"] == 6


def test_an_empty_body_is_a_plain_call(world: World) -> None:
    assert world.call("reconcile", "POST", "/").status_code == 200
