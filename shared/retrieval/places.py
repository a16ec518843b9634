"""Folders and whole vaults -> the searches that look in them, and what a chunk's score counts in it.

However many places there are, the keyword and the recent leg look in all of them at once and the vector leg in at most
MAX_PARTS parts. Places that weigh much less than others are searched apart from them: otherwise a large folder that
hardly counts would leave no room for what lies in the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shared.model.index import IndexedChunk, place_token, vault_token
from shared.model.retrieval import ChosenBy, Place, Restriction

MIN_WEIGHT = 0.1
MAX_PARTS = 6
MAX_BANDS = 4
"""Parts of one vault: its first place, the next two, the next four, all others. But for the last, the places of a part
weigh at most twice as much as each other."""
MAX_TOKENS = 10
"""Of more places than this the vaults are named too. Firestore's filter of scopes, which holds 30 and takes longer with
each, can then hold those, and the rest is checked on what comes back: of places that hardly count it may bring fewer.
"""


def inside(restriction: Restriction, places: Sequence[Place]) -> Restriction:
    """The restriction cut to the places; none of them cut nothing."""
    if not places:
        return restriction
    whole = {place.vault for place in places if not place.folder}
    tokens = frozenset(
        vault_token(place.vault) if place.vault in whole else place_token(place.vault, place.folder) for place in places
    )
    # Groups in which all places lie say nothing any more, and searches of one group are the cheapest.
    tokens_of = [{vault_token(place.vault), place_token(place.vault, place.folder)} for place in places]
    others = tuple(group for group in restriction.scopes if any(map(group.isdisjoint, tokens_of)))
    vaults = frozenset(vault_token(place.vault) for place in places)
    named = (tokens,) if len(tokens) <= MAX_TOKENS or tokens == vaults else (vaults, tokens)
    return Restriction(restriction.created, (*others, *named))


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the places in which the vector leg looks on its own, and the vaults that it belongs to."""

    restriction: Restriction
    vaults: frozenset[str] = frozenset()


def parts_of(places: Sequence[Place], restriction: Restriction) -> Sequence[Part]:
    """At most MAX_PARTS: a vault by weight as far as parts suffice, else several vaults in one; without places one."""
    if not places:
        return [Part(restriction)]
    vaults: dict[str, list[Place]] = {}
    for place in places:
        vaults.setdefault(place.vault, []).append(place)
    bands = max(1, min(MAX_BANDS, MAX_PARTS // len(vaults)))
    parts: dict[tuple[int, int], list[Place]] = {}
    for number, of_vault in enumerate(vaults.values()):
        for position, place in enumerate(of_vault, start=1):
            parts.setdefault((number % MAX_PARTS, min(bands, position.bit_length())), []).append(place)
    return [Part(inside(restriction, part), frozenset(place.vault for place in part)) for part in parts.values()]


def weigher(places: Sequence[Place]) -> Callable[[IndexedChunk], float]:
    """Chunk -> the greatest weight of the places it lies in; without places 1.

    A vault's root beside folders means the notes that lie in none. What the search of a root brings besides, from
    folders that are no places, counts least.
    """
    if not places:
        return lambda _: 1.0
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
        return max(found, default=MIN_WEIGHT)

    return weigh
