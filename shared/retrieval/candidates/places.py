"""Folders and whole vaults -> the searches that look in them, and what a chunk's score counts in it.

However many places there are, the keyword and the recent leg look in all of them at once and the vector leg in at most
MOST_PARTS parts. Places that weigh much less than others are searched apart from them: otherwise a large folder that
hardly counts would leave no room for what lies in the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shared.model.index import IndexedChunk
from shared.model.retrieval import ChosenBy, Place, Restriction
from shared.model.scopes import place_token, vault_token
from shared.retrieval.candidates.legs import Matches, Search, gather
from shared.retrieval.candidates.pool import Pool
from shared.retrieval.candidates.vector_leg import Embed, Part

LEAST_WEIGHT = 0.1
MOST_PARTS = 6
MOST_BANDS = 4
"""Parts of one vault: its first place, the next two, the next four, all others. But for the last, the places of a part
weigh at most twice as much as each other."""
MOST_TOKENS = 10
"""Of more places than this the vaults are named too. Firestore's filter of scopes, which holds 30 and takes longer with
each, can then hold those, and the rest is checked on what comes back: of places that hardly count it may bring fewer.
"""


def gather_from_places(search: Search, restriction: Restriction, embed: Embed, matches: Matches | None = None) -> Pool:
    """What the search's places hold; without places, what the restriction holds. Raises as `gather` does.

    `matches`: what the keyword leg has already brought of them.
    """
    if not search.places:
        return gather(search, restriction, embed, matches=matches)
    parts = [
        Part(inside(restriction, places), frozenset(place.vault for place in places))
        for places in searched_together(search.places)
    ]
    return gather(search, inside(restriction, search.places), embed, parts, matches=matches)


def inside(restriction: Restriction, places: Sequence[Place]) -> Restriction:
    """The restriction cut to the places; none of them cut nothing."""
    if not places:
        return restriction
    whole = {place.vault for place in places if not place.folder}
    tokens = frozenset(
        vault_token(place.vault) if place.vault in whole else place_token(place.vault, place.folder) for place in places
    )
    # Groups in which all places lie say nothing any more, and searches of one group are the cheapest.
    others = tuple(group for group in restriction.scopes if not _holds(group, places))
    vaults = frozenset(vault_token(place.vault) for place in places)
    named = (tokens,) if len(tokens) <= MOST_TOKENS or tokens == vaults else (vaults, tokens)
    return Restriction(restriction.created, (*others, *named))


def searched_together(places: Sequence[Place]) -> list[tuple[Place, ...]]:
    """The places in at most MOST_PARTS parts: a vault by weight as far as parts suffice, else several vaults in one."""
    vaults: dict[str, list[Place]] = {}
    for place in places:
        vaults.setdefault(place.vault, []).append(place)
    bands = max(1, min(MOST_BANDS, MOST_PARTS // len(vaults)))
    parts: dict[tuple[int, int], list[Place]] = {}
    for number, of_vault in enumerate(vaults.values()):
        for position, place in enumerate(of_vault):
            band = min(bands, (position + 1).bit_length()) - 1
            parts.setdefault((number % MOST_PARTS, band), []).append(place)
    return [tuple(part) for part in parts.values()]


def _holds(group: frozenset[str], places: Sequence[Place]) -> bool:
    return all(vault_token(place.vault) in group or place_token(place.vault, place.folder) in group for place in places)


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


def unweighted(_: IndexedChunk) -> float:
    """Every chunk counts alike."""
    return 1.0
