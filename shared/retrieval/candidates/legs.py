"""Analysis and restriction -> the pool: nearest vectors, keyword matches and newest chunks, searched side by side.

The legs run on the shared executor; the keyword leg runs in the calling thread and hands its searches out. So no
task ever waits for one that has not begun, and any number of questions can share the executor without a deadlock. The
caller itself must not be one of its tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

from shared.model.index import IndexedChunk, Vector
from shared.model.questions import TimeRange
from shared.model.retrieval import Candidate, CorpusStats, Leg, Neighbour, Place, Restriction
from shared.ports.index import SearchStore
from shared.retrieval.bm25 import bm25, idf
from shared.retrieval.candidates.pool import Pool
from shared.retrieval.candidates.vector_leg import Embed, Near, Part, VectorLeg
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.silence import Silence

NO_FIGURES = CorpusStats(0, 0.0, "")
STEMS_SIDE_BY_SIDE = 4
"""Stems among which a restricted search shares its budget at a time: their frequencies count chunks outside the
restriction too, so the rarest one alone would be granted all of it and often need little."""


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
    silence: Silence = field(default_factory=Silence)

    def newest(self, restriction: Restriction, limit: int) -> tuple[IndexedChunk, ...]:
        """Of the chunks that it allows."""
        recent = partial(self.store.recent, self.tenant_id, limit=limit, stems=self.stems, restriction=restriction)
        return self.silence.tried(Leg.RECENT, recent, ())

    def vectors(self, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        """Of those that have one."""
        return self.silence.tried(Leg.VECTOR, partial(self.store.read_vectors, self.tenant_id, chunk_ids), {})


@dataclass(frozen=True, slots=True)
class Matches:
    """What the keyword leg found, and what it knows of the question's stems."""

    chunks: tuple[IndexedChunk, ...]
    frequencies: Mapping[str, int]
    stats: CorpusStats

    @property
    def weights(self) -> Mapping[str, float]:
        """Stem -> idf."""
        return idf(self.frequencies, self.stats)


def match(search: Search, restriction: Restriction, known: Matches | None = None) -> Matches:
    """The keyword leg alone. `known`: an earlier one of the same question, whose figures serve again."""
    legs = _Legs(search, restriction)
    if known is not None:
        return Matches(legs.matching(known.frequencies), known.frequencies, known.stats)
    figures = partial(search.store.stats, search.tenant_id)
    stats = search.executor.submit(search.silence.tried, Leg.KEYWORD, figures, NO_FIGURES)
    frequencies = legs.frequencies()
    return Matches(legs.matching(frequencies), frequencies, stats.result())


def gather(
    search: Search,
    restriction: Restriction,
    embed: Embed,
    parts: Sequence[Part] = (),
    *,
    matches: Matches | None = None,
) -> Pool:
    """At most three times `leg_size` candidates. `embed` gives the question's vector, None: search without it.
    `matches`: what the keyword leg has already brought.

    `parts` cover the restriction; none: it is searched as one. A part whose search fails brings nothing of its vaults,
    which the pool's `silent_vaults` names, unless no vault is left. Raises as the store does where another leg fails.
    """
    legs, options = _Legs(search, restriction), search.options
    leg = VectorLeg(parts or (Part(restriction),), options.leg_size)
    recent = search.executor.submit(legs.recent, min(options.newest, options.leg_size))
    nearest = leg.start(embed, legs.nearest, search.executor)
    matches = matches or match(search, restriction)
    near = leg.end(nearest)
    matching = near.of_answering_vaults(matches.chunks)
    keyword = bm25(matching, matches.frequencies, matches.stats, k1=options.bm25_k1, b=options.bm25_b)
    best = _best(matching, keyword, options.leg_size)
    newest = near.of_answering_vaults(recent.result())
    if not near.neighbours and not best and restriction.created is None:
        newest = near.of_answering_vaults(legs.recent(options.leg_size) or search.newest(restriction, options.leg_size))
    return Pool(
        candidates=_union(near.neighbours, best, newest),
        query=near.query,
        unread=_unread(near, (*best, *newest), options),
        ceiling=near.ceiling or 0.0,
        frequencies=matches.frequencies,
        stats=matches.stats,
        silent_vaults=near.silent_vaults,
    )


@dataclass(frozen=True, slots=True)
class _Legs:
    search: Search
    restriction: Restriction

    def nearest(self, query: Vector, restriction: Restriction, limit: int) -> tuple[Neighbour, ...] | None:
        search = self.search
        look = partial(
            search.store.nearest,
            search.tenant_id,
            query,
            limit=limit,
            stems=search.stems,
            restriction=restriction,
            index_version=search.options.index_version,
        )
        return search.silence.tried(Leg.VECTOR, look, None)

    def recent(self, limit: int) -> tuple[IndexedChunk, ...]:
        """So many of the newest in the window; the newest in the range that restricts the search."""
        if self.restriction.created is not None:
            return self.search.newest(self.restriction, self.search.options.leg_size)
        window = TimeRange(self.search.now - timedelta(days=self.search.options.window_days), None)
        return self.search.newest(replace(self.restriction, created=window), limit)

    def frequencies(self) -> Mapping[str, int]:
        """In the order of the question's stems, so that sums over them are the same every time."""
        if not self.search.stems:
            return {}
        search = self.search
        count = partial(search.store.document_frequencies, search.tenant_id, search.stems)
        counted: Mapping[str, int] = search.silence.tried(Leg.KEYWORD, count, {})
        return {stem: counted.get(stem, 0) for stem in search.stems}

    def matching(self, frequencies: Mapping[str, int]) -> tuple[IndexedChunk, ...]:
        """Postings of the rarest stems while the budget lasts; of a stem that exceeds what is left, the newest."""
        left = self.search.posting_budget
        waiting = sorted((stem for stem, n in frequencies.items() if n), key=lambda stem: (frequencies[stem], stem))
        found: dict[str, IndexedChunk] = {}
        while waiting and left > 0:
            limits = self._limits(waiting, frequencies, left)
            waiting = waiting[len(limits) :]
            searches = [self.search.executor.submit(self._postings, stem, limit) for stem, limit in limits.items()]
            for postings in [each.result() for each in searches]:
                left -= len(postings)
                found.update((chunk.chunk_id, chunk) for chunk in postings)
        return tuple(found.values())

    def _limits(self, waiting: Sequence[str], frequencies: Mapping[str, int], left: int) -> Mapping[str, int]:
        """Which stems to search next, and how many postings each may bring: `left` in all."""
        if self.restriction != Restriction():
            next_stems = waiting[: min(STEMS_SIDE_BY_SIDE, left)]
            return {stem: min(frequencies[stem], left // len(next_stems)) for stem in next_stems}
        limits: dict[str, int] = {}
        for stem in waiting:
            limit = min(frequencies[stem], left - sum(limits.values()))
            if limit > 0:
                limits[stem] = limit
        return limits

    def _postings(self, stem: str, limit: int) -> tuple[IndexedChunk, ...]:
        search, restriction = self.search, self.restriction
        look = partial(search.store.postings, search.tenant_id, stem, limit=limit, stems=search.stems)
        return search.silence.tried(Leg.KEYWORD, partial(look, restriction=restriction), ())


def _best(chunks: Sequence[IndexedChunk], scores: Sequence[float], limit: int) -> tuple[IndexedChunk, ...]:
    ranked = sorted(zip(chunks, scores, strict=True), key=lambda pair: (-pair[1], pair[0].chunk_id))
    return tuple(chunk for chunk, _ in ranked[:limit])


def _union(
    neighbours: Sequence[Neighbour], best: Sequence[IndexedChunk], newest: Sequence[IndexedChunk]
) -> tuple[Candidate, ...]:
    vector_ranks = _ranks(neighbour.chunk for neighbour in neighbours)
    keyword_ranks, recent_ranks = _ranks(best), _ranks(newest)
    cosines = {neighbour.chunk.chunk_id: neighbour.cosine for neighbour in neighbours}
    chunks = {chunk.chunk_id: chunk for chunk in (*newest, *best, *(neighbour.chunk for neighbour in neighbours))}
    return tuple(
        Candidate(
            chunk=chunks[key],
            cosine=cosines.get(key),
            vector_rank=vector_ranks.get(key),
            keyword_rank=keyword_ranks.get(key),
            recent_rank=recent_ranks.get(key),
        )
        for key in sorted(chunks)
    )


def _ranks(chunks: Iterable[IndexedChunk]) -> Mapping[str, int]:
    return {chunk.chunk_id: rank for rank, chunk in enumerate(chunks, start=1)}


def _unread(near: Near, others: Iterable[IndexedChunk], options: RetrievalOptions) -> frozenset[str]:
    """Where each part brought less than it was asked for, all have brought every vector there is."""
    if near.ceiling is None:
        return frozenset()
    brought = {neighbour.chunk.chunk_id for neighbour in near.neighbours}
    return frozenset(
        chunk.chunk_id
        for chunk in others
        if chunk.index_version == options.index_version and chunk.chunk_id not in brought
    )
