"""Folders and whole vaults, each searched on its own -> one pool, and what a chunk's score counts in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from shared.domain import Candidate, ChosenBy, IndexedChunk, Place, Restriction
from shared.errors import StoreUnavailable
from shared.retrieval.candidates import Matches, Query, Search, gather, match
from shared.retrieval.embedding import KnownVector
from shared.retrieval.pool import Pool
from shared.retrieval.scores import unweighted
from shared.scopes import place_token

LEAST_WEIGHT = 0.1
SIDE_BY_SIDE = 8
"""Places searched at the same time."""
LEAST_LEG = 10
"""Chunks each leg brings from a place at least, however many places share what a search may read."""


def gather_from_places(search: Search, restriction: Restriction, query: Query, matches: Matches | None = None) -> Pool:
    """What `gather` finds in each of the search's places; without places, what it finds in the restriction.

    `matches`: what the keyword leg has already brought of the restriction. Places of a vault that weigh the same are
    searched together. A vault whose search fails is named in the pool's
    `silent_vaults`. Raises StoreUnavailable if every one does.
    """
    if not search.places:
        return gather(search, restriction, query, matches)
    groups = _searched_together(search.places)
    if query.needs_weights:
        matches = matches or match(search, restriction)
    part, vector = _sharing(search, len(groups)), KnownVector(query.embed(matches.weights if matches else {}))

    def searched(group: tuple[str, frozenset[str]]) -> Pool | StoreUnavailable:
        try:
            return gather(part, _narrowed(restriction, group[1]), vector)
        except StoreUnavailable as error:
            return error

    # Threads of their own: whoever gathers must not be a task of the executor that runs the legs.
    with ThreadPoolExecutor(min(len(groups), SIDE_BY_SIDE), thread_name_prefix="place") as threads:
        found = list(threads.map(searched, groups))
    pools = [each for each in found if isinstance(each, Pool)]
    errors = [each for each in found if isinstance(each, StoreUnavailable)]
    if not pools:
        raise errors[0]
    silent = {vault for (vault, _), each in zip(groups, found, strict=True) if isinstance(each, StoreUnavailable)}
    return replace(_merged(pools), silent_vaults=frozenset(silent))


def inside(restriction: Restriction, places: Sequence[Place]) -> Restriction:
    """The restriction cut to the places; none of them cut nothing."""
    if not places:
        return restriction
    return _narrowed(restriction, frozenset(place_token(place.vault, place.folder) for place in places))


def _narrowed(restriction: Restriction, tokens: frozenset[str]) -> Restriction:
    """Groups of which the tokens are a part say nothing any more, and searches of one group are the cheapest."""
    others = tuple(group for group in restriction.scopes if not tokens <= group)
    return Restriction(restriction.created, (*others, tokens))


def weigher(places: Sequence[Place]) -> Callable[[IndexedChunk], float]:
    """Chunk -> the greatest weight of the places it lies in; without places 1.

    A vault's root beside folders means the notes that lie in none. What the search of a root brings besides, from
    folders that are no places, counts least.
    """
    if not places:
        return unweighted
    roots = {place.vault: place for place in places if not place.folder}
    weights: dict[str, float] = {}
    for place in places:
        if place.folder or place.chosen_by is ChosenBy.WHOLE_VAULT:
            token = place_token(place.vault, place.folder)
            weights[token] = max(place.weight, weights.get(token, 0.0))

    def weigh(chunk: IndexedChunk) -> float:
        found = [weights[token] for token in chunk.scopes if token in weights]
        if not chunk.folder and chunk.vault in roots:
            found.append(roots[chunk.vault].weight)
        return max(found, default=LEAST_WEIGHT)

    return weigh


def _searched_together(places: Iterable[Place]) -> list[tuple[str, frozenset[str]]]:
    """Vault and tokens of what is searched in one go, the weightiest first within a vault."""
    groups: dict[tuple[str, float], set[str]] = {}
    for place in places:
        groups.setdefault((place.vault, place.weight), set()).add(place_token(place.vault, place.folder))
    return [(vault, frozenset(tokens)) for (vault, _), tokens in groups.items()]


def _sharing(search: Search, parts: int) -> Search:
    """Each part's search: all together bring about as many as one, but no part too few to be judged by. Postings are
    not shared, because a store may have to look for a folder's among all others.
    """
    leg = min(search.options.leg_size, max(LEAST_LEG, search.options.leg_size // parts))
    return replace(search, options=replace(search.options, leg_size=leg))


def _merged(pools: Sequence[Pool]) -> Pool:
    found: dict[str, Candidate] = {}
    for candidate in (each for pool in pools for each in pool.candidates):
        key = candidate.chunk.chunk_id
        found[key] = _both(found[key], candidate) if key in found else candidate
    unread = frozenset(key for pool in pools for key in pool.unread if found[key].cosine is None)
    return replace(
        pools[0],
        candidates=tuple(found[key] for key in sorted(found)),
        unread=unread,
        ceiling=max(pool.ceiling for pool in pools),
    )


def _both(one: Candidate, other: Candidate) -> Candidate:
    """A chunk that two places brought, as a folder inside another does: its best rank of each leg."""
    return Candidate(
        chunk=one.chunk,
        cosine=other.cosine if one.cosine is None else one.cosine,
        vector_rank=_better(one.vector_rank, other.vector_rank),
        keyword_rank=_better(one.keyword_rank, other.keyword_rank),
        recent_rank=_better(one.recent_rank, other.recent_rank),
    )


def _better(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)
