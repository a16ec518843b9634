"""`aurora explain` on a home of its own."""

from __future__ import annotations

import re

from tests.cli.conftest import BOATS, Aurora, Write

QUESTION = "What colour is the boat?"


def test_people_read_a_table_with_every_legs_rank_and_why_a_note_is_missing(
    aurora: Aurora, notes: Write
) -> None:
    aurora("index", str(notes(BOATS)))
    result = aurora(
        "explain", QUESTION, "--path", "toys/boat.md", "--path", "garden.md", "--k", "1"
    )
    assert result.exit_code == 0, result.output
    assert [word in result.output for word in ("keyword", "× 0.25", "found", "garden.md")] == [
        True
    ] * 4
    assert re.search(r"#1: [01]\.\d{3}", result.output)
    assert "it shares no word with the question" in " ".join(result.output.split())


def test_the_json_is_that_of_the_route(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes(BOATS)))
    by_path = aurora.json("explain", QUESTION, "--path", "toys/boat.md", "--threshold", "0.99")
    (note,) = by_path["notes"]
    assert note["reason"] == "below_threshold"
    by_id = aurora.json("explain", QUESTION, "--note", note["noteId"], "--threshold", "0.99")
    assert by_id["notes"] == by_path["notes"]
    assert set(by_id) == {"notes", "results", "meta"}
    unknown = aurora("explain", QUESTION, "--note", "ghost")
    assert unknown.exit_code == 1
    assert "ghost" in unknown.output
    assert "toys/boat.md" in aurora("explain", QUESTION).output


def test_a_path_in_two_vaults_names_both_notes(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes(BOATS)))
    aurora("index", str(notes(BOATS)), "--vault", "copy")
    explained = aurora.json("explain", QUESTION, "--path", "toys/boat.md")
    assert sorted(note["chunks"][0]["vault"] for note in explained["notes"]) == ["copy", "default"]
