"""The three legs of retrieval, the corpus figures and what may be cited.

Each leg is one query of a bounded price. Where Firestore's filters cannot say all of a restriction the rest is checked
on what comes back, so a leg may bring fewer chunks than it was asked for; never one that the restriction forbids.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from shared.adapters.firestore.client import pool
from shared.adapters.firestore.corpus import Corpus
from shared.adapters.firestore.documents import (
    CODEC,
    RECORD_FIELDS,
    chunk_of,
    is_kept,
    posting_path,
    searched_fields,
)
from shared.adapters.firestore.filters import by_posting, by_time_and_scope, for_vectors, impossible
from shared.adapters.firestore.protocol import (
    DISTANCE,
    KEY,
    SLOTS,
    Query,
    Where,
    microseconds,
    values_of,
)
from shared.model.index import IndexedChunk, IndexRecord, Vector, tags_of, vector_space
from shared.model.retrieval import Neighbour, Restriction

MAX_NEIGHBOURS = 1000
"""Firestore's limit of one vector search."""
SPARE = 10
"""Neighbours that each of several searches is asked for beyond its equal share."""


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
    ) -> tuple[Neighbour, ...]:
        """One vector search, for half as many again where its filters say less than the restriction; several side by
        side where it allows more folders than one can name, and for `second_vectors`. While a new index version is being
        embedded, chunks of the other one take places in the reply and are left out.
        """
        if impossible(restriction):
            return ()
        named = any(not tags_of(group) for group in restriction.scopes)
        filters = for_vectors(restriction, self._places(tenant_id) if named else ())

        def search(slot: str, where: tuple[Where, ...], size: int) -> _Found:
            fields = (*searched_fields(stems), SLOTS["keptEmbedding"], DISTANCE)
            query = Query(
                collection="chunks",
                where=where,
                fields=fields,
                nearest=vector,
                vector_field=slot,
                limit=size,
            )
            found, documents = [], self._db.query(self._db.parent(tenant_id), query)
            for each in documents:
                # Rounding moves the product of unit vectors a little out of [-1, 1].
                cosine = min(1.0, max(-1.0, each.fields[DISTANCE].double_value))
                if vector_space(each.fields[SLOTS[slot]].string_value) == vector_space(
                    index_version
                ):
                    found.append(Neighbour(chunk_of(each, stems), cosine))
            return found, len(documents) == size

        size = min(_size(limit, exact=filters.exact), MAX_NEIGHBOURS)
        slots = tuple(SLOTS)[: 1 + second_vectors]
        searches = [partial(search, slot, where) for slot in slots for where in filters.searches]
        fitting = [
            each for each in _nearest_of_all(searches, size) if restriction.allows(each.chunk)
        ]
        return tuple(sorted(fitting, key=_by_nearness)[:limit])

    def postings(
        self,
        tenant_id: str,
        stem: str,
        *,
        limit: int,
        stems: Sequence[str],
        restriction: Restriction,
    ) -> tuple[IndexedChunk, ...]:
        """Scopes are checked on the newest `limit` that contain the stem: no index holds stems within a scope. Of
        chunks of one time, those cut off by the limit are the ones with the fewest occurrences.
        """
        if not is_kept(stem) or impossible(restriction):
            return ()
        query = Query(
            collection="chunks",
            where=by_posting(restriction, stem),
            order=(f"-{posting_path(stem)}", f"-{KEY}"),
            limit=limit,
            fields=searched_fields((*stems, stem)),
        )
        return self._newest(tenant_id, query, stems, restriction=restriction, limit=limit)

    def recent(
        self, tenant_id: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        if impossible(restriction):
            return ()
        where, exact = by_time_and_scope(restriction)
        query = Query(
            collection="chunks",
            where=where,
            # At equal times by chunk id. A range on `createdAt` needs the index in the direction of the order.
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
        """What the query finds and the restriction allows, newest first, equals by chunk id."""
        found = (
            chunk_of(each, stems) for each in self._db.query(self._db.parent(tenant_id), query)
        )
        allowed = [each for each in found if restriction.allows(each)]
        return tuple(
            sorted(allowed, key=lambda each: (-microseconds(each.created_at), each.chunk_id))[
                :limit
            ]
        )

    def note_chunks(
        self, tenant_id: str, note_id: str, *, stems: Sequence[str]
    ) -> tuple[IndexedChunk, ...]:
        where = (Where("noteId", "==", note_id),)
        query = Query(collection="chunks", where=where, fields=searched_fields(stems))
        chunks = (
            chunk_of(each, stems) for each in self._db.query(self._db.parent(tenant_id), query)
        )
        return tuple(sorted(chunks, key=lambda chunk: (chunk.position, chunk.chunk_id)))

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        """One lookup of each note's existence and its record: two reads a note."""
        asked = list(dict.fromkeys(note_ids))
        notes = {note_id: self._db.name(tenant_id, "notes", note_id) for note_id in asked}
        records = {note_id: self._db.name(tenant_id, "index", note_id) for note_id in asked}
        found = self._db.lookup([*notes.values(), *records.values()], RECORD_FIELDS)
        return {
            note_id: CODEC.load(IndexRecord, values_of(found[records[note_id]]))
            for note_id in asked
            if notes[note_id] in found and records[note_id] in found
        }


_Found: TypeAlias = tuple[list[Neighbour], bool]
"""What one vector search brought of the version that is asked for, nearest first, and whether there may be more."""


def _nearest_of_all(searches: Sequence[Callable[[int], _Found]], size: int) -> list[Neighbour]:
    """The `size` nearest that the searches have together, for not many more reads than one search of all would be:
    each is asked for its share and some, and again for all if what it has left out may be nearer than what was found.
    """
    share = size if len(searches) <= 1 else min(size, size // len(searches) + SPARE)
    found = list(pool().map(lambda search: search(share), searches))
    nearest_ones = sorted((each for part, _ in found for each in part), key=_by_nearness)[:size]
    if share < size:
        worst = nearest_ones[-1].cosine if len(nearest_ones) == size else -1.0
        cut = [is_full and (not part or part[-1].cosine >= worst) for part, is_full in found]
        more = pool().map(lambda search: search(size), itertools.compress(searches, cut))
        every = {each.chunk.chunk_id: each for part, _ in (*found, *more) for each in part}
        nearest_ones = sorted(every.values(), key=_by_nearness)[:size]
    return nearest_ones


def _by_nearness(neighbour: Neighbour) -> tuple[float, str]:
    return -neighbour.cosine, neighbour.chunk.chunk_id


def _size(limit: int, *, exact: bool) -> int:
    """How many to ask for so that `limit` are likely left: each is a billed read."""
    return limit if exact else limit + max(limit // 2, 10)
