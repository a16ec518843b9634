"""A home on a medium that takes no writes: it is searched, and what would write says so."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import BOATS, Aurora, Write


@pytest.fixture
def medium(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own; skips where the system does not allow it."""
    place = tmp_path / "medium"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "aurora", str(place)]
    if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_home_on_a_read_only_medium_is_searched_and_takes_no_writes(
    medium: Path, notes: Write
) -> None:
    aurora = Aurora(medium / "home")
    folder = notes(BOATS)
    aurora("index", str(folder))
    subprocess.run(["mount", "-o", "remount,ro", str(medium)], check=True)
    body = aurora.json("search", "boat")
    assert [hit["title"] for hit in body["results"]][:1] == ["Boat"]
    assert "blue" in aurora.json("ask", "What colour is the boat?")["answer"]
    assert len(aurora.json("notes", "list")["notes"]) == len(BOATS)
    refused = aurora("index", str(folder))
    assert refused.exit_code != 0
    assert "folders.db: attempt to write a readonly database" in refused.stderr
    note_id = aurora.json("notes", "list")["notes"][0]["noteId"]
    refused = aurora("notes", "delete", note_id)
    assert refused.exit_code != 0
    assert "it is read-only" in refused.stderr


def test_an_earlier_versions_list_of_folders_is_not_called_damaged(
    medium: Path, notes: Write
) -> None:
    aurora = Aurora(medium / "home")
    aurora("index", str(notes(BOATS)))
    with closing(sqlite3.connect(medium / "home" / "folders.db")) as db, db:
        db.execute("DROP TABLE asked")
        db.execute("DROP TABLE mounts")
        db.execute("ALTER TABLE folders DROP COLUMN erasure")
    subprocess.run(["mount", "-o", "remount,ro", str(medium)], check=True)
    refused = aurora("folders")
    assert refused.exit_code != 0
    assert "folders.db is of an earlier version and read-only" in refused.stderr
    subprocess.run(["mount", "-o", "remount,rw", str(medium)], check=True)
    assert len(aurora.json("folders")["folders"]) == 1
