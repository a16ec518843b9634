"""The index of notes, in their tenant's file: it moves by compare-and-set, all or nothing."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Mapping, Sequence

from shared.adapters.embedded import documents
from shared.adapters.embedded.damage import remove_damaged_vectors, whole_note
from shared.adapters.embedded.documents import RECORDS, DamagedRow, ids_at, insert
from shared.adapters.embedded.files import Row, TenantFiles
from shared.adapters.embedded.sqlite import legible, rows
from shared.adapters.embedded.vector_rows import (
    KEPT_REMOVALS,
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
            found = rows(db, query, (note_id,))
        if not found:
            return StoredRecord(None, None)
        row = found[0]
        token = str(row[-1])
        try:
            return StoredRecord(RECORDS.load(row), token)
        except DamagedRow:  # as if there were none: the note is indexed anew
            return StoredRecord(None, token)

    def stored_chunks(self, tenant_id: str, note_id: str) -> tuple[StoredChunk, ...]:
        query = (
            "SELECT chunk_id, text_hash, chunks.index_version, note_revision, coalesce(kept.index_version, ''), "
            "id IN (SELECT id FROM vectors) FROM chunks LEFT JOIN kept_vectors AS kept USING (id) "
            "WHERE note_id = ? ORDER BY position, chunk_id"
        )
        with self._files.of(tenant_id).reading() as db:
            found = rows(db, query, (note_id,))
        names = ("chunk_id", "text_hash", "index_version", "note_revision", "second_version")
        # A chunk whose id is damaged is no chunk of the note any more: the next full sweep deletes it.
        named = [row for row in found if isinstance(row[0], str)]
        chunks = []
        for row in named:
            fields = dict(zip(names, legible(row), strict=False))
            chunks.append(StoredChunk(**fields, has_vector=bool(row[-1])))
        return tuple(chunks)

    def read_vectors(
        self, tenant_id: str, chunk_ids: Sequence[str], index_version: str | None = None
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
                    f"SELECT chunk_id, id, CAST({table}.index_version AS BLOB), vector, {table}.checksum "
                    f"FROM chunks JOIN {table} USING (id) "
                    "WHERE chunk_id IN (SELECT value FROM json_each(?))"
                )
                for chunk_id, row_id, version, vector, checksum in db.execute(
                    query, (json.dumps(chunk_ids),)
                ):
                    if not is_sound(version, vector, checksum):
                        damaged.append(row_id)
                    elif _is_in_space(version.decode(), index_version):
                        vectors[chunk_id] = array("f", vector)
        remove_damaged_vectors(file, damaged)
        return vectors

    def apply(
        self, tenant_id: str, change: IndexChange, *, counted: IndexWrites | None = None
    ) -> str | None:
        """Raises Conflict before anything is written."""
        # Where the note or its record must exist, the file does: what comes too late for an erasure makes none again.
        creates = change.expected is None and not change.needs_note
        with self._files.of(tenant_id).writing(creates=creates) as db:
            held = db.execute(
                "SELECT token FROM records WHERE note_id = ?", (change.note_id,)
            ).fetchone()
            if (None if held is None else str(held[0])) != change.expected:
                raise Conflict(f"the index of note {change.note_id} has moved")
            if change.needs_note and not _exists(db, change.note_id):
                raise Conflict(f"note {change.note_id} is gone")
            if counted is not None:
                counted.writes += change.writes
                counted.deletes += change.deletes
            if change.put or change.patch or change.vectors or change.remove:
                ChunkChanges(db).apply(change)
            if change.record is None:
                db.execute("DELETE FROM records WHERE note_id = ?", (change.note_id,))
                return None
            # The new token: a number that no record of this tenant has had before.
            (token,) = db.execute("UPDATE state SET token = token + 1 RETURNING token").fetchone()
            insert(
                db,
                "records",
                RECORDS.row(change.record, note_id=change.note_id, token=token),
                replacing=True,
            )
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
        """Before all, notes changed since they were indexed, by the clocks of both."""
        query = (
            "SELECT note_id FROM notes JOIN records USING (note_id) "
            "ORDER BY notes.updated_at > records.indexed_at DESC, notes.updated_at DESC LIMIT ?"
        )
        with self._files.of(tenant_id).reading() as db:
            note_ids = rows(db, query, (limit,))
            notes = [whole_note(db, note_id) for (note_id,) in note_ids]
        return tuple(note for note in notes if isinstance(note, Note))

    def count_outdated(self, tenant_id: str, index_version: str) -> int:
        with self._files.of(tenant_id).reading() as db:
            query = "SELECT count(*) FROM records WHERE index_version NOT IN ('', ?)"
            return int(db.execute(query, (index_version,)).fetchone()[0])


def _is_in_space(version: str, index_version: str | None) -> bool:
    """Reports whether a vector of `version` is in the space of `index_version`; None: of any."""
    return index_version is None or vector_space(version) == vector_space(index_version)


def _exists(db: sqlite3.Connection, note_id: str) -> bool:
    found = db.execute("SELECT 1 FROM notes WHERE note_id = ?", (note_id,)).fetchone()
    return found is not None


def _scopes(column: str) -> list[str]:
    """The scopes of a stored chunk. Of a damaged one the postings of its scopes stay, and find nothing that is shown."""
    try:
        scopes: list[str] = json.loads(column)
    except ValueError:
        return []
    return scopes


class ChunkChanges:
    """One revision of the tenant's chunks, their posting lists and vectors."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        (self._revision,) = db.execute(
            "UPDATE state SET revision = revision + 1 RETURNING revision"
        ).fetchone()
        self._chunks = self._length = 0
        """By how much the tenant's chunks, and the sum of their lengths, grow."""

    def apply(self, change: IndexChange) -> None:
        for chunk_id in change.remove:
            old = self._stored(chunk_id)
            if old is not None:
                row_id, _, terms, scopes, length, _ = old
                self._db.execute("DELETE FROM chunks WHERE id = ?", (row_id,))
                self._post(row_id, terms, scopes, removed=True)
                self._set_vectors(row_id, None, None)
                self._chunks, self._length = self._chunks - 1, self._length - length
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
            found = self._db.execute(
                "SELECT id, index_version FROM chunks WHERE chunk_id = ?", (chunk_id,)
            ).fetchone()
            if found is not None:
                row_id, index_version = found
                self._set_vector("vectors", row_id, (index_version, vector))
        # Once a change: between two postings, an UPDATE makes FTS5 write what it has gathered as a segment of its own.
        statement = (
            "UPDATE state SET chunk_count = chunk_count + ?, total_length = total_length + ?"
        )
        self._db.execute(statement, (self._chunks, self._length))
        self._db.execute(
            "DELETE FROM removed_vectors WHERE revision <= ?", (self._revision - KEPT_REMOVALS,)
        )

    def _write(self, chunk: IndexedChunk) -> int:
        """Create or replace all but the vector. Returns the row's id."""
        chunks = documents.CHUNKS
        row = chunks.with_checksum(chunks.row(chunk, terms=documents.terms_column(chunk.terms)))
        old = self._stored(chunk.chunk_id)
        if old is None:
            row_id = self._free_id(row["created_at"])
            insert(self._db, "chunks", {**row, "id": row_id})
            self._chunks, self._length = self._chunks + 1, self._length + chunk.length
            self._post(row_id, row["terms"], row["scopes"])
            return row_id
        row_id, created_at, terms, scopes, length, index_version = old
        target: int = row_id
        if ids_at(created_at) != ids_at(row["created_at"]):
            target = self._free_id(row["created_at"])
        if target != row_id or (terms, scopes) != (row["terms"], row["scopes"]):
            self._post(row_id, terms, scopes, removed=True)
            self._post(target, row["terms"], row["scopes"])
        columns = ", ".join(f'"{column}" = ?' for column in row)
        self._db.execute(
            f"UPDATE chunks SET {columns}, id = ? WHERE id = ?", (*row.values(), target, row_id)
        )
        if target != row_id or index_version != row["index_version"]:
            move_vectors(
                self._db,
                row_id,
                target,
                index_version=row["index_version"],
                revision=self._revision,
            )
        self._length += row["length"] - length
        return target

    def _stored(self, chunk_id: str) -> Row | None:
        """Id, time, terms, scopes, length and index version of a chunk; of damaged texts what can be read."""
        query = "SELECT id, created_at, terms, scopes, length, index_version FROM chunks WHERE chunk_id = ?"
        found = rows(self._db, query, (chunk_id,))
        if not found:
            return None
        return legible(found[0])

    def _free_id(self, created_at: int) -> int:
        """The next in its second."""
        ids = ids_at(created_at)
        query = "SELECT max(id) FROM chunks WHERE id >= ? AND id < ?"
        (last,) = self._db.execute(query, (ids.start, ids.stop)).fetchone()
        return ids.start if last is None else int(last) + 1

    def _post(self, row_id: int, terms: str, scopes: str, *, removed: bool = False) -> None:
        """Make the chunk's postings, or remove them: a contentless table takes exactly the row's content for that."""
        content = documents.posting_tokens(terms, _scopes(scopes))
        statement = "INSERT INTO postings (rowid, tokens) VALUES (?, ?)"
        if removed:
            statement = "INSERT INTO postings (postings, rowid, tokens) VALUES ('delete', ?, ?)"
        self._db.execute(statement, (row_id, content))

    def _set_vectors(
        self, row_id: int, own: tuple[str, Vector] | None, second: tuple[str, Vector] | None
    ) -> None:
        """Replaces both vectors of a chunk: index version and numbers; None: it has none."""
        own_table, second_table = VECTORS
        self._set_vector(own_table, row_id, own)
        self._set_vector(second_table, row_id, second)

    def _set_vector(self, table: str, row_id: int, vector: tuple[str, Vector] | None) -> None:
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
