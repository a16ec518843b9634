"""A question's searches, of which one that fails brings nothing and is told: the answer comes from the others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from shared.errors import StoreRefused, StoreUnavailable
from shared.model.index import IndexedChunk, IndexRecord, Vector
from shared.model.retrieval import CorpusStats, Leg, Neighbour, Restriction, SilentLeg
from shared.ports.index import SearchStore

T = TypeVar("T")

NO_FIGURES = CorpusStats(0, 0.0, "")

_logger = logging.getLogger(__name__)


class Tolerant:
    """The part of `SearchStore` that legs search by, for one question. Safe between threads.

    An index that is missing or still being built, a filter that the store does not take, a search that is not answered
    in time: each is one leg's matter. What says which notes exist is nobody's leg and raises as ever.
    """

    def __init__(self, store: SearchStore) -> None:
        self._store = store
        self._failures: dict[Leg, StoreUnavailable] = {}

    @property
    def silent(self) -> tuple[SilentLeg, ...]:
        """The legs of which a search failed, and the first failure of each."""
        return tuple(SilentLeg(leg, failure.message) for leg, failure in sorted(self._failures.items()))

    def check(self) -> None:
        """For a search that found nothing. Raises the first failure: what a silent leg has cannot be denied."""
        for failure in self._failures.values():
            raise failure

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
        """Raises StoreUnavailable: the vector leg goes on by itself, with its other parts or by reading vectors."""
        try:
            return self._store.nearest(
                tenant_id, vector, limit=limit, stems=stems, restriction=restriction, index_version=index_version
            )
        except StoreUnavailable as failure:
            self._note(Leg.VECTOR, failure)
            raise

    def postings(
        self, tenant_id: str, stem: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        store = self._store
        return self._tried(
            Leg.KEYWORD,
            lambda: store.postings(tenant_id, stem, limit=limit, stems=stems, restriction=restriction),
            (),
        )

    def recent(
        self, tenant_id: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        store = self._store
        return self._tried(
            Leg.RECENT, lambda: store.recent(tenant_id, limit=limit, stems=stems, restriction=restriction), ()
        )

    def document_frequencies(self, tenant_id: str, stems: Sequence[str]) -> Mapping[str, int]:
        return self._tried(Leg.KEYWORD, lambda: self._store.document_frequencies(tenant_id, stems), {})

    def stats(self, tenant_id: str) -> CorpusStats:
        return self._tried(Leg.KEYWORD, lambda: self._store.stats(tenant_id), NO_FIGURES)

    def read_vectors(self, tenant_id: str, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        return self._tried(Leg.VECTOR, lambda: self._store.read_vectors(tenant_id, chunk_ids), {})

    def note_chunks(self, tenant_id: str, note_id: str, *, stems: Sequence[str]) -> tuple[IndexedChunk, ...]:
        return self._store.note_chunks(tenant_id, note_id, stems=stems)

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        return self._store.live_records(tenant_id, note_ids)

    def _tried(self, leg: Leg, search: Callable[[], T], nothing: T) -> T:
        try:
            return search()
        except StoreUnavailable as failure:
            self._note(leg, failure)
            return nothing

    def _note(self, leg: Leg, failure: StoreUnavailable) -> None:
        """One log line a leg: of an error if it takes somebody to mend it."""
        if self._failures.setdefault(leg, failure) is failure:
            level = logging.ERROR if isinstance(failure, StoreRefused) else logging.WARNING
            _logger.log(level, "searching without the %s leg: %s", leg.value, failure.message)
