"""Remembers each file and its note as they were last brought together, so that changes in either are recognised.

One SQLite file in the home folder; several imports may run at once. Losing it loses no text: a note and a file that
differ are then both kept until somebody decides.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from shared.adapters.private import make_private_file, make_private_folder
from shared.adapters.sqlite_files import is_broken_schema, is_undecodable, is_writable
from shared.errors import Erased, InvalidArgument, OperatorError

_logger = logging.getLogger(__name__)

LOCK_SECONDS = 30.0
"""Seconds to wait while another process writes."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS folders (
    id INTEGER PRIMARY KEY, destination TEXT NOT NULL, vault TEXT NOT NULL, root TEXT NOT NULL,
    finished INTEGER NOT NULL DEFAULT 0, indexed_at TEXT, skipped INTEGER NOT NULL DEFAULT 0, write_back INTEGER,
    erasure TEXT,
    UNIQUE (destination, vault, root)
);
CREATE TABLE IF NOT EXISTS files (
    folder INTEGER NOT NULL REFERENCES folders ON DELETE CASCADE, note_id TEXT NOT NULL, path TEXT NOT NULL,
    file TEXT, note TEXT, seen TEXT, reading TEXT,
    PRIMARY KEY (folder, note_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS files_by_note ON files (note_id);
CREATE TABLE IF NOT EXISTS asked (
    folder INTEGER NOT NULL, note_id TEXT NOT NULL, path TEXT NOT NULL, is_gone INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (folder, note_id), FOREIGN KEY (folder, note_id) REFERENCES files ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS mounts (
    folder INTEGER NOT NULL REFERENCES folders ON DELETE CASCADE, path TEXT NOT NULL, PRIMARY KEY (folder, path)
) WITHOUT ROWID;
"""


NO_FILE = ""
"""Digest of a file that was not there."""


class Stopped(Exception):
    """The pass is not to go on: following ends, or the folder was forgotten."""


class ManifestDamaged(OperatorError):
    """The file was damaged. It has been set aside, and the next call begins a new one."""


@dataclass(frozen=True, slots=True)
class FolderSource:
    """A folder as it goes into one vault of one destination (store and tenant, or server)."""

    destination: str
    vault: str
    root: Path
    """Absolute, without links."""

    def __post_init__(self) -> None:
        """Raises InvalidArgument for a path that no database can hold."""
        try:
            str(self.root).encode()
        except UnicodeEncodeError:
            shown = str(self.root).encode(errors="replace").decode()
            raise InvalidArgument(
                "path",
                f"names in UTF-8, got {shown}: rename what it shows as ?",
            ) from None


@dataclass(frozen=True, slots=True)
class SyncedState:
    """A file and its note when they were last brought together. Digests are None if they never were."""

    path: str
    """Path of the file, below its folder."""
    file_digest: str | None = None
    """Digest of the file's bytes; NO_FILE for a note that had neither been saved nor had a file."""
    note_digest: str | None = None
    """Digest of the note."""
    note_updated: str | None = None
    """Time of the note's last change until then, as its store says."""
    content_digest: str | None = None
    """Digest of what the file says; None if the note says more than the file can.

    It is written before the note is, so that an import that dies in between recognises what it wrote.
    """

    @classmethod
    def before_both(cls, path: str) -> SyncedState:
        """Returns the state of a note that is about to be saved and to get a file.

        It is recorded before the note is saved: if the process dies before it writes the file, the
        next import finds a note that is new since then.
        """
        return cls(path, file_digest=NO_FILE)

    @property
    def had_no_file(self) -> bool:
        """Reports whether there was no file, and a note is expected that gets one."""
        return self.file_digest == NO_FILE


@dataclass(frozen=True, slots=True)
class ImportSnapshot:
    """Notes as an import finds them."""

    synced: Mapping[str, SyncedState]
    """Files of this folder as last read, by note id."""
    foreign: frozenset[str]
    """Ids of notes that came from other folders."""


@dataclass(frozen=True, slots=True)
class MissingFile:
    """A file that is gone together with many others."""

    path: str
    """The folder that a person is asked about, below the followed one; empty for the followed folder itself."""
    is_gone: bool
    """True if a person has said that it was deleted; False while the question is open."""


@dataclass(frozen=True, slots=True)
class FollowedFolder:
    """A folder that was imported before."""

    source: FolderSource
    notes: int
    finished: bool
    """True if the last import came to its end."""
    skipped: int
    """Number of files that the last import left out."""
    indexed_at: datetime | None
    write_back: bool | None
    """True if changes to a note elsewhere are written into its file; None if that is not decided yet."""


@dataclass(slots=True)
class Manifest:
    """The manifest of a home, whose file is made by the first import."""

    file: Path
    _connection: sqlite3.Connection | None = None
    """Open within `kept_open`."""
    _turn: threading.RLock = field(default_factory=threading.RLock)

    @classmethod
    def of(cls, home: Path) -> Manifest:
        return cls(home / "folders.db")

    def knows(self, source: FolderSource) -> bool:
        """Reports whether the folder was imported before and not forgotten since, even if it has no notes."""
        with self._reading() as db:
            return _folder_id(db, source) is not None

    def folders(self, destination: str) -> tuple[FollowedFolder, ...]:
        """Returns each folder that goes into this destination, by its path."""
        query = (
            "SELECT vault, root, count(files.note_id) AS notes, finished, skipped, indexed_at, write_back"
            " FROM folders LEFT JOIN files ON files.folder = folders.id"
            " WHERE destination = ? GROUP BY folders.id ORDER BY root, vault"
        )
        with self._reading() as db:
            cursor = db.execute(query, (destination,))
            cursor.row_factory = sqlite3.Row
            return tuple(_followed_folder(destination, row) for row in cursor)

    def files(self, source: FolderSource) -> dict[str, SyncedState]:
        """Returns each of the folder's files as last read, by note id."""
        with self._reading() as db:
            return _files(db, _folder_id(db, source))

    def read(self, source: FolderSource, note_id: str) -> SyncedState | None:
        """Returns a file as last read, and None if it never was."""
        query = "SELECT path, file, note, seen, reading FROM files WHERE folder = ? AND note_id = ?"
        with self._reading() as db:
            row = db.execute(query, (_folder_id(db, source), note_id)).fetchone()
        return None if row is None else SyncedState(*row)

    def origin(self, destination: str, note_id: str) -> tuple[FollowedFolder, SyncedState] | None:
        """Returns the folder that a note came from, and its file as last read; None if it came from
        no folder.
        """
        query = "SELECT vault, root FROM folders JOIN files ON folder = id WHERE destination = ? AND note_id = ?"
        with self._reading() as db:
            row = db.execute(query, (destination, note_id)).fetchone()
        if row is None:
            return None
        vault, root = row
        source = FolderSource(destination, vault, Path(root))
        state = self.read(source, note_id)
        for folder in self.folders(destination):
            if folder.source == source and state is not None:
                return folder, state

        return None

    def file_of(self, note_id: str, path: str) -> Path | None:
        """Returns the file on this machine that the note at this path came from; None if it is not
        there (any more).
        """
        query = "SELECT root FROM folders JOIN files ON folder = id WHERE note_id = ?"
        with self._reading() as db:
            roots = [Path(root) for (root,) in db.execute(query, (note_id,))]
        for root in roots:
            file = root / path
            if file.is_file():
                return file

        return None

    def forget_erased(self, source: FolderSource, last_erasure: str) -> None:
        """Forgets the folder if it was imported before this erasure, which removed its notes."""
        self._change("DELETE FROM folders WHERE erasure <> ? AND id = ?", source, last_erasure)

    def begin(
        self,
        source: FolderSource,
        planned: Mapping[str, str],
        last_erasure: str = "",
        *,
        known_only: bool = False,
    ) -> ImportSnapshot:
        """Records the notes that may be there from now on, so that an import that is broken off
        leaves no unknown note. A note of another folder stays that folder's.

        planned: note id -> path of its file.
        last_erasure: number of the last erasure before the import.
        known_only: raise Stopped for a folder that is not known, or was forgotten.

        Raises Erased if another import began after a later erasure.
        """
        notes_of_other_folders = "SELECT note_id FROM files JOIN folders ON id = folder WHERE destination = ? AND id <> ?"
        with self._writing() as db:
            if known_only and _folder_id(db, source) is None:
                raise Stopped
            names = (source.destination, source.vault, str(source.root))
            db.execute(
                "INSERT OR IGNORE INTO folders (destination, vault, root) VALUES (?, ?, ?)",
                names,
            )
            folder = _folder_id(db, source)
            entered = db.execute(
                "UPDATE folders SET erasure = :erasure "
                "WHERE id = :folder AND coalesce(erasure, :erasure) = :erasure",
                {"erasure": last_erasure, "folder": folder},
            )
            if not entered.rowcount:  # another import began after another erasure
                raise Erased
            db.execute("UPDATE folders SET finished = 0 WHERE id = ?", (folder,))
            synced = _files(db, folder)
            rows = db.execute(notes_of_other_folders, (source.destination, folder))
            foreign = frozenset(note_id for (note_id,) in rows)
            new_files = [
                (folder, note_id, path)
                for note_id, path in planned.items()
                if note_id not in foreign
            ]
            db.executemany(
                "INSERT OR IGNORE INTO files (folder, note_id, path) VALUES (?, ?, ?)",
                new_files,
            )

        return ImportSnapshot(synced, foreign)

    def intend(self, source: FolderSource, note_id: str, content_digest: str) -> None:
        """Records that the note is about to become what the file says."""
        self._change(
            "UPDATE files SET reading = ? WHERE note_id = ? AND folder = ?",
            source,
            content_digest,
            note_id,
        )

    def record(self, source: FolderSource, note_id: str, state: SyncedState) -> None:
        """Records that file and note were brought together. A forgotten folder stays forgotten."""
        self._change(
            "INSERT OR REPLACE INTO files SELECT id, ?, ?, ?, ?, ?, ? FROM folders WHERE id = ?",
            source,
            note_id,
            state.path,
            state.file_digest,
            state.note_digest,
            state.note_updated,
            state.content_digest,
        )

    def drop(self, source: FolderSource, note_id: str) -> None:
        """Forgets a file and its note."""
        self._change("DELETE FROM files WHERE note_id = ? AND folder = ?", source, note_id)

    def end(self, source: FolderSource, *, skipped: int) -> None:
        """Records that the import has come to its end."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._change(
            "UPDATE folders SET finished = 1, indexed_at = ?, skipped = ? WHERE id = ?",
            source,
            now,
            skipped,
        )

    def missing_files(self, source: FolderSource) -> dict[str, MissingFile]:
        """Returns the files that a person was asked about, by note id."""
        query = "SELECT note_id, path, is_gone FROM asked WHERE folder = ?"
        with self._reading() as db:
            rows = db.execute(query, (_folder_id(db, source),)).fetchall()
        return {note_id: MissingFile(path, bool(is_gone)) for note_id, path, is_gone in rows}

    def record_missing_files(self, source: FolderSource, files: Mapping[str, MissingFile]) -> None:
        """Replaces the files that a person is asked about, by note id."""
        with self._writing() as db:
            folder = _folder_id(db, source)
            db.execute("DELETE FROM asked WHERE folder = ?", (folder,))
            rows = [
                {
                    "folder": folder,
                    "note_id": note_id,
                    "path": file.path,
                    "is_gone": file.is_gone,
                }
                for note_id, file in files.items()
            ]
            db.executemany(
                "INSERT INTO asked (folder, note_id, path, is_gone) "
                "SELECT :folder, :note_id, :path, :is_gone "
                "WHERE EXISTS (SELECT 1 FROM files WHERE folder = :folder AND note_id = :note_id)",
                rows,
            )

    def confirm_gone(self, source: FolderSource, path: str) -> None:
        """Records that the files asked about at this path are deleted: the next import removes
        their notes.
        """
        statement = "UPDATE asked SET is_gone = 1 WHERE path = ? AND folder = ?"
        self._change(statement, source, path)

    def drop_missing(self, source: FolderSource, path: str) -> None:
        """Forgets the missing files asked about at this path. Their notes stay, without a file."""
        statement = (
            "DELETE FROM files WHERE (folder, note_id) IN "
            "(SELECT folder, note_id FROM asked WHERE path = ? AND folder = ? AND NOT is_gone)"
        )
        self._change(statement, source, path)

    def mounts(self, source: FolderSource) -> frozenset[str]:
        """Returns the folders below this one at which a drive was mounted; an empty path is this one."""
        with self._reading() as db:
            query = "SELECT path FROM mounts WHERE folder = ?"
            return frozenset(path for (path,) in db.execute(query, (_folder_id(db, source),)))

    def record_mounts(self, source: FolderSource, paths: Iterable[str]) -> None:
        """Replaces the folders at which a drive is mounted, or was while its files are asked about."""
        with self._writing() as db:
            folder = _folder_id(db, source)
            db.execute("DELETE FROM mounts WHERE folder = ?", (folder,))
            db.executemany(
                "INSERT INTO mounts SELECT id, ? FROM folders WHERE id = ?",
                [(path, folder) for path in paths],
            )

    def move(self, source: FolderSource, root: Path) -> None:
        """Records the new place of a folder."""
        self._change(
            "UPDATE folders SET root = ? WHERE id = ?",
            source,
            str(root),
        )

    def follow_links(self, destination: str) -> None:
        """Records the new place of each folder whose path leads elsewhere now: it was moved, and a link left behind.

        A link to the place of another folder says nothing of a move: the folder stays where it was.
        """
        sources_by_root = defaultdict[Path, list[FolderSource]](list)
        for folder in self.folders(destination):
            sources_by_root[folder.source.root].append(folder.source)
        used_roots = set(sources_by_root)
        for root, sources in sources_by_root.items():
            # `Path.resolve` fails at links in a circle before Python 3.13.
            real = Path(os.path.realpath(root))
            if real in used_roots or not real.is_dir():
                continue
            for source in sources:
                self.move(source, real)
            used_roots.add(real)

    def write_back(self, source: FolderSource, *, enabled: bool) -> None:
        """Records whether the folder's files are written when their notes are changed elsewhere."""
        self._change("UPDATE folders SET write_back = ? WHERE id = ?", source, enabled)

    def forget(self, source: FolderSource) -> None:
        """Forgets that the folder was ever imported."""
        self._change("DELETE FROM folders WHERE id = ?", source)

    def forget_entered(self, source: FolderSource, last_erasure: str) -> None:
        """Forgets the folder if it was imported after the erasure of this number."""
        statement = "DELETE FROM folders WHERE erasure = ? AND id = ?"
        self._change(statement, source, last_erasure)

    def forget_all(self, destination: str) -> None:
        """Forgets every folder of the destination, also those in a damaged file that was set aside."""
        with suppress(ManifestDamaged), self._writing() as db:
            db.execute("DELETE FROM folders WHERE destination = ?", (destination,))
        _aside(self.file).unlink(missing_ok=True)

    def _change(self, statement: str, source: FolderSource, *values: object) -> None:
        """Executes a statement whose last placeholder is the folder's id."""
        with self._writing() as db:
            db.execute(statement, (*values, _folder_id(db, source)))

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keeps the file open until the end of the block, for one change after another."""
        make_private_folder(self.file.parent)
        with _explained(self.file):
            db = self._connection = _opened(self.file)
            try:
                yield
            finally:
                # SQLite crashes if a thread that Ctrl-C has left at work still uses the connection.
                with self._turn:
                    self._connection = None
                    db.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Yields a connection for reading, which makes no file."""
        if self._connection is None and not self.file.exists():
            with closing(sqlite3.connect(":memory:")) as db:
                db.executescript(SCHEMA)
                yield db
        elif self._connection is None and not is_writable(self.file):
            address = f"{self.file.absolute().as_uri()}?mode=ro&immutable=1"
            with _explained(self.file), closing(sqlite3.connect(address, uri=True)) as db:
                if not _is_current(db):
                    raise OperatorError(
                        f"{self.file} is of an earlier version and read-only: open it once where it can be written",
                    )
                yield db
        else:
            with self._writing() as db:
                yield db

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Yields a connection within one transaction, rolled back if the block raises; threads take
        turns.
        """
        with self._turn, _explained(self.file):
            if self._connection is not None:
                with self._connection:
                    self._connection.execute("BEGIN IMMEDIATE")
                    yield self._connection
            else:
                make_private_folder(self.file.parent)
                with closing(_opened(self.file)) as db, db:
                    db.execute("BEGIN IMMEDIATE")
                    yield db


def _opened(file: Path) -> sqlite3.Connection:
    """Returns a connection to the file. A damaged file is set aside, and a new one begun."""
    try:
        return _connected(file)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        if not _is_damage(error):
            raise
    _set_aside(file)
    return _connected(file)


def _is_damage(error: sqlite3.DatabaseError | UnicodeDecodeError) -> bool:
    """Reports whether the file is at fault, and not its disk, its rights or another process that
    uses it.
    """
    if isinstance(error, sqlite3.ProgrammingError):  # of ours
        return False
    if not isinstance(error, sqlite3.OperationalError):
        return True
    return is_undecodable(error) or is_broken_schema(error)


def _set_aside(file: Path) -> None:
    """Renames a damaged file, so that a new one is begun, and logs this once."""
    with suppress(OSError):  # another process was faster, or the disk takes no writes
        file.replace(_aside(file))
        file.with_name(f"{file.name}-journal").unlink(missing_ok=True)
        _logger.warning(
            "%s was damaged and is %s now: which folders were followed is not known any more. "
            "No note is lost; aurora index or the page follows each folder again",
            file,
            _aside(file).name,
        )


def _aside(file: Path) -> Path:
    return file.with_name(f"{file.name}.damaged")


def _connected(file: Path) -> sqlite3.Connection:
    """Returns a connection to the file, with its tables.

    A rollback journal leaves no files beside this one. A lost one costs a question to a person, so
    nothing is synced to the disk.
    """
    make_private_file(file)
    db = sqlite3.connect(
        file,
        timeout=LOCK_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        db.executescript("PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON;")
        if not _is_current(db):
            with db:  # one process makes the tables, others wait for it
                db.execute("BEGIN IMMEDIATE")
                for statement in filter(str.strip, SCHEMA.split(";")):
                    db.execute(statement)
                if "erasure" not in _columns_of_folders(db):
                    db.execute("ALTER TABLE folders ADD COLUMN erasure TEXT")
    except BaseException:
        db.close()
        raise

    return db


def _is_current(db: sqlite3.Connection) -> bool:
    """Reports whether the file has every table and column; one of an earlier version, or a new one,
    has not.
    """
    last_table = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'mounts'").fetchone()
    return last_table is not None and "erasure" in _columns_of_folders(db)


def _columns_of_folders(db: sqlite3.Connection) -> set[str]:
    return {name for _, name, *_ in db.execute("PRAGMA table_info(folders)")}


@contextmanager
def _explained(file: Path) -> Iterator[None]:
    """Raises SQLite's errors as ours."""
    try:
        yield
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        if not _is_damage(error):
            raise OperatorError(f"{file}: {error}") from error
    else:
        return

    if not is_writable(file):
        raise OperatorError(f"{file} is damaged and read-only: delete it where it can be written")
    _set_aside(file)
    raise ManifestDamaged(f"{file} was damaged and has been set aside: try again")


def _folder_id(db: sqlite3.Connection, source: FolderSource) -> int | None:
    names = (source.destination, source.vault, str(source.root))
    row = db.execute(
        "SELECT id FROM folders WHERE destination = ? AND vault = ? AND root = ?",
        names,
    ).fetchone()
    return None if row is None else int(row[0])


def _files(db: sqlite3.Connection, folder: int | None) -> dict[str, SyncedState]:
    query = "SELECT note_id, path, file, note, seen, reading FROM files WHERE folder = ?"
    return {note_id: SyncedState(*columns) for note_id, *columns in db.execute(query, (folder,))}


def _followed_folder(destination: str, row: sqlite3.Row) -> FollowedFolder:
    indexed_at = None
    if row["indexed_at"] is not None:
        with suppress(ValueError, TypeError):  # changed by the disk: the time is only shown
            indexed_at = datetime.fromisoformat(row["indexed_at"])

    write_back = None
    if row["write_back"] is not None:
        write_back = bool(row["write_back"])
    return FollowedFolder(
        source=FolderSource(destination, row["vault"], Path(row["root"])),
        notes=row["notes"],
        finished=bool(row["finished"]),
        skipped=row["skipped"],
        indexed_at=indexed_at,
        write_back=write_back,
    )
