"""Rows that the disk has changed, told from rows that somebody wrote by the checksum that is written with them.

A note is checked whenever it is read. One that is not what was saved is unreadable, until it is saved again or deleted.
So is a document of `collections`; a listing leaves it out and names it.
Chunks and vectors are derived from notes: a damaged one is left out of every search, and its note is marked to be
indexed again. Those that no search has read are checked by each full sweep.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shared.adapters.embedded.documents import (
    CHUNKS,
    NOTES,
    DamagedChunk,
    DamagedRow,
    ReadChunk,
    chunks_of,
    has_note,
    new_revision,
    new_token,
)
from shared.adapters.embedded.files import Row, TenantFile, owner_of
from shared.adapters.embedded.sqlite import (
    DOCUMENTS,
    UndecodableRow,
    checksum_of,
    fetch_rows,
    streamed,
    with_replacements,
)
from shared.adapters.embedded.vector_rows import (
    KEPT_REMOVALS,
    VECTORS,
    damaged_vectors,
    remove_vector,
)
from shared.adapters.sqlite_files import code_of
from shared.errors import NoteUnreadable
from shared.model.index import IndexedChunk, IndexStatus
from shared.model.notes import Note, UnreadableNote

EXPECTED = (
    "what was saved, but the disk has changed it: save it again, or delete it and restore an "
    "earlier version from the trash or a backup"
)
CHUNKS_AT_ONCE = 1000
"""Chunks that are checked in one transaction."""

CHUNK_ID = CHUNKS.column_names.index("chunk_id")
NOTE_ID = CHUNKS.column_names.index("note_id")
"""Places in a row of CHUNKS."""

_NOTE = f"SELECT {NOTES.columns}, checksum FROM notes WHERE note_id = ?"
_MARKED = "damaged"
"""Stands in a record for the note's revision, which it is not: the note is indexed again."""


def read_note(db: sqlite3.Connection, note_id: str) -> Note | None:
    """Returns a note; None if there is no such note. Raises NoteUnreadable."""
    try:
        stored_rows = fetch_rows(db, _NOTE, (note_id,))
    except sqlite3.DatabaseError as problem:
        # If the index of ids has the note, its row is damaged, and not the way to it.
        if code_of(problem) == sqlite3.SQLITE_CORRUPT and has_note(db, note_id):
            raise NoteUnreadable("note", EXPECTED) from None
        raise
    if not stored_rows:
        return None
    return _note_of(stored_rows[0])


def whole_note(db: sqlite3.Connection, note_id: str | bytes) -> Note | UnreadableNote:
    """Returns a note that is there; of one that cannot be read, the columns that can.

    `note_id`: as `rows` returns it, bytes if the disk has changed it.
    """
    reason = NoteUnreadable("note", EXPECTED).message
    if isinstance(note_id, bytes):
        return UnreadableNote(note_id.decode(errors="replace"), reason, {})
    try:
        note = read_note(db, note_id)
    except NoteUnreadable:
        return UnreadableNote(note_id, reason, dict(_columns(db, note_id)))
    if note is None:  # the index of ids lists it, and does not lead to it
        return UnreadableNote(note_id, reason, {})
    return note


@dataclass(frozen=True, slots=True)
class Condition:
    """Damage of a tenant's file."""

    pages: tuple[str, ...]
    """Lines of SQLite's own quick check; they quote no text."""
    notes: int
    """Number of damaged notes."""
    documents: Mapping[str, int]
    """Table -> number of other documents that are not what was saved; tables without any are absent."""
    derived: int
    """Number of damaged chunks and vectors."""


def check(path: Path) -> Condition:
    """Reads every page and every row that has a checksum. Raises OperatorError, StoreUnavailable."""
    tenant_id = owner_of(path)
    file = TenantFile(path, tenant_id, patience=10.0)
    try:
        with file.reading() as db:
            lines = [line for (line,) in db.execute("PRAGMA quick_check")]
            pages = tuple(line for line in lines if line != "ok")
            notes = 0
            for (note_id,) in fetch_rows(db, "SELECT note_id FROM notes ORDER BY note_id"):
                if isinstance(whole_note(db, note_id), UnreadableNote):
                    notes += 1
            documents = {}
            for table in DOCUMENTS:
                damaged = _count_damaged(db, f"SELECT * FROM {table}")
                if damaged:
                    documents[table] = damaged
            derived = _count_damaged(db, f"SELECT {CHUNKS.columns}, checksum FROM chunks")
            for table in VECTORS:
                derived += sum(1 for _ in damaged_vectors(db, table))
    finally:
        file.close()
    return Condition(
        pages=pages,
        notes=notes,
        documents=documents,
        derived=derived,
    )


def _count_damaged(db: sqlite3.Connection, query: str) -> int:
    """Counts the rows that are not what was written. `query`: returns the columns of the checksum, then the checksum."""
    return sum(1 for row in streamed(db, query) if not is_sound(row))


def readable_chunks(
    file: TenantFile,
    chunks: Iterable[ReadChunk],
    stems: Collection[str],
) -> tuple[IndexedChunk, ...]:
    """Returns the chunks without damaged ones, whose notes are marked to be indexed again. Called outside of a transaction.

    stems: with which the chunks were read.
    """
    readable: list[IndexedChunk] = []
    damaged: list[int] = []
    for chunk in chunks:
        if isinstance(chunk, DamagedChunk):
            damaged.append(chunk.row_id)
        else:
            readable.append(chunk)
    if damaged and file.is_writable:
        with file.writing() as db:
            mark_damaged(db, damaged, stems)
    return tuple(readable)


def mark_damaged(
    db: sqlite3.Connection,
    row_ids: Sequence[int],
    stems: Collection[str] = (),
) -> None:
    """Has those of the chunks that are damaged belong to no revision of their note, and the notes be indexed again.

    They are looked at again: since they were read, their notes may have been indexed anew. One that is marked already is
    left alone, so that questions do not disturb the indexing of its note.
    """
    # The disk may have emptied a revision, too: then the record does not say that the note is to be indexed.
    query = (
        f"SELECT {CHUNKS.columns}, checksum, id FROM chunks WHERE id IN (SELECT value FROM json_each(?)) "
        "AND (note_revision IS NOT '' OR note_id IN (SELECT note_id FROM records WHERE status = ?))"
    )
    values = (json.dumps(row_ids), IndexStatus.INDEXED)
    still_damaged = []
    note_ids = set()
    for row in fetch_rows(db, query, values):
        if not _is_damaged(row, stems):
            continue
        still_damaged.append(row[-1])
        note_id = row[NOTE_ID]
        if isinstance(note_id, str):
            note_ids.add(note_id)
    if still_damaged:
        condition = "id IN (SELECT value FROM json_each(?))"
        statement = f"UPDATE chunks SET note_revision = '' WHERE {condition}"
        db.execute(statement, (json.dumps(still_damaged),))
        _mark_notes(db, sorted(note_ids))


def _is_damaged(row: Row, stems: Collection[str]) -> bool:
    """Reports whether a row of the columns of CHUNKS, the checksum and the id is not what was written or cannot be read."""
    if isinstance(row, UndecodableRow) or not is_sound(row[:-1]):
        return True
    (chunk,) = chunks_of([row], stems)
    return isinstance(chunk, DamagedChunk)


def _mark_notes(db: sqlite3.Connection, note_ids: Sequence[str]) -> None:
    statement = (
        "UPDATE records SET status = ?, note_revision = ?, token = ?, lease_until = NULL, "
        "due_at = indexed_at WHERE note_id IN (SELECT value FROM json_each(?))"
    )
    values = (IndexStatus.PENDING, _MARKED, new_token(db), json.dumps(note_ids))
    db.execute(statement, values)


def remove_damaged_vectors(file: TenantFile, row_ids: Sequence[int]) -> None:
    """Removes those of the vectors of these chunks that are damaged, so that the sweep embeds their texts again.

    Until then words find the chunks. Called outside of a transaction.
    """
    if not row_ids or not file.is_writable:
        return
    with file.writing() as db:
        revision = new_revision(db)
        removed = []
        for table in VECTORS:
            # Looked at again: another process may have removed them, or written new ones.
            for row_id in list(damaged_vectors(db, table, row_ids)):
                remove_vector(db, table, row_id, revision=revision)
                removed.append(row_id)
        _mark_as_waiting(db, removed)


def _mark_as_waiting(db: sqlite3.Connection, row_ids: Sequence[int]) -> None:
    """Has the notes of these chunks wait for vectors."""
    statement = (
        "UPDATE records SET status = ?, token = ?, due_at = indexed_at WHERE status = ? "
        "AND note_id IN (SELECT note_id FROM chunks WHERE id IN (SELECT value FROM json_each(?)))"
    )
    values = (
        IndexStatus.PENDING,
        new_token(db),
        IndexStatus.INDEXED,
        json.dumps(row_ids),
    )
    db.execute(statement, values)


def mend_derived(file: TenantFile) -> None:
    """Looks at every chunk and vector of a tenant, and has those that are damaged or lost made anew."""
    mark_damaged_chunks(file)
    with file.reading() as db:
        damaged = [row_id for table in VECTORS for row_id in damaged_vectors(db, table)]
    remove_damaged_vectors(file, damaged)


def mark_damaged_chunks(file: TenantFile) -> None:
    """Looks at every chunk of a tenant, and marks the notes that have a damaged one or lack one."""
    query = f"SELECT {CHUNKS.columns}, checksum, id FROM chunks WHERE id > ? ORDER BY id LIMIT ?"
    last_id = -1
    while True:
        with file.reading() as db:
            stored_rows = fetch_rows(db, query, (last_id, CHUNKS_AT_ONCE))
        _mark_damaged_rows(file, stored_rows)
        if len(stored_rows) < CHUNKS_AT_ONCE:
            break
        last_id = stored_rows[-1][-1]
    incomplete = (
        "SELECT note_id FROM records WHERE status = ? AND chunk_count <> "
        "(SELECT count(*) FROM chunks WHERE chunks.note_id = records.note_id)"
    )
    with file.reading() as db:
        reader = db.execute(incomplete, (IndexStatus.INDEXED,))
        note_ids = [note_id for (note_id,) in reader]
    if note_ids:
        with file.writing() as db:
            _mark_notes(db, note_ids)


def _mark_damaged_rows(file: TenantFile, stored_rows: Iterable[Row]) -> None:
    """Marks the damaged ones of rows of chunks, which end in the checksum and the row's id."""
    row_ids = []
    unnamed_ids = []
    for row in stored_rows:
        if isinstance(row, UndecodableRow) or not is_sound(row[:-1]):
            row_ids.append(row[-1])
            if not _has_ids(row):
                unnamed_ids.append(row[-1])
    if row_ids:
        with file.writing() as db:
            mark_damaged(db, row_ids)
            if unnamed_ids:
                _delete_unnamed(db, unnamed_ids)


def _delete_unnamed(db: sqlite3.Connection, row_ids: Sequence[int]) -> None:
    """Deletes chunks whose ids are damaged: no change of a note's chunks finds them any more.

    Their postings stay, and find nothing.
    """
    db.execute("REINDEX chunks")  # a row that its indexes do not know cannot be deleted
    for table in ("chunks", *VECTORS):
        statement = f"DELETE FROM {table} WHERE id IN (SELECT value FROM json_each(?))"
        db.execute(statement, (json.dumps(row_ids),))
    # By so much that a reader that follows the file by its revision reads it anew.
    db.execute(
        "UPDATE state SET chunk_count = (SELECT count(*) FROM chunks), "
        "total_length = (SELECT coalesce(sum(length), 0) FROM chunks), revision = revision + ?",
        (KEPT_REMOVALS + 1,),
    )


def _has_ids(row: Row) -> bool:
    """Reports whether the ids of a chunk and of its note can be read."""
    ids = (row[CHUNK_ID], row[NOTE_ID])
    return all(isinstance(value, str) for value in ids)


def is_sound(row: Row) -> bool:
    """Reports whether a row is what was written; its last column is the checksum, None in a row of an earlier version."""
    if isinstance(row, UndecodableRow):
        return False
    *values, expected = row
    return expected is None or checksum_of(values) == expected


def _note_of(row: Row) -> Note:
    """Raises NoteUnreadable."""
    if not is_sound(row):
        raise NoteUnreadable("note", EXPECTED)
    try:
        return NOTES.load(row)
    except DamagedRow:
        raise NoteUnreadable("note", EXPECTED) from None


def _columns(db: sqlite3.Connection, note_id: str) -> Iterator[tuple[str, object]]:
    """Yields the columns of a note that can still be read, and their values."""
    for name in NOTES.column_names:
        query = f'SELECT "{name}" FROM notes WHERE note_id = ?'
        try:
            stored_rows = fetch_rows(db, query, (note_id,))
        except sqlite3.DatabaseError:
            continue
        for row in stored_rows:
            (value,) = with_replacements(row)
            yield name, value
