"""One SQLite file: its tables, how it is opened and removed, a transaction, and SQLite's errors as ours."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from shared.errors import InvalidArgument, OperatorError, StoreUnavailable

APPLICATION_ID = 0x4175726F
"""`Auro`, in the header of every file of ours."""

SCHEMA_VERSION = 4

_TRASH = (
    "CREATE INDEX notes_by_path ON notes (vault, path)",
    """CREATE TABLE trash (
        trash_id TEXT PRIMARY KEY, trashed_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, reason TEXT NOT NULL,
        note_id TEXT NOT NULL, vault TEXT NOT NULL, updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
        title TEXT NOT NULL, path TEXT NOT NULL, tags TEXT NOT NULL, lang TEXT, text TEXT NOT NULL)""",
)

_COUNTERS = tuple(
    f"ALTER TABLE usage ADD COLUMN {name} INTEGER NOT NULL DEFAULT 0" for name in ("searches", "micro_usd")
)

_PROPERTIES = ("ALTER TABLE chunks ADD COLUMN properties TEXT NOT NULL DEFAULT '[]'",)

_ADDED: Mapping[int, tuple[str, ...]] = {2: _TRASH, 3: _COUNTERS, 4: _PROPERTIES}
"""Schema version -> what it added to the one before."""

_TABLES = (
    # One row. `token` numbers changes of records, `revision` changes of chunks; both only grow.
    """CREATE TABLE state (
        tenant_id TEXT NOT NULL, token INTEGER NOT NULL, revision INTEGER NOT NULL,
        chunk_count INTEGER NOT NULL, total_length INTEGER NOT NULL)""",
    # Long columns last: SQLite reads a row only as far as it must.
    """CREATE TABLE notes (
        note_id TEXT PRIMARY KEY, vault TEXT NOT NULL, updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
        title TEXT NOT NULL, path TEXT NOT NULL, tags TEXT NOT NULL, lang TEXT, text TEXT NOT NULL)""",
    """CREATE TABLE records (
        note_id TEXT PRIMARY KEY, token INTEGER NOT NULL, note_revision TEXT NOT NULL, status TEXT NOT NULL,
        chunk_count INTEGER NOT NULL, index_version TEXT NOT NULL, indexed_at INTEGER NOT NULL, error TEXT,
        attempts INTEGER NOT NULL, lease_until INTEGER)""",
    "CREATE INDEX unfinished_records ON records (indexed_at, note_id) WHERE status <> 'indexed'",
    # `id` grows with created_at, see ids_at: newest first is a walk down the table, or down a posting list.
    """CREATE TABLE chunks (
        id INTEGER PRIMARY KEY, chunk_id TEXT NOT NULL UNIQUE, note_id TEXT NOT NULL, position INTEGER NOT NULL,
        title TEXT NOT NULL, heading_path TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
        utf16_start INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, vault TEXT NOT NULL,
        path TEXT NOT NULL, tags TEXT NOT NULL, scopes TEXT NOT NULL, length INTEGER NOT NULL,
        text_hash TEXT NOT NULL, index_version TEXT NOT NULL, note_revision TEXT NOT NULL, terms TEXT NOT NULL,
        text TEXT NOT NULL, properties TEXT NOT NULL DEFAULT '[]')""",
    "CREATE INDEX chunks_of_note ON chunks (note_id, position)",
    "CREATE INDEX chunks_by_place ON chunks (vault, path)",
    # Contentless, without positions: only posting lists are kept. The terms column holds what a deletion needs.
    "CREATE VIRTUAL TABLE postings USING fts5 (tokens, content='', columnsize=0, detail=none, tokenize='ascii')",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab (postings, row)",
    # `revision`: which change wrote the vector, so that a reader fetches only what it has not seen.
    """CREATE TABLE vectors (
        id INTEGER PRIMARY KEY, index_version TEXT NOT NULL, revision INTEGER NOT NULL, vector BLOB NOT NULL)""",
    "CREATE INDEX vectors_by_revision ON vectors (revision)",
    """CREATE TABLE removed_vectors (
        revision INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (revision, id)) WITHOUT ROWID""",
    # `body` is the template as JSON.
    "CREATE TABLE templates (template_id TEXT PRIMARY KEY, vector_key TEXT, vector BLOB, body TEXT NOT NULL)",
    # `settings`, and of a message `body`, as JSON.
    """CREATE TABLE sessions (
        session_id TEXT PRIMARY KEY, updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
        message_count INTEGER NOT NULL, title TEXT NOT NULL, first_question TEXT NOT NULL, settings TEXT NOT NULL)""",
    # Ordered as they are listed: a page is one walk.
    """CREATE TABLE messages (
        session_id TEXT NOT NULL, created_at INTEGER NOT NULL, message_id TEXT NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (session_id, created_at, message_id)) WITHOUT ROWID""",
    # `body` is the feedback as JSON.
    "CREATE TABLE feedback (feedback_id TEXT PRIMARY KEY, body TEXT NOT NULL)",
    """CREATE TABLE usage (
        day TEXT PRIMARY KEY, answers INTEGER NOT NULL DEFAULT 0, embedded_tokens INTEGER NOT NULL DEFAULT 0,
        searches INTEGER NOT NULL DEFAULT 0, micro_usd INTEGER NOT NULL DEFAULT 0)""",
    # `note_ids`: JSON, id -> revision.
    """CREATE TABLE requests (
        request_id TEXT PRIMARY KEY, token INTEGER NOT NULL, expires_at INTEGER NOT NULL, lease_until INTEGER,
        fingerprint TEXT NOT NULL, note_ids TEXT NOT NULL, answer TEXT)""",
    *_TRASH,
)

_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_AWAY = {
    sqlite3.SQLITE_BUSY: "another process has been writing to it for too long",
    sqlite3.SQLITE_LOCKED: "another process has been writing to it for too long",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
    sqlite3.SQLITE_NOMEM: "memory is used up",
    sqlite3.SQLITE_PERM: "permission is denied",
    sqlite3.SQLITE_READONLY: "it is read-only",
}
"""SQLite's primary result codes that waiting, or the machine's operator, can cure."""


def opened(path: Path, patience: float, prepare: Callable[[sqlite3.Connection], object]) -> sqlite3.Connection:
    """A connection on which `prepare` went through.

    While somebody else makes the file, or closes it as the last, SQLite answers "busy" at once: we wait.
    """
    until = time.monotonic() + patience
    while True:
        # Autocommit: transactions are begun by name. Threads hand connections on, one uses each at a time.
        before = _identity(path)
        db = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
        try:
            prepare(db)
            now = _identity(path)
            if now is None or before not in (None, now):
                db.close()  # removed while it was being opened
                continue
        except sqlite3.OperationalError as problem:
            db.close()
            gone = _identity(path) is None or before not in (None, _identity(path))
            if not (gone or _code(problem) == sqlite3.SQLITE_BUSY) or time.monotonic() > until:
                raise
            time.sleep(0.005)
        except BaseException:
            db.close()
            raise
        else:
            return db


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file it is, whatever its name; None: there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def removed(path: Path) -> bool:
    """Delete a file without notes that no other process has open, its log included; False: it stays."""
    if not path.exists():
        return True
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as db:
        try:
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            # Leaving the log mode needs the file for oneself: every open connection keeps a lock in it.
            db.execute("PRAGMA journal_mode = DELETE")
            db.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as problem:
            if _code(problem) == sqlite3.SQLITE_BUSY:
                return False
            raise
        (notes,) = db.execute("SELECT count(*) FROM notes").fetchone()
        if not notes:
            path.unlink()
        return not notes


@contextmanager
def transaction(db: sqlite3.Connection, begin: str) -> Iterator[None]:
    db.execute(begin)
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """SQLite's errors as ours, naming the file. Errors that are our own bugs pass as they are."""
    try:
        yield
    except sqlite3.DatabaseError as problem:
        code = _code(problem)
        if code in _DAMAGED:
            mend = "restore it from a backup, or move it away and index again"
            raise OperatorError(f"{path} is damaged ({problem}): {mend}") from problem
        if code in _AWAY:
            raise StoreUnavailable(f"{path}: {_AWAY[code]}") from problem
        raise
    except UnicodeEncodeError as problem:
        raise InvalidArgument("id", "text without lone surrogates") from problem


def _code(problem: sqlite3.Error) -> int:
    """SQLite's primary result code; OK for errors that Python's module raises itself."""
    return int(getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_OK)) & 0xFF


def version_of(db: sqlite3.Connection, path: Path) -> int:
    """The version of its tables; 0: the file is new. Raises OperatorError for a file that is not ours."""
    # In this order, so that tables which another connection makes between two reads never look like a stranger's.
    (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (application,) = db.execute("PRAGMA application_id").fetchone()
    if version == 0 and application == 0 and tables == 0:
        return 0
    if application != APPLICATION_ID:
        raise OperatorError(f"{path} is not a store of Aurora Notes: move it away")
    if version > SCHEMA_VERSION:
        raise OperatorError(
            f"{path} was written by a newer Aurora Notes (schema {version}, this one knows {SCHEMA_VERSION}): upgrade"
        )
    return int(version)


def prepare(db: sqlite3.Connection, path: Path, tenant_id: str) -> None:
    """Make the tables, or add those of later versions, unless another process was faster."""
    if version_of(db, path) == SCHEMA_VERSION:
        return
    db.execute("PRAGMA page_size = 16384")  # of a new file: reads 100,000 vectors in half the time that 4096 takes
    db.execute("PRAGMA journal_mode = WAL")
    with transaction(db, "BEGIN IMMEDIATE"):
        found = version_of(db, path)
        added = (statement for version in range(found + 1, SCHEMA_VERSION + 1) for statement in _ADDED[version])
        for statement in added if found else _TABLES:
            db.execute(statement)
        if not found:
            # Not from 0: after an erasure no number comes again that a cache of the old file may still know.
            first = time.time_ns() // 1000
            db.execute("INSERT INTO state VALUES (?, ?, ?, 0, 0)", (tenant_id, first, first))
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
