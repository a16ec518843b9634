"""Step 2. Analysis and restriction -> the pool: nearest vectors, keyword matches and newest chunks, at the same time.

A range in which nothing was written is widened in steps; filters never are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from shared.model.index import IndexedChunk, Vector
from shared.model.questions import Strategy, TimeHint, TimeRange
from shared.model.retrieval import Candidate, CorpusStats, Neighbour, Restriction, RetrievalMode
from shared.retrieval.analysis import within
from shared.retrieval.bm25 import bm25
from shared.retrieval.legs import Matches, Search
from shared.retrieval.places import Part, parts_of

MIN_LEG = 10
"""Chunks brought from a part at least, however many parts share what a search may read."""
WIDENING: tuple[tuple[str, timedelta | None], ...] = (
    ("7 days around", timedelta(days=7)),
    ("30 days around", timedelta(days=30)),
    ("any time", None),
)
"""What the answer says, and by how much the range grows on either side; None: no range is left."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates in the order of their chunk ids, each once, and what is needed to score them."""

    candidates: tuple[Candidate, ...]
    query: Vector | None
    """The question's embedding; None: there is no embedder, or it is away."""
    unread: frozenset[str]
    """Chunk ids whose vectors were not read yet, and may not exist. Their `cosine` is None."""
    ceiling: float
    """The greatest cosine that an unread vector can have: the vector leg would have brought a better one."""
    frequencies: Mapping[str, int]
    """Stem of the question -> in how many of the tenant's chunks it stands."""
    stats: CorpusStats
    failed_vaults: frozenset[str] = frozenset()
    """Vaults whose search failed, where each is searched on its own."""

    def mode(self, strategy: Strategy) -> RetrievalMode:
        """How the candidates are to be ranked, from what the legs brought."""
        if not self.candidates:
            return RetrievalMode.NONE
        if all(each.vector_rank is None and each.keyword_rank is None for each in self.candidates):
            return RetrievalMode.RECENT
        if self.query is None:
            return RetrievalMode.KEYWORD_RECENCY
        return RetrievalMode.RRF if strategy is Strategy.RRF else RetrievalMode.WEIGHTED


@dataclass(frozen=True, slots=True)
class Found:
    """The pool and the restriction it obeys. `widened` as in `Retrieved`."""

    pool: Pool
    restriction: Restriction
    widened: str | None = None


def find(search: Search, allowed: Restriction, time: TimeHint | None, query: Callable[[], Vector | None]) -> Found:
    """Candidates from the time that the question asks about, or from around it if nothing was written then.

    `query` gives the question's vector, None: search without it. Raises as `gather`.
    """
    if time is None or not time.restricts:
        return Found(gather(search, allowed, query), allowed)
    restriction = within(allowed, time.range)
    matches = search.match(restriction)
    if matches.chunks or not matches.stats.chunk_count or search.newest(restriction, 1):
        return Found(gather(search, restriction, query, matches), restriction)
    for step, range_ in widened(time.range):
        wider = within(allowed, range_)
        if search.newest(wider, 1):
            return Found(gather(search, wider, query, search.match(wider, matches)), wider, step)
    return Found(gather(search, restriction, query, matches), allowed)


def widened(named: TimeRange) -> Iterator[tuple[str, TimeRange | None]]:
    """The steps, each with its range; None: any time. An open side stays open."""
    for step, margin in WIDENING:
        if margin is None:
            yield step, None
        else:
            start, end = named.start and named.start - margin, named.end and named.end + margin
            yield step, TimeRange(start, end)


def gather(
    search: Search, restriction: Restriction, query: Callable[[], Vector | None], matches: Matches | None = None
) -> Pool:
    """At most three times `leg_size` candidates. `matches`: what the keyword leg has already brought.

    A part of the places whose search fails brings nothing of its vaults, which `failed_vaults` names, unless no vault
    is left. A failing leg brings nothing; `search.failed` holds it.
    """
    options, parts = search.options, parts_of(search.places, restriction)
    wanted = min(options.leg_size, max(MIN_LEG, options.leg_size // len(parts)))
    recent = search.executor.submit(search.recent, restriction, min(options.newest, options.leg_size))
    looking = [search.executor.submit(search.nearest, query, part.restriction, wanted) for part in parts]
    matches = matches or search.match(restriction)
    near = merged(parts, [each.result() for each in looking], wanted)
    matching = near.of_answering_vaults(matches.chunks)
    keyword = bm25(matching, matches.frequencies, matches.stats, k1=options.bm25_k1, b=options.bm25_b)
    ranked = sorted(zip(matching, keyword, strict=True), key=lambda pair: (-pair[1], pair[0].chunk_id))
    best = tuple(chunk for chunk, _ in ranked[: options.leg_size])
    newest = near.of_answering_vaults(recent.result())
    if not near.neighbours and not best and restriction.created is None:
        whole_leg = search.recent(restriction, options.leg_size) or search.newest(restriction, options.leg_size)
        newest = near.of_answering_vaults(whole_leg)
    return Pool(
        candidates=_union(near.neighbours, best, newest),
        query=query(),
        unread=_unread(near, (*best, *newest), options.index_version),
        ceiling=near.ceiling or 0.0,
        frequencies=matches.frequencies,
        stats=matches.stats,
        failed_vaults=near.failed_vaults,
    )


@dataclass(frozen=True, slots=True)
class Near:
    """What the vector leg brought from all parts together."""

    neighbours: tuple[Neighbour, ...]
    """Each chunk once, best first, equals by chunk id."""
    ceiling: float | None
    """The greatest cosine that a vector which was not brought can have; None: there are no more."""
    failed_vaults: frozenset[str]
    """Vaults of the parts whose search failed."""

    def of_answering_vaults(self, chunks: Iterable[IndexedChunk]) -> tuple[IndexedChunk, ...]:
        """The chunks that lie in no failed vault."""
        return tuple(chunk for chunk in chunks if chunk.vault not in self.failed_vaults)


def merged(parts: Sequence[Part], brought: Sequence[tuple[Neighbour, ...] | None], wanted: int) -> Near:
    """`brought`: what each part was searched for, at most `wanted` a part; None: its search failed.

    Where no vault is left all of whose parts answered, any vector that is read may be the nearest: the ceiling is 1.
    """
    failed = {vault for part, found in zip(parts, brought, strict=True) if found is None for vault in part.vaults}
    if None in brought and all(part.vaults <= failed for part in parts):
        return Near(neighbours=(), ceiling=1.0, failed_vaults=frozenset())
    lists = [found for found in brought if found]
    each = {near.chunk.chunk_id: near for found in lists for near in found if near.chunk.vault not in failed}
    return Near(
        neighbours=tuple(sorted(each.values(), key=lambda near: (-near.cosine, near.chunk.chunk_id))),
        ceiling=max((found[-1].cosine for found in lists if len(found) >= wanted), default=None),
        failed_vaults=frozenset(failed),
    )


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


def _unread(near: Near, others: Iterable[IndexedChunk], index_version: str) -> frozenset[str]:
    """Where each part brought less than it was asked for, all have brought every vector there is."""
    if near.ceiling is None:
        return frozenset()
    brought = {neighbour.chunk.chunk_id for neighbour in near.neighbours}
    return frozenset(
        chunk.chunk_id for chunk in others if chunk.index_version == index_version and chunk.chunk_id not in brought
    )
