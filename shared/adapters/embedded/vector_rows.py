"""Vectors as rows of two tables: how they are written, moved, removed, and told from what the disk has made of them.

A reader that follows the file drops the ids in `removed_vectors`, then reads the rows of later revisions. So every row
names the revision that wrote it, and every removal is noted, also that of a vector that is replaced.
"""

from __future__ import annotations

import json
import math
import sqlite3
import zlib
from array import array
from collections.abc import Iterator, Sequence

from shared.model.index import Vector

VECTORS = ("vectors", "kept_vectors")
"""Tables: chunks' own vectors, and their second ones, of another space."""
READABLE_VECTOR = "iif(typeof(vector) = 'blob', vector, NULL)"
"""Vector of a row; NULL where the disk has made it a text, which could not be read if it is no UTF-8."""
KEPT_REMOVALS = 1000
"""Revisions for which the ids of removed vectors are kept; a reader that is further behind reads all anew."""
_TOLERANCE = 0.01
"""Greatest difference from 1 of the length of a vector that has no checksum."""


def is_sound(index_version: object, vector: object, checksum: object) -> bool:
    """Reports whether a row holds what was written; `index_version` as bytes, for it may be no UTF-8 any more.

    A row of an earlier version has no checksum: there the vector must be of unit length, as embedders' vectors are.
    """
    if not isinstance(index_version, bytes) or not isinstance(vector, bytes):
        return False
    if checksum is not None:
        return _checksum_of(index_version, vector) == checksum
    if len(vector) % 4:
        return False
    length = math.hypot(*array("f", vector))
    return abs(length - 1) <= _TOLERANCE


def insert_vector(
    db: sqlite3.Connection,
    table: str,
    row_id: int,
    *,
    index_version: str,
    vector: Vector,
    revision: int,
) -> None:
    """Writes the vector of a chunk that has none in this table."""
    content = vector.tobytes()
    checksum = _checksum_of(index_version.encode(), content)
    db.execute(
        f"INSERT INTO {table} (id, index_version, revision, vector, checksum) "
        "VALUES (?, ?, ?, ?, ?)",
        (row_id, index_version, revision, content, checksum),
    )


def remove_vector(db: sqlite3.Connection, table: str, row_id: int, *, revision: int) -> None:
    """Removes a chunk's vector from a table if it is there."""
    if not db.execute(f"DELETE FROM {table} WHERE id = ?", (row_id,)).rowcount:
        return
    _note_removal(db, row_id, revision)
    # A reader drops the chunk, then finds its other vector as a new one.
    for vectors in VECTORS:
        db.execute(f"UPDATE {vectors} SET revision = ? WHERE id = ?", (revision, row_id))


def move_vectors(
    db: sqlite3.Connection,
    row_id: int,
    new_id: int,
    *,
    index_version: str,
    revision: int,
) -> None:
    """Moves a chunk's vectors to another row id; its own one gets the chunk's index version.

    A damaged vector is removed instead: with a new checksum it would pass for a sound one.
    """
    own_table, second_table = VECTORS
    if list(damaged_vectors(db, own_table, [row_id])):
        remove_vector(db, own_table, row_id, revision=revision)
    row = db.execute(f"SELECT vector FROM {own_table} WHERE id = ?", (row_id,)).fetchone()
    if row is not None:
        (vector,) = row
        checksum = _checksum_of(index_version.encode(), vector)
        db.execute(
            f"UPDATE {own_table} SET id = ?, index_version = ?, revision = ?, checksum = ? "
            "WHERE id = ?",
            (new_id, index_version, revision, checksum, row_id),
        )
    statement = f"UPDATE {second_table} SET id = ?, revision = ? WHERE id = ?"
    moved = db.execute(statement, (new_id, revision, row_id)).rowcount
    if row is not None or moved:
        _note_removal(db, row_id, revision)


def damaged_vectors(
    db: sqlite3.Connection,
    table: str,
    row_ids: Sequence[int] | None = None,
) -> Iterator[int]:
    """Yields the ids of rows that do not hold what was written; of all rows, or of some."""
    query = f"SELECT id, CAST(index_version AS BLOB), {READABLE_VECTOR}, checksum FROM {table}"
    values: tuple[str, ...] = ()
    if row_ids is not None:
        query += " WHERE id IN (SELECT value FROM json_each(?))"
        values = (json.dumps(row_ids),)
    for row_id, index_version, vector, checksum in db.execute(query, values):
        if not is_sound(index_version, vector, checksum):
            yield row_id


def _checksum_of(index_version: bytes, vector: bytes) -> int:
    return zlib.crc32(vector, zlib.crc32(index_version))


def _note_removal(db: sqlite3.Connection, row_id: int, revision: int) -> None:
    statement = "INSERT OR IGNORE INTO removed_vectors (revision, id) VALUES (?, ?)"
    db.execute(statement, (revision, row_id))
