"""The three legs of retrieval, the corpus figures and what may be cited."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from shared.adapters.firestore.queries import KEY, Is, Order, Query, Reference, Where, count, nearest
from shared.adapters.firestore.restriction import by_month_and_scope, by_posting, by_time_and_scope, impossible
from shared.domain import CorpusStats, IndexedChunk, IndexRecord, Neighbour, Restriction, Vector

MAX_NEIGHBOURS = 1000
"""Firestore's limit of one vector search."""
PAGE = 300
"""Documents of one page where a search has to look through more than it returns."""
NEWEST_FIRST = (Order("createdAt", descending=True), Order(KEY))
"""Of chunks of one time, a note's first ones. A range on `createdAt` needs the index in the direction of the order."""
DISTANCE = "distance"
FEW = 300
"""Chunks that are read and compared one by one rather than looked for among the thousand nearest."""


@dataclass(frozen=True, slots=True)
class _Aim:
    """What the vector leg looks for."""

    parent: str
    """The tenant's path."""
    vector: Vector
    stems: tuple[str, ...]
    restriction: Restriction
    index_version: str

    def fits(self, chunk: IndexedChunk) -> bool:
        return chunk.index_version == self.index_version and self.restriction.allows(chunk)


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
        """One vector search in most cases. Where chunks of its reply fall to another index version or to what its
        filters cannot say, and it comes out short, the rest is found without loss: see `_beyond`.
        """
        if impossible(restriction):
            return ()
        aim = _Aim(names.tenant(self._connection.root, tenant_id), vector, tuple(stems), restriction, index_version)
        found, complete = self._near(aim, min(limit, MAX_NEIGHBOURS))
        if len(found) < limit and not complete:
            found = self._beyond(aim, limit)
        return tuple(sorted(found, key=lambda each: (-each.cosine, each.chunk.chunk_id))[:limit])

    def _beyond(self, aim: _Aim, limit: int) -> list[Neighbour]:
        """Few chunks that fit are read and compared here: a day of a full month costs what the day holds. Many are
        looked for among the thousand nearest, and read and compared only if that is not enough.
        """
        scan = _exactly(aim)
        counted = self._connection.aggregate(aim.parent, count(replace(scan, limit=None).message()), "count")
        if counted["count"].integer_value > FEW:
            found, complete = self._near(aim, MAX_NEIGHBOURS)
            if len(found) >= limit or complete:
                return found
        return self._compared(aim, scan)

    def _near(self, aim: _Aim, size: int) -> tuple[list[Neighbour], bool]:
        """What fits of the `size` nearest, and whether there are no others that the filters let through."""
        query = Query(
            collection="chunks",
            where=by_month_and_scope(aim.restriction),
            fields=(*searched_fields(aim.stems), DISTANCE),
        )
        search = nearest(query.message(), "embedding", aim.vector, limit=size, distance=DISTANCE)
        documents = self._connection.query(aim.parent, search)
        found = [
            Neighbour(chunk_of(document, aim.stems), _cosine(document.fields[DISTANCE].double_value))
            for document in documents
        ]
        return [each for each in found if aim.fits(each.chunk)], len(documents) < size

    def _compared(self, aim: _Aim, scan: Query) -> list[Neighbour]:
        """Every chunk of the scan that fits and has a vector."""
        scan = replace(scan, fields=(*searched_fields(aim.stems), "embedding"))
        found = []
        for document in self._scan(aim.parent, scan, _created if scan.order == NEWEST_FIRST else _nothing):
            chunk = chunk_of(document, aim.stems)
            if "embedding" in document.fields and aim.fits(chunk):
                cosine = sum(map(mul, aim.vector, vector_of(document.fields["embedding"])))
                found.append(Neighbour(chunk, _cosine(cosine)))
        return found

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
        parent = names.tenant(self._connection.root, tenant_id)
        documents = self._scan(
            parent, query, lambda last: (last.fields["postings"].map_value.fields[key].integer_value,)
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
        parent = names.tenant(self._connection.root, tenant_id)
        return self._allowed(self._scan(parent, query, _created), limit, stems, restriction)

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

    def _scan(self, parent: str, query: Query, values: Callable[[Any], tuple[object, ...]]) -> Iterator[Any]:
        """All documents of the query in its order: as many as its limit first, then by pages. `values`: what a
        document is ordered by, before its name.
        """
        while True:
            documents = self._connection.query(parent, query.message())
            yield from documents
            if len(documents) < (query.limit or 0):
                return
            last = documents[-1]
            query = replace(query, after=(*values(last), Reference(last.name)), limit=PAGE)

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


def _exactly(aim: _Aim) -> Query:
    """The names of the chunks that fit, and as few others as an index can leave out."""
    where = by_time_and_scope(aim.restriction)
    if where:
        return Query(collection="chunks", where=where, order=NEWEST_FIRST, limit=PAGE, fields=())
    version = Where("indexVersion", Is.EQUAL, aim.index_version)
    return Query(collection="chunks", where=(version,), order=(Order(KEY),), limit=PAGE, fields=())


def _created(document: Any) -> tuple[object, ...]:  # noqa: ANN401
    return (timestamp(document.fields["createdAt"].timestamp_value),)


def _nothing(document: Any) -> tuple[object, ...]:  # noqa: ANN401, ARG001
    """Ordered by name alone."""
    return ()


def _cosine(product: float) -> float:
    """Of unit vectors the dot product, but for rounding."""
    return min(1.0, max(-1.0, product))
