"""The index of notes, in their tenant's file: it moves by compare-and-set, all or nothing."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from shared.adapters.embedded import documents
from shared.adapters.embedded.damage import remove_damaged_vectors, whole_note
from shared.adapters.embedded.documents import (
    RECORDS,
    DamagedRow,
    has_note,
    ids_of_second,
    insert,
    new_revision,
    new_token,
)
from shared.adapters.embedded.files import Row, TenantFiles
from shared.adapters.embedded.sqlite import fetch_rows, with_replacements
from shared.adapters.embedded.vector_rows import (
    KEPT_REMOVALS,
    READABLE_VECTOR,
    VECTORS,
    insert_vector,
    is_sound,
    move_vectors,
    remove_vector,
)
from shared.errors import Conflict
from shared.model.index import (
    Coverage,
    IndexChange,
    IndexedChunk,
    IndexWrites,
    StoredChunk,
    StoredRecord,
    Vector,
    vector_space,
)
from shared.model.notes import Note


class Index:
    """The index of `shared.ports.stores.Store`, a transaction a call."""

    _files: TenantFiles

    def read_record(self, tenant_id: str, note_id: str) -> StoredRecord:
        query = f"SELECT {RECORDS.columns}, token FROM records WHERE note_id = ?"
        with self._files.of(tenant_id).reading() as db:
            records = fetch_rows(db, query, (note_id,))
        if not records:
            return StoredRecord(None, None)
        row = records[0]
        token = str(row[-1])
        try:
            return StoredRecord(RECORDS.load(row), token)
        except DamagedRow:  # as if there were none: the note is indexed anew
            return StoredRecord(None, token)

    def stored_chunks(self, tenant_id: str, note_id: str) -> tuple[StoredChunk, ...]:
        query = (
            "SELECT chunk_id, text_hash, chunks.index_version, note_revision, "
            "coalesce(kept.index_version, ''), id IN (SELECT id FROM vectors) "
            "FROM chunks LEFT JOIN kept_vectors AS kept USING (id) "
            "WHERE note_id = ? ORDER BY position, chunk_id"
        )
        names = ("chunk_id", "text_hash", "index_version", "note_revision", "second_version")
        with self._files.of(tenant_id).reading() as db:
            stored_rows = fetch_rows(db, query, (note_id,))
        chunks = []
        for row in stored_rows:
            # A chunk whose id is damaged is no chunk of the note any more: the next full sweep deletes it.
            if not isinstance(row[0], str):
                continue
            *texts, has_vector = with_replacements(row)
            fields = dict(zip(names, texts, strict=True))
            chunks.append(StoredChunk(**fields, has_vector=bool(has_vector)))
        return tuple(chunks)

    def read_vectors(
        self,
        tenant_id: str,
        chunk_ids: Sequence[str],
        index_version: str | None = None,
    ) -> Mapping[str, Vector]:
        tables: Sequence[str] = VECTORS
        if index_version is None:
            tables = VECTORS[:1]
        vectors: dict[str, Vector] = {}
        damaged: list[int] = []
        file = self._files.of(tenant_id)
        with file.reading() as db:
            for table in tables:
                # Versions as bytes, which can be read whatever the disk has made of them.
                query = (
                    f"SELECT chunk_id, id, CAST({table}.index_version AS BLOB), {READABLE_VECTOR}, {table}.checksum "
                    f"FROM chunks JOIN {table} USING (id) "
                    "WHERE chunk_id IN (SELECT value FROM json_each(?))"
                )
                for chunk_id, row_id, version, vector, checksum in db.execute(
                    query,
                    (json.dumps(chunk_ids),),
                ):
                    if not is_sound(version, vector, checksum):
                        damaged.append(row_id)
                    elif _is_in_space(version.decode(), index_version):
                        vectors[chunk_id] = array("f", vector)
        remove_damaged_vectors(file, damaged)
        return vectors

    def apply(
        self,
        tenant_id: str,
        change: IndexChange,
        *,
        counted: IndexWrites | None = None,
    ) -> str | None:
        """Raises Conflict before anything is written."""
        # Where the note or its record must exist, the file does: what comes too late for an erasure makes none again.
        creates = change.expected is None and not change.needs_note
        note_id = change.note_id
        with self._files.of(tenant_id).writing(creates=creates) as db:
            if _record_token(db, note_id) != change.expected:
                raise Conflict(f"the index of note {note_id} has moved")
            if change.needs_note and not has_note(db, note_id):
                raise Conflict(f"note {note_id} is gone")
            if counted is not None:
                counted.writes += change.writes
                counted.deletes += change.deletes
            if any((change.put, change.patch, change.vectors, change.remove)):
                ChunkChanges(db).apply(change)
            if change.record is None:
                db.execute("DELETE FROM records WHERE note_id = ?", (note_id,))
                return None
            token = new_token(db)
            row = RECORDS.row(change.record, note_id=note_id, token=token)
            insert(db, "records", row, replacing=True)
            return str(token)

    def coverage(self, tenant_id: str) -> Coverage:
        """Counts notes that exist: a record whose note is gone is not counted."""
        query = (
            "SELECT status, count(*) FROM notes LEFT JOIN records USING (note_id) GROUP BY status"
        )
        with self._files.of(tenant_id).reading() as db:
            counts: dict[str | None, int] = dict(db.execute(query).fetchall())
        return Coverage(
            notes=sum(counts.values()),
            indexed=counts.get("indexed", 0),
            pending_embeddings=counts.get("pending_embeddings", 0),
            failed=counts.get("failed", 0),
            missing=counts.get(None, 0),
        )

    def latest_notes(self, tenant_id: str, *, limit: int) -> tuple[Note, ...]:
        """Lists notes first that changed after they were indexed, by the clocks of both."""
        query = (
            "SELECT note_id FROM notes JOIN records USING (note_id) "
            "ORDER BY notes.updated_at > records.indexed_at DESC, notes.updated_at DESC LIMIT ?"
        )
        with self._files.of(tenant_id).reading() as db:
            notes = []
            for (note_id,) in fetch_rows(db, query, (limit,)):
                note = whole_note(db, note_id)
                if isinstance(note, Note):
                    notes.append(note)
        return tuple(notes)

    def count_outdated(self, tenant_id: str, index_version: str) -> int:
        query = "SELECT count(*) FROM records WHERE index_version NOT IN ('', ?)"
        with self._files.of(tenant_id).reading() as db:
            (count,) = db.execute(query, (index_version,)).fetchone()
        return int(count)


def _is_in_space(version: str, index_version: str | None) -> bool:
    """Reports whether a vector of `version` is in the space of `index_version`, or in any with None."""
    return index_version is None or vector_space(version) == vector_space(index_version)


def _record_token(db: sqlite3.Connection, note_id: str) -> str | None:
    """Returns the token of a note's record; None without a record."""
    query = "SELECT token FROM records WHERE note_id = ?"
    row = db.execute(query, (note_id,)).fetchone()
    if row is None:
        return None
    return str(row[0])


def _scopes(column: str) -> list[str]:
    """Returns the scopes of a stored chunk.

    An empty list for a damaged one: the postings of its scopes stay, and find nothing that is shown.
    """
    try:
        scopes: list[str] = json.loads(column)
    except ValueError:
        return []
    return scopes


VersionedVector: TypeAlias = tuple[str, Vector]
"""Index version and numbers of a vector."""


class ChunkChanges:
    """One revision of the tenant's chunks, their posting lists and vectors."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._revision = new_revision(db)
        self._added_chunks = 0
        self._added_length = 0
        """Sum of the lengths of chunks that were added, less those that were removed."""

    def apply(self, change: IndexChange) -> None:
        for chunk_id in change.remove:
            self._remove(chunk_id)
        # In the order of positions, which is that of ids: FTS5 starts another segment whenever a row id is less than
        # the one before.
        for put in change.put:
            row_id = self._write(put.chunk)
            own_vector = None
            if put.vector is not None:
                own_vector = (put.chunk.index_version, put.vector)
            self._set_vectors(row_id, own_vector, put.second_vector)
        for chunk in change.patch:
            self._write(chunk)
        for chunk_id, vector in change.vectors:
            query = "SELECT id, index_version FROM chunks WHERE chunk_id = ?"
            row = self._db.execute(query, (chunk_id,)).fetchone()
            if row is not None:
                row_id, index_version = row
                self._set_vector("vectors", row_id, (index_version, vector))
        # Once a change: between two postings, an UPDATE makes FTS5 write what it has gathered as a segment of its own.
        self._db.execute(
            "UPDATE state SET chunk_count = chunk_count + ?, total_length = total_length + ?",
            (self._added_chunks, self._added_length),
        )
        forgotten = self._revision - KEPT_REMOVALS
        self._db.execute("DELETE FROM removed_vectors WHERE revision <= ?", (forgotten,))

    def _remove(self, chunk_id: str) -> None:
        stored = self._stored(chunk_id)
        if stored is None:
            return
        row_id, _, terms, scopes, length, _ = stored
        self._db.execute("DELETE FROM chunks WHERE id = ?", (row_id,))
        self._remove_postings(row_id, terms, scopes)
        self._set_vectors(row_id, None, None)
        self._added_chunks -= 1
        self._added_length -= length

    def _write(self, chunk: IndexedChunk) -> int:
        """Creates or replaces all of a chunk but its vectors. Returns the row's id."""
        chunks = documents.CHUNKS
        row = chunks.row(chunk, terms=documents.terms_column(chunk.terms))
        row = chunks.with_checksum(row)
        stored = self._stored(chunk.chunk_id)
        if stored is None:
            return self._insert(row)
        return self._replace(row, stored)

    def _insert(self, row: dict[str, Any]) -> int:
        row_id = self._free_id(row["created_at"])
        insert(self._db, "chunks", {**row, "id": row_id})
        self._add_postings(row_id, row["terms"], row["scopes"])
        self._added_chunks += 1
        self._added_length += row["length"]
        return row_id

    def _replace(self, row: dict[str, Any], stored: Row) -> int:
        """Replaces a chunk, whose id is another if its time is. `stored`: as `_stored` returns it."""
        row_id, created_at, terms, scopes, length, index_version = stored
        new_id: int = row_id
        ids_now = ids_of_second(created_at)
        if ids_of_second(row["created_at"]) != ids_now:
            new_id = self._free_id(row["created_at"])
        has_moved = new_id != row_id

        has_other_postings = terms != row["terms"] or scopes != row["scopes"]
        if has_moved or has_other_postings:
            self._remove_postings(row_id, terms, scopes)
            self._add_postings(new_id, row["terms"], row["scopes"])

        assignments = ", ".join(f'"{column}" = ?' for column in row)
        statement = f"UPDATE chunks SET {assignments}, id = ? WHERE id = ?"
        values = (*row.values(), new_id, row_id)
        self._db.execute(statement, values)

        new_version = row["index_version"]
        if has_moved or index_version != new_version:
            move_vectors(
                self._db,
                row_id,
                new_id,
                index_version=new_version,
                revision=self._revision,
            )
        self._added_length += row["length"] - length
        return new_id

    def _stored(self, chunk_id: str) -> Row | None:
        """Returns id, time, terms, scopes, length and index version of a chunk; of damaged texts what can be read."""
        query = (
            "SELECT id, created_at, terms, scopes, length, index_version FROM chunks "
            "WHERE chunk_id = ?"
        )
        stored_rows = fetch_rows(self._db, query, (chunk_id,))
        if not stored_rows:
            return None
        return with_replacements(stored_rows[0])

    def _free_id(self, created_at: int) -> int:
        """Returns the next id in the second of a time."""
        ids = ids_of_second(created_at)
        query = "SELECT max(id) FROM chunks WHERE id >= ? AND id < ?"
        (last,) = self._db.execute(query, (ids.start, ids.stop)).fetchone()
        if last is None:
            return ids.start
        return int(last) + 1

    def _add_postings(self, row_id: int, terms: str, scopes: str) -> None:
        tokens = documents.posting_tokens(terms, _scopes(scopes))
        statement = "INSERT INTO postings (rowid, tokens) VALUES (?, ?)"
        self._db.execute(statement, (row_id, tokens))

    def _remove_postings(self, row_id: int, terms: str, scopes: str) -> None:
        """Removes postings with exactly the row's content, as a contentless table takes it."""
        tokens = documents.posting_tokens(terms, _scopes(scopes))
        statement = "INSERT INTO postings (postings, rowid, tokens) VALUES ('delete', ?, ?)"
        self._db.execute(statement, (row_id, tokens))

    def _set_vectors(
        self,
        row_id: int,
        own: VersionedVector | None,
        second: VersionedVector | None,
    ) -> None:
        """Replaces both vectors of a chunk. With None, removes the vector that was there."""
        own_table, second_table = VECTORS
        self._set_vector(own_table, row_id, own)
        self._set_vector(second_table, row_id, second)

    def _set_vector(self, table: str, row_id: int, vector: VersionedVector | None) -> None:
        remove_vector(self._db, table, row_id, revision=self._revision)
        if vector is None:
            return
        index_version, numbers = vector
        insert_vector(
            self._db,
            table,
            row_id,
            index_version=index_version,
            vector=numbers,
            revision=self._revision,
        )
