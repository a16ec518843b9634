"""Wanted chunks and stored chunks -> what must be written, and what must be embedded for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shared.model.index import IndexedChunk, StoredChunk


@dataclass(frozen=True, slots=True)
class Changes:
    """What leads from the stored chunks to the wanted ones."""

    put: tuple[IndexedChunk, ...]
    """To be written whole, with the vector that `reuse` names or else without one."""
    patch: tuple[IndexedChunk, ...]
    """Stored under the same id with the same embedded text: whatever vector is there stays."""
    remove: tuple[str, ...]
    reuse: Mapping[str, str]
    """Id of a chunk in `put` -> id of the stored chunk whose vector is that of the same text."""
    embed: tuple[IndexedChunk, ...]
    """Wanted chunks that will have no vector after the writing; empty without an embedder."""


def compare(
    wanted: Sequence[IndexedChunk], stored: Sequence[StoredChunk], *, embeds: bool, touch_all: bool = False
) -> Changes:
    """Both by unique chunk id. `embeds`: whether there is an embedder, so that every wanted chunk needs a vector.

    A chunk that is stored as wanted is in none of `put`, `patch` and `remove`, unless `touch_all` has it patched: a
    change that creates the note's record names all chunks, for stores keep sums over them by record.
    """
    held = {chunk.chunk_id: chunk for chunk in stored}
    donors = {_vector_key(chunk): chunk.chunk_id for chunk in stored if chunk.has_vector} if embeds else {}
    put, patch, embed = [], [], []
    for chunk in wanted:
        at_place = held.get(chunk.chunk_id)
        has_donor = _vector_key(chunk) in donors
        if at_place is None or not _keeps_place(chunk, at_place, has_donor=has_donor):
            put.append(chunk)
        elif touch_all or at_place.note_revision != chunk.note_revision:
            patch.append(chunk)
        if embeds and not has_donor:
            embed.append(chunk)
    return Changes(
        put=tuple(put),
        patch=tuple(patch),
        remove=tuple(sorted(set(held) - {chunk.chunk_id for chunk in wanted})),
        reuse={chunk.chunk_id: donors[_vector_key(chunk)] for chunk in put if _vector_key(chunk) in donors},
        embed=tuple(embed),
    )


def _vector_key(chunk: IndexedChunk | StoredChunk) -> tuple[str, str]:
    """Equal for chunks whose vectors are equal: the same text in the same vector space.

    An index version is `chunker:model:dimension`. Only what follows the chunker names the space, so a new chunker
    embeds only the texts that it cuts differently.
    """
    return chunk.text_hash, chunk.index_version.partition(":")[2]


def _keeps_place(wanted: IndexedChunk, stored: StoredChunk, *, has_donor: bool) -> bool:
    """Whether the stored chunk's vector, or its lack of one, is right for the wanted chunk.

    Without one, and another chunk has it, the chunk is written again with the other's vector.
    """
    same = stored.text_hash == wanted.text_hash and stored.index_version == wanted.index_version
    return same and (stored.has_vector or not has_donor)
