"""What people see of a search's JSON."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from cli.counts import counted
from cli.options import Place
from cli.showing import matches_well, show_found, show_sources
from functions.client import Json
from tests.cli.conftest import Aurora

WORDED, ALIKE, LITTLE, STRANGER = (0.2, 0.0), (0.0, 0.7), (0.0, 0.55), (0.0, 0.5)
"""Keyword part and similarity."""
WEAKLY = "Nothing matches well. The nearest notes:"
IN_MAY: Json = {"phrase": "in May", "restricts": True, "widened": None}


def row(keyword: float, similarity: float) -> Json:
    scores = {"vector": 0.1, "keyword": keyword, "recency": 0.0, "similarity": similarity}
    shown = {"noteId": "n", "path": "n.md", "createdAt": "2026-05-08", "snippet": "…", "score": 0.1}
    return {**shown, "title": f"{keyword}/{similarity}", "scores": scores}


@pytest.mark.parametrize(
    ("rows", "time", "seen", "hidden"),
    [
        ([WORDED, STRANGER], None, ["0.2/0.0"], [WEAKLY, "0.0/0.5 "]),
        ([ALIKE, LITTLE], None, ["0.0/0.7", "0.0/0.55"], [WEAKLY]),
        ([LITTLE, STRANGER], None, [WEAKLY, "0.0/0.55"], ["0.0/0.5 "]),
        ([STRANGER], None, ["nothing found"], [WEAKLY, "0.0/0.5"]),
        ([STRANGER], IN_MAY, ["0.0/0.5"], [WEAKLY]),
        ([], IN_MAY, ["nothing found"], [WEAKLY]),
    ],
)
def test_what_has_nothing_to_do_with_a_search_is_left_out(
    rows: list[tuple[float, float]], time: Json | None, seen: list[str], hidden: list[str], tmp_path: Path
) -> None:
    found = {"results": [row(*each) for each in rows], "meta": {"query": {"timeRange": time}}}
    with redirect_stdout(StringIO()) as written:
        show_found(found, Place(tmp_path, "local", as_json=False), matched=matches_well(found), nothing="nothing found")
    output = written.getvalue()
    assert [each for each in seen if each not in output] == []
    assert [each for each in hidden if each in output] == []


@pytest.mark.parametrize("stale", [True, False])
def test_people_are_told_that_a_cited_note_has_changed(stale: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a parameter
    place = {"title": "Boat", "headingPath": "", "path": "boat.md", "noteId": "n", "createdAt": "2026-05-08"}
    citation = {**place, "cid": "N1", "quote": "It is blue.", "stale": stale}
    with redirect_stdout(StringIO()) as written:
        show_sources(
            {"citations": [citation], "meta": {"answerKind": "written", "refusal": None}},
            Place(tmp_path, "local", as_json=False),
        )
    assert ("has changed since" in written.getvalue()) is stale


@pytest.mark.parametrize(
    ("time", "said"),
    [
        (IN_MAY, "restricted to “in May”"),
        ({**IN_MAY, "widened": "any time"}, "restricted to “in May”, searched further: any time"),
        ({**IN_MAY, "restricts": False}, "ordered by nearness to “in May”"),
    ],
)
def test_people_are_told_what_the_time_they_named_did(time: Json, said: str, tmp_path: Path) -> None:
    found = {"results": [row(*WORDED)], "meta": {"query": {"timeRange": time}}}
    with redirect_stdout(StringIO()) as written:
        show_found(found, Place(tmp_path, "local", as_json=False), matched=True, nothing="")
    assert said in written.getvalue()


@pytest.mark.parametrize(("count", "said"), [(0, "0 notes"), (1, "1 note"), (2, "2 notes"), (12_345, "12,345 notes")])
def test_one_is_told_as_one(count: int, said: str) -> None:
    assert counted(count, "note") == said


def test_a_folder_of_one_file_is_told_as_one(aurora: Aurora, notes: Callable[..., Path]) -> None:
    told = aurora("index", str(notes({"boat.md": "The boat is blue."}))).stdout
    assert told.startswith("1 note from ")
    assert "1 text embedded" in " ".join(told.split())
    assert "1 note in vault" in " ".join(aurora("doctor").stdout.split())
