"""What was last read of which folder: so that it is known what has changed since, in the file or in the note.

One SQLite file in the home folder; several imports may run at once. Losing it loses no text: a note and a file that
differ are then both kept until somebody decides.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from shared.errors import OperatorError

LOCK_SECONDS = 30.0
"""How long another process's writing is waited for."""

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


@dataclass(frozen=True, slots=True)
class Read:
    """A file and its note as they were when they were last brought together. None: they never were."""

    path: str
    """Path of the file, below its folder."""
    file: str | None = None
    """Digest of its bytes."""
    note: str | None = None
    """Digest of the note."""
    seen: str | None = None
    """When the note was last changed then, as its store says."""
    reading: str | None = None
    """Digest of what the file says; written before the note is, so that an import that dies in between recognises
    what it wrote. None: the note says more than the file can.
    """


@dataclass(frozen=True, slots=True)
class Begun:
    """What an import needs to know of the notes there were before it."""

    before: Mapping[str, Read]
    """By note id, those that came from this folder."""
    foreign: frozenset[str]
    """Ids that came from other folders."""


@dataclass(frozen=True, slots=True)
class Known:
    """A folder that was imported before."""

    source: Source
    notes: int
    finished: bool
    """Whether its last import came to its end."""
    skipped: int
    indexed_at: datetime | None
    write_back: bool | None
    """Whether a note that is changed elsewhere is written into its file; None: not decided yet."""


@dataclass(slots=True)
class Manifest:
    """The file, which is made by the first import."""

    file: Path
    _held: sqlite3.Connection | None = None
    _turn: threading.RLock = field(default_factory=threading.RLock)

    @classmethod
    def of(cls, home: Path) -> Manifest:
        return cls(home / "folders.db")

    def knows(self, source: Source) -> bool:
        """Whether it was imported before and not forgotten since, even if nothing is left of it."""
        with self._reading() as db:
            return _folder_id(db, source) is not None

    def folders(self, destination: str) -> tuple[Known, ...]:
        """Each folder whose notes are there, by its path."""
        query = (
            "SELECT vault, root, count(files.note_id), finished, skipped, indexed_at, write_back FROM folders LEFT JOIN"
            " files ON files.folder = folders.id WHERE destination = ? GROUP BY folders.id ORDER BY root, vault"
        )
        with self._reading() as db:
            return tuple(
                Known(
                    source=Source(destination, vault, Path(root)),
                    notes=notes,
                    finished=bool(finished),
                    skipped=skipped,
                    indexed_at=None if indexed_at is None else datetime.fromisoformat(indexed_at),
                    write_back=None if write_back is None else bool(write_back),
                )
                for vault, root, notes, finished, skipped, indexed_at, write_back in db.execute(query, (destination,))
            )

    def files(self, source: Source) -> dict[str, Read]:
        """By note id, what was last read of each of its files."""
        with self._reading() as db:
            return _files(db, _folder_id(db, source))

    def read(self, source: Source, note_id: str) -> Read | None:
        """What was last read of one file; None: nothing."""
        query = "SELECT path, file, note, seen, reading FROM files WHERE folder = ? AND note_id = ?"
        with self._reading() as db:
            found = db.execute(query, (_folder_id(db, source), note_id)).fetchone()
        return None if found is None else Read(*found)

    def origin(self, destination: str, note_id: str) -> tuple[Known, Read] | None:
        """The folder that a note came from, and its file as last read; None: it came from none."""
        query = "SELECT vault, root FROM folders JOIN files ON folder = id WHERE destination = ? AND note_id = ?"
        with self._reading() as db:
            found = db.execute(query, (destination, note_id)).fetchone()
        if found is None:
            return None
        source = Source(destination, found[0], Path(found[1]))
        known = next((each for each in self.folders(destination) if each.source == source), None)
        read = self.read(source, note_id)
        return None if known is None or read is None else (known, read)

    def file_of(self, note_id: str, path: str) -> Path | None:
        """The file on this machine that the note at this path came from; None: there is none, or not any more."""
        query = "SELECT root FROM folders JOIN files ON folder = id WHERE note_id = ?"
        with self._reading() as db:
            roots = [Path(root) for (root,) in db.execute(query, (note_id,))]
        return next((file for root in roots if (file := root / path).is_file()), None)

    def begin(self, source: Source, planned: Mapping[str, str]) -> Begun:
        """Write down what may be there from now on, note id -> path: an import that is broken off here leaves nothing
        unknown. What another folder has put there stays that folder's.
        """
        others = "SELECT note_id FROM files JOIN folders ON id = folder WHERE destination = ? AND id <> ?"
        with self._writing() as db:
            names = (source.destination, source.vault, str(source.root))
            db.execute("INSERT OR IGNORE INTO folders (destination, vault, root) VALUES (?, ?, ?)", names)
            folder = _folder_id(db, source)
            db.execute("UPDATE folders SET finished = 0 WHERE id = ?", (folder,))
            before = _files(db, folder)
            foreign = frozenset(note_id for (note_id,) in db.execute(others, (source.destination, folder)))
            new = [(folder, note_id, path) for note_id, path in planned.items() if note_id not in foreign]
            db.executemany("INSERT OR IGNORE INTO files (folder, note_id, path) VALUES (?, ?, ?)", new)
        return Begun(before, foreign)

    def intend(self, source: Source, note_id: str, reading: str) -> None:
        """The note is about to become what the file says."""
        self._change("UPDATE files SET reading = ? WHERE note_id = ? AND folder = ?", source, reading, note_id)

    def record(self, source: Source, note_id: str, read: Read) -> None:
        """File and note have been brought together. A folder that was forgotten meanwhile stays forgotten."""
        columns = (note_id, read.path, read.file, read.note, read.seen, read.reading)
        statement = "INSERT OR REPLACE INTO files SELECT id, ?, ?, ?, ?, ?, ? FROM folders WHERE id = ?"
        self._change(statement, source, *columns)

    def drop(self, source: Source, note_id: str) -> None:
        """Neither is there any more."""
        self._change("DELETE FROM files WHERE note_id = ? AND folder = ?", source, note_id)

    def end(self, source: Source, *, skipped: int) -> None:
        """The import has come to its end."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._change("UPDATE folders SET finished = 1, indexed_at = ?, skipped = ? WHERE id = ?", source, now, skipped)

    def move(self, source: Source, root: Path) -> None:
        """The folder is at another place from now on."""
        self._change("UPDATE folders SET root = ? WHERE id = ?", source, str(root))

    def write_back(self, source: Source, *, wanted: bool) -> None:
        """Remember whether its files are written when their notes are changed elsewhere."""
        self._change("UPDATE folders SET write_back = ? WHERE id = ?", source, wanted)

    def forget(self, source: Source) -> None:
        """The folder was never imported."""
        self._change("DELETE FROM folders WHERE id = ?", source)

    def forget_all(self, destination: str) -> None:
        """Nothing that came from any folder is there any more."""
        with self._writing() as db:
            db.execute("DELETE FROM folders WHERE destination = ?", (destination,))

    def _change(self, statement: str, source: Source, *values: object) -> None:
        """`statement` ends with the folder's id."""
        with self._writing() as db:
            db.execute(statement, (*values, _folder_id(db, source)))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Open until the end of the block, where one change follows another."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with _explained(self.file):
            db = self._held = _opened(self.file)
            try:
                yield
            finally:
                with self._turn:  # SQLite crashes where a thread that Ctrl-C has left at work still uses it
                    self._held = None
                    db.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Reading makes no file."""
        if self._held is None and not self.file.exists():
            with closing(sqlite3.connect(":memory:")) as db:
                db.executescript(SCHEMA)
                yield db
        else:
            with self._writing() as db:
                yield db

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One commit, or none if the block raises; threads take turns."""
        with self._turn, _explained(self.file):
            if self._held is not None:
                with self._held:
                    self._held.execute("BEGIN IMMEDIATE")
                    yield self._held
            else:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                with closing(_opened(self.file)) as db, db:
                    db.execute("BEGIN IMMEDIATE")
                    yield db


def _opened(file: Path) -> sqlite3.Connection:
    """A rollback journal leaves no files beside this one, and a lost one costs a question, so nothing is synced."""
    db = sqlite3.connect(file, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        db.executescript("PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON;")
        if not db.execute("SELECT 1 FROM sqlite_master").fetchone():
            with db:  # one process makes the tables, others wait for it
                db.execute("BEGIN IMMEDIATE")
                for statement in filter(str.strip, SCHEMA.split(";")):
                    db.execute(statement)
    except BaseException:
        db.close()
        raise
    return db


@contextmanager
def _explained(file: Path) -> Iterator[None]:
    """SQLite's errors as ours."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise OperatorError(f"{file}: {error}") from error
    except sqlite3.DatabaseError as error:
        raise OperatorError(f"{file} is damaged: move it away, nothing else depends on it") from error


def _folder_id(db: sqlite3.Connection, source: Source) -> int | None:
    names = (source.destination, source.vault, str(source.root))
    found = db.execute("SELECT id FROM folders WHERE destination = ? AND vault = ? AND root = ?", names).fetchone()
    return None if found is None else int(found[0])


def _files(db: sqlite3.Connection, folder: int | None) -> dict[str, Read]:
    query = "SELECT note_id, path, file, note, seen, reading FROM files WHERE folder = ?"
    return {note_id: Read(*row) for note_id, *row in db.execute(query, (folder,))}
