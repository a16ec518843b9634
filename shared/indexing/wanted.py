"""A note and its chunks -> the chunks that the index should hold of it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from shared.language.offsets import Utf16Offsets
from shared.language.terms import stems
from shared.markdown.file import aliases_of
from shared.markdown.pointers import link_terms
from shared.model.index import Chunk, IndexedChunk
from shared.model.notes import Note
from shared.model.scopes import scopes_of
from shared.times.dates import date_in_words


def wanted_chunks(
    note: Note, chunks: Sequence[Chunk], *, lang: str, revision: str, index_version: str
) -> tuple[IndexedChunk, ...]:
    """In the order of `chunks`. Everything in them follows from the note's revision and the index version alone,
    but `updated_at`, which is the note's when the chunk was last written. `lang`: of the note, ISO 639-1. Words find a
    note under its aliases too; the first chunk also holds the terms by which links are found, which are no words and
    count for nothing in `length`.

    A change of what is computed here, the header above all, must raise the chunker's version: the record's revision
    and index version are all that is compared.
    """
    offsets = Utf16Offsets(note.text)
    scopes = scopes_of(note.vault, note.path, note.tags)
    other_names = stems("\n".join(aliases_of(note.text)), lang)
    links = dict.fromkeys(link_terms(note), 1)
    wanted = []
    for chunk in chunks:
        text = _headed(note.title, chunk.heading_path, note.created_at, chunk.text)
        terms = Counter([*stems(text, lang), *other_names])
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
            )
        )
    return tuple(wanted)


def embedded_texts(chunks: Sequence[IndexedChunk]) -> dict[str, tuple[str, ...]]:
    """Each different text that stands for one of the chunks -> the ids of all that share it, in order.

    It is a header of title, heading path and the note's date in words ("8 May 2023"), then the slice; `text_hash` is
    of exactly this.
    """
    texts: dict[str, tuple[str, ...]] = {}
    for chunk in chunks:
        text = _headed(chunk.title, chunk.heading_path, chunk.created_at, chunk.text)
        texts[text] = (*texts.get(text, ()), chunk.chunk_id)
    return texts


def _headed(title: str, heading_path: str, created_at: datetime, text: str) -> str:
    header = [line for line in (title, heading_path, date_in_words(created_at)) if line]
    return "\n".join(header) + "\n\n" + text
