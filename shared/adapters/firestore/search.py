"""The three legs of retrieval, the corpus figures and what may be cited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from operator import mul
from typing import Any

from shared.adapters.firestore import names
from shared.adapters.firestore.connection import Connection
from shared.adapters.firestore.corpus import Corpus
from shared.adapters.firestore.documents import RECORD_FIELDS, chunk_of, record_of, searched_fields
from shared.adapters.firestore.protocol import timestamp, vector_of
from shared.adapters.firestore.queries import KEY, Is, Order, Query, Reference, Where, nearest
from shared.adapters.firestore.restriction import by_month_and_scope, by_time_and_scope, impossible
from shared.domain import CorpusStats, IndexedChunk, IndexRecord, Neighbour, Restriction, Vector

MAX_NEIGHBOURS = 1000
"""Firestore's limit of one vector search."""
PAGE = 300
"""Documents of one page where a search has to look through more than it returns."""
NEWEST_FIRST = (Order("createdAt", descending=True), Order(KEY))
"""Always this direction: a range on `createdAt` needs the index in the direction of the order."""
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
        prefilter = by_month_and_scope(restriction)
        query = Query(collection="chunks", where=prefilter.where, fields=(*searched_fields(stems), DISTANCE))
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
        where = by_time_and_scope(restriction).where
        found = []
        for document in self._scan(tenant_id, where, (*searched_fields(stems), "embedding"), PAGE):
            chunk = chunk_of(document, stems)
            if "embedding" in document.fields and _fits(chunk, restriction, index_version):
                cosine = sum(map(mul, vector, vector_of(document.fields["embedding"])))
                found.append(Neighbour(chunk, _cosine(cosine)))
        return tuple(found)

    def postings(
        self, tenant_id: str, stem: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        """The stem takes the one array filter there can be: scopes are checked on what comes back, page by page."""
        where = (*by_time_and_scope(restriction, array_filter=False).where, Where("terms", Is.CONTAINS, stem))
        return self._newest(tenant_id, where, limit, stems, restriction)

    def recent(
        self, tenant_id: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        return self._newest(tenant_id, by_time_and_scope(restriction).where, limit, stems, restriction)

    def _newest(
        self, tenant_id: str, where: tuple[Where, ...], limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        """The newest that `where` finds and the restriction allows; equals by chunk id."""
        if impossible(restriction):
            return ()
        documents = self._scan(tenant_id, where, searched_fields(stems), limit)
        chunks = (chunk_of(document, stems) for document in documents)
        return tuple(islice((chunk for chunk in chunks if restriction.allows(chunk)), limit))

    def _scan(self, tenant_id: str, where: tuple[Where, ...], fields: tuple[str, ...], first: int) -> Iterator[Any]:
        """All chunks that `where` finds, newest first, read as they are asked for: `first` of them, then by pages."""
        parent = names.tenant(self._connection.root, tenant_id)
        query = Query(collection="chunks", where=where, order=NEWEST_FIRST, limit=first, fields=fields)
        while True:
            documents = self._connection.query(parent, query.message())
            yield from documents
            if len(documents) < (query.limit or 0):
                return
            last = documents[-1]
            after = (timestamp(last.fields["createdAt"].timestamp_value), Reference(last.name))
            query = replace(query, after=after, limit=PAGE)

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


def _fits(chunk: IndexedChunk, restriction: Restriction, index_version: str) -> bool:
    return chunk.index_version == index_version and restriction.allows(chunk)


def _cosine(product: float) -> float:
    """Of unit vectors the dot product, but for rounding."""
    return min(1.0, max(-1.0, product))


def _best(found: Iterable[Neighbour], limit: int) -> tuple[Neighbour, ...]:
    return tuple(sorted(found, key=lambda each: (-each.cosine, each.chunk.chunk_id))[:limit])
