"""Parts of one thing that are notes of their own -> what each gains from the parts next to it.

Turns of a conversation, blocks of a meeting, pages of a scan: notes of one vault, written at one time, whose names
(path, else note id) differ only in their last number, by one or two. What answers often stands next to what matches.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from shared.domain import IndexedChunk, Scale
from shared.retrieval.pool import Pool
from shared.retrieval.scale import vector_part

SHARES = (0.2, 0.1)
"""Of the parts of the next one and of the one after, to either side, that a note gains."""
_NUMBERED = re.compile(r"(.*?)(\d{1,9})(\D*)", re.DOTALL)
_Place: TypeAlias = "tuple[str, datetime, str, str, int]"
"""Vault, time, the name before and after its last number, and that number."""


@dataclass(frozen=True, slots=True)
class Bonus:
    """What is added to the parts of a score."""

    vector: float
    keyword: float


NO_BONUS = Bonus(0.0, 0.0)


def bonuses(pool: Pool, keyword: Mapping[str, float], scale: Scale) -> dict[str, Bonus]:
    """Chunk id -> what it gains, for those that have a neighbour in the pool. `keyword`: chunk id -> keyword part.

    A neighbour's cosine counts only if the vector leg brought it: then no score depends on which vectors were read.
    """
    places = {candidate.chunk.chunk_id: _place(candidate.chunk) for candidate in pool.candidates}
    parts: dict[_Place, Bonus] = {}
    for candidate in pool.candidates:
        place = places[candidate.chunk.chunk_id]
        if place is not None:
            cosine = None if candidate.vector_rank is None else candidate.cosine
            vector = 0.0 if cosine is None else vector_part(cosine, scale)
            own = Bonus(vector, keyword[candidate.chunk.chunk_id])
            parts[place] = _greater(own, parts.get(place, NO_BONUS))
    gained = {key: _gain(place, parts) for key, place in places.items() if place is not None}
    return {key: each for key, each in gained.items() if each != NO_BONUS}


def _place(chunk: IndexedChunk) -> _Place | None:
    numbered = _NUMBERED.fullmatch(chunk.path or chunk.note_id)
    if numbered is None:
        return None
    before, number, after = numbered.groups()
    return chunk.vault, chunk.created_at, before, after, int(number)


def _gain(place: _Place, parts: Mapping[_Place, Bonus]) -> Bonus:
    """At each distance from the greater of both sides."""
    vector = keyword = 0.0
    for distance, share in enumerate(SHARES, start=1):
        before, after = (parts.get((*place[:4], place[4] + step), NO_BONUS) for step in (-distance, distance))
        greater = _greater(before, after)
        vector, keyword = vector + share * greater.vector, keyword + share * greater.keyword
    return Bonus(vector, keyword)


def _greater(one: Bonus, other: Bonus) -> Bonus:
    return Bonus(max(one.vector, other.vector), max(one.keyword, other.keyword))
