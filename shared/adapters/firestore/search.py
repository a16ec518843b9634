"""The three legs of retrieval, the corpus figures and what may be cited."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from operator import mul
from typing import Any

from shared.adapters.firestore import names
from shared.adapters.firestore.connection import Connection
from shared.adapters.firestore.corpus import Corpus
from shared.adapters.firestore.documents import (
    RECORD_FIELDS,
    chunk_of,
    is_kept,
    posting_key,
    posting_path,
    record_of,
    searched_fields,
)
from shared.adapters.firestore.protocol import microseconds, timestamp, vector_of
from shared.adapters.firestore.queries import KEY, Is, Order, Query, Reference, Where, nearest
from shared.adapters.firestore.restriction import by_month_and_scope, by_posting, by_time_and_scope, impossible
from shared.domain import CorpusStats, IndexedChunk, IndexRecord, Neighbour, Restriction, Vector

MAX_NEIGHBOURS = 1000
"""Firestore's limit of one vector search."""
PAGE = 300
"""Documents of one page where a search has to look through more than it returns."""
NEWEST_FIRST = (Order("createdAt", descending=True), Order(KEY))
"""Of chunks of one time, a note's first ones. A range on `createdAt` needs the index in the direction of the order."""
DISTANCE = "distance"


class Search:
    """`shared.ports.SearchStore` on Firestore."""

    _connection: Connection
    _corpus: Corpus

    def nearest(
        self,
        tenant_id: str,
        vector: Vector,
        *,
        limit: int,
        stems: Sequence[str],
        restriction: Restriction,
        index_version: str,
    ) -> tuple[Neighbour, ...]:
        """One vector search in most cases. Where chunks of its reply fall to another index version or to the rest of
        the restriction and it comes out short, one with Firestore's greatest limit follows; where even that is
        short, every chunk of the restriction is read and compared here, so that nothing is lost.
        """
        if impossible(restriction):
            return ()
        where = by_month_and_scope(restriction)
        query = Query(collection="chunks", where=where, fields=(*searched_fields(stems), DISTANCE))
        parent = names.tenant(self._connection.root, tenant_id)
        for size in dict.fromkeys((min(limit, MAX_NEIGHBOURS), MAX_NEIGHBOURS)):
            search = nearest(query.message(), "embedding", vector, limit=size, distance=DISTANCE)
            documents = self._connection.query(parent, search)
            found = [
                Neighbour(chunk_of(document, stems), _cosine(document.fields[DISTANCE].double_value))
                for document in documents
            ]
            fitting = [each for each in found if _fits(each.chunk, restriction, index_version)]
            if len(fitting) >= limit or len(documents) < size:
                return _best(fitting, limit)
        return _best(self._compared(tenant_id, vector, stems, restriction, index_version), limit)

    def _compared(
        self, tenant_id: str, vector: Vector, stems: Sequence[str], restriction: Restriction, index_version: str
    ) -> tuple[Neighbour, ...]:
        """Every chunk of the restriction that has a vector of this index version."""
        fields = (*searched_fields(stems), "embedding")
        query = Query(
            collection="chunks", where=by_time_and_scope(restriction), order=NEWEST_FIRST, limit=PAGE, fields=fields
        )
        found = []
        for document in self._scan(tenant_id, query, _created):
            chunk = chunk_of(document, stems)
            if "embedding" in document.fields and _fits(chunk, restriction, index_version):
                cosine = sum(map(mul, vector, vector_of(document.fields["embedding"])))
                found.append(Neighbour(chunk, _cosine(cosine)))
        return tuple(found)

    def postings(
        self, tenant_id: str, stem: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        """Scopes are checked on what comes back, page by page. Of chunks of one time, those cut off by the limit are
        the ones with the fewest occurrences.
        """
        if not is_kept(stem):
            return ()
        field, key = posting_path(stem), posting_key(stem)
        query = Query(
            collection="chunks",
            where=by_posting(restriction, stem),
            order=(Order(field, descending=True), Order(KEY, descending=True)),
            limit=limit,
            fields=searched_fields((*stems, stem)),
        )
        documents = self._scan(
            tenant_id, query, lambda last: last.fields["postings"].map_value.fields[key].integer_value
        )
        return self._allowed(documents, limit, stems, restriction)

    def recent(
        self, tenant_id: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        query = Query(
            collection="chunks",
            where=by_time_and_scope(restriction),
            order=NEWEST_FIRST,
            limit=limit,
            fields=searched_fields(stems),
        )
        return self._allowed(self._scan(tenant_id, query, _created), limit, stems, restriction)

    @staticmethod
    def _allowed(
        documents: Iterator[Any], limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        """The first chunks that the restriction allows, those of one time by id; reads no further than it must."""
        if impossible(restriction):
            return ()
        chunks = (chunk_of(document, stems) for document in documents)
        found = islice((chunk for chunk in chunks if restriction.allows(chunk)), limit)
        return tuple(sorted(found, key=lambda chunk: (-microseconds(chunk.created_at), chunk.chunk_id)))

    def _scan(self, tenant_id: str, query: Query, value: Callable[[Any], object]) -> Iterator[Any]:
        """All documents of the query in its order: as many as its limit first, then by pages. `value`: what a
        document is ordered by, before its name.
        """
        parent = names.tenant(self._connection.root, tenant_id)
        while True:
            documents = self._connection.query(parent, query.message())
            yield from documents
            if len(documents) < (query.limit or 0):
                return
            last = documents[-1]
            query = replace(query, after=(value(last), Reference(last.name)), limit=PAGE)

    def note_chunks(self, tenant_id: str, note_id: str, *, stems: Sequence[str]) -> tuple[IndexedChunk, ...]:
        where = (Where("noteId", Is.EQUAL, note_id),)
        query = Query(collection="chunks", where=where, fields=searched_fields(stems))
        documents = self._connection.query(names.tenant(self._connection.root, tenant_id), query.message())
        chunks = (chunk_of(document, stems) for document in documents)
        return tuple(sorted(chunks, key=lambda chunk: (chunk.position, chunk.chunk_id)))

    def document_frequencies(self, tenant_id: str, stems: Sequence[str]) -> Mapping[str, int]:
        return self._corpus.document_frequencies(tenant_id, stems)

    def stats(self, tenant_id: str) -> CorpusStats:
        return self._corpus.stats(tenant_id)

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        """One lookup of each note's existence and its record: two reads a note."""
        root = self._connection.root
        asked = list(dict.fromkeys(note_ids))
        notes = {note_id: names.document(root, tenant_id, "notes", note_id) for note_id in asked}
        records = {note_id: names.document(root, tenant_id, "index", note_id) for note_id in asked}
        found = self._connection.lookup([*notes.values(), *records.values()], RECORD_FIELDS)
        return {
            note_id: record_of(found[records[note_id]])
            for note_id in asked
            if notes[note_id] in found and records[note_id] in found
        }


def _created(document: Any) -> datetime:  # noqa: ANN401
    return timestamp(document.fields["createdAt"].timestamp_value)


def _fits(chunk: IndexedChunk, restriction: Restriction, index_version: str) -> bool:
    return chunk.index_version == index_version and restriction.allows(chunk)


def _cosine(product: float) -> float:
    """Of unit vectors the dot product, but for rounding."""
    return min(1.0, max(-1.0, product))


def _best(found: Iterable[Neighbour], limit: int) -> tuple[Neighbour, ...]:
    return tuple(sorted(found, key=lambda each: (-each.cosine, each.chunk.chunk_id))[:limit])
