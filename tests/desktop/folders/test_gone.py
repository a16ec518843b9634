"""Files that are gone all at once: an unmounted drive removes no note, and a deletion still does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest

from cli.commands.index import _ask_gone
from cli.options import CommandContext
from desktop.folders.destinations import LocalDestination
from desktop.folders.gone import (
    ALL_OF,
    MOST_OF,
    GoneAnswer,
    GoneFolder,
    doubtful_files,
    folders_above,
    gone_folders,
)
from desktop.folders.importing import Import, answer_gone, open_questions
from desktop.folders.manifest import Manifest
from desktop.folders.report import ImportReport
from desktop.folders.watching import Follower
from shared.app import App
from shared.errors import NotFound
from tests.cli.conftest import Aurora

HIDDEN = (".DS_Store", ".stfolder", "lost+found")
MANY = 3 * MOST_OF


def _judged(
    missing: list[str],
    present: list[str],
    *,
    unmounted: tuple[str, ...] = (),
) -> dict[str, str]:
    """Path -> folder that is asked about."""
    named = {path: path for path in missing}
    return doubtful_files(named, present, unmounted=unmounted)


def _paths(folder: str, count: int, first: int = 0) -> list[str]:
    return [f"{folder}n{number}.md" for number in range(first, first + count)]


@pytest.mark.parametrize(
    ("files", "known", "loss", "notes"),
    [
        (1, 1, "the only file is gone", "Its note stays"),
        (1, 25, "1 of 25 files is gone", "Its note stays"),
        (1200, 1500, "1,200 of 1,500 files are gone", "Their notes stay"),
    ],
)
def test_what_is_gone_is_told_in_numbers_that_agree(
    files: int, known: int, loss: str, notes: str
) -> None:
    folder = GoneFolder(path="", files=files, known=known)
    assert folder.loss == loss
    assert folder.reason.startswith(f"{loss}: is the drive there? {notes} until")


def test_the_folders_above_a_file_begin_with_the_followed_one() -> None:
    assert folders_above("a/b/c.md") == ["", "a", "a/b"]
    assert folders_above("c.md") == [""]


def test_a_few_files_are_deleted_unasked() -> None:
    assert _judged(_paths("a/", ALL_OF - 1), ["b/other.md"]) == {}
    assert _judged(_paths("a/", MOST_OF - 1), _paths("a/", 1, 99)) == {}


def test_all_files_of_a_folder_are_asked_about_as_one() -> None:
    gone = _paths("a/", ALL_OF) + _paths("a/b/", ALL_OF)
    assert set(_judged(gone, ["c.md"]).values()) == {"a"}
    assert set(_judged(gone, []).values()) == {""}


def test_most_of_many_files_are_asked_about_and_half_are_not() -> None:
    gone = _paths("a/", MOST_OF)
    assert set(_judged(gone, _paths("a/", MOST_OF - 1, 100)).values()) == {""}
    assert _judged(gone, _paths("a/", MOST_OF, 100)) == {}
    assert set(_judged(gone, ["a/x.md", *_paths("", MOST_OF)]).values()) == {"a"}


def test_beside_an_emptied_folder_a_deletion_goes_on() -> None:
    gone = [*_paths("a/", MANY), "b/one.md"]
    assert "b/one.md" not in _judged(gone, _paths("b/", 5, 100))


def test_the_whole_folder_and_a_lost_mount_are_asked_about_whatever_they_held() -> None:
    assert _judged(["a.md"], []) == {"a.md": ""}
    assert _judged(["usb/a.md", "b.md"], ["c.md"], unmounted=("usb",)) == {"usb/a.md": "usb"}


def test_questions_count_what_is_gone_and_what_there_was() -> None:
    folders_of_notes = {"1": "a", "2": "a", "3": ""}
    gone = gone_folders(folders_of_notes, ["a/1.md", "a/2.md", "a/4.md", "3.md"])
    assert gone == [GoneFolder("", 1, 4), GoneFolder("a", 2, 3)]


# -- the command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a deep one of many files, and few beside."""
    folder = tmp_path / "notes"
    for number in range(MANY):
        _write(
            folder / f"archive/{number % 3}/n{number}.md", f"Note number{number} of the archive."
        )
    for number in range(3):
        _write(folder / f"few/f{number}.md", f"Note few{number}.")
    _write(folder / "top.md", "At the top.")
    return folder


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def _titles(aurora: Aurora) -> int:
    return len(aurora.json("notes", "list")["notes"])


@pytest.mark.parametrize("left", [(), HIDDEN[:1], HIDDEN])
def test_a_drive_that_is_not_mounted_removes_nothing_and_comes_back(
    aurora: Aurora, folder: Path, tmp_path: Path, left: tuple[str, ...]
) -> None:
    aurora("index", str(folder))
    titles_before = _titles(aurora)
    away = folder.rename(tmp_path / "away")
    folder.mkdir()
    for name in left:
        (folder / name).mkdir()
    for _ in range(2):
        result = aurora("index", str(folder), "--json")
        assert result.exit_code == 1
        assert f'"of": {MANY + 4}' in result.stdout
    assert _titles(aurora) == titles_before
    shutil.rmtree(folder)
    away.rename(folder)
    back = aurora.json("index", str(folder))
    assert back["unchanged"] == MANY + 4
    assert back["gone"] == []
    assert back["removed"] == 0


def test_a_folder_of_few_files_is_deleted_unasked(aurora: Aurora, folder: Path) -> None:
    aurora("index", str(folder))
    shutil.rmtree(folder / "few")
    report = aurora.json("index", str(folder))
    assert report["removed"] == 3
    assert report["gone"] == []


def test_a_small_drive_is_missed_whatever_lies_in_its_mount_point(
    aurora: Aurora, tmp_path: Path
) -> None:
    """Windows leaves files there that are not hidden by their names."""
    folder = tmp_path / "usb"
    for number in range(3):
        _write(folder / f"n{number}.md", f"Note number{number}.")
    aurora("index", str(folder))
    shutil.rmtree(folder)
    _write(folder / "Thumbs.db", "")
    report = json.loads(aurora("index", str(folder), "--json").stdout)
    assert report["removed"] == 0
    assert report["gone"][0]["files"] == 3
    assert _titles(aurora) == 3


def test_a_renamed_folder_is_not_asked_about(aurora: Aurora, folder: Path) -> None:
    aurora("index", str(folder))
    (folder / "archive").rename(folder / "old")
    report = aurora.json("index", str(folder))
    assert report["removed"] == MANY
    assert report["gone"] == []
    assert aurora.json("index", str(folder))["notes"] == MANY + 4


def test_once_answered_yes_the_notes_go_into_the_trash(aurora: Aurora, folder: Path) -> None:
    aurora("index", str(folder))
    shutil.rmtree(folder / "archive")
    completed = aurora("index", str(folder))
    assert completed.exit_code == 1
    assert f"{folder}/archive: {MANY} of {MANY} files are gone" in completed.stdout.replace(
        "\n", " "
    )
    report = aurora.json("index", str(folder), "--gone", "remove")
    assert report["removed"] == MANY
    assert report["gone"] == []
    assert aurora.json("index", str(folder))["removed"] == 0
    assert len(aurora.json("notes", "trash")["trash"]) == MANY


def test_once_answered_no_the_notes_stay_and_nothing_is_asked_again(
    aurora: Aurora, folder: Path, tmp_path: Path
) -> None:
    aurora("index", str(folder))
    titles_before = _titles(aurora)
    away = (folder / "archive").rename(tmp_path / "away")
    report = aurora.json("index", str(folder), "--gone", "keep")
    assert report["removed"] == 0
    assert report["gone"] == []
    assert aurora.json("index", str(folder))["gone"] == []
    assert _titles(aurora) == titles_before
    away.rename(folder / "archive")  # the drive is there after all
    assert aurora.json("index", str(folder))["conflicts"] == []
    assert _titles(aurora) == titles_before


def test_an_open_question_stays_though_the_folder_grows(aurora: Aurora, folder: Path) -> None:
    aurora("index", str(folder))
    shutil.rmtree(folder / "archive")
    aurora("index", str(folder))
    for number in range(2 * MANY):
        _write(folder / f"archive/new/{number}.md", f"New number{number}.")
    result = aurora("index", str(folder), "--json")
    assert result.exit_code == 1
    assert f'"files": {MANY}' in result.stdout


def test_files_that_come_back_between_two_questions_end_no_command(
    app: App,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number in range(MANY):
        _write(folder / f"box/n{number}.md", f"Note number{number} of the box.")
    task = Import(LocalDestination(app, "local"), folder, "default")
    task.run()
    shutil.rmtree(folder / "archive")
    away = (folder / "box").rename(tmp_path / "box")
    report = task.run()
    assert [gone.path for gone in report.gone] == ["archive", "box"]
    away.rename(folder / "box")
    monkeypatch.setattr("sys.stdin", StringIO("r\nr\n"))
    report = _ask_gone(task, report)
    assert report.removed == MANY
    assert report.gone == []
    assert f"{folder / 'box'}: the files are there again" in capsys.readouterr().out
    assert len(LocalDestination(app, "local").listed()) == MANY + 4


# -- following


@pytest.fixture
def app(aurora: Aurora) -> Iterator[App]:
    with CommandContext(aurora.home, "local", as_json=False).app() as app:
        yield app


def test_a_follower_asks_once_and_removes_after_the_answer_of_another_process(
    app: App, folder: Path
) -> None:
    task = Import(LocalDestination(app, "local"), folder, "default")
    follower = Follower(task)
    follower.first(lambda *_: None)
    shutil.rmtree(folder / "archive")
    shutil.rmtree(folder / "few")
    reports: list[ImportReport] = []
    for _ in range(4):
        follower.turn([folder / "archive"], reports.append)  # type: ignore[arg-type]
    assert [(report.removed, len(report.gone)) for report in reports] == [(3, 1)]
    Manifest.of(app.settings.home).confirm_gone(task.source, "archive")
    for _ in range(2):
        follower.turn([folder / "archive"], reports.append)  # type: ignore[arg-type]
    assert reports[-1].removed == MANY
    assert reports[-1].gone == []


def test_a_question_can_be_answered_after_a_restart(app: App, folder: Path) -> None:
    task = Import(LocalDestination(app, "local"), folder, "default")
    Follower(task).first(lambda *_: None)
    shutil.rmtree(folder / "archive")
    assert [gone.path for gone in Follower(task).first(lambda *_: None).gone] == ["archive"]
    assert open_questions(task.manifest(), task.source) == [GoneFolder("archive", MANY, MANY)]
    assert answer_gone(task, "archive", GoneAnswer.REMOVE).removed == MANY
    assert open_questions(task.manifest(), task.source) == []
    with pytest.raises(NotFound, match="nothing is asked about archive"):
        answer_gone(task, "archive", GoneAnswer.KEEP)


def test_what_comes_back_within_two_passes_was_never_asked_about(
    app: App, folder: Path, tmp_path: Path
) -> None:
    """So looks another branch that git checks out and leaves."""
    task = Import(LocalDestination(app, "local"), folder, "default")
    follower = Follower(task)
    follower.first(lambda *_: None)
    away = (folder / "archive").rename(tmp_path / "away")
    reports: list[ImportReport] = []
    follower.turn([folder / "archive"], reports.append)  # type: ignore[arg-type]
    away.rename(folder / "archive")
    follower.turn([folder / "archive"], reports.append)  # type: ignore[arg-type]
    assert [report.gone for report in reports] == []
    assert Manifest.of(app.settings.home).missing_files(task.source) == {}


# -- real mounts


@contextmanager
def _mounted(place: Path) -> Iterator[None]:
    """A file system in memory at this folder; skips where the system does not allow it."""
    place.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "aurora", str(place)]
    if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount")
    try:
        yield
    finally:
        if place.is_mount():
            subprocess.run(["umount", str(place)], check=True)


def test_a_small_drive_mounted_inside_the_folder_is_missed_when_it_is_gone(
    aurora: Aurora, folder: Path
) -> None:
    drive = folder / "stick"
    with _mounted(drive):
        _write(drive / "a.md", "Alpha on the stick.")
        _write(drive / "b/c.md", "Gamma on the stick.")
        notes_before = aurora.json("index", str(folder))["notes"]
        subprocess.run(["umount", str(drive)], check=True)
        result = aurora("index", str(folder), "--json")
        assert result.exit_code == 1
        assert '"path": "stick"' in result.stdout
        assert _titles(aurora) == notes_before
        assert aurora.json("index", str(folder), "--gone", "remove")["removed"] == 2
