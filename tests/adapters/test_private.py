"""Files that their owner alone may read."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from shared.adapters.private import make_private_file

LOCK = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
try:
    db.execute("BEGIN EXCLUSIVE")
except sqlite3.OperationalError as problem:
    print(problem)
"""


@pytest.mark.slow
def test_a_lock_on_a_database_outlives_its_being_made_private(tmp_path: Path) -> None:
    file = tmp_path / "notes.sqlite3"
    make_private_file(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("CREATE TABLE notes (text)")
        db.execute("BEGIN EXCLUSIVE")
        make_private_file(file)
        other_process = subprocess.run(
            [sys.executable, "-c", LOCK, str(file)], capture_output=True, text=True, check=True
        )
    assert other_process.stdout == "database is locked\n"


def test_a_new_file_is_its_owners_and_leaves_no_other(tmp_path: Path) -> None:
    file = tmp_path / "notes.sqlite3"
    make_private_file(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [file]


def test_an_older_file_is_taken_from_others_and_keeps_its_content(tmp_path: Path) -> None:
    file = tmp_path / "notes.sqlite3"
    file.write_text("content")
    file.chmod(0o644)
    make_private_file(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text() == "content"
