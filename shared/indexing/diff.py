"""A note and its chunks -> the chunks that the index should hold, and the changes that lead there from those it holds."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeGuard

from shared.language.lengths import Utf16Offsets
from shared.language.terms import stems
from shared.markdown.blocks import table_heads
from shared.markdown.file import ALIAS, MAX_PROPERTIES, aliases_in, properties_of
from shared.markdown.pointers import file_name, link_terms
from shared.model.index import (
    COLUMNS,
    Chunk,
    IndexedChunk,
    StoredChunk,
    chunk_id_of,
    scopes_of,
    vector_space,
)
from shared.model.notes import Note
from shared.times.dates import date_in_words


@dataclass(frozen=True, slots=True)
class WantedChunk:
    """A chunk that the index should hold, without its words: a long note has too many to hold them all at once."""

    chunk_id: str
    slice: Chunk
    properties: tuple[str, ...]
    """Properties as `IndexedChunk` has them."""
    text_hash: str
    """Digest of the text to embed: header and slice."""
    index_version: str
    note_revision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedNote:
    """Content that the index should hold of a note. Everything in it follows from the note's revision and the index version
    alone, but `updated_at`, which is the note's when the chunk was last written.

    A change of what is computed here, the header above all, must raise the chunker's version: the record's revision
    and index version are all that is compared.
    """

    note: Note
    lang: str
    """ISO 639-1."""
    chunks: tuple[WantedChunk, ...]
    """In the order of the text."""
    offsets: Utf16Offsets
    scopes: tuple[str, ...]

    def embedded_texts(self, chunks: Sequence[WantedChunk]) -> dict[str, tuple[str, ...]]:
        """Returns text to embed -> the ids of all of these chunks that share it, in order.

        The text is a header of title, other names, heading path and the note's date in words ("8 May 2023"), then the
        slice; `text_hash` is of exactly this. Other properties are found by their words alone: they make vectors worse.
        """
        texts: dict[str, tuple[str, ...]] = {}
        for chunk in chunks:
            text = _headed(self.note, chunk.slice, chunk.properties)
            texts[text] = (*texts.get(text, ()), chunk.chunk_id)
        return texts

    def indexed(self, wanted_chunk: WantedChunk) -> IndexedChunk:
        """Returns the chunk as the stores keep it, its words counted.

        The first chunk also holds the words of the note's tags and of its file's name, and the terms by which links are
        found; none of them counts in `length`.
        """
        note = self.note
        chunk = wanted_chunk.slice
        lines = [_headed(note, chunk, wanted_chunk.properties)]
        for line in wanted_chunk.properties:
            if not line.startswith(ALIAS):  # the header has it
                lines.append(line)
        counts = Counter(stems("\n".join(lines), self.lang))
        terms = dict(counts)
        if chunk.position == 0:
            terms |= dict.fromkeys(link_terms(note), 1)
            other_words = "\n".join((*note.tags, file_name(note)))
            for stem in stems(other_words, self.lang):
                terms.setdefault(stem, 1)
        return IndexedChunk(
            chunk_id=wanted_chunk.chunk_id,
            note_id=note.note_id,
            position=chunk.position,
            title=note.title,
            heading_path=chunk.heading_path,
            text=chunk.text,
            start=chunk.start,
            end=chunk.end,
            utf16_start=self.offsets.at(chunk.start),
            created_at=note.created_at,
            updated_at=note.updated_at,
            vault=note.vault,
            path=note.path,
            tags=note.tags,
            scopes=self.scopes,
            terms=terms,
            length=counts.total(),
            text_hash=wanted_chunk.text_hash,
            index_version=wanted_chunk.index_version,
            note_revision=wanted_chunk.note_revision,
            properties=wanted_chunk.properties,
        )


def wanted_note(
    note: Note,
    chunks: Sequence[Chunk],
    *,
    lang: str,
    revision: str,
    index_version: str,
) -> WantedNote:
    """Returns what the index should hold of a note that is cut into these chunks. `lang`: of the note, ISO 639-1."""
    properties = properties_of(note.text)
    tables = list(table_heads(note.text))
    wanted_chunks = []
    for chunk in chunks:
        columns = _columns(tables, chunk.start)
        all_properties = (*properties, *columns)
        text = _headed(note, chunk, all_properties)
        text_hash = hashlib.sha256(text.encode()).hexdigest()
        wanted_chunks.append(
            WantedChunk(
                chunk_id=chunk_id_of(note.note_id, chunk.position),
                slice=chunk,
                properties=all_properties,
                text_hash=text_hash[:32],
                index_version=index_version,
                note_revision=revision,
            ),
        )
    return WantedNote(
        note=note,
        lang=lang,
        chunks=tuple(wanted_chunks),
        offsets=Utf16Offsets(note.text),
        scopes=scopes_of(note.vault, note.path, note.tags),
    )


def _columns(tables: Sequence[tuple[int, int, str]], start: int) -> Iterator[str]:
    """Yields the property that names the columns of the table in whose midst a chunk begins, unless it is too long."""
    tables_before = bisect_right(tables, start, key=itemgetter(0))
    if tables_before == 0:
        return
    _, end, head = tables[tables_before - 1]
    if start < end and len(head) <= MAX_PROPERTIES:
        yield f"{COLUMNS}{head}"


def _headed(note: Note, chunk: Chunk, properties: Sequence[str]) -> str:
    """Returns the text to embed: the header and the slice."""
    date = date_in_words(note.created_at)
    header = [note.title, *aliases_in(properties), chunk.heading_path, date]
    header_lines = "\n".join(filter(None, header))
    return f"{header_lines}\n\n{chunk.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Changes that lead from the stored chunks to the wanted ones."""

    put: tuple[WantedChunk, ...]
    """To be written whole, with the vector that `reuse` names or else without one."""
    patch: tuple[WantedChunk, ...]
    """Stored under the same id with the same embedded text: whatever vectors are there stay."""
    remove: tuple[str, ...]
    reuse: Mapping[str, str]
    """Id of a chunk in `put` -> id of the stored chunk that has a vector of its text."""
    reuse_second: Mapping[str, str]
    """Id of a chunk in `put` -> id of the stored chunk that has a vector of its text by the second version."""
    embed: tuple[WantedChunk, ...]
    """Wanted chunks that will have no vector after the writing; empty without an embedder."""


def compare(
    wanted_chunks: Sequence[WantedChunk],
    stored_chunks: Sequence[StoredChunk],
    *,
    embeds: bool,
    second_version: str,
    touch_all: bool = False,
) -> Changes:
    """Returns what leads from the stored chunks to the wanted ones, both by unique chunk id.

    `embeds`: whether there is an embedder, so that every wanted chunk needs a vector.
    `second_version`: the index version by which chunks hold a second vector; empty: none.

    A chunk that is stored as wanted is in none of `put`, `patch` and `remove`, unless `touch_all` has it patched: a
    change that creates the note's record names all chunks, for stores keep sums over them by record.
    """
    stored_by_id = {chunk.chunk_id: chunk for chunk in stored_chunks}
    donors: Mapping[str, str] = {}
    if embeds and wanted_chunks:
        donors = _donors(wanted_chunks, stored_chunks, wanted_chunks[0].index_version)
    put = []
    patch = []
    embed = []
    for chunk in wanted_chunks:
        has_donor = chunk.chunk_id in donors
        stored = stored_by_id.pop(chunk.chunk_id, None)
        if not _fits(stored, chunk, has_donor=has_donor, second_version=second_version):
            put.append(chunk)
        elif touch_all or stored.note_revision != chunk.note_revision:
            patch.append(chunk)
        if embeds and not has_donor:
            embed.append(chunk)
    reuse = {}
    for chunk in put:
        if chunk.chunk_id in donors:
            reuse[chunk.chunk_id] = donors[chunk.chunk_id]
    reuse_second: Mapping[str, str] = {}
    if second_version:
        reuse_second = _donors(put, stored_chunks, second_version)
    return Changes(
        put=tuple(put),
        patch=tuple(patch),
        remove=tuple(sorted(stored_by_id)),
        reuse=reuse,
        reuse_second=reuse_second,
        embed=tuple(embed),
    )


def _donors(
    wanted_chunks: Sequence[WantedChunk],
    stored_chunks: Sequence[StoredChunk],
    version: str,
) -> Mapping[str, str]:
    """Returns the id of each wanted chunk whose text has a stored vector in the version's space -> its holder's id.

    A new chunker embeds only the texts that it cuts differently: the vector space is all that must agree.
    """
    space = vector_space(version)
    holders: dict[str, str] = {}
    for stored in stored_chunks:
        if stored.has_vector and vector_space(stored.index_version) == space:
            holders[stored.text_hash] = stored.chunk_id
    for stored in stored_chunks:
        if stored.second_version and vector_space(stored.second_version) == space:
            holders[stored.text_hash] = stored.chunk_id
    donors = {}
    for chunk in wanted_chunks:
        if chunk.text_hash in holders:
            donors[chunk.chunk_id] = holders[chunk.text_hash]
    return donors


def _fits(
    stored: StoredChunk | None,
    chunk: WantedChunk,
    *,
    has_donor: bool,
    second_version: str,
) -> TypeGuard[StoredChunk]:
    """Reports whether the stored vectors, or the lack of them, are right for the wanted chunk.

    A chunk without a vector that another chunk has is written again, with the other's.
    """
    if stored is None or stored.text_hash != chunk.text_hash:
        return False
    if stored.index_version != chunk.index_version:
        return False
    if has_donor and not stored.has_vector:
        return False
    return stored.second_version in ("", second_version)
