"""The manifest's file: how it is made and opened."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from shared.errors import OperatorError

PATIENCE = 30.0
"""Seconds that another process's writing is waited for."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS folders (
    id INTEGER PRIMARY KEY, destination TEXT NOT NULL, vault TEXT NOT NULL, root TEXT NOT NULL,
    finished INTEGER NOT NULL DEFAULT 0, indexed_at TEXT, skipped INTEGER NOT NULL DEFAULT 0, write_back INTEGER,
    UNIQUE (destination, vault, root)
);
CREATE TABLE IF NOT EXISTS files (
    folder INTEGER NOT NULL REFERENCES folders ON DELETE CASCADE, note_id TEXT NOT NULL, path TEXT NOT NULL,
    file TEXT, note TEXT, seen TEXT, reading TEXT,
    PRIMARY KEY (folder, note_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS files_by_note ON files (note_id);
"""


@dataclass(frozen=True, slots=True)
class Source:
    """A folder as it goes into one vault of one destination (store and tenant, or server)."""

    destination: str
    vault: str
    root: Path
    """Absolute, without links."""


def opened(file: Path) -> sqlite3.Connection:
    """A rollback journal leaves no files beside this one, and a lost one costs a question, so nothing is synced."""
    db = sqlite3.connect(file, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        db.executescript("PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON;")
        _prepare(db)
    except BaseException:
        db.close()
        raise
    return db


def _prepare(db: sqlite3.Connection) -> None:
    """Made, if it is new; of several processes by one."""
    if db.execute("SELECT 1 FROM sqlite_master").fetchone():
        return
    with db:
        db.execute("BEGIN IMMEDIATE")
        for statement in filter(str.strip, SCHEMA.split(";")):
            db.execute(statement)


def made(db: sqlite3.Connection, source: Source) -> int:
    """The folder's row, made if there is none."""
    names = (source.destination, source.vault, str(source.root))
    db.execute("INSERT OR IGNORE INTO folders (destination, vault, root) VALUES (?, ?, ?)", names)
    found = folder_id(db, source)
    assert found is not None  # noqa: S101 - it was just made
    return found


def folder_id(db: sqlite3.Connection, source: Source) -> int | None:
    names = (source.destination, source.vault, str(source.root))
    query = "SELECT id FROM folders WHERE destination = ? AND vault = ? AND root = ?"
    found = db.execute(query, names).fetchone()
    return None if found is None else int(found[0])


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """SQLite's errors as ours."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise OperatorError(f"{file}: {error}") from error
    except sqlite3.DatabaseError as error:
        raise OperatorError(f"{file} is damaged: move it away, nothing else depends on it") from error
