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
from datetime import datetime, timedelta

from shared.errors import ModelRefused, ModelUnavailable, PortContractError, StoreRefused, StoreUnavailable
from shared.model.index import IndexedChunk, Vector
from shared.model.questions import TimeRange
from shared.model.retrieval import CorpusStats, FailedLeg, Leg, Neighbour, Place, Restriction
from shared.ports.models import Embedder
from shared.ports.stores import SearchStore
from shared.retrieval.bm25 import idf
from shared.retrieval.options import RetrievalOptions

STEMS_SIDE_BY_SIDE = 4
"""Stems among which a restricted search shares its budget at a time: their frequencies count chunks outside the
restriction too, so the rarest one alone would be granted all of it and often need little."""

logger = logging.getLogger(__name__)


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


class FailedLegs:
    """Failures of one question's searches. A failing leg yields no results and is reported. Safe between threads.

    An index that is missing or still being built, a filter that the store does not take, a search that times out: each
    concerns one leg. Reading which notes exist belongs to no leg and raises.
    """

    def __init__(self) -> None:
        self._failures: dict[Leg, StoreUnavailable] = {}

    @property
    def reported(self) -> tuple[FailedLeg, ...]:
        """The legs of which a search failed, with the first failure of each."""
        return tuple(FailedLeg(leg, failure.message) for leg, failure in sorted(self._failures.items()))

    def check(self) -> None:
        """Raises the first failure: called where nothing was found, since a failed leg may have held it."""
        for failure in self._failures.values():
            raise failure

    def tolerated(self, leg: Leg) -> _Tolerated:
        """Around one search of the leg: suppresses and records StoreUnavailable."""
        return _Tolerated(self, leg)

    def record(self, leg: Leg, failure: StoreUnavailable) -> None:
        """Logs once a leg; as an error if somebody has to mend it."""
        if self._failures.setdefault(leg, failure) is failure:
            level = logging.ERROR if isinstance(failure, StoreRefused) else logging.WARNING
            logger.log(level, "searching without the %s leg: %s", leg.value, failure.message)


@dataclass(frozen=True, slots=True)
class _Tolerated:
    failed: FailedLegs
    leg: Leg

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, raised: BaseException | None, _traceback: object) -> bool:
        if isinstance(raised, StoreUnavailable):
            self.failed.record(self.leg, raised)
            return True
        return False


@dataclass(frozen=True, slots=True)
class Matches:
    """What the keyword leg found, and what it knows of the question's stems."""

    chunks: tuple[IndexedChunk, ...]
    frequencies: Mapping[str, int]
    """In the order of the question's stems, so that sums over them are the same every time."""
    stats: CorpusStats

    @property
    def weights(self) -> Mapping[str, float]:
        """Stem -> idf."""
        return idf(self.frequencies, self.stats)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What the legs look for, and with what."""

    tenant_id: str
    stems: tuple[str, ...]
    now: datetime
    posting_budget: int
    store: SearchStore
    options: RetrievalOptions
    executor: Executor
    places: tuple[Place, ...] = ()
    """Where alone to look; none: everywhere."""
    failed: FailedLegs = field(default_factory=FailedLegs)

    def nearest(
        self, query: Callable[[], Vector | None], restriction: Restriction, limit: int
    ) -> tuple[Neighbour, ...] | None:
        """The nearest chunks, best first; none without a vector of the question. None: the search failed."""
        vector = query()
        if vector is None:
            return ()
        with self.failed.tolerated(Leg.VECTOR):
            return self.store.nearest(
                self.tenant_id,
                vector,
                limit=limit,
                stems=self.stems,
                restriction=restriction,
                index_version=self.options.index_version,
            )
        return None

    def vectors(self, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        """Of those that have one."""
        with self.failed.tolerated(Leg.VECTOR):
            return self.store.read_vectors(self.tenant_id, chunk_ids)
        return {}

    def newest(self, restriction: Restriction, limit: int) -> tuple[IndexedChunk, ...]:
        """The newest chunks that the restriction allows."""
        with self.failed.tolerated(Leg.RECENT):
            return self.store.recent(self.tenant_id, limit=limit, stems=self.stems, restriction=restriction)
        return ()

    def recent(self, restriction: Restriction, limit: int) -> tuple[IndexedChunk, ...]:
        """`limit` of the newest in the window; a whole leg of the newest in the range that restricts the search."""
        if restriction.created is not None:
            return self.newest(restriction, self.options.leg_size)
        window = TimeRange(self.now - timedelta(days=self.options.window_days), None)
        return self.newest(replace(restriction, created=window), limit)

    def match(self, restriction: Restriction, known: Matches | None = None) -> Matches:
        """The keyword leg. `known`: an earlier one of the same question, whose figures serve again."""
        if known is not None:
            return Matches(self._matching(restriction, known.frequencies), known.frequencies, known.stats)
        stats = self.executor.submit(self._stats)
        counted: Mapping[str, int] = {}
        if self.stems:
            with self.failed.tolerated(Leg.KEYWORD):
                counted = self.store.document_frequencies(self.tenant_id, self.stems)
        frequencies = {stem: counted.get(stem, 0) for stem in self.stems}
        return Matches(self._matching(restriction, frequencies), frequencies, stats.result())

    def _stats(self) -> CorpusStats:
        with self.failed.tolerated(Leg.KEYWORD):
            return self.store.stats(self.tenant_id)
        return CorpusStats(0, 0.0, "")

    def _matching(self, restriction: Restriction, frequencies: Mapping[str, int]) -> tuple[IndexedChunk, ...]:
        """Postings of the rarest stems while the budget lasts; of a stem that exceeds what is left, the newest."""
        left = self.posting_budget
        waiting = sorted((stem for stem, n in frequencies.items() if n), key=lambda stem: (frequencies[stem], stem))
        found: dict[str, IndexedChunk] = {}
        while waiting and left > 0:
            if restriction == Restriction():
                limits = _granted(waiting, frequencies, left)
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
        with self.failed.tolerated(Leg.KEYWORD):
            return self.store.postings(self.tenant_id, stem, limit=limit, stems=self.stems, restriction=restriction)
        return ()


def _granted(waiting: Sequence[str], frequencies: Mapping[str, int], left: int) -> Mapping[str, int]:
    """Stem -> all its postings, while `left` lasts."""
    limits: dict[str, int] = {}
    for stem in waiting:
        limit = min(frequencies[stem], left)
        if limit > 0:
            limits[stem] = limit
            left -= limit
    return limits
