"""Step 2. Analysis and restriction -> the pool: nearest vectors, keyword matches and newest chunks, at the same time.

A range in which nothing was written is widened in steps; filters never are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from shared.model.index import IndexedChunk, Vector
from shared.model.questions import Strategy, TimeHint, TimeRange
from shared.model.retrieval import WIDENING, Candidate, CorpusStats, Neighbour, Restriction, RetrievalMode
from shared.retrieval.analysis import within
from shared.retrieval.bm25 import bm25
from shared.retrieval.legs import Matches, Search
from shared.retrieval.places import Part, parts_of

MIN_LEG = 10
"""Chunks brought from a part at least, however many parts share what a search may read."""
BESIDE = 8
"""How many times as many chunks a leg brings where nearly all that it brought are of notes that are left out."""
MAX_NEIGHBOURS = 1000
"""Every store brings as many in one search."""


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
    restriction: Restriction = field(default_factory=Restriction)
    """What every candidate obeys."""
    widened: str | None = None
    """The step that widened the restriction, as in `Retrieved`."""

    def mode(self, strategy: Strategy) -> RetrievalMode:
        """How the candidates are to be ranked, from what the legs brought."""
        if not self.candidates:
            return RetrievalMode.NONE
        if all(each.vector_rank is None and each.keyword_rank is None for each in self.candidates):
            return RetrievalMode.RECENT
        if self.query is None:
            return RetrievalMode.KEYWORD_RECENCY
        return RetrievalMode.RRF if strategy is Strategy.RRF else RetrievalMode.WEIGHTED


def find(search: Search, allowed: Restriction, hint: TimeHint | None) -> Pool:
    """Candidates from the time that the question asks about, or from around it if nothing was written then.

    Raises as `gather`.
    """
    if hint is None or not hint.restricts:
        return gather(search, allowed)
    restriction, named = within(allowed, hint.range), hint.range
    matches = search.match(restriction)
    if matches.chunks or not matches.stats.chunk_count or search.newest(restriction, 1):
        return gather(search, restriction, matches)
    zone = ZoneInfo(search.question.zone)
    tomorrow = datetime.combine(search.question.now.astimezone(zone).date() + timedelta(days=1), time(), zone)
    for step, days in WIDENING.items():
        around = None
        if days is not None:  # an open side stays open
            margin = timedelta(days=days)
            around = TimeRange(named.start and named.start - margin, named.end and min(named.end + margin, tomorrow))
        wider = within(allowed, around)
        if search.newest(wider, 1):
            return replace(gather(search, wider, search.match(wider, matches)), widened=step)
    return replace(gather(search, restriction, matches), restriction=allowed)


def gather(search: Search, restriction: Restriction, matches: Matches | None = None) -> Pool:
    """At most three times `leg_size` candidates. `matches`: what the keyword leg has already brought.

    A part of the places whose search fails brings nothing of its vaults, which `failed_vaults` names, unless no vault
    is left. A failing leg brings nothing; `search.failures` holds it. Raises its failure where nothing was found at
    all, since the leg may have held it.
    """
    left_out = frozenset(search.question.filters.without_notes)
    options, parts = search.options, parts_of(search.places, restriction)
    wanted = min(options.leg_size, max(MIN_LEG, options.leg_size // len(parts)))
    recent = search.executor.submit(search.recent, restriction, min(options.newest, options.leg_size))
    looking = [search.executor.submit(search.nearest, part.restriction, wanted) for part in parts]
    matches = matches or search.match(restriction)
    neighbours, ceiling, failed_vaults = merged(parts, [each.result() for each in looking], wanted)
    kept = [near for near in neighbours if near.chunk.note_id not in left_out]
    if len(kept) < min(MIN_LEG, len(neighbours)) and ceiling is not None:
        more = max(wanted, min(BESIDE * wanted, MAX_NEIGHBOURS))
        looking = [search.executor.submit(search.nearest, part.restriction, more) for part in parts]
        neighbours, ceiling, failed_vaults = merged(parts, [each.result() for each in looking], more)
        kept = [near for near in neighbours if near.chunk.note_id not in left_out]
        ceiling = kept[options.leg_size].cosine if len(kept) > options.leg_size else ceiling
        kept = kept[: options.leg_size]
    matching = [c for c in matches.chunks if c.vault not in failed_vaults and c.note_id not in left_out]
    keyword = bm25(matching, matches.frequencies, matches.stats, k1=options.bm25_k1, b=options.bm25_b)
    ranked = sorted(zip(matching, keyword, strict=True), key=lambda pair: (-pair[1], pair[0].chunk_id))
    best, newest = [chunk for chunk, _ in ranked[: options.leg_size]], recent.result()
    if not kept and not best and restriction.created is None:
        limit = options.leg_size * (BESIDE if left_out else 1)
        newest = search.recent(restriction, limit) or search.newest(restriction, limit)
    newest = tuple(c for c in newest if c.vault not in failed_vaults and c.note_id not in left_out)
    candidates = _union(kept, best, newest[: options.leg_size])
    if not candidates:
        for failure in search.failures.values():
            raise failure
    brought = {each.chunk.chunk_id for each in kept}
    return Pool(
        candidates=candidates,
        query=search.query(),
        unread=frozenset(each.chunk.chunk_id for each in candidates if ceiling is not None) - brought,
        ceiling=ceiling or 0.0,
        frequencies=matches.frequencies,
        stats=matches.stats,
        failed_vaults=failed_vaults,
        restriction=restriction,
    )


def merged(
    parts: Sequence[Part], brought: Sequence[tuple[Neighbour, ...] | None], wanted: int
) -> tuple[tuple[Neighbour, ...], float | None, frozenset[str]]:
    """What the vector leg brought from all parts together: the neighbours, each chunk once, best first, equals by chunk
    id; the greatest cosine that a vector which was not brought can have (None: there are no more); the vaults of the
    parts whose search failed. `brought`: at most `wanted` a part; None: its search failed.

    Where no vault is left all of whose parts answered, any vector that is read may be the nearest: the ceiling is 1.
    """
    failed = {vault for part, found in zip(parts, brought, strict=True) if found is None for vault in part.vaults}
    if None in brought and all(part.vaults <= failed for part in parts):
        return (), 1.0, frozenset()
    lists = [found for found in brought if found]
    each = {near.chunk.chunk_id: near for found in lists for near in found if near.chunk.vault not in failed}
    ceiling = max((found[-1].cosine for found in lists if len(found) >= wanted), default=None)
    ordered = sorted(each.values(), key=lambda near: (-near.cosine, near.chunk.chunk_id))
    return tuple(ordered), ceiling, frozenset(failed)


def _union(
    neighbours: Sequence[Neighbour], best: Sequence[IndexedChunk], newest: Sequence[IndexedChunk]
) -> tuple[Candidate, ...]:
    near = [neighbour.chunk for neighbour in neighbours]
    vector, keyword, recent = (
        {chunk.chunk_id: rank for rank, chunk in enumerate(leg, start=1)} for leg in (near, best, newest)
    )
    cosines = {neighbour.chunk.chunk_id: neighbour.cosine for neighbour in neighbours}
    chunks = {chunk.chunk_id: chunk for chunk in (*newest, *best, *near)}
    return tuple(
        Candidate(
            chunk=chunks[key],
            cosine=cosines.get(key),
            vector_rank=vector.get(key),
            keyword_rank=keyword.get(key),
            recent_rank=recent.get(key),
        )
        for key in sorted(chunks)
    )
