"""Notes, chunks and changes in the shape the contract suites need: every field has a plain default."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from shared.model.account import Person
from shared.model.index import (
    ChunkPut,
    IndexChange,
    IndexedChunk,
    IndexRecord,
    IndexStatus,
    Vector,
    scopes_of,
)
from shared.model.notes import Note, TrashedNote, TrashReason
from shared.model.retrieval import Restriction
from shared.ports.pages import Page
from shared.ports.stores import Store

T = TypeVar("T")

TENANT = "tenant-a"
OTHER = "tenant-b"
PERSON = Person(TENANT, "anna")
COLLEAGUE = Person(TENANT, "ben")
DAY = datetime(2026, 5, 8, 12, 30, 15, 123456, tzinfo=UTC)
VERSION = "c1:hashing:4"
FREE = Restriction()


def unit(*values: float) -> Vector:
    """The values scaled to length 1, as float32."""
    norm = math.sqrt(sum(value * value for value in values))
    return array("f", [value / norm for value in values])


def note(
    note_id: str, *, text: str = "Alpha beta.", updated_at: datetime = DAY, vault: str = "default"
) -> Note:
    return Note(
        note_id,
        f"Title of {note_id}",
        text,
        DAY,
        updated_at,
        vault,
        f"work/{note_id}.md",
        ("red", "blue"),
    )


def trashed(trash_id: str, was: Note) -> TrashedNote:
    expires = DAY + timedelta(days=30)
    return TrashedNote(
        trash_id=trash_id, note=was, trashed_at=DAY, expires_at=expires, reason=TrashReason.EDITED
    )


def chunk(
    note_id: str,
    position: int = 0,
    *,
    terms: Mapping[str, int] | None = None,
    created_at: datetime = DAY,
    vault: str = "default",
    path: str = "work/plan.md",
    tags: tuple[str, ...] = ("red",),
    index_version: str = VERSION,
    note_revision: str = "r1",
    text: str = "Alpha beta.",
) -> IndexedChunk:
    counts = {"alpha": 1, "beta": 2} if terms is None else terms
    return IndexedChunk(
        chunk_id=f"{note_id}_{position:03d}",
        note_id=note_id,
        position=position,
        title=f"Title of {note_id}",
        heading_path="# Plan > ## Next",
        text=text,
        start=position * 100,
        end=position * 100 + len(text),
        utf16_start=position * 101,
        created_at=created_at,
        updated_at=DAY,
        vault=vault,
        path=path,
        tags=tags,
        scopes=scopes_of(vault, path, tags),
        terms=counts,
        length=sum(counts.values()),
        text_hash=f"hash-{note_id}-{position}",
        index_version=index_version,
        note_revision=note_revision,
    )


def record(
    *,
    revision: str = "r1",
    status: IndexStatus = IndexStatus.INDEXED,
    count: int = 1,
    indexed_at: datetime = DAY,
    due_at: datetime | None = None,
) -> IndexRecord:
    return IndexRecord(revision, status, count, VERSION, indexed_at, due_at=due_at)


def save(
    store: Store, *chunks: IndexedChunk, vector: Vector | None = None, tenant: str = TENANT
) -> None:
    """Add the chunks to their notes' index, whatever stands there, every one with `vector`."""
    for note_id in dict.fromkeys(indexed_chunk.note_id for indexed_chunk in chunks):
        puts = tuple(
            ChunkPut(indexed_chunk, vector)
            for indexed_chunk in chunks
            if indexed_chunk.note_id == note_id
        )
        expected = store.read_record(tenant, note_id).token
        store.apply(tenant, IndexChange(note_id, expected, record(count=len(puts)), put=puts))


def save_vectors(store: Store, vectors: Mapping[str, Vector]) -> None:
    """One chunk a note: note id -> its vector."""
    for note_id, vector in vectors.items():
        save(store, chunk(note_id), vector=vector)


def ids(chunks: Iterable[IndexedChunk]) -> list[str]:
    return [indexed_chunk.chunk_id for indexed_chunk in chunks]


def all_pages(read: Callable[[str | None], Page[T]]) -> list[T]:
    """Every item of a listing, page after page."""
    items: list[T] = []
    token: str | None = None
    while True:
        page = read(token)
        items.extend(page.items)
        if page.next_token is None:
            return items
        assert page.next_token != token
        token = page.next_token
