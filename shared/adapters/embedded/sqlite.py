"""One SQLite file: its tables, and how it is opened and removed."""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from shared.adapters.private import make_private_file
from shared.adapters.sqlite_files import code_of, is_undecodable, is_writable

APPLICATION_ID = 0x4175726F
"""`Auro`, in the header of every file of ours."""

SCHEMA_VERSION = 9

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

DOCUMENTS = ("trash", "sessions", "messages", "templates", "feedback", "requests")
"""Tables of `collections`. Their last column is the checksum of all others, in their order."""

# Of all columns of the row, of a vector but `id` and `revision`; NULL: it was written before there were checksums.
_CHECKSUMS = tuple(
    f"ALTER TABLE {table} ADD COLUMN checksum INTEGER"
    for table in ("vectors", "kept_vectors", *DOCUMENTS)
)

CHECKSUM_VERSION = 7
"""The schema version that brought checksums: notes of earlier ones get theirs when the file is first opened."""

_DUE_RECORDS = (
    "CREATE INDEX due_records ON records (status = 'failed', due_at, note_id) WHERE due_at NOTNULL"
)

ADDED: Mapping[int, tuple[str, ...]] = {
    2: _TRASH,
    3: tuple(
        f"ALTER TABLE usage ADD COLUMN {name} INTEGER NOT NULL DEFAULT 0"
        for name in ("searches", "micro_usd")
    ),
    4: ("ALTER TABLE chunks ADD COLUMN properties TEXT NOT NULL DEFAULT '[]'",),
    5: ("ALTER TABLE records ADD COLUMN kept TEXT NOT NULL DEFAULT ''", *_KEPT_VECTORS),
    6: ("ALTER TABLE usage ADD COLUMN index_writes INTEGER NOT NULL DEFAULT 0",),
    # Of all columns of the row; NULL: it was written before there were checksums.
    7: tuple(f"ALTER TABLE {table} ADD COLUMN checksum INTEGER" for table in ("notes", "chunks")),
    8: (
        "ALTER TABLE records ADD COLUMN due_at INTEGER",
        "ALTER TABLE records ADD COLUMN attempted TEXT NOT NULL DEFAULT ''",
        # At the next sweep, but for notes that are at fault themselves.
        "UPDATE records SET due_at = indexed_at WHERE status = 'pending_embeddings' OR attempts > 0",
        "DROP INDEX IF EXISTS unfinished_records",
        _DUE_RECORDS,
    ),
    9: _CHECKSUMS,
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
        title TEXT NOT NULL, path TEXT NOT NULL, tags TEXT NOT NULL, lang TEXT, text TEXT NOT NULL,
        checksum INTEGER)""",
    """CREATE TABLE records (
        note_id TEXT PRIMARY KEY, token INTEGER NOT NULL, note_revision TEXT NOT NULL, status TEXT NOT NULL,
        chunk_count INTEGER NOT NULL, index_version TEXT NOT NULL, indexed_at INTEGER NOT NULL, error TEXT,
        attempts INTEGER NOT NULL, lease_until INTEGER, kept TEXT NOT NULL DEFAULT '', due_at INTEGER,
        attempted TEXT NOT NULL DEFAULT '')""",
    _DUE_RECORDS,
    # `id` grows with created_at, see ids_of_second: newest first is a walk down the table, or down a posting list.
    """CREATE TABLE chunks (
        id INTEGER PRIMARY KEY, chunk_id TEXT NOT NULL UNIQUE, note_id TEXT NOT NULL, position INTEGER NOT NULL,
        title TEXT NOT NULL, heading_path TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
        utf16_start INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, vault TEXT NOT NULL,
        path TEXT NOT NULL, tags TEXT NOT NULL, scopes TEXT NOT NULL, length INTEGER NOT NULL,
        text_hash TEXT NOT NULL, index_version TEXT NOT NULL, note_revision TEXT NOT NULL, terms TEXT NOT NULL,
        text TEXT NOT NULL, properties TEXT NOT NULL DEFAULT '[]', checksum INTEGER)""",
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
        searches INTEGER NOT NULL DEFAULT 0, micro_usd INTEGER NOT NULL DEFAULT 0,
        index_writes INTEGER NOT NULL DEFAULT 0)""",
    # `note_ids`: JSON, id -> revision.
    """CREATE TABLE requests (
        request_id TEXT PRIMARY KEY, token INTEGER NOT NULL, expires_at INTEGER NOT NULL, lease_until INTEGER,
        fingerprint TEXT NOT NULL, note_ids TEXT NOT NULL, answer TEXT)""",
    *_TRASH,
    *_CHECKSUMS,
)


NOTE_COLUMNS = (
    "note_id", "title", "text", "created_at", "updated_at", "vault", "path", "tags", "lang",
)  # fmt: skip
"""Columns of a note in the order in which its checksum is made."""


def checksum_of(values: Iterable[object]) -> int:
    """Returns the CRC-32 of the columns of a row, which finds every burst of up to 32 changed bits."""
    checksum = 0
    for value in values:
        if isinstance(value, bytes):
            # A blob is told from the text of the same bytes.
            checksum = zlib.crc32(value, zlib.crc32(b"\0", checksum))
        else:
            checksum = zlib.crc32(str(value).encode("utf-8", "surrogatepass"), checksum)
        checksum = zlib.crc32(b"\x1f", checksum)
    return checksum


class _Undecodable(bytes):
    """A text that is no UTF-8 any more."""


class UndecodableRow(tuple[Any, ...]):
    """A row of which a text is no UTF-8 any more, and stands in it as bytes."""

    __slots__ = ()


def fetch_rows(
    db: sqlite3.Connection,
    query: str,
    values: Sequence[object] | Mapping[str, object] = (),
) -> list[tuple[Any, ...]]:
    """Returns all rows of a query; one with a text that is no UTF-8 any more is an UndecodableRow."""
    try:
        return db.execute(query, values).fetchall()
    except sqlite3.OperationalError as problem:
        if not is_undecodable(problem):
            raise
    db.text_factory = _text_or_bytes
    try:
        return [_marked(row) for row in db.execute(query, values)]
    finally:
        db.text_factory = str


def streamed(db: sqlite3.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    """Yields the rows of a query as `fetch_rows` returns them, one in memory at a time."""
    db.text_factory = _text_or_bytes
    try:
        for row in db.execute(query):
            yield _marked(row)
    finally:
        db.text_factory = str


def _marked(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the row, as an UndecodableRow if one of its texts is no UTF-8 any more."""
    if any(isinstance(value, _Undecodable) for value in row):
        return UndecodableRow(row)
    return row


def with_replacements(row: Sequence[Any]) -> tuple[Any, ...]:
    """Returns the row with U+FFFD in its texts for what is no UTF-8 any more."""
    values = []
    for value in row:
        if isinstance(value, _Undecodable):
            value = value.decode(errors="replace")  # noqa: PLW2901 - the same value
        values.append(value)
    return tuple(values)


def _text_or_bytes(raw: bytes) -> str | _Undecodable:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return _Undecodable(raw)


def fill_checksums(db: sqlite3.Connection) -> None:
    """Writes the checksums of notes that were saved before there were any, as the notes are now.

    A damaged page ends this, and the file is opened all the same: notes behind it go without.
    """
    columns = ", ".join(NOTE_COLUMNS)
    try:
        # By the rows' own ids: those of notes may be damaged.
        row_ids = db.execute("SELECT rowid FROM notes WHERE checksum IS NULL").fetchall()
        query = f"SELECT {columns} FROM notes WHERE rowid = ?"
        statement = "UPDATE notes SET checksum = ? WHERE rowid = ?"
        for (row_id,) in row_ids:
            (values,) = fetch_rows(db, query, (row_id,))
            db.execute(statement, (checksum_of(values), row_id))
    except sqlite3.DatabaseError as problem:
        if code_of(problem) != sqlite3.SQLITE_CORRUPT:
            raise


def opened(
    path: Path,
    patience: float,
    prepare: Callable[[sqlite3.Connection], object],
) -> sqlite3.Connection:
    """Returns a connection on which `prepare` went through.

    While somebody else makes the file, or closes it as the last, SQLite answers "busy" at once: we wait.
    """
    until = time.monotonic() + patience
    while True:
        # Autocommit: transactions are begun by name. Threads hand connections on, one uses each at a time.
        make_private_file(path)
        identity = _identity(path)
        db = sqlite3.connect(
            _address(path),
            uri=True,
            timeout=patience,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            prepare(db)
            if _was_replaced(path, identity):
                db.close()  # removed while it was being opened
                continue
        except sqlite3.OperationalError as problem:
            db.close()
            is_busy = code_of(problem) == sqlite3.SQLITE_BUSY
            can_pass = is_busy or _was_replaced(path, identity)
            if not can_pass or time.monotonic() > until:
                raise
            time.sleep(0.005)
        except BaseException:
            db.close()
            raise
        else:
            return db


def _address(path: Path) -> str:
    """Returns the file's URI.

    One that cannot be written is read without a log beside it, unless a log with commits is there.
    """
    uri = path.absolute().as_uri()
    if is_writable(path):
        return uri
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size > 0:
        return f"{uri}?mode=ro"
    return f"{uri}?mode=ro&immutable=1"


def _was_replaced(path: Path, identity: tuple[int, int] | None) -> bool:
    """Reports whether the file is gone, or another than the one that was there before."""
    current = _identity(path)
    if current is None:
        return True
    return identity is not None and identity != current


def _identity(path: Path) -> tuple[int, int] | None:
    """Returns device and inode of the file, which tell it from another of its name; None if there is none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def removed(path: Path) -> bool:
    """Deletes an empty file that no other process has open, its log included. Returns False if it stays."""
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
        is_empty = not used_tables(db)
        if is_empty:
            path.unlink()
        return is_empty


def own_tables(db: sqlite3.Connection) -> list[str]:
    """Returns every table that holds a tenant's own, also those that are added to the schema later."""
    reader = db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('state', 'vocabulary') "
        "AND name NOT LIKE 'postings%' AND name NOT LIKE 'sqlite%' ORDER BY name",
    )
    return [name for (name,) in reader]


def used_tables(db: sqlite3.Connection) -> set[str]:
    """Returns those of `own_tables` that hold a row."""
    used = set()
    for table in own_tables(db):
        row = db.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone()
        if row is not None:
            used.add(table)
    return used
