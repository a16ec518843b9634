"""The tables of a tenant's file, and whether a file is one of ours."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path

from shared.errors import OperatorError

APPLICATION_ID = 0x4175726F
"""`Auro`, in the header of every file of ours."""

SCHEMA_VERSION = 2

_TRASH = (
    "CREATE INDEX notes_by_path ON notes (vault, path)",
    """CREATE TABLE trash (
        trash_id TEXT PRIMARY KEY, trashed_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, reason TEXT NOT NULL,
        note_id TEXT NOT NULL, vault TEXT NOT NULL, updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
        title TEXT NOT NULL, path TEXT NOT NULL, tags TEXT NOT NULL, lang TEXT, text TEXT NOT NULL)""",
)

_ADDED: Mapping[int, tuple[str, ...]] = {2: _TRASH}
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
    # `id` grows with created_at, see rows.first_id_at: newest first is a walk down the table, or down a posting list.
    """CREATE TABLE chunks (
        id INTEGER PRIMARY KEY, chunk_id TEXT NOT NULL UNIQUE, note_id TEXT NOT NULL, position INTEGER NOT NULL,
        title TEXT NOT NULL, heading_path TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
        utf16_start INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, vault TEXT NOT NULL,
        path TEXT NOT NULL, tags TEXT NOT NULL, scopes TEXT NOT NULL, length INTEGER NOT NULL,
        text_hash TEXT NOT NULL, index_version TEXT NOT NULL, note_revision TEXT NOT NULL, terms TEXT NOT NULL,
        text TEXT NOT NULL)""",
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
    "CREATE TABLE shelf (template_id TEXT PRIMARY KEY, revision TEXT NOT NULL)",
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
        day TEXT PRIMARY KEY, answers INTEGER NOT NULL DEFAULT 0, embedded_tokens INTEGER NOT NULL DEFAULT 0)""",
    # `note_ids`: JSON, id -> revision.
    """CREATE TABLE requests (
        request_id TEXT PRIMARY KEY, token INTEGER NOT NULL, expires_at INTEGER NOT NULL, lease_until INTEGER,
        fingerprint TEXT NOT NULL, note_ids TEXT NOT NULL, answer TEXT)""",
    *_TRASH,
)


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
    db.execute("BEGIN IMMEDIATE")
    try:
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
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
