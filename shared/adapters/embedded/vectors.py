"""One space's vectors in memory, kept equal to the tenant's file: as codes, a byte a number.

SQLite keeps one row a vector and is the truth. The codes are made from it once, then follow by the revision that wrote
each row, whichever process did. They have a few spare rows; when those are used up all is dropped and read anew,
because copying into larger ones would need twice the memory for a moment. A search is exact: what the codes leave
undecided is computed from the file's vectors.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from shared.adapters.embedded.vector_rows import (
    KEPT_REMOVALS,
    VECTORS,
    damaged_vectors,
    is_sound,
)
from shared.adapters.extras import install_command
from shared.errors import OperatorError
from shared.model.index import Vector

if TYPE_CHECKING:
    import numpy as np

    Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
    Doubles: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
    Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
    Bytes: TypeAlias = np.ndarray[Any, np.dtype[np.int8]]
    Flags: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]

_MAX_CODE = 127
_BLOCK = 2**17
"""Numbers that are made floats together: half a megabyte, which stays in the processor's cache."""
_ROUNDING = 1e-5
"""More than float32 arithmetic moves a cosine; added to what every row loses."""
_AT_ONCE = 128
"""Rows fetched together: 200 KB at 384 dimensions. Of 512 rows a new process gives the memory of each batch back to the
system and takes it anew, which is a sixth of the time to read 100,000 vectors."""
_SPARE = 4096
"""Least spare rows; memory that is not written to is not taken."""
_CACHED_FILTERS = 8
"""Filters whose rows are cached while nothing changes, a byte a row each: people ask within the same vaults and
folders, and of 1,000,000 chunks it takes a second to list a vault's."""
_COLUMNS = "stored.id, CAST(stored.index_version AS BLOB), stored.vector, stored.checksum"
"""Id, and the columns that `is_sound` judges. Versions as bytes, which can be read whatever the disk has made of them."""
_IN_SPACE = (
    "substr(stored.index_version, instr(stored.index_version, ':') + 1) = :space "
    "AND typeof(stored.vector) = 'blob' AND length(stored.vector) = :bytes"
)
"""Condition of rows in the space, as `vector_space` has it, and of its dimension."""
_TOLERANCE = 1e-3
"""Greatest difference from 1 of a vector's length that raises no doubt."""
_FREE = -1
"""In place of an id: the row holds nothing. Ids are never negative."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """The ids a search may bring: `first <= id < past`, of those that `match` if given, and none of `without`."""

    first: int
    past: int
    match: str | None
    """An FTS5 query of the postings."""
    without: Sequence[int]


class VectorSpace:
    """Ids and unit vectors of one space and dimension. Whoever uses it holds `lock`."""

    def __init__(self, space: str, dimension: int) -> None:
        """Makes an empty space. `space`: as `vector_space` names it. Raises OperatorError if numpy is not installed."""
        self.space = space
        self.dimension = dimension
        self.lock = Lock()
        self.revision = -1
        """Revision of the file up to which it is complete; -1: to be read anew."""
        self._np = load_numpy()
        self._damaged: list[int] = []
        self._not_matching: dict[Allowed, Flags] = {}
        """Filter -> rows that do not match it; the last used is the last key."""
        self._allocate(0)

    def refresh(self, db: sqlite3.Connection, revision: int) -> None:
        """Follows the file to the revision that `db`'s snapshot shows."""
        if revision == self.revision:
            return
        self._not_matching.clear()
        since = self.revision
        self.revision = -1  # should reading fail half-way, the next search reads all anew
        is_far_behind = since < 0 or revision - since >= KEPT_REMOVALS
        if is_far_behind or not self._follow(db, since):
            self._read(db)
        self.revision = revision

    def pop_damaged(self) -> list[int]:
        """Returns ids of vectors that were left out since the last call, because they are not what was written."""
        damaged = self._damaged
        self._damaged = []
        return damaged

    def nearest(
        self,
        db: sqlite3.Connection,
        vector: Vector,
        *,
        limit: int,
        allowed: Allowed | None,
    ) -> list[tuple[int, float]]:
        """Returns (id, cosine) of the `limit` best, best first, and of all whose cosine equals the last one's.

        Vectors that turn out to be damaged are left out, so they may be fewer.

        db: the snapshot that was followed last.
        """
        np = self._np
        query: Floats = np.frombuffer(vector, dtype=np.float32)

        # 1. Bounds of every row's cosine, from the codes.
        least, greatest = self._codes.bounds(query, self._used)
        is_excluded = self._excluded(db, allowed)
        least[is_excluded] = -np.inf
        greatest[is_excluded] = -np.inf
        rows = self._used - int(np.count_nonzero(is_excluded))
        count = min(limit, rows)
        if count == 0:
            return []

        # 2. Candidates: rows that may be among the best.
        rank = least.size - count
        last_certain = np.partition(least, rank)[rank]
        candidates = np.flatnonzero(greatest >= last_certain)
        ids = self._ids[candidates]

        # 3. Their cosines, from the file's vectors.
        ids, cosines = self._cosines(db, ids, query)
        count = min(count, ids.size)
        if count == 0:
            return []

        # 4. The best of them.
        order = np.argsort(-cosines, kind="stable")
        last_cosine = cosines[order[count - 1]]
        order = order[cosines[order] >= last_cosine]
        best = zip(ids[order].tolist(), cosines[order].tolist(), strict=True)
        return list(best)

    def _excluded(self, db: sqlite3.Connection, allowed: Allowed | None) -> Flags:
        """Returns the rows that hold nothing, or that a search may not bring."""
        ids = self._ids[: self._used]
        is_excluded: Flags = ids == _FREE
        if allowed is not None:
            is_excluded |= ids < allowed.first
            is_excluded |= ids >= allowed.past
            is_excluded[self._rows_of(allowed.without)] = True
            if allowed.match is not None:
                is_excluded |= self._find_not_matching(db, allowed, allowed.match)
        return is_excluded

    def _allocate(self, capacity: int) -> None:
        """Makes room for `capacity` rows, all of them free."""
        np = self._np
        self._used = 0
        """Number of rows from the top that hold, or have held, a vector."""
        self._first_free = 0
        """Row above which none is free."""
        self._sorted: tuple[Ints, Ints] | None = None
        self._codes = Codes(capacity, self.dimension)
        self._ids: Ints = np.full(capacity, _FREE, dtype=np.int64)

    def _read(self, db: sqlite3.Connection) -> None:
        """Reads all vectors anew."""
        self._allocate(0)  # the old one goes before the new one is made
        rows = 0
        for table in VECTORS:
            (count,) = db.execute(f"SELECT count(*) FROM {table}").fetchone()
            rows += count
        spare = max(_SPARE, rows // 16)
        self._allocate(rows + spare)
        for ids, vectors in self._vectors(db, -1):
            self._place(ids, vectors)

    def _follow(self, db: sqlite3.Connection, since: int) -> bool:
        """Takes over what changed after revision `since`. Returns False if there is no room left."""
        query = "SELECT id FROM removed_vectors WHERE revision > ?"
        reader = db.execute(query, (since,))
        removed_ids = [row_id for (row_id,) in reader]
        rows = self._rows_of(removed_ids)
        self._ids[rows] = _FREE
        self._first_free = 0
        self._sorted = None
        for ids, vectors in self._vectors(db, since):
            if not self._place(ids, vectors):
                return False
        return True

    def _vectors(self, db: sqlite3.Connection, since: int) -> Iterator[tuple[Ints, Floats]]:
        """Yields ids and vectors written after revision `since`, without those of another space or length."""
        condition = _IN_SPACE
        if since >= 0:  # the index would scatter a full read
            condition = f"stored.revision > :since AND {_IN_SPACE}"
        values = {
            "since": since,
            "space": self.space,
            "bytes": 4 * self.dimension,
        }
        for table in VECTORS:
            query = f"SELECT stored.id, stored.vector FROM {table} AS stored WHERE {condition}"
            reader = db.execute(query, values)
            while rows := reader.fetchmany(_AT_ONCE):
                row_ids, contents = zip(*rows, strict=True)
                ids: Ints = self._np.array(row_ids, dtype=self._np.int64)
                vectors = self._matrix(contents)
                yield self._without_damaged(db, table, ids, vectors)

    def _without_damaged(
        self,
        db: sqlite3.Connection,
        table: str,
        ids: Ints,
        vectors: Floats,
    ) -> tuple[Ints, Floats]:
        """Leaves out the vectors of a table's rows that are not what was written, and remembers them as damaged.

        The sum of every row takes longer than reading it: only vectors that are not of unit length are looked at. The
        others are looked at when a search finds them, and by the sweep.
        """
        np = self._np
        with np.errstate(all="ignore"):
            squares = np.vecdot(vectors, vectors)
            lengths = np.sqrt(squares)
            deviations = np.abs(lengths - 1)
        is_doubtful = ~(deviations <= _TOLERANCE)  # also where it is no number
        if not is_doubtful.any():
            return ids, vectors

        doubtful_ids = ids[is_doubtful].tolist()
        damaged_ids = list(damaged_vectors(db, table, doubtful_ids))
        self._damaged += damaged_ids
        is_readable = ~np.isin(ids, damaged_ids)
        return ids[is_readable], vectors[is_readable]

    def _place(self, ids: Ints, vectors: Floats) -> bool:
        """Writes vectors into rows that are free, from the top. Returns False if there are too few."""
        np = self._np
        if ids.size == 0:
            return True
        count = ids.size
        reach = self._used + count
        is_free = self._ids[self._first_free : reach] == _FREE
        free_rows = self._first_free + np.flatnonzero(is_free)
        rows = free_rows[:count]
        if rows.size < count:
            return False
        self._codes.write(rows, vectors)
        self._ids[rows] = ids
        self._first_free = int(rows[-1]) + 1
        self._used = max(self._used, self._first_free)
        return True

    def _rows_of(self, ids: Sequence[int]) -> Ints:
        """Returns the rows of those ids that have one."""
        np = self._np
        requested: Ints = np.array(ids, dtype=np.int64)
        if self._used == 0 or requested.size == 0:
            return requested[:0]
        if self._sorted is None:
            used_ids = self._ids[: self._used]
            order = np.argsort(used_ids, kind="stable")
            self._sorted = (order, used_ids[order])
        order, sorted_ids = self._sorted

        last_place = sorted_ids.size - 1
        places = np.searchsorted(sorted_ids, requested)
        places = np.minimum(places, last_place)
        is_there = sorted_ids[places] == requested
        places_of_rows = places[is_there]
        rows: Ints = order[places_of_rows]
        return rows

    def _find_not_matching(self, db: sqlite3.Connection, allowed: Allowed, match: str) -> Flags:
        """Returns the rows that do not match, of those between `first` and `past`."""
        key = replace(allowed, without=())
        not_matching = self._not_matching.pop(key, None)
        if not_matching is None:
            query = "SELECT rowid FROM postings WHERE postings MATCH ? AND rowid >= ? AND rowid < ?"
            values = (match, allowed.first, allowed.past)
            reader = db.execute(query, values)
            matching_ids = [row_id for (row_id,) in reader]
            matching_rows = self._rows_of(matching_ids)
            not_matching = self._np.ones(self._used, dtype=bool)
            not_matching[matching_rows] = False

        # The last used is the last key.
        self._not_matching[key] = not_matching
        if len(self._not_matching) > _CACHED_FILTERS:
            oldest = next(iter(self._not_matching))
            del self._not_matching[oldest]
        return not_matching

    def _cosines(self, db: sqlite3.Connection, ids: Ints, query: Floats) -> tuple[Ints, Doubles]:
        """Returns those of the ids whose vectors are what was written, and their cosines in double precision.

        They are summed the same way for every row: equal vectors come out equal. The other ids count as damaged.
        """
        np = self._np
        precise_query = query.astype(np.float64)
        sound_ids: list[int] = []
        cosines: list[float] = []
        for first in range(0, ids.size, _AT_ONCE):
            past = first + _AT_ONCE
            vectors = self._stored(db, ids[first:past].tolist())
            matrix = self._matrix(list(vectors.values()))
            products = matrix.astype(np.float64) * precise_query
            sums = products.sum(axis=1)
            sound_ids += vectors
            cosines += np.clip(sums, -1.0, 1.0).tolist()
        return np.array(sound_ids, dtype=np.int64), np.array(cosines, dtype=np.float64)

    def _stored(self, db: sqlite3.Connection, row_ids: Sequence[int]) -> dict[int, bytes]:
        """Returns id -> the file's vector, in the order of the ids; those that it cannot return count as damaged."""
        values = {
            "ids": json.dumps(row_ids),
            "space": self.space,
            "bytes": 4 * self.dimension,
        }
        sound: dict[int, bytes] = {}
        for table in VECTORS:
            query = (
                f"SELECT {_COLUMNS} FROM json_each(:ids) CROSS JOIN {table} AS stored "
                f"ON stored.id = value WHERE {_IN_SPACE}"
            )
            for row_id, index_version, vector, checksum in db.execute(query, values):
                if is_sound(index_version, vector, checksum):
                    sound.setdefault(row_id, vector)
        self._damaged.extend(row_id for row_id in row_ids if row_id not in sound)
        return {row_id: sound[row_id] for row_id in row_ids if row_id in sound}

    def _matrix(self, contents: Sequence[bytes]) -> Floats:
        """Returns vectors as the rows of a matrix."""
        np = self._np
        joined = b"".join(contents)
        numbers: Floats = np.frombuffer(joined, np.float32)
        rows = len(contents)
        return numbers.reshape(rows, self.dimension)


class Codes:
    """The codes of `capacity` rows of unit vectors; a row that was never written is not to be read.

    code = rint(vector / scale), where the vector's greatest number has the code 127 or -127. A cosine with a unit query
    is then off by at most the length of vector - scale * code (Cauchy and Schwarz). So reading the codes, a quarter of
    the vectors, tells for certain which few rows can be among the best; those are computed again from the vectors.
    """

    def __init__(self, capacity: int, dimension: int) -> None:
        """Raises OperatorError where numpy is not installed."""
        np = load_numpy()
        self._np = np
        shape = (capacity, dimension)
        self._codes: Bytes = np.empty(shape, dtype=np.int8)
        self._scales: Floats = np.empty(capacity, dtype=np.float32)
        self._losses: Floats = np.empty(capacity, dtype=np.float32)

    def write(self, rows: Ints, vectors: Floats) -> None:
        """Replaces those rows; `vectors` (rows x dimension) are of unit length."""
        np = self._np

        # The greatest number of each vector, by size, has the greatest code; a vector of zeros must not divide by 0.
        largest = np.maximum.reduce(vectors, axis=1)
        smallest = np.minimum.reduce(vectors, axis=1)
        greatest = np.maximum(largest, -smallest)
        least_divisor = np.finfo(np.float32).tiny
        greatest = np.maximum(greatest, least_divisor)
        scales = greatest / np.float32(_MAX_CODE)
        scale_of_row = scales[:, None]
        exact = vectors / scale_of_row
        codes = np.rint(exact)

        # What a code loses is as long as what was rounded off, at the vector's scale.
        lost = np.subtract(exact, codes, out=exact)
        squares = np.vecdot(lost, lost)
        losses = scales * np.sqrt(squares)
        losses += np.float32(_ROUNDING)

        self._codes[rows] = codes
        self._scales[rows] = scales
        self._losses[rows] = losses

    def bounds(self, query: Floats, used: int) -> tuple[Floats, Floats]:
        """Returns the least and the greatest cosine that each of the first `used` rows can have with the unit `query`."""
        np = self._np
        dimension = query.size
        cosines: Floats = np.empty(used, dtype=np.float32)
        step = max(1, _BLOCK // dimension)
        rows_at_once = min(step, used)
        buffer: Floats = np.empty((rows_at_once, dimension), dtype=np.float32)
        for first in range(0, used, step):
            past = min(first + step, used)
            rows = past - first
            block = buffer[:rows]
            codes = self._codes[first:past]
            np.copyto(block, codes)
            cosines_of_block = cosines[first:past]
            # Not `@`: its threads wait for each other, and on a busy machine that costs 20 ms where the sums take 0.3.
            np.vecdot(block, query, out=cosines_of_block)

        scales = self._scales[:used]
        cosines *= scales
        losses = self._losses[:used]
        least = cosines - losses
        greatest = cosines + losses
        return least, greatest


def load_numpy() -> ModuleType:
    """Raises OperatorError where it is not installed."""
    try:
        import numpy as np  # noqa: PLC0415 - 100 ms, and a search without vectors does not need it
    except ImportError as problem:
        command = install_command("numpy")
        raise OperatorError(f"searching vectors needs numpy: {command}") from problem
    return np
