"""The index of notes, in their tenant's file: it moves by compare-and-set, all or nothing."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Mapping, Sequence

from shared.adapters.embedded import rows
from shared.adapters.embedded.requests.files import TenantFiles
from shared.adapters.embedded.writing.changes import ChunkChanges
from shared.errors import Conflict
from shared.model.index import Coverage, IndexChange, IndexRecord, StoredChunk, StoredRecord, Vector


class Index:
    """`shared.ports.index.IndexStore`, a transaction a call."""

    _files: TenantFiles

    def read_record(self, tenant_id: str, note_id: str) -> StoredRecord:
        with self._files.of(tenant_id).reading() as db:
            return _record(db, note_id)

    def stored_chunks(self, tenant_id: str, note_id: str) -> tuple[StoredChunk, ...]:
        query = (
            "SELECT chunk_id, text_hash, index_version, note_revision, id IN (SELECT id FROM vectors) FROM chunks "
            "WHERE note_id = ? ORDER BY position, chunk_id"
        )
        with self._files.of(tenant_id).reading() as db:
            found = db.execute(query, (note_id,)).fetchall()
        return tuple(
            StoredChunk(
                chunk_id=chunk_id,
                text_hash=text_hash,
                index_version=index_version,
                note_revision=note_revision,
                has_vector=bool(has_vector),
            )
            for chunk_id, text_hash, index_version, note_revision, has_vector in found
        )

    def read_vectors(self, tenant_id: str, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        query = (
            "SELECT chunk_id, vector FROM chunks JOIN vectors USING (id) "
            "WHERE chunk_id IN (SELECT value FROM json_each(?))"
        )
        with self._files.of(tenant_id).reading() as db:
            return {chunk_id: array("f", vector) for chunk_id, vector in db.execute(query, (json.dumps(chunk_ids),))}

    def apply(self, tenant_id: str, change: IndexChange) -> str | None:
        """Raises Conflict before anything is written."""
        with self._files.of(tenant_id).writing() as db:
            if _record(db, change.note_id).token != change.expected:
                raise Conflict(f"the index of note {change.note_id} has moved")
            if change.put or change.patch or change.vectors or change.remove:
                ChunkChanges(db).apply(change)
            return _write_record(db, change.note_id, change.record)

    def coverage(self, tenant_id: str) -> Coverage:
        """Of notes that exist: a record whose note is gone counts nowhere."""
        query = "SELECT status, count(*) FROM notes LEFT JOIN records USING (note_id) GROUP BY status"
        with self._files.of(tenant_id).reading() as db:
            counts: dict[str | None, int] = dict(db.execute(query).fetchall())
        return Coverage(
            notes=sum(counts.values()),
            indexed=counts.get("indexed", 0),
            pending=counts.get("pending_embeddings", 0),
            failed=counts.get("failed", 0),
            missing=counts.get(None, 0),
        )


def _record(db: sqlite3.Connection, note_id: str) -> StoredRecord:
    row = db.execute(f"SELECT {rows.RECORD_COLUMNS} FROM records WHERE note_id = ?", (note_id,)).fetchone()
    return StoredRecord(None, None) if row is None else StoredRecord(rows.to_record(row), str(row[-1]))


def _write_record(db: sqlite3.Connection, note_id: str, record: IndexRecord | None) -> str | None:
    """The new token: a number that no record of this tenant has had before."""
    if record is None:
        db.execute("DELETE FROM records WHERE note_id = ?", (note_id,))
        return None
    (token,) = db.execute("UPDATE state SET token = token + 1 RETURNING token").fetchone()
    statement = f"INSERT OR REPLACE INTO records ({rows.RECORD_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    db.execute(statement, (*rows.record_row(record), note_id, token))
    return str(token)
