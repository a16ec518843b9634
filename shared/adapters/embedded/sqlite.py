"""One SQLite file: its tables, and how it is opened and removed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

APPLICATION_ID = 0x4175726F
"""`Auro`, in the header of every file of ours."""

SCHEMA_VERSION = 5

_TRASH = (
    "CREATE INDEX notes_by_path ON notes (vault, path)",
    """CREATE TABLE trash (
        trash_id TEXT PRIMARY KEY, trashed_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, reason TEXT NOT NULL,
        note_id TEXT NOT NULL, vault TEXT NOT NULL, updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
        title TEXT NOT NULL, path TEXT NOT NULL, tags TEXT NOT NULL, lang TEXT, text TEXT NOT NULL)""",
)
# Second vectors of chunks, as `vectors` otherwise.
_KEPT_VECTORS = (
    """CREATE TABLE kept_vectors (
        id INTEGER PRIMARY KEY, index_version TEXT NOT NULL, revision INTEGER NOT NULL, vector BLOB NOT NULL)""",
    "CREATE INDEX kept_vectors_by_revision ON kept_vectors (revision)",
)

ADDED: Mapping[int, tuple[str, ...]] = {
    2: _TRASH,
    3: tuple(f"ALTER TABLE usage ADD COLUMN {name} INTEGER NOT NULL DEFAULT 0" for name in ("searches", "micro_usd")),
    4: ("ALTER TABLE chunks ADD COLUMN properties TEXT NOT NULL DEFAULT '[]'",),
    5: ("ALTER TABLE records ADD COLUMN kept TEXT NOT NULL DEFAULT ''", *_KEPT_VECTORS),
}
"""Schema version -> what it added to the one before."""

TABLES = (
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
        attempts INTEGER NOT NULL, lease_until INTEGER, kept TEXT NOT NULL DEFAULT '')""",
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
    *_KEPT_VECTORS,
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
            if not (gone or code_of(problem) == sqlite3.SQLITE_BUSY) or time.monotonic() > until:
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
            if code_of(problem) == sqlite3.SQLITE_BUSY:
                return False
            raise
        (notes,) = db.execute("SELECT count(*) FROM notes").fetchone()
        if not notes:
            path.unlink()
        return not notes


def code_of(problem: sqlite3.Error) -> int:
    """SQLite's primary result code; OK for errors that Python's module raises itself."""
    return int(getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_OK)) & 0xFF
