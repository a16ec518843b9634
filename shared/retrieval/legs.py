"""The legs of one question: nearest vectors, keyword matches and newest chunks, each allowed to fail alone.

Searches run on the shared executor; the keyword leg runs in the calling thread and hands its searches out. So no task
waits for one that has not begun, and any number of questions can share the executor without a deadlock. The caller
itself must not be one of its tasks.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import ParamSpec, TypeVar

from shared.errors import ModelRefused, ModelUnavailable, PortContractError, StoreRefused, StoreUnavailable
from shared.model.index import IndexedChunk, IndexRecord, Vector
from shared.model.questions import Question, TimeRange
from shared.model.retrieval import Analysis, CorpusStats, Leg, Neighbour, Place, Restriction
from shared.ports.models import Embedder
from shared.ports.stores import SearchStore
from shared.retrieval.options import RetrievalOptions

STEMS_SIDE_BY_SIDE = 4
"""Stems among which a restricted search shares its budget at a time: their frequencies count chunks outside the
restriction too, so the rarest one alone would be granted all of it and often need little."""

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")


def query_vector(text: str, embedder: Embedder | None) -> Vector | None:
    """None without an embedder, or if it fails: keywords and recency still find notes."""
    if embedder is None:
        return None
    try:
        return embedder.embed_query(text)
    except (ModelUnavailable, ModelRefused) as error:
        logger.warning("searching without the question's embedding: %s", error.message)
    except PortContractError as error:
        logger.error("searching without the question's embedding: %s", error.message)  # noqa: TRY400 - no bug of ours
    return None


@dataclass(frozen=True, slots=True)
class Matches:
    """What the keyword leg found, and what it knows of the question's stems."""

    chunks: tuple[IndexedChunk, ...]
    frequencies: Mapping[str, int]
    """In the order of the question's stems, so that sums over them are the same every time."""
    stats: CorpusStats


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One question, and with what it is searched for."""

    question: Question
    analysis: Analysis
    embedder: Embedder | None
    query: Callable[[], Vector | None]
    """Waits for the question's vector; None: search without it."""
    store: SearchStore
    options: RetrievalOptions
    executor: Executor
    places: tuple[Place, ...] = ()
    """Where alone to look; none: everywhere."""
    failures: dict[Leg, StoreUnavailable] = field(default_factory=dict)
    """The first failure of each leg of which a search failed: an index that is missing or still being built, a filter
    that the store does not take, a search that times out. Reading which notes exist belongs to no leg and raises."""

    def nearest(self, restriction: Restriction, limit: int) -> tuple[Neighbour, ...] | None:
        """The nearest chunks, best first; none without a vector of the question. None: the search failed."""
        vector = self.query()
        if vector is None:
            return ()
        return self._tolerating(
            Leg.VECTOR,
            None,
            self.store.nearest,
            self.question.tenant_id,
            vector,
            limit=limit,
            stems=self.analysis.stems,
            restriction=restriction,
            index_version=self.options.index_version,
            kept=self.options.kept,
        )

    def vectors(self, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        """Chunk id -> vector that can be compared with the question's, of those that have one."""
        tenant_id, version = self.question.tenant_id, self.options.index_version
        return self._tolerating(Leg.VECTOR, {}, self.store.read_vectors, tenant_id, chunk_ids, version)

    def records(self, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        """Note id -> index record, of the notes that still exist. Raises StoreUnavailable."""
        return self.store.live_records(self.question.tenant_id, note_ids)

    def newest(self, restriction: Restriction, limit: int) -> tuple[IndexedChunk, ...]:
        """The newest chunks that the restriction allows."""
        tenant_id, stems = self.question.tenant_id, self.analysis.stems
        return self._tolerating(
            Leg.RECENT, (), self.store.recent, tenant_id, limit=limit, stems=stems, restriction=restriction
        )

    def recent(self, restriction: Restriction, limit: int) -> tuple[IndexedChunk, ...]:
        """`limit` of the newest in the window; a whole leg of the newest in the range that restricts the search."""
        if restriction.created is not None:
            return self.newest(restriction, self.options.leg_size)
        window = TimeRange(self.question.now - timedelta(days=self.options.window_days), None)
        return self.newest(replace(restriction, created=window), limit)

    def match(self, restriction: Restriction, known: Matches | None = None) -> Matches:
        """The keyword leg. `known`: an earlier one of the same question, whose figures serve again."""
        if known is not None:
            return replace(known, chunks=self._matching(restriction, known.frequencies))
        tenant_id, stems, empty = self.question.tenant_id, self.analysis.stems, CorpusStats(0, 0.0, "")
        stats = self.executor.submit(self._tolerating, Leg.KEYWORD, empty, self.store.stats, tenant_id)
        counted: Mapping[str, int] = {}
        if stems:
            counted = self._tolerating(Leg.KEYWORD, counted, self.store.document_frequencies, tenant_id, stems)
        frequencies = {stem: counted.get(stem, 0) for stem in stems}
        return Matches(self._matching(restriction, frequencies), frequencies, stats.result())

    def _matching(self, restriction: Restriction, frequencies: Mapping[str, int]) -> tuple[IndexedChunk, ...]:
        """Postings of the rarest stems while the budget lasts; of a stem that exceeds what is left, the newest."""
        left = self.options.posting_budget if self.embedder else self.options.posting_budget_alone
        waiting = sorted((stem for stem, n in frequencies.items() if n), key=lambda stem: (frequencies[stem], stem))
        found: dict[str, IndexedChunk] = {}
        while waiting and left > 0:
            limits: dict[str, int] = {}
            if restriction == Restriction():
                for stem in waiting:
                    limits[stem] = min(frequencies[stem], left - sum(limits.values()))
                limits = {stem: limit for stem, limit in limits.items() if limit}
            else:
                next_stems = waiting[: min(STEMS_SIDE_BY_SIDE, left)]
                limits = {stem: min(frequencies[stem], left // len(next_stems)) for stem in next_stems}
            waiting = waiting[len(limits) :]
            searches = [self.executor.submit(self._postings, stem, n, restriction) for stem, n in limits.items()]
            for postings in [each.result() for each in searches]:
                left -= len(postings)
                found.update((chunk.chunk_id, chunk) for chunk in postings)
        return tuple(found.values())

    def _postings(self, stem: str, limit: int, restriction: Restriction) -> tuple[IndexedChunk, ...]:
        tenant_id, stems = self.question.tenant_id, self.analysis.stems
        return self._tolerating(
            Leg.KEYWORD, (), self.store.postings, tenant_id, stem, limit=limit, stems=stems, restriction=restriction
        )

    def _tolerating(self, leg: Leg, otherwise: T, search: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """What the search brings; `otherwise` on StoreUnavailable, logged once a leg, as an error if ours."""
        try:
            return search(*args, **options)
        except StoreUnavailable as failure:
            if self.failures.setdefault(leg, failure) is failure:
                level = logging.ERROR if isinstance(failure, StoreRefused) else logging.WARNING
                logger.log(level, "searching without the %s leg: %s", leg.value, failure.message)
            return otherwise
