"""One change of a note's chunks: rows, posting lists and vectors move together."""

from __future__ import annotations

import json
import sqlite3

from shared.adapters.embedded import rows, tokens
from shared.model.index import IndexChange, IndexedChunk, Vector

KEPT_REMOVALS = 1000
"""For how many revisions the ids of removed vectors are kept; a reader that is further behind reads all anew."""

_CHUNK_MARKS = ", ".join("?" * 20)
_CHUNK_INSERT = f"INSERT INTO chunks ({rows.CHUNK_COLUMNS}, id) VALUES ({_CHUNK_MARKS}, ?)"
_CHUNK_UPDATE = f"UPDATE chunks SET ({rows.CHUNK_COLUMNS}) = ({_CHUNK_MARKS}) WHERE id = ?"


class ChunkChanges:
    """One revision of the tenant's chunks, their posting lists and vectors."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        (self._revision,) = db.execute("UPDATE state SET revision = revision + 1 RETURNING revision").fetchone()
        self._chunks = self._length = 0
        """By how much the tenant's chunks, and the sum of their lengths, grow."""

    def apply(self, change: IndexChange) -> None:
        for chunk_id in change.remove:
            self._remove(chunk_id)
        # In the order of ids: FTS5 starts another segment whenever a row id is less than the one before.
        for put in sorted(change.put, key=lambda put: (put.chunk.created_at, put.chunk.position)):
            row_id = self._write(put.chunk)
            if put.vector is None:
                self._remove_vector(row_id)
            else:
                self._write_vector(row_id, put.chunk.index_version, put.vector)
        for chunk in change.patch:
            self._write(chunk)
        for chunk_id, vector in change.vectors:
            found = self._db.execute("SELECT id, index_version FROM chunks WHERE chunk_id = ?", (chunk_id,)).fetchone()
            if found is not None:
                row_id, index_version = found
                self._write_vector(row_id, index_version, vector)
        # Once a change: between two postings, an UPDATE makes FTS5 write what it has gathered as a segment of its own.
        self._db.execute(
            "UPDATE state SET chunk_count = chunk_count + ?, total_length = total_length + ?",
            (self._chunks, self._length),
        )
        self._db.execute("DELETE FROM removed_vectors WHERE revision <= ?", (self._revision - KEPT_REMOVALS,))

    def _write(self, chunk: IndexedChunk) -> int:
        """Create or replace all but the vector. Returns the row's id."""
        row = rows.chunk_row(chunk)
        old = self._db.execute(
            "SELECT id, created_at, terms, scopes, length, index_version FROM chunks WHERE chunk_id = ?",
            (chunk.chunk_id,),
        ).fetchone()
        if old is None:
            row_id = self._free_id(row[rows.CREATED_AT])
            self._db.execute(_CHUNK_INSERT, (*row, row_id))
            self._count(1, chunk.length)
            self._write_postings(row_id, row)
            return row_id
        return self._overwrite(old, row, chunk)

    def _overwrite(self, old: rows.Row, row: rows.Row, chunk: IndexedChunk) -> int:
        row_id, created_at, terms, scopes, length, index_version = old
        target: int = row_id
        if rows.first_id_at(created_at) != rows.first_id_at(row[rows.CREATED_AT]):
            target = self._free_id(row[rows.CREATED_AT])
        if target != row_id or (terms, scopes) != (row[rows.TERMS], row[rows.SCOPES]):
            self._remove_postings(row_id, terms, scopes)
            self._write_postings(target, row)
        self._db.execute(_CHUNK_UPDATE, (*row, row_id))
        if target != row_id:
            self._db.execute("UPDATE chunks SET id = ? WHERE id = ?", (target, row_id))
        if target != row_id or index_version != chunk.index_version:
            self._move_vector(row_id, target, chunk.index_version)
        self._count(0, chunk.length - length)
        return target

    def _remove(self, chunk_id: str) -> None:
        old = self._db.execute(
            "DELETE FROM chunks WHERE chunk_id = ? RETURNING id, terms, scopes, length", (chunk_id,)
        ).fetchone()
        if old is not None:
            row_id, terms, scopes, length = old
            self._remove_postings(row_id, terms, scopes)
            self._remove_vector(row_id)
            self._count(-1, -length)

    def _free_id(self, created_at: int) -> int:
        """The next in its second: see rows.first_id_at."""
        first = rows.first_id_at(created_at)
        (last,) = self._db.execute(
            "SELECT max(id) FROM chunks WHERE id >= ? AND id < ?", (first, rows.id_past(created_at))
        ).fetchone()
        return first if last is None else int(last) + 1

    def _count(self, chunks: int, length: int) -> None:
        self._chunks += chunks
        self._length += length

    def _write_postings(self, row_id: int, row: rows.Row) -> None:
        content = tokens.posting_tokens(row[rows.TERMS], json.loads(row[rows.SCOPES]))
        self._db.execute("INSERT INTO postings (rowid, tokens) VALUES (?, ?)", (row_id, content))

    def _remove_postings(self, row_id: int, terms: str, scopes: str) -> None:
        """A contentless table forgets a row only when it is told exactly what stood in it."""
        content = tokens.posting_tokens(terms, json.loads(scopes))
        self._db.execute("INSERT INTO postings (postings, rowid, tokens) VALUES ('delete', ?, ?)", (row_id, content))

    def _write_vector(self, row_id: int, index_version: str, vector: Vector) -> None:
        self._remove_vector(row_id)
        row = (row_id, index_version, self._revision, vector.tobytes())
        self._db.execute("INSERT INTO vectors (id, index_version, revision, vector) VALUES (?, ?, ?, ?)", row)

    def _remove_vector(self, row_id: int) -> None:
        if self._db.execute("DELETE FROM vectors WHERE id = ?", (row_id,)).rowcount:
            self._note_removal(row_id)

    def _move_vector(self, row_id: int, target: int, index_version: str) -> None:
        moved = self._db.execute(
            "UPDATE vectors SET id = ?, index_version = ?, revision = ? WHERE id = ?",
            (target, index_version, self._revision, row_id),
        ).rowcount
        if moved:
            self._note_removal(row_id)

    def _note_removal(self, row_id: int) -> None:
        """Also of vectors that are replaced: a reader drops what is noted, then reads what is newer."""
        self._db.execute("INSERT OR IGNORE INTO removed_vectors (revision, id) VALUES (?, ?)", (self._revision, row_id))
