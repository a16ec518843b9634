"""The three searches ("legs") of one question: nearest vectors, keyword matches and newest chunks.

Each leg may fail without the others. Searches run on the shared executor; the keyword leg runs in the calling thread
and hands its searches to the executor. So no task waits for another one that has not begun, and any number of questions
can share the executor without a deadlock. The caller itself must not be one of its tasks.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import ParamSpec, TypeVar

from shared.errors import (
    ModelRefused,
    ModelUnavailable,
    PortContractError,
    StoreRefused,
    StoreUnavailable,
)
from shared.model.index import IndexedChunk, IndexRecord, Vector
from shared.model.questions import Question, TimeRange
from shared.model.retrieval import (
    Analysis,
    CorpusStats,
    Leg,
    Restriction,
    VectorMatches,
    WeightedFolder,
)
from shared.ports.freshness import Freshness, NoteRevision, current
from shared.ports.models import Embedder
from shared.ports.stores import SearchStore
from shared.retrieval.options import RetrievalOptions

STEMS_SIDE_BY_SIDE = 4
"""Stems among which a restricted search shares its budget at a time: their frequencies count chunks outside the
restriction too, so the rarest one alone would be granted all of it and often need little."""

logger = logging.getLogger(__name__)

P = ParamSpec("P")
Result = TypeVar("Result")


def query_vector(text: str, embedder: Embedder | None) -> Vector | None:
    """Embeds a question; None without an embedder, or if it fails: keywords and recency still find notes."""
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
class KeywordMatches:
    """Chunks that the keyword leg found, and the counts of the question's stems."""

    chunks: tuple[IndexedChunk, ...]
    frequencies: Mapping[str, int]
    """Stem -> chunks that contain it, in the order of the question's stems, so that sums over them never differ."""
    stats: CorpusStats
    unspent: int
    """Postings that the leg could have read beyond these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LegRunner:
    """Runs the searches of one question."""

    question: Question
    analysis: Analysis
    embedder: Embedder | None
    query: Callable[[], Vector | None]
    """Waits for the question's vector. Returns None if there is none to search with."""
    store: SearchStore
    options: RetrievalOptions
    executor: Executor
    weighted_folders: tuple[WeightedFolder, ...] = ()
    """The folders that are searched; empty for all folders."""
    failures: dict[Leg, StoreUnavailable] = field(default_factory=dict)
    """The first failure of each leg: an index that is missing or still being built, a filter that the store does not
    take, a search that times out. Reading which notes exist belongs to no leg and raises."""

    def nearest(self, restriction: Restriction, limit: int) -> VectorMatches | None:
        """Returns the nearest chunks, best first; none if the question has no vector, None if the search failed."""
        vector = self.query()
        if vector is None:
            return VectorMatches()
        return self._run(
            Leg.VECTOR,
            None,
            self.store.nearest,
            self.question.tenant_id,
            vector,
            limit=limit,
            stems=self.analysis.stems,
            restriction=restriction,
            index_version=self.options.index_version,
            second_vectors=self.options.second_vectors,
        )

    def vectors(self, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        """Reads the vectors that can be compared with the question's: chunk id -> vector. Chunks without one are left
        out.
        """
        return self._run(
            Leg.VECTOR,
            {},
            self.store.read_vectors,
            self.question.tenant_id,
            chunk_ids,
            self.options.index_version,
        )

    def records(self, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        """Reads the index records of the notes that still exist: note id -> record. Raises StoreUnavailable."""
        return self.store.live_records(self.question.tenant_id, note_ids)

    def current(self, revisions: Collection[NoteRevision]) -> Mapping[NoteRevision, Freshness]:
        """Returns the state of each note since its revision was read. Raises StoreUnavailable."""
        return current(self.store, self.question.tenant_id, revisions)

    def newest(self, restriction: Restriction, limit: int) -> tuple[IndexedChunk, ...]:
        """Returns the newest chunks that the restriction allows."""
        return self._run(
            Leg.RECENT,
            (),
            self.store.recent,
            self.question.tenant_id,
            limit=limit,
            stems=self.analysis.stems,
            restriction=restriction,
        )

    def recent(self, restriction: Restriction, limit: int) -> tuple[IndexedChunk, ...]:
        """Returns `limit` of the newest in the window, or a whole leg of the newest in the range that restricts.

        A time that only orders takes the place of the window, if it holds notes.
        """
        if restriction.created is not None:
            return self.newest(restriction, self.options.leg_size)

        time = self.analysis.time
        if time is not None and not time.restricts:
            at_that_time = replace(restriction, created=time.range)
            chunks = self.newest(at_that_time, limit)
            if chunks:
                return chunks

        window = timedelta(days=self.options.window_days)
        window_start = self.question.now - window
        recently = replace(restriction, created=TimeRange(window_start, None))
        return self.newest(recently, limit)

    def match(
        self,
        restriction: Restriction,
        earlier: KeywordMatches | None = None,
    ) -> KeywordMatches:
        """Runs the keyword leg. `earlier`: one of the same question, whose figures serve again."""
        if earlier is not None:
            chunks, unspent = self._matching(restriction, earlier.frequencies)
            return replace(earlier, chunks=chunks, unspent=unspent)
        unknown_corpus = CorpusStats(0, 0.0, "")
        stats = self.executor.submit(
            self._run,
            Leg.KEYWORD,
            unknown_corpus,
            self.store.stats,
            self.question.tenant_id,
        )
        frequencies = self._frequencies()
        chunks, unspent = self._matching(restriction, frequencies)
        return KeywordMatches(
            chunks=chunks,
            frequencies=frequencies,
            stats=stats.result(),
            unspent=unspent,
        )

    def _frequencies(self) -> Mapping[str, int]:
        """Counts the chunks that contain each stem of the question, in the order of the stems."""
        stems = self.analysis.stems
        if not stems:
            return {}
        no_counts: Mapping[str, int] = {}
        counts = self._run(
            Leg.KEYWORD,
            no_counts,
            self.store.document_frequencies,
            self.question.tenant_id,
            stems,
        )
        return {stem: counts.get(stem, 0) for stem in stems}

    def _matching(
        self,
        restriction: Restriction,
        frequencies: Mapping[str, int],
    ) -> tuple[tuple[IndexedChunk, ...], int]:
        """Reads postings of the rarest stems while the budget lasts; of a stem that exceeds the rest, the newest.

        Returns the chunks and what is left of the budget.
        """
        budget = self.options.posting_budget_alone
        if self.embedder is not None:
            budget = self.options.posting_budget
        rarest_first = sorted(
            (stem for stem, frequency in frequencies.items() if frequency > 0),
            key=lambda stem: (frequencies[stem], stem),
        )
        chunks: dict[str, IndexedChunk] = {}
        while rarest_first and budget > 0:
            if restriction == Restriction():
                limits = _limits_by_frequency(rarest_first, frequencies, budget)
            else:
                limits = _limits_in_equal_shares(rarest_first, frequencies, budget)
            rarest_first = rarest_first[len(limits) :]
            searches = [
                self.executor.submit(self.postings, stem, limit, restriction)
                for stem, limit in limits.items()
            ]
            for search in searches:
                postings = search.result()
                budget -= len(postings)
                for chunk in postings:
                    chunks[chunk.chunk_id] = chunk
        return tuple(chunks.values()), max(0, budget)

    def postings(
        self,
        stem: str,
        limit: int,
        restriction: Restriction,
    ) -> tuple[IndexedChunk, ...]:
        """Returns chunks that hold a stem, the newest."""
        return self._run(
            Leg.KEYWORD,
            (),
            self.store.postings,
            self.question.tenant_id,
            stem,
            limit=limit,
            stems=self.analysis.stems,
            restriction=restriction,
        )

    def _run(
        self,
        leg: Leg,
        fallback: Result,
        search: Callable[P, Result],
        *args: P.args,
        **options: P.kwargs,
    ) -> Result:
        """Returns what the search brings, or `fallback` on StoreUnavailable.

        The first failure of a leg is kept and logged, as an error if our own request was refused.
        """
        try:
            return search(*args, **options)
        except StoreUnavailable as failure:
            is_first = self.failures.setdefault(leg, failure) is failure
            if is_first:
                level = logging.ERROR if isinstance(failure, StoreRefused) else logging.WARNING
                logger.log(level, "searching without the %s leg: %s", leg.value, failure.message)
            return fallback


def _limits_by_frequency(
    rarest_first: Sequence[str],
    frequencies: Mapping[str, int],
    budget: int,
) -> dict[str, int]:
    """Grants each stem all its postings until the budget is spent."""
    limits: dict[str, int] = {}
    for stem in rarest_first:
        limit = min(frequencies[stem], budget)
        if limit == 0:
            break
        limits[stem] = limit
        budget -= limit
    return limits


def _limits_in_equal_shares(
    rarest_first: Sequence[str],
    frequencies: Mapping[str, int],
    budget: int,
) -> dict[str, int]:
    """Grants the rarest few stems equal shares of the budget."""
    stems = rarest_first[: min(STEMS_SIDE_BY_SIDE, budget)]
    share = budget // len(stems)
    return {stem: min(frequencies[stem], share) for stem in stems}
