"""`aurora index --watch` as people start it: a process that follows a real folder."""

from __future__ import annotations

import dataclasses
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from cli.options import CommandContext
from desktop.files.reading import FileNote
from desktop.folders.destinations import LocalDestination
from desktop.folders.importing import Import
from desktop.folders.manifest import Manifest, Stopped
from desktop.folders.report import ImportReport
from desktop.folders.watching import Follower, _watched, following_all
from shared.app import App
from shared.errors import AuroraError, NotFound, OperatorError
from shared.indexing.coverage import read_note_state
from shared.model.notes import Note, NoteKey
from tests.cli.conftest import Write, processor_seconds
from tests.servers.dev import ROOT

AURORA = "from cli.main import main; main()"
WITHIN = 30.0
"""Seconds a change may take beside other work on this machine; a quiet one needs a tenth of a second."""
FILES = {
    "a.md": "The apple is red.",
    "deep/b.md": "The boat is blue.",
    "deep/c.md": "The cat is black.",
}


@contextmanager
def watching(home: Path, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """The process, once its first pass is done."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            AURORA,
            "index",
            str(folder),
            "--watch",
            "--json",
            "--home",
            str(home),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        assert json.loads(line)["folder"] == str(folder)
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """The app as another process has it, in the same home."""
    with CommandContext(tmp_path / "home", "local", as_json=False).app() as app:
        yield app


def _texts(app: App) -> dict[str, str]:
    """Path -> text of every note whose index holds exactly that."""
    texts = {}
    for note in _notes(app):
        with suppress(NotFound):  # it went meanwhile
            if read_note_state(app.indexer, NoteKey("local", note.note_id)).current:
                texts[note.path] = note.text
    return texts


def _notes(app: App) -> list[Note]:
    return [
        note for note in app.store.whole_notes("local", limit=200).items if isinstance(note, Note)
    ]


def _files(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): file.read_text()
        for file in sorted(folder.rglob("*.md"))
    }


def _becomes(app: App, expected: dict[str, str]) -> bool:
    """Tell whether notes and index are this before long."""
    deadline = time.monotonic() + WITHIN
    while time.monotonic() < deadline:
        if _texts(app) == expected:
            return True
        time.sleep(0.05)
    return False


def _found(app: App) -> int:
    """Chunks that could still be found of all notes."""
    return app.store.stats("local").chunk_count


@pytest.mark.journey
def test_writes_edits_moves_and_deletions_are_followed_until_ctrl_c(
    app: App, tmp_path: Path, notes: Write
) -> None:
    folder = notes(FILES)
    link = tmp_path / "link"
    link.symlink_to(folder)
    with watching(tmp_path / "home", link) as process:
        assert _becomes(app, _files(folder))
        notes({"new.md": "The new one is green.", "a.md": "The apple is yellow now."})
        assert _becomes(app, _files(folder))
        (folder / "a.md").rename(folder / "deep/moved.md")
        (folder / "new.md").unlink()
        assert _becomes(app, _files(folder))
        assert set(_texts(app)) == {"deep/b.md", "deep/c.md", "deep/moved.md"}
        expected = _files(folder)  # what tools keep for themselves is no note
        notes(
            {".obsidian/plugins/x.md": "no", ".trash/y.md": "no", "z.md.swp": "no", ".#a.md": "no"}
        )
        notes({"last.md": "This comes after them."})
        assert _becomes(app, {**expected, "last.md": "This comes after them."})
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.communicate()[1] == ""


@pytest.mark.nightly
def test_whole_folders_come_move_and_go(app: App, tmp_path: Path, notes: Write) -> None:
    folder = notes(FILES)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "d.md").write_text("The dog is brown.")
    with watching(tmp_path / "home", folder):
        assert _becomes(app, _files(folder))
        elsewhere.rename(folder / "come")
        (folder / "deep").rename(folder / "other")
        assert _becomes(app, _files(folder))
        assert set(_texts(app)) == {"a.md", "come/d.md", "other/b.md", "other/c.md"}
        (folder / "other").rename(tmp_path / "gone")
        shutil.rmtree(folder / "come")
        assert _becomes(app, {"a.md": FILES["a.md"]})
        assert _found(app) == 1


def _by_replacing(file: Path, text: str) -> None:
    """A temporary file is written and moved over the old one (Obsidian's sync, VS Code with some settings)."""
    fresh = file.with_name(f"{file.name}.tmp-4711")
    fresh.write_text(text)
    fresh.replace(file)


def _by_backup(file: Path, text: str) -> None:
    """The old file is moved away first, written anew, and the backup removed (vim)."""
    backup = file.with_name(f"{file.name}~")
    file.rename(backup)
    time.sleep(0.4)  # a slow disk: the watcher looks just then
    file.write_text(text)
    backup.unlink()


def _in_place(file: Path, text: str) -> None:
    """Emptied and written piece by piece, slowly."""
    with file.open("w") as stream:
        for character in text:
            stream.write(character)
            stream.flush()
            time.sleep(0.01)


def _keeping_its_time(file: Path, text: str) -> None:
    """Replace the file with one of the same size and time of change, as some sync tools do, by another inode."""
    about = file.stat()
    fresh = file.with_name("part")
    fresh.write_text(text.ljust(about.st_size)[: about.st_size])
    os.utime(fresh, ns=(about.st_atime_ns, about.st_mtime_ns))
    fresh.replace(file)


@pytest.mark.nightly
@pytest.mark.parametrize("save", [_by_replacing, _by_backup, _in_place, _keeping_its_time])
def test_however_an_editor_saves_it_is_the_same_note_with_its_date(
    app: App, tmp_path: Path, notes: Write, save: Callable[[Path, str], None]
) -> None:
    folder = notes(FILES)
    os.utime(folder / "deep/b.md", (1_700_000_000, 1_700_000_000))
    with watching(tmp_path / "home", folder):
        assert _becomes(app, _files(folder))
        (note_before,) = (
            n for n in app.store.list_notes("local", limit=9).items if n.path == "deep/b.md"
        )
        save(folder / "deep/b.md", "The bark is white")
        assert _becomes(app, _files(folder))
        after = app.notes.get("local", note_before.note_id)
    assert after.text.startswith("The bark")
    assert after.created_at == note_before.created_at


@pytest.mark.nightly
def test_a_home_inside_the_folder_does_not_wake_its_own_watcher(notes: Write) -> None:
    folder = notes(FILES)
    with watching(folder / "aurora", folder) as process:
        with CommandContext(folder / "aurora", "local", as_json=False).app() as app:
            assert _becomes(app, FILES)
        used = processor_seconds(process.pid)
        time.sleep(4)
        assert processor_seconds(process.pid) - used < 1


@pytest.mark.journey
def test_killed_at_any_time_the_next_start_is_right(app: App, tmp_path: Path, notes: Write) -> None:
    files = {
        f"{number % 7}/n{number}.md": f"# Note {number}\n\nIt says {number}."
        for number in range(150)
    }
    folder = notes(files)
    for delay in (0.5, 0.2, 0.05):
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                AURORA,
                "index",
                str(folder),
                "--watch",
                "--home",
                str(tmp_path / "home"),
            ],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + WITHIN
        while not (tmp_path / "home/folders.db").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(delay)
        process.kill()
        process.wait()
    (folder / "1/n1.md").unlink()
    (folder / "2").rename(folder / "two")
    notes({"3/n3.md": "Something else.", "brand/new.md": "New."})
    with watching(tmp_path / "home", folder):
        assert _becomes(app, _files(folder))
        assert _found(app) == len(_files(folder))


def test_a_folder_that_goes_away_ends_it_with_a_word_and_keeps_its_notes(
    app: App, tmp_path: Path, notes: Write
) -> None:
    folder = notes(FILES)
    with watching(tmp_path / "home", folder) as process:
        assert _becomes(app, FILES)
        folder.rename(tmp_path / "unplugged")
        assert process.wait(60) == 1
        assert "no folder" in process.communicate()[1]
    assert _texts(app) == FILES


def test_a_name_that_is_not_utf_8_ends_no_watch(app: App, tmp_path: Path, notes: Write) -> None:
    folder = notes(FILES)
    odd = folder / os.fsdecode(b"b\xff")
    with watching(tmp_path / "home", folder) as process:
        assert _becomes(app, FILES)
        for colour in ("green", "yellow"):
            odd.mkdir(exist_ok=True)
            (odd / os.fsdecode(b"c\xfe.md")).write_text(f"The odd one is {colour}.")
            changed = {"a.md": f"The apple is {colour}."}
            notes(changed)
            changed["b?/c?.md"] = f"The odd one is {colour}."
            assert _becomes(app, FILES | changed)
        assert process.poll() is None


def test_a_system_that_allows_no_watcher_is_told(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    # All three are taken. Below the number of files that it waits for, poll fails in other threads.
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
    try:
        with pytest.raises(OperatorError, match=r"cannot be watched.*Too many open files"):
            next(_watched([tmp_path], tmp_path / "home"))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_a_folder_that_cannot_be_read_keeps_no_other_from_being_followed(
    app: App, tmp_path: Path
) -> None:
    good = tmp_path / "good"
    bad = tmp_path / "bad"
    reports = list[ImportReport | AuroraError]()
    destination = LocalDestination(app, "local")
    for folder in (bad, good):
        folder.mkdir()
        (folder / f"{folder.name}.md").write_text("First.")
        Import(destination, folder, "default").run()
    (bad / ".auroraignore").symlink_to("/proc/self/mem")  # no reader gets its first byte
    with following_all(destination, reports.append):
        (good / "good.md").write_text("Second.")
        assert _becomes(app, {"bad.md": "First.", "good.md": "Second."})
        (good / "good.md").write_text("Third.")
        (bad / "bad.md").write_text("Third.")
        assert _becomes(app, {"bad.md": "First.", "good.md": "Third."})
        (bad / ".auroraignore").unlink()
        (bad / "bad.md").write_text("Fourth.")
        assert _becomes(app, {"bad.md": "Fourth.", "good.md": "Third."})
    (problem,) = (report.message for report in reports if isinstance(report, AuroraError))
    assert str(bad) in problem


def test_a_folder_that_was_moved_and_linked_from_its_old_place_is_followed_there(
    app: App, tmp_path: Path, notes: Write
) -> None:
    folder = notes(FILES)
    disk = tmp_path / "disk"
    reports = list[ImportReport | AuroraError]()
    destination = LocalDestination(app, "local")
    Import(destination, folder, "default").run()
    with following_all(destination, reports.append):
        folder.rename(disk)
        folder.symlink_to(disk)
        (disk / "a.md").write_text("The apple is green.")
        assert _becomes(app, FILES | {"a.md": "The apple is green."})
    (followed,) = Manifest.of(destination.home).folders(destination.name)
    assert followed.source.root == disk


def test_the_folders_are_followed_again_once_what_is_known_of_them_can_be_read(
    app: App, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    reports = list[ImportReport | AuroraError]()
    folder.mkdir()
    (folder / "a.md").write_text("First.")
    destination = LocalDestination(app, "local")
    Import(destination, folder, "default").run()
    manifest = destination.home / "folders.db"
    away = destination.home / "away.db"
    manifest.rename(away)
    manifest.mkdir()
    with following_all(destination, reports.append):
        deadline = time.monotonic() + WITHIN
        while not reports and time.monotonic() < deadline:
            time.sleep(0.05)
        manifest.rmdir()
        away.replace(manifest)
        (folder / "a.md").write_text("Second.")
        assert _becomes(app, {"a.md": "Second."})
    assert isinstance(reports[0], AuroraError)
    assert not any(isinstance(report, AuroraError) for report in reports[1:])


def test_a_folder_inside_the_home_is_followed_until_it_is_forgotten(
    app: App, tmp_path: Path
) -> None:
    folder = tmp_path / "home/sample"
    reports = list[ImportReport | AuroraError]()
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("First.")
    destination = LocalDestination(app, "local")
    task = Import(destination, folder, "default")
    task.run()
    with following_all(destination, reports.append):
        (folder / "a.md").write_text("Second.")
        assert _becomes(app, {"a.md": "Second."})
        app.erasure.erase_tenant("local")
        (folder / "b.md").write_text("Third.")
        time.sleep(3)
        assert _notes(app) == []
    assert not task.manifest().knows(task.source)
    assert not any(isinstance(report, AuroraError) for report in reports)


def test_a_pass_over_a_folder_that_is_forgotten_meanwhile_ends_there(
    app: App, notes: Write
) -> None:
    task = Import(LocalDestination(app, "local"), notes({}), "default")
    notes({"first.md": "First."})
    follower = Follower(task)
    follower.first(lambda *_: None)
    notes(
        {f"n{number}.md": "It is saved, and then the folder is forgotten." for number in range(40)}
    )

    class Forgetting(LocalDestination):
        def save(self, file: FileNote, replacing: str) -> Note:
            saved = super().save(file, replacing)
            task.manifest().forget(task.source)
            return saved

    follower.task = dataclasses.replace(task, destination=Forgetting(app, "local"))
    follower._due = 0.0
    with pytest.raises(Stopped):
        follower.turn([], print)
    assert len(_notes(app)) < 20
    assert not task.manifest().knows(task.source)
    with pytest.raises(NotFound, match="is not indexed any more"):
        follower.follow(print)


def test_a_note_that_is_edited_while_the_folder_is_followed_stays_and_is_told_once(
    app: App, tmp_path: Path, notes: Write
) -> None:
    folder = notes(FILES)
    with watching(tmp_path / "home", folder) as process:
        assert _becomes(app, FILES)
        note = next(note for note in _notes(app) if note.path == "a.md")
        edited = dataclasses.replace(note, text="The apple is mine.", updated_at=app.clock())
        app.store.put_note("local", edited)
        assert process.stdout is not None
        notes({"new.md": "The new one is green."})
        first_line: Any = json.loads(process.stdout.readline())
        assert [place["path"] for place in first_line["kept"]] == ["a.md"]
        notes({"a.md": "The apple is theirs."})
        first_line = json.loads(process.stdout.readline())
        assert [place["path"] for place in first_line["conflicts"]] == ["a.md"]
        assert app.notes.get("local", note.note_id).text == "The apple is mine."
        assert (folder / "a.md").read_text() == "The apple is theirs."
