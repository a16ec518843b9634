"""Folders that move, that are not there, that look alike, and that are no more to be followed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.cli.conftest import Aurora, Write

FILES = {
    "boat.md": "The boat is blue.",
    "toys/ball.md": "The ball is red.",
    "garden.md": "Six tomatoes.",
}


def _ids(aurora: Aurora) -> dict[str, str]:
    rows = (json.loads(line) for line in aurora("export").stdout.splitlines())
    return {row["noteId"]: row["text"] for row in rows if row["type"] == "note"}


def test_a_folder_that_was_moved_is_the_same_one(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    folder = notes(FILES)
    aurora.json("index", str(folder), "--vault", "mine")
    ids_before = _ids(aurora)
    moved = tmp_path / "elsewhere" / "renamed"
    moved.parent.mkdir()
    folder.rename(moved)
    (moved / "garden.md").write_text("Seven tomatoes.")
    result = aurora("index", str(moved))
    assert result.exit_code == 0
    assert f"{folder} is {moved} now" in result.stderr
    after = _ids(aurora)
    assert set(after) == set(ids_before)
    assert "Seven tomatoes." in after.values()
    (indexed_folder,) = aurora.json("folders")["folders"]
    assert indexed_folder["folder"] == str(moved)
    assert indexed_folder["vault"] == "mine"
    assert indexed_folder["notes"] == 3
    assert indexed_folder["present"] is True


def test_an_edit_that_waits_goes_with_its_folder(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    folder = notes(FILES)
    aurora("index", str(folder))
    moved = folder.rename(tmp_path / "renamed")
    (moved / "boat.md").unlink()
    assert aurora.json("index", str(moved))["removed"] == 1


def test_a_copy_beside_the_folder_is_another_with_a_vault_of_its_own(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    folder = notes(FILES)
    aurora("index", str(folder))
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    first = aurora("index", str(copy), "--json")
    assert "goes into vault 'copy'" in first.stderr
    report = json.loads(first.stdout)
    assert first.exit_code == 0
    assert report["vault"] == "copy"
    assert report["notes"] == 3
    assert report["skipped"] == []
    second_report = aurora("index", str(copy), "--json")
    assert json.loads(second_report.stdout)["vault"] == "copy"
    assert second_report.stderr == ""
    assert {folder["vault"] for folder in aurora.json("folders", "list")["folders"]} == {
        "default",
        "copy",
    }


def test_a_folder_without_a_path_in_common_shares_the_default_vault(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    aurora("index", str(notes(FILES)))
    another_folder = tmp_path / "other"
    another_folder.mkdir()
    (another_folder / "whale.md").write_text("The whale sings.")
    assert aurora.json("index", str(another_folder))["vault"] == "default"


def test_a_folder_that_was_moved_and_linked_from_its_old_place_stays_the_same_one(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    folder = notes(FILES)
    aurora("index", str(folder))
    disk = folder.rename(tmp_path / "disk")
    folder.symlink_to(disk)
    report = aurora.json("index", str(folder))
    assert report["vault"] == "default"
    assert report["unchanged"] == 3
    (row,) = aurora.json("folders", "list")["folders"]
    assert row["folder"] == str(disk)
    back = disk.rename(tmp_path / "back")
    disk.symlink_to(back)
    assert aurora("folders", "forget", str(disk), "--notes", "keep").exit_code == 0
    assert aurora.json("folders", "list")["folders"] == []


def test_an_empty_folder_removes_nothing(aurora: Aurora, notes: Write, tmp_path: Path) -> None:
    """So looks a place where a disk is mounted, without the disk."""
    folder = notes(FILES)
    aurora("index", str(folder))
    away = folder.rename(tmp_path / "away")
    folder.mkdir()
    result = aurora("index", str(folder))
    assert result.exit_code == 1
    assert "3 of 3 files are gone: is the drive there?" in result.stdout.replace("\n", " ")
    assert "(3 files gone" in aurora("folders").output
    assert len(_ids(aurora)) == 3
    folder.rmdir()
    assert aurora("index", str(folder)).exit_code == 2
    away.rename(folder)
    assert aurora.json("index", str(folder))["unchanged"] == 3


def test_folders_are_listed_for_people(aurora: Aurora, notes: Write) -> None:
    assert "no folders" in aurora("folders").output
    folder = notes({**FILES, "latin.md": b"caf\xe9"})
    aurora("index", str(folder))
    line = aurora("folders").output
    assert line.startswith(f"{folder}  vault default  3 notes, 1 skipped  indexed 2")
    shutil.rmtree(folder)
    assert "not there" in aurora("folders").output


def test_a_move_that_is_not_recognised_can_be_said(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    folder = notes(FILES)
    aurora("index", str(folder))
    ids_before = _ids(aurora)
    moved = folder.rename(tmp_path / "renamed")
    for name in FILES:
        (moved / name).write_text(f"All of it is new: {name}")
    assert aurora("folders", "move", str(folder), str(moved)).exit_code == 0
    assert aurora.json("index", str(moved))["indexed"] == 3
    assert set(_ids(aurora)) == set(ids_before)
    assert aurora("folders", "move", str(tmp_path / "never"), str(moved)).exit_code == 1
    assert aurora("folders", "move", str(moved), str(moved)).exit_code == 2


def test_a_folder_is_forgotten_with_its_notes_or_without(aurora: Aurora, notes: Write) -> None:
    folder = notes(FILES)
    aurora("index", str(folder))
    assert aurora("folders", "forget", str(folder)).exit_code == 2, "nobody can be asked"
    assert aurora.json("folders", "forget", str(folder), "--notes", "keep")["removed"] == 0
    assert len(_ids(aurora)) == 3
    assert aurora.json("folders")["folders"] == []
    aurora("index", str(folder))
    (aurora.home / "folders.db").unlink()
    assert aurora.json("index", str(folder))["unchanged"] == 3
    assert aurora.json("folders", "forget", str(folder), "--notes", "remove")["removed"] == 3
    assert _ids(aurora) == {}
    assert {file.name for file in folder.rglob("*.md")} == {"boat.md", "ball.md", "garden.md"}
    assert aurora("folders", "forget", str(folder), "--notes", "keep").exit_code == 1


def test_a_folder_inside_an_indexed_one_is_no_second_one(aurora: Aurora, notes: Write) -> None:
    folder = notes({"a.md": "Alpha.", "deep/b.md": "Beta."})
    aurora("index", str(folder))
    notes({"deep/c.md": "Gamma."})
    result = aurora("index", str(folder / "deep"))
    assert f"lies in {folder.resolve()}" in result.stderr
    assert len(aurora.json("notes", "list")["notes"]) == 3
    assert len(aurora.json("folders")["folders"]) == 1


def test_a_folder_around_an_indexed_one_leaves_that_out(aurora: Aurora, notes: Write) -> None:
    folder = notes(
        {
            "a.md": "Alpha.",
            "deep/b.md": "Beta.",
            "deep/c.md": "Gamma.",
        }
    )
    aurora("index", str(folder / "deep"), "--vault", "deep")
    report = aurora.json("index", str(folder))
    assert [skipped["path"] for skipped in report["skipped"]] == ["deep"]
    assert len(aurora.json("notes", "list")["notes"]) == 3
