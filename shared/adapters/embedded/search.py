"""The three legs on one tenant's file: restrictions are part of every query, so no leg comes back short."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime

from shared.adapters.embedded import documents
from shared.adapters.embedded.damage import readable_chunks, remove_damaged_vectors
from shared.adapters.embedded.documents import (
    CHUNKS,
    RECORDS,
    DamagedChunk,
    DamagedRow,
    chunks_of,
)
from shared.adapters.embedded.files import TenantFiles
from shared.adapters.embedded.sqlite import rows
from shared.adapters.embedded.vectors import Allowed, VectorSpace
from shared.model.index import IndexedChunk, IndexRecord, Vector, vector_space
from shared.model.questions import TimeRange
from shared.model.retrieval import CorpusStats, Neighbour, Restriction

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
    ) -> tuple[Neighbour, ...]:
        """Raises OperatorError where numpy is not installed. The first call reads the tenant's vectors into memory."""
        if limit < 1 or not all(restriction.scopes):
            return ()
        space = self._spaces.get(tenant_id)
        name = vector_space(index_version)
        if space is None or (space.space, space.dimension) != (name, len(vector)):
            # One a tenant: the memory of another vector space is given back.
            space = self._spaces[tenant_id] = VectorSpace(name, len(vector))
        # The lock before the first read: no thread's snapshot is older than what memory has followed already.
        file = self._files.of(tenant_id)
        with space.lock, file.reading() as db:
            (revision,) = db.execute("SELECT revision FROM state").fetchone()
            space.refresh(db, revision)
            best = space.nearest(db, vector, limit=limit, allowed=_allowed(db, restriction))
            row_ids = json.dumps([row_id for row_id, _ in best])
            chunks = chunks_of(rows(db, _BY_ID, (row_ids,)), stems)
            damaged_vectors = space.pop_damaged()
        readable_chunks(file, chunks)
        remove_damaged_vectors(file, damaged_vectors)
        found = [
            Neighbour(chunk, cosine)
            for chunk, (_, cosine) in zip(chunks, best, strict=True)
            if isinstance(chunk, IndexedChunk)
        ]
        return tuple(sorted(found, key=lambda each: (-each.cosine, each.chunk.chunk_id))[:limit])

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
            chunks = _newest(db, stem, limit=limit, stems=stems, restriction=restriction)
        return readable_chunks(file, chunks)

    def recent(
        self, tenant_id: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        file = self._files.of(tenant_id)
        with file.reading() as db:
            chunks = _newest(db, None, limit=limit, stems=stems, restriction=restriction)
        return readable_chunks(file, chunks)

    def document_frequencies(self, tenant_id: str, stems: Sequence[str]) -> Mapping[str, int]:
        counts = {}
        with self._files.of(tenant_id).reading() as db:
            for stem in stems:
                row = db.execute(
                    "SELECT doc FROM vocabulary WHERE term = ?", (documents.term_token(stem),)
                ).fetchone()
                counts[stem] = row[0] if row else 0
        return counts

    def stats(self, tenant_id: str) -> CorpusStats:
        with self._files.of(tenant_id).reading() as db:
            revision, count, length = db.execute(
                "SELECT revision, chunk_count, total_length FROM state"
            ).fetchone()
        return CorpusStats(count, length / count if count else 0.0, str(revision))

    def note_chunks(
        self, tenant_id: str, note_id: str, *, stems: Sequence[str]
    ) -> tuple[IndexedChunk, ...]:
        query = (
            f"SELECT {CHUNKS.columns}, id FROM chunks WHERE note_id = ? ORDER BY position, chunk_id"
        )
        file = self._files.of(tenant_id)
        with file.reading() as db:
            chunks = chunks_of(rows(db, query, (note_id,)), stems)
        return readable_chunks(file, chunks)

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        query = (
            f"SELECT {RECORDS.columns}, records.note_id FROM json_each(?) CROSS JOIN notes ON notes.note_id = value "
            "CROSS JOIN records ON records.note_id = value"
        )
        records = {}
        with self._files.of(tenant_id).reading() as db:
            for row in rows(db, query, (json.dumps(note_ids),)):
                with suppress(DamagedRow):  # not cited until a sweep has indexed the note anew
                    records[row[-1]] = RECORDS.load(row)
        return records


def _newest(
    db: sqlite3.Connection,
    stem: str | None,
    *,
    limit: int,
    stems: Sequence[str],
    restriction: Restriction,
) -> tuple[IndexedChunk | DamagedChunk, ...]:
    """The newest allowed chunks, of those that hold `stem` if it is given; newest first, equals by chunk id.

    Ids grow with the second of created_at only, so the walk ends at the first new second after `limit` documents. An
    import may hold thousands of one second: only those that are returned are read whole.
    """
    if limit < 1 or not all(restriction.scopes):
        return ()
    match = documents.expression(stem, restriction.scopes)
    found: list[tuple[int, bytes, int]] = []
    second = None
    with closing(
        db.execute(_MATCHING if match else _ANY, {**_bounds(restriction.created), "match": match})
    ) as walk:
        for created_at, chunk_id, row_id in walk:
            before, second = second, documents.ids_at(created_at)
            if len(found) >= limit and second != before:
                break
            found.append((-created_at, chunk_id, row_id))
    newest = [row_id for _, _, row_id in sorted(found)[:limit]]
    return chunks_of(rows(db, _BY_ID, (json.dumps(newest),)), stems)


def _allowed(db: sqlite3.Connection, restriction: Restriction) -> Allowed | None:
    """What the vector leg may bring, as row ids. None: everything."""
    if restriction.created is None and not restriction.scopes:
        return None
    bounds = _bounds(restriction.created)
    match = documents.expression(None, restriction.scopes)
    # Ids are exact to the second: what the range excludes of its first and last second is named one by one.
    bounds["first_past"] = documents.ids_at(bounds["start"]).stop
    bounds["last"] = documents.ids_at(bounds["end"] - 1).start
    without = db.execute(
        "SELECT id FROM chunks WHERE (id >= :first AND id < :first_past AND created_at < :start) "
        "OR (id >= :last AND id < :past AND created_at >= :end)",
        bounds,
    )
    return Allowed(
        first=bounds["first"], past=bounds["past"], match=match, without=[row[0] for row in without]
    )


def _bounds(created: TimeRange | None) -> dict[str, int]:
    """A half-open range in microseconds, and the ids within which it lies."""
    start = (
        _BEGIN if created is None or created.start is None else documents.to_micros(created.start)
    )
    end = _END if created is None or created.end is None else documents.to_micros(created.end)
    first, past = documents.ids_at(start).start, documents.ids_at(end - 1).stop
    return {"start": start, "end": end, "first": first, "past": past}
