"""A whole vault, indexed as people do, and asked in each of its languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Aurora
from tests.desktop.folders import vault

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

PLAIN = 420
"""Notes beside the odd ones."""


@pytest.fixture(scope="module")
def indexed(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Aurora, Path, int, Any]:
    """The command on its home, the folder, how many notes there are, and the report."""
    base = tmp_path_factory.mktemp("vault")
    root = base / "notes"
    count = vault.make(root, PLAIN)
    aurora = Aurora(base / "home")
    return aurora, root, count, _report(aurora, root)


def _report(aurora: Aurora, root: Path) -> Any:  # noqa: ANN401 - JSON
    result = aurora("index", str(root), "--json")
    assert result.exit_code == 1, "some files are no notes that are meant to be some"
    return json.loads(result.stdout)


def test_every_note_is_indexed_and_every_other_file_accounted_for(
    indexed: tuple[Aurora, Path, int, Any],
) -> None:
    _, _, count, report = indexed
    assert report["notes"] == report["indexed"] == count
    assert report["failed"] == []
    assert report["pending"] == []
    skipped = {entry["path"]: entry["reason"] for entry in report["skipped"]}
    assert set(skipped) == set(vault.SKIPPED)
    assert [
        path for path, reason in vault.SKIPPED.items() if not skipped[path].startswith(reason)
    ] == []
    assert {entry["path"] for entry in report["odd"]} == vault.REMARKS


@pytest.mark.parametrize("asked", vault.QUESTIONS, ids=lambda asked: f"{asked.lang}: {asked.text}")
def test_it_answers_in_every_language_from_the_right_note(
    indexed: tuple[Aurora, Path, int, Any], asked: vault.Asked
) -> None:
    answer = indexed[0].json("ask", asked.text)
    assert asked.word in answer["answer"]
    cited = answer["citations"][0]
    assert cited["path"] == asked.path
    assert cited["quote"] in (indexed[1] / asked.path).read_text()


def test_a_part_of_a_long_note_is_found_by_its_one_word(
    indexed: tuple[Aurora, Path, int, Any],
) -> None:
    best = indexed[0].json("search", "K287Z", "--k", "1")["results"][0]
    assert (best["path"], "## Part 287" in best["headingPath"]) == ("odd/long.md", True)


@pytest.mark.parametrize(
    ("query", "secret"),
    [
        ("code of the safe", "9876"),
        ("workspace plugin readme", "not a note"),
    ],
)
def test_hidden_text_is_not_found(
    indexed: tuple[Aurora, Path, int, Any], query: str, secret: str
) -> None:
    search_output = indexed[0](
        "search", query, "--k", "20", "--json"
    )  # its exit code says whether anything is close
    assert [
        row["path"]
        for row in json.loads(search_output.stdout)["results"]
        if secret in row["snippet"]
    ] == []


def test_a_folder_with_signs_in_its_name_can_be_asked_alone(
    indexed: tuple[Aurora, Path, int, Any],
) -> None:
    rows = indexed[0].json("search", "ホテル", "--folder", "日記")["results"]
    assert {row["path"] for row in rows} == {"日記/会議.md", "日記/旅行.md"}
    assert rows[0]["path"] == "日記/旅行.md"


def test_again_nothing_is_embedded_and_a_moved_folder_leaves_nothing_behind(
    indexed: tuple[Aurora, Path, int, Any],
) -> None:
    aurora, root, count, _ = indexed
    second_report = _report(aurora, root)
    assert second_report["indexed"] == 0
    assert second_report["unchanged"] == count
    assert second_report["embedded"] == 0
    assert second_report["removed"] == 0
    reading = len(list((root / "reading").iterdir()))
    (root / "reading").rename(root / "read")
    moved = _report(aurora, root)
    assert moved["notes"] == count
    assert moved["indexed"] == reading
    assert moved["removed"] == reading
    (root / "read").rename(root / "reading")
    assert _report(aurora, root)["removed"] == reading
