"""The three legs of retrieval, the chunks of a note and the records of notes that may be cited.

Each leg is one query with a bounded price. If Firestore's filters cannot express all of a restriction, the rest is
checked on the chunks that come back: a leg may bring fewer chunks than were asked for, never one that is forbidden.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import TypeAlias

from shared.adapters.firestore.client import pool
from shared.adapters.firestore.corpus import Corpus
from shared.adapters.firestore.documents import (
    CODEC,
    RECORD_FIELDS,
    chunk_of,
    is_indexed,
    posting_path,
    searched_fields,
)
from shared.adapters.firestore.filters import (
    filters_by_posting,
    filters_by_time_and_scope,
    filters_for_vectors,
    is_impossible,
)
from shared.adapters.firestore.protocol import (
    DISTANCE,
    KEY,
    OWN_VECTOR,
    SECOND_VECTOR,
    VERSION_FIELDS,
    Query,
    Where,
    microseconds,
    values_of,
)
from shared.model.index import IndexedChunk, IndexRecord, Vector, tags_of, vector_space
from shared.model.notes import Folder
from shared.model.retrieval import Neighbour, Restriction, VectorMatches

MAX_NEIGHBOURS = 1000
"""Neighbours of one vector search: Firestore's limit."""
SPARE = 10
"""Neighbours beyond its equal share that each of several searches asks for."""


class FirestoreSearch(Corpus):
    """`shared.ports.stores.SearchStore` on Firestore."""

    def nearest(
        self,
        tenant_id: str,
        vector: Vector,
        *,
        limit: int,
        stems: Sequence[str],
        restriction: Restriction,
        index_version: str,
        second_vectors: bool = False,
    ) -> VectorMatches:
        """Makes one vector search, for half as many again if its filters say less than the restriction.

        Several searches run side by side if the restriction allows more folders than one can name, and for
        `second_vectors`. While another index version is embedded, its chunks take places in a reply and are left out.
        """
        if is_impossible(restriction):
            return VectorMatches()
        folders: tuple[Folder, ...] = ()
        names_folders = not all(map(tags_of, restriction.scopes))
        if names_folders:
            folders = self._folders_of_notes(tenant_id)
        filters = filters_for_vectors(restriction, folders)
        query = Query(
            collection="chunks",
            fields=(*searched_fields(stems), VERSION_FIELDS[SECOND_VECTOR], DISTANCE),
            nearest=vector,
        )
        vector_fields = [OWN_VECTOR]
        if second_vectors:
            vector_fields.append(SECOND_VECTOR)
        searches = []
        for vector_field in vector_fields:
            for where in filters.searches:
                part = replace(query, where=where, vector_field=vector_field)
                search = partial(self._search, tenant_id, part, stems, index_version)
                searches.append(search)
        size = _size(limit, exact=filters.exact)
        size = min(size, MAX_NEIGHBOURS)
        found = _nearest_of_all(searches, size)
        neighbours = []
        for neighbour in found.neighbours:
            if restriction.allows(neighbour.chunk):
                neighbours.append(neighbour)
        brought = tuple(neighbours[:limit])
        left_out = neighbours[limit:]
        # Nearer ones may lie in what a search did not ask for than in what is cut off here.
        ceilings = [neighbour.cosine for neighbour in left_out[:1]]
        if found.ceiling is not None:
            ceilings.append(found.ceiling)
        return VectorMatches(brought, max(ceilings, default=None))

    def _search(
        self,
        tenant_id: str,
        query: Query,
        stems: Sequence[str],
        index_version: str,
        size: int,
    ) -> _Neighbours:
        """Makes one vector search of at most `size` documents."""
        space = vector_space(index_version)
        version_field = VERSION_FIELDS[query.vector_field]
        documents = self._db.find(tenant_id, replace(query, limit=size))
        neighbours = []
        for document in documents:
            fields = document.fields
            version = fields[version_field].string_value
            if vector_space(version) != space:
                continue
            # Rounding moves the product of unit vectors a little out of [-1, 1].
            distance = fields[DISTANCE].double_value
            cosine = min(1.0, max(-1.0, distance))
            chunk = chunk_of(document, stems)
            neighbours.append(Neighbour(chunk, cosine))
        return _Neighbours(neighbours, may_have_more=len(documents) == size)

    def postings(
        self,
        tenant_id: str,
        stem: str,
        *,
        limit: int,
        stems: Sequence[str],
        restriction: Restriction,
    ) -> tuple[IndexedChunk, ...]:
        """Checks scopes on the newest `limit` chunks that contain the stem: no index holds stems within a scope.

        Of chunks with the same time, the limit cuts off those with the fewest occurrences.
        """
        if not is_indexed(stem) or is_impossible(restriction):
            return ()
        query = Query(
            collection="chunks",
            where=filters_by_posting(restriction, stem),
            order=(f"-{posting_path(stem)}", f"-{KEY}"),
            limit=limit,
            fields=searched_fields((*stems, stem)),
        )
        return self._newest(tenant_id, query, stems, restriction=restriction, limit=limit)

    def recent(
        self,
        tenant_id: str,
        *,
        limit: int,
        stems: Sequence[str],
        restriction: Restriction,
    ) -> tuple[IndexedChunk, ...]:
        if is_impossible(restriction):
            return ()
        where, exact = filters_by_time_and_scope(restriction)
        query = Query(
            collection="chunks",
            where=where,
            # By chunk id at equal times. A range on `createdAt` needs the index in the direction of the order.
            order=("-createdAt", KEY),
            limit=_size(limit, exact=exact),
            fields=searched_fields(stems),
        )
        return self._newest(tenant_id, query, stems, restriction=restriction, limit=limit)

    def _newest(
        self,
        tenant_id: str,
        query: Query,
        stems: Sequence[str],
        *,
        restriction: Restriction,
        limit: int,
    ) -> tuple[IndexedChunk, ...]:
        """Returns the chunks that the query finds and the restriction allows, newest first."""
        chunks = self._chunks(tenant_id, query, stems)
        allowed = [chunk for chunk in chunks if restriction.allows(chunk)]
        allowed.sort(key=_by_age)
        return tuple(allowed[:limit])

    def note_chunks(
        self,
        tenant_id: str,
        note_id: str,
        *,
        stems: Sequence[str],
    ) -> tuple[IndexedChunk, ...]:
        where = (Where("noteId", "==", note_id),)
        query = Query(
            collection="chunks",
            where=where,
            fields=searched_fields(stems),
        )
        chunks = self._chunks(tenant_id, query, stems)
        chunks.sort(key=attrgetter("position", "chunk_id"))
        return tuple(chunks)

    def read_chunks(
        self,
        tenant_id: str,
        chunk_ids: Sequence[str],
        *,
        stems: Sequence[str],
    ) -> tuple[IndexedChunk, ...]:
        names = [self._db.name(tenant_id, "chunks", chunk_id) for chunk_id in chunk_ids]
        documents = self._db.lookup(names, searched_fields(stems))
        return tuple([chunk_of(document, stems) for document in documents.values()])

    def _chunks(self, tenant_id: str, query: Query, stems: Sequence[str]) -> list[IndexedChunk]:
        chunks = []
        for document in self._db.find(tenant_id, query):
            chunk = chunk_of(document, stems)
            chunks.append(chunk)
        return chunks

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        """Looks up each note's existence and its record in one request: two reads a note."""
        note_names = [self._db.name(tenant_id, "notes", note_id) for note_id in note_ids]
        record_names = [self._db.name(tenant_id, "index", note_id) for note_id in note_ids]
        documents = self._db.lookup([*note_names, *record_names], RECORD_FIELDS)

        records = {}
        names = zip(note_ids, note_names, record_names, strict=True)
        for note_id, note_name, record_name in names:
            document = documents.get(record_name)
            note_exists = note_name in documents
            if note_exists and document is not None:
                fields = values_of(document)
                records[note_id] = CODEC.load(IndexRecord, fields)
        return records


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """Result of one vector search."""

    neighbours: list[Neighbour]
    """Neighbours of the version that is asked for, nearest first."""
    may_have_more: bool
    """True if the reply had as many documents as were asked for."""

    @property
    def ceiling(self) -> float | None:
        """Greatest cosine possible for a neighbour beyond the reply. None if there is no such neighbour."""
        if not self.may_have_more:
            return None
        if not self.neighbours:
            return 1.0
        return self.neighbours[-1].cosine

    def may_bring(self, cosine: float) -> bool:
        """Reports whether a neighbour that was not asked for may be at least as near."""
        ceiling = self.ceiling
        return ceiling is not None and ceiling >= cosine


_Search: TypeAlias = Callable[[int], _Neighbours]
"""A vector search that returns at most so many neighbours."""


def _nearest_of_all(searches: Sequence[_Search], size: int) -> VectorMatches:
    """Returns the `size` nearest neighbours of all searches together, nearest first.

    1. Each search asks for its equal share and SPARE more.
    2. A search whose omitted neighbours may be nearer than the worst result asks again, for all.

    So several searches cost not many more reads than one.
    """
    count = max(1, len(searches))
    equal_share = size // count
    share = min(size, equal_share + SPARE)
    results = _in_parallel(searches, share)
    if share < size:
        results = _repeated(searches, results, size)

    neighbours = _merge(results)
    ceilings = [result.ceiling for result in results if result.ceiling is not None]
    ceilings += [neighbour.cosine for neighbour in neighbours[size : size + 1]]
    return VectorMatches(tuple(neighbours[:size]), max(ceilings, default=None))


def _repeated(
    searches: Sequence[_Search],
    results: Sequence[_Neighbours],
    size: int,
) -> list[_Neighbours]:
    """Repeats the searches that may have omitted one of the `size` nearest neighbours, and returns all results."""
    nearest = _merge(results)[:size]
    worst_cosine = -1.0
    if len(nearest) == size:
        worst_cosine = nearest[-1].cosine

    incomplete = [place for place, result in enumerate(results) if result.may_bring(worst_cosine)]
    searches_to_repeat = [searches[place] for place in incomplete]
    complete_results = list(results)
    for place, result in zip(incomplete, _in_parallel(searches_to_repeat, size), strict=True):
        complete_results[place] = result
    return complete_results


def _in_parallel(searches: Iterable[_Search], size: int) -> list[_Neighbours]:
    """Makes searches at once, each for `size` neighbours."""

    def run(search: _Search) -> _Neighbours:
        return search(size)

    results = pool().map(run, searches)
    return list(results)


def _merge(results: Iterable[_Neighbours]) -> list[Neighbour]:
    """Returns the neighbours of all results, each chunk once, nearest first."""
    by_chunk: dict[str, Neighbour] = {}
    for result in results:
        for neighbour in result.neighbours:
            by_chunk[neighbour.chunk.chunk_id] = neighbour
    return sorted(by_chunk.values(), key=attrgetter("place"))


def _by_age(chunk: IndexedChunk) -> tuple[int, str]:
    """Sorts the newest chunks first, those of one time by id."""
    return -microseconds(chunk.created_at), chunk.chunk_id


def _size(limit: int, *, exact: bool) -> int:
    """Returns how many documents to ask for so that `limit` are likely allowed: each is a billed read."""
    if exact:
        return limit
    half = limit // 2
    return limit + max(half, 10)
