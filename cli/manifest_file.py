"""The manifest's file: how it is made and opened, and what an older version kept in its place."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from shared.errors import OperatorError

PATIENCE = 30.0
"""Seconds that another process's writing is waited for."""
UNKNOWN = "unknown"
"""In place of a digest: of an import by a version that wrote down none."""

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
        _prepare(db, file)
    except BaseException:
        db.close()
        raise
    return db


def _prepare(db: sqlite3.Connection, file: Path) -> None:
    """Made, if it is new; of several processes by one."""
    if db.execute("SELECT 1 FROM sqlite_master").fetchone():
        return
    with db:
        db.execute("BEGIN IMMEDIATE")
        for statement in filter(str.strip, SCHEMA.split(";")):
            db.execute(statement)
        if not db.execute("SELECT 1 FROM folders").fetchone():
            _take_over(db, older(file))


def older(file: Path) -> Path:
    """What versions before this one kept in its place."""
    return file.with_suffix(".json")


def _take_over(db: sqlite3.Connection, file: Path) -> None:
    """Sources were `DESTINATION VAULT ROOT` there, and of each note no more than its id was known."""
    if not file.exists():
        return
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        for name, ids in content["folders"].items():
            root = content["roots"].get(name)
            if root is not None:
                destination, vault = _named(name.removesuffix(f" {root}"))
                folder = made(db, Source(destination, vault, Path(root)))
                rows = [(folder, note_id, "", UNKNOWN, UNKNOWN, UNKNOWN) for note_id in ids]
                db.executemany(
                    "INSERT INTO files (folder, note_id, path, file, note, seen) VALUES (?, ?, ?, ?, ?, ?)", rows
                )
                db.execute("UPDATE folders SET finished = ?", (name not in content.get("unfinished", ()),))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise OperatorError(f"{file} is damaged: move it away, nothing else depends on it") from error


def _named(name: str) -> tuple[str, str]:
    """Store and tenant are two words, a server is one; a vault's name is the rest."""
    words = name.split(" ")
    count = 2 if words[0] == "embedded" or words[0].startswith("firestore:") else 1
    return " ".join(words[:count]), " ".join(words[count:])


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
