"""POST /search:explain over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from shared.api.explain import MAX_PASSAGES
from tests.functions.world import World, problem


def _explain(world: World, **body: object) -> dict[str, Any]:
    explained: dict[str, Any] = world.json(
        "POST", "/search:explain", {"query": "Which colour is the boat?", **body}
    )
    return explained


def _save(world: World) -> None:
    world.save(
        "boat",
        title="Boat",
        text="The boat is blue.",
        path="toys/boat.md",
    )
    world.save(
        "car", title="Car", text="The car is red and fast.", createdAt="2026-01-05T10:00:00Z"
    )
    world.save(
        "copy",
        title="Boat",
        text="The boat is blue.",
        path="toys/copy.md",
        vault="attic",
    )


def test_each_leg_tells_rank_score_weight_and_what_it_adds(world: World) -> None:
    _save(world)
    body = _explain(world, noteIds=["boat"])
    (note,) = body["notes"]
    (chunk,) = note["chunks"]
    assert note["noteId"] == "boat"
    assert note["inResult"] is True
    assert note["reason"] is None
    assert note["detail"] is None
    assert note["index"]["status"] == "indexed"
    assert list(chunk["legs"]) == ["vector", "keyword", "recency"]
    assert [leg["weight"] for leg in chunk["legs"].values()] == [0.6, 0.25, 0.15]
    assert chunk["legs"]["keyword"]["stems"] == ["boat"]
    assert all(leg["rank"] >= 1 for leg in chunk["legs"].values())
    assert sum(leg["adds"] for leg in chunk["legs"].values()) == pytest.approx(
        chunk["score"], abs=1e-3
    )
    assert chunk["scores"]["vector"] == chunk["legs"]["vector"]["score"]
    search = world.json("POST", "/search", {"query": "Which colour is the boat?"})
    assert body["results"] == search["results"]


def test_the_weight_of_folders_is_that_of_an_answer_from_them(world: World) -> None:
    _save(world)
    world.save(
        "tub",
        title="Tub",
        text="The boat in the tub is green.",
        path="bath/tub.md",
    )
    (plain,) = _explain(world, noteIds=["tub"])["notes"]
    assert plain["chunks"][0]["folderWeight"] == 1.0
    body = _explain(
        world,
        noteIds=["tub", "boat"],
        vaults=["default"],
        folders=["toys", "bath"],
    )
    weights = {note["noteId"]: note["chunks"][0]["folderWeight"] for note in body["notes"]}
    assert weights == {"tub": 0.9, "boat": 1.0}
    answer = world.json(
        "POST", "/ask", {"question": "Which colour is the boat?", "folders": ["toys", "bath"]}
    )
    assert [folder["weight"] for folder in answer["meta"]["folders"][:2]] == [1.0, 0.9]
    (tub,) = [note for note in body["notes"] if note["noteId"] == "tub"]
    chunk = tub["chunks"][0]
    assert sum(leg["adds"] for leg in chunk["legs"].values()) == pytest.approx(
        chunk["score"], abs=1e-3
    )


def test_a_saved_note_that_the_index_has_not_seen_is_not_indexed(world: World) -> None:
    _save(world)
    world.put("new", title="New boat", text="The boat is green.")
    (note,) = _explain(world, noteIds=["new"])["notes"]
    assert note["reason"] == "not_indexed"
    assert note["chunks"] == []
    assert note["index"]["status"] == "missing"


def test_a_long_note_shows_its_best_passages_and_says_how_many_there_are(world: World) -> None:
    text = "\n\n".join(
        f"# Part {number}\n\n" + f"The boat number {number} is blue. " * 60 for number in range(25)
    )
    world.save("long", title="Boats", text=text)
    (note,) = _explain(world, noteIds=["long"])["notes"]
    assert len(note["chunks"]) == MAX_PASSAGES < note["chunkCount"]
    assert note["chunks"][0]["inResult"]


def test_an_unknown_note_is_404_and_one_that_is_no_id_400_and_both_are_named(world: World) -> None:
    _save(world)
    response = world.call(
        "api", "POST", "/search:explain", {"query": "boat", "noteIds": ["boat", "ghost"]}
    )
    assert problem(response)[0] == 404
    assert "ghost" in response.get_json()["error"]["message"]
    response = world.call(
        "api", "POST", "/search:explain", {"query": "boat", "noteIds": ["boat", "a/b"]}
    )
    assert problem(response) == (400, "INVALID_FIELD", "noteIds[1]")
