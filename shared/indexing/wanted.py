"""A note and its chunks -> the chunks that the index should hold of it, and what leads there from those it holds."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter

from shared.language.lengths import Utf16Offsets
from shared.language.terms import stems
from shared.markdown.blocks import table_heads
from shared.markdown.file import ALIAS, MAX_PROPERTIES, properties_of
from shared.markdown.pointers import link_terms
from shared.model.index import COLUMNS, Chunk, IndexedChunk, StoredChunk, scopes_of, vector_space
from shared.model.notes import Note
from shared.times.dates import date_in_words


def wanted_chunks(
    note: Note, chunks: Sequence[Chunk], *, lang: str, revision: str, index_version: str
) -> tuple[IndexedChunk, ...]:
    """In the order of `chunks`. Everything in them follows from the note's revision and the index version alone,
    but `updated_at`, which is the note's when the chunk was last written. `lang`: of the note, ISO 639-1. The first
    chunk also holds the terms by which links are found, which are no words and count for nothing in `length`.

    A change of what is computed here, the header above all, must raise the chunker's version: the record's revision
    and index version are all that is compared.
    """
    offsets = Utf16Offsets(note.text)
    scopes = scopes_of(note.vault, note.path, note.tags)
    of_note = properties_of(note.text)
    tables = list(table_heads(note.text))
    links = dict.fromkeys(link_terms(note), 1)
    wanted = []
    for chunk in chunks:
        at = bisect_right(tables, chunk.start, key=itemgetter(0)) - 1
        inside = at >= 0 and chunk.start < tables[at][1] and len(tables[at][2]) <= MAX_PROPERTIES
        properties = (*of_note, f"{COLUMNS}{tables[at][2]}") if inside else of_note
        text = _headed(note.title, chunk.heading_path, properties, note.created_at, chunk.text)
        others = [line for line in properties if not line.startswith(ALIAS)]
        terms = Counter(stems("\n".join([text, *others]), lang))
        wanted.append(
            IndexedChunk(
                chunk_id=f"{note.note_id}_{chunk.position:03d}",
                note_id=note.note_id,
                position=chunk.position,
                title=note.title,
                heading_path=chunk.heading_path,
                text=chunk.text,
                start=chunk.start,
                end=chunk.end,
                utf16_start=offsets.at(chunk.start),
                created_at=note.created_at,
                updated_at=note.updated_at,
                vault=note.vault,
                path=note.path,
                tags=note.tags,
                scopes=scopes,
                terms={**terms, **links} if chunk.position == 0 else dict(terms),
                length=terms.total(),
                text_hash=hashlib.sha256(text.encode()).hexdigest()[:32],
                index_version=index_version,
                note_revision=revision,
                properties=properties,
            )
        )
    return tuple(wanted)


def embedded_texts(chunks: Sequence[IndexedChunk]) -> dict[str, tuple[str, ...]]:
    """Text to embed -> the ids of all chunks that share it, in order.

    It is a header of title, other names, heading path and the note's date in words ("8 May 2023"), then the slice;
    `text_hash` is of exactly this. Other properties are found by their words alone: they make vectors worse.
    """
    texts: dict[str, tuple[str, ...]] = {}
    for chunk in chunks:
        text = _headed(chunk.title, chunk.heading_path, chunk.properties, chunk.created_at, chunk.text)
        texts[text] = (*texts.get(text, ()), chunk.chunk_id)
    return texts


def _headed(title: str, heading_path: str, properties: Sequence[str], created_at: datetime, text: str) -> str:
    names = [line.removeprefix(ALIAS) for line in properties if line.startswith(ALIAS)]
    header = [title, *names, heading_path, date_in_words(created_at)]
    return "\n".join(filter(None, header)) + "\n\n" + text


@dataclass(frozen=True, slots=True)
class Changes:
    """What leads from the stored chunks to the wanted ones."""

    put: tuple[IndexedChunk, ...]
    """To be written whole, with the vector that `reuse` names or else without one."""
    patch: tuple[IndexedChunk, ...]
    """Stored under the same id with the same embedded text: whatever vectors are there stay."""
    remove: tuple[str, ...]
    reuse: Mapping[str, str]
    """Id of a chunk in `put` -> id of the stored chunk whose vector is that of the same text."""
    keep: Mapping[str, str]
    """Id of a chunk in `put` -> id of the stored chunk that has the same text's vector of the version to keep."""
    embed: tuple[IndexedChunk, ...]
    """Wanted chunks that will have no vector after the writing; empty without an embedder."""


def compare(
    wanted: Sequence[IndexedChunk], stored: Sequence[StoredChunk], *, embeds: bool, keeps: str, touch_all: bool = False
) -> Changes:
    """Both by unique chunk id. `embeds`: whether there is an embedder, so that every wanted chunk needs a vector.
    `keeps`: the index version whose vectors chunks keep beside their own; empty: none.

    A chunk that is stored as wanted is in none of `put`, `patch` and `remove`, unless `touch_all` has it patched: a
    change that creates the note's record names all chunks, for stores keep sums over them by record.
    """
    held = {chunk.chunk_id: chunk for chunk in stored}
    owned = [(chunk, chunk.index_version) for chunk in stored if chunk.has_vector]
    found = [*owned, *((chunk, chunk.kept) for chunk in stored if chunk.kept)]
    # A new chunker embeds only the texts that it cuts differently: the vector space is all that must agree.
    vectors = {(chunk.text_hash, vector_space(version)): chunk.chunk_id for chunk, version in found}

    def with_vectors(chunks: Sequence[IndexedChunk], version: str) -> Mapping[str, str]:
        keys = {chunk.chunk_id: (chunk.text_hash, vector_space(version)) for chunk in chunks}
        return {chunk_id: vectors[key] for chunk_id, key in keys.items() if key in vectors}

    donors = with_vectors(wanted, wanted[0].index_version) if embeds and wanted else {}
    put, patch, embed = [], [], []
    for chunk in wanted:
        at_place, has_donor = held.get(chunk.chunk_id), chunk.chunk_id in donors
        # Whether the stored vector, or the lack of one, is right for the wanted chunk. Without one, and another chunk
        # has it, the chunk is written again with the other's vector.
        if (
            at_place is None
            or (at_place.text_hash, at_place.index_version) != (chunk.text_hash, chunk.index_version)
            or (has_donor and not at_place.has_vector)
            or (at_place.kept and at_place.kept != keeps)
        ):
            put.append(chunk)
        elif touch_all or at_place.note_revision != chunk.note_revision:
            patch.append(chunk)
        if embeds and not has_donor:
            embed.append(chunk)
    return Changes(
        put=tuple(put),
        patch=tuple(patch),
        remove=tuple(sorted(set(held) - {chunk.chunk_id for chunk in wanted})),
        reuse={each.chunk_id: donors[each.chunk_id] for each in put if each.chunk_id in donors},
        keep=with_vectors(put, keeps) if keeps else {},
        embed=tuple(embed),
    )
