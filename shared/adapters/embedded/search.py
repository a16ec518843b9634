"""The three legs on one tenant's file: restrictions are part of every query, so no leg comes back short."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from operator import attrgetter

from shared.adapters.embedded import documents
from shared.adapters.embedded.damage import readable_chunks, remove_damaged_vectors
from shared.adapters.embedded.documents import (
    CHUNKS,
    RECORDS,
    DamagedRow,
    ReadChunk,
    chunks_of,
)
from shared.adapters.embedded.files import TenantFiles
from shared.adapters.embedded.sqlite import fetch_rows
from shared.adapters.embedded.vectors import Allowed, VectorSpace
from shared.model.index import IndexedChunk, IndexRecord, Vector, vector_space
from shared.model.questions import TimeRange
from shared.model.retrieval import CorpusStats, Neighbour, Restriction, VectorMatches

_BEGIN = 0
_END = documents.to_micros(datetime.max.replace(tzinfo=UTC)) + 1
"""Microseconds: not after, and after, every date."""

# Ids of chunks as bytes, which sort alike and can be read whatever the disk has made of them.
_MATCHING = (
    "SELECT created_at, CAST(chunk_id AS BLOB), id FROM postings CROSS JOIN chunks ON chunks.id = postings.rowid "
    "WHERE postings MATCH :match AND postings.rowid >= :first AND postings.rowid < :past "
    "AND created_at >= :start AND created_at < :end ORDER BY postings.rowid DESC"
)
_ANY = (
    "SELECT created_at, CAST(chunk_id AS BLOB), id FROM chunks WHERE id >= :first AND id < :past "
    "AND created_at >= :start AND created_at < :end ORDER BY id DESC"
)
_BY_ID = (
    f"SELECT {CHUNKS.columns}, chunks.id FROM json_each(?) CROSS JOIN chunks ON chunks.id = value"
)
"""In the order of the list: SQLite walks it and looks each up."""


class EmbeddedSearch:
    """`shared.ports.stores.SearchStore`, a transaction a call."""

    _files: TenantFiles
    _spaces: dict[str, VectorSpace]

    def nearest(
        self,
        tenant_id: str,
        vector: Vector,
        *,
        limit: int,
        stems: Sequence[str],
        restriction: Restriction,
        index_version: str,
        second_vectors: bool = False,  # noqa: ARG002 - both kinds are in memory together
    ) -> VectorMatches:
        """Raises OperatorError where numpy is not installed. The first call reads the tenant's vectors into memory."""
        if limit < 1 or not all(restriction.scopes):
            return VectorMatches()
        space = self._space(tenant_id, vector_space(index_version), len(vector))
        file = self._files.of(tenant_id)
        # The lock before the first read: no thread's snapshot is older than what memory has followed already.
        with space.lock, file.reading() as db:
            (revision,) = db.execute("SELECT revision FROM state").fetchone()
            space.refresh(db, revision)
            allowed = _allowed(db, restriction)
            best = space.nearest(db, vector, limit=limit, allowed=allowed)
            chunks = _chunks(db, [row_id for row_id, _ in best], stems)
            damaged_vectors = space.pop_damaged()
        readable_chunks(file, chunks, stems)
        remove_damaged_vectors(file, damaged_vectors)
        neighbours = []
        for chunk, (_, cosine) in zip(chunks, best, strict=True):
            if isinstance(chunk, IndexedChunk):
                neighbours.append(Neighbour(chunk, cosine))
        neighbours.sort(key=attrgetter("place"))
        ceiling = None
        if len(best) >= limit:
            _, ceiling = best[-1]
        if damaged_vectors:
            # They took the places of others, of which nothing is known before the next search.
            ceiling = 1.0
        return VectorMatches(tuple(neighbours[:limit]), ceiling)

    def _space(self, tenant_id: str, name: str, dimension: int) -> VectorSpace:
        """Returns the tenant's vectors in memory. One space a tenant: the memory of another one is given back."""
        space = self._spaces.get(tenant_id)
        if space is None or (space.space, space.dimension) != (name, dimension):
            space = VectorSpace(name, dimension)
            self._spaces[tenant_id] = space
        return space

    def postings(
        self,
        tenant_id: str,
        stem: str,
        *,
        limit: int,
        stems: Sequence[str],
        restriction: Restriction,
    ) -> tuple[IndexedChunk, ...]:
        file = self._files.of(tenant_id)
        with file.reading() as db:
            chunks = _newest(
                db,
                stem,
                limit=limit,
                stems=stems,
                restriction=restriction,
            )
        return readable_chunks(file, chunks, stems)

    def recent(
        self,
        tenant_id: str,
        *,
        limit: int,
        stems: Sequence[str],
        restriction: Restriction,
    ) -> tuple[IndexedChunk, ...]:
        file = self._files.of(tenant_id)
        with file.reading() as db:
            chunks = _newest(
                db,
                None,
                limit=limit,
                stems=stems,
                restriction=restriction,
            )
        return readable_chunks(file, chunks, stems)

    def document_frequencies(self, tenant_id: str, stems: Sequence[str]) -> Mapping[str, int]:
        query = "SELECT doc FROM vocabulary WHERE term = ?"
        counts = {}
        with self._files.of(tenant_id).reading() as db:
            for stem in stems:
                token = documents.term_token(stem)
                row = db.execute(query, (token,)).fetchone()
                counts[stem] = 0
                if row is not None:
                    counts[stem] = row[0]
        return counts

    def stats(self, tenant_id: str) -> CorpusStats:
        query = "SELECT revision, chunk_count, total_length FROM state"
        with self._files.of(tenant_id).reading() as db:
            revision, chunks, length = db.execute(query).fetchone()
        mean_length = 0.0
        if chunks:
            mean_length = length / chunks
        return CorpusStats(chunks, mean_length, str(revision))

    def note_chunks(
        self,
        tenant_id: str,
        note_id: str,
        *,
        stems: Sequence[str],
    ) -> tuple[IndexedChunk, ...]:
        query = (
            f"SELECT {CHUNKS.columns}, id FROM chunks WHERE note_id = ? ORDER BY position, chunk_id"
        )
        file = self._files.of(tenant_id)
        with file.reading() as db:
            chunks = chunks_of(fetch_rows(db, query, (note_id,)), stems)
        return readable_chunks(file, chunks, stems)

    def read_chunks(
        self,
        tenant_id: str,
        chunk_ids: Sequence[str],
        *,
        stems: Sequence[str],
    ) -> tuple[IndexedChunk, ...]:
        query = (
            f"SELECT {CHUNKS.columns}, chunks.id FROM json_each(?) "
            "CROSS JOIN chunks ON chunks.chunk_id = value"
        )
        file = self._files.of(tenant_id)
        with file.reading() as db:
            chunks = chunks_of(fetch_rows(db, query, (json.dumps(chunk_ids),)), stems)
        return readable_chunks(file, chunks, stems)

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        query = (
            f"SELECT {RECORDS.columns}, records.note_id FROM json_each(?) CROSS JOIN notes ON notes.note_id = value "
            "CROSS JOIN records ON records.note_id = value"
        )
        records = {}
        with self._files.of(tenant_id).reading() as db:
            for row in fetch_rows(db, query, (json.dumps(note_ids),)):
                with suppress(DamagedRow):  # not cited until a sweep has indexed the note anew
                    records[row[-1]] = RECORDS.load(row)
        return records


def _chunks(
    db: sqlite3.Connection,
    row_ids: Sequence[int],
    stems: Sequence[str],
) -> tuple[ReadChunk, ...]:
    """Returns the chunks of these rows in their order."""
    values = (json.dumps(row_ids),)
    return chunks_of(fetch_rows(db, _BY_ID, values), stems)


def _newest(
    db: sqlite3.Connection,
    stem: str | None,
    *,
    limit: int,
    stems: Sequence[str],
    restriction: Restriction,
) -> tuple[ReadChunk, ...]:
    """Returns the newest allowed chunks, of those that hold `stem` if it is given; newest first, equals by chunk id.

    Ids grow with the second of created_at only, so the walk ends at the first new second after `limit` documents. An
    import may hold thousands of one second: only those that are returned are read whole.
    """
    if limit < 1 or not all(restriction.scopes):
        return ()
    match = documents.expression(stem, restriction.scopes)
    query = _ANY
    if match:
        query = _MATCHING
    values = {**_bounds(restriction.created), "match": match}
    entries: list[tuple[int, bytes, int]] = []
    last_second = None
    with closing(db.execute(query, values)) as walk:
        for created_at, chunk_id, row_id in walk:
            second = documents.ids_of_second(created_at)
            if len(entries) >= limit and second != last_second:
                break
            last_second = second
            entries.append((-created_at, chunk_id, row_id))
    entries.sort()
    return _chunks(db, [row_id for _, _, row_id in entries[:limit]], stems)


def _allowed(db: sqlite3.Connection, restriction: Restriction) -> Allowed | None:
    """Returns the row ids that the vector leg may bring, or None for all."""
    if restriction.created is None and not restriction.scopes:
        return None
    bounds = _bounds(restriction.created)
    match = documents.expression(None, restriction.scopes)
    # Ids are exact to the second: what the range excludes of its first and last second is named one by one.
    bounds["first_past"] = documents.ids_of_second(bounds["start"]).stop
    bounds["last"] = documents.ids_of_second(bounds["end"] - 1).start
    reader = db.execute(
        "SELECT id FROM chunks WHERE (id >= :first AND id < :first_past AND created_at < :start) "
        "OR (id >= :last AND id < :past AND created_at >= :end)",
        bounds,
    )
    return Allowed(
        first=bounds["first"],
        past=bounds["past"],
        match=match,
        without=[row_id for (row_id,) in reader],
    )


def _bounds(created: TimeRange | None) -> dict[str, int]:
    """Returns a half-open range in microseconds, and the ids within which it lies."""
    start = _BEGIN
    end = _END
    if created is not None and created.start is not None:
        start = documents.to_micros(created.start)
    if created is not None and created.end is not None:
        end = documents.to_micros(created.end)
    first_second = documents.ids_of_second(start)
    last_second = documents.ids_of_second(end - 1)
    return {
        "start": start,
        "end": end,
        "first": first_second.start,
        "past": last_second.stop,
    }
