"""Domain values <-> rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, TypeAlias

from shared.adapters.embedded import tokens
from shared.model.index import IndexedChunk, IndexRecord, IndexStatus
from shared.model.notes import Note

Row: TypeAlias = tuple[Any, ...]

_YEAR_1 = datetime(1, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_SECOND = 1_000_000
_PLACES = 24
"""Bits of a chunk's id below the second: how many chunks one second may hold (16 million)."""

NOTE_COLUMNS = "note_id, vault, updated_at, created_at, title, path, tags, lang, text"
RECORD_COLUMNS = (
    "note_revision, status, chunk_count, index_version, indexed_at, error, attempts, lease_until, note_id, token"
)
CHUNK_COLUMNS = (
    'chunk_id, note_id, position, title, heading_path, start, "end", utf16_start, created_at, updated_at, '
    "vault, path, tags, scopes, length, text_hash, index_version, note_revision, terms, text"
)
CREATED_AT = 8
SCOPES = 13
TERMS = 18
"""Places in a row of CHUNK_COLUMNS."""


def to_micros(when: datetime) -> int:
    """Microseconds since year 1: never negative, and exact."""
    return (when - _YEAR_1) // _MICROSECOND


@lru_cache(4096)
def to_datetime(micros: int) -> datetime:
    """Cached: the chunks of a note have the same, and half of them are asked for twice."""
    return _YEAR_1 + timedelta(microseconds=micros)


def first_id_at(created_at: int) -> int:
    """The least id of a chunk made in the second of `created_at` (microseconds): ids grow from second to second."""
    return (created_at // _SECOND) << _PLACES


def id_past(created_at: int) -> int:
    """The id after every chunk made in that second."""
    return first_id_at(created_at) + (1 << _PLACES)


@lru_cache(4096)
def _strings(column: str) -> tuple[str, ...]:
    """Cached: the chunks of a note, and mostly of a folder, have the same."""
    return tuple(json.loads(column))


def note_row(note: Note) -> Row:
    return (
        note.note_id,
        note.vault,
        to_micros(note.updated_at),
        to_micros(note.created_at),
        note.title,
        note.path,
        json.dumps(note.tags),
        note.lang,
        note.text,
    )


def to_note(row: Row) -> Note:
    note_id, vault, updated_at, created_at, title, path, tags, lang, text = row
    created, updated = to_datetime(created_at), to_datetime(updated_at)
    return Note(
        note_id=note_id,
        title=title,
        text=text,
        created_at=created,
        updated_at=updated,
        vault=vault,
        path=path,
        tags=_strings(tags),
        lang=lang,
    )


def record_row(record: IndexRecord) -> Row:
    """The columns that are the record's own; note id and token follow them."""
    return (
        record.note_revision,
        record.status.value,
        record.chunk_count,
        record.index_version,
        to_micros(record.indexed_at),
        record.error,
        record.attempts,
        None if record.lease_until is None else to_micros(record.lease_until),
    )


def to_record(row: Row) -> IndexRecord:
    revision, status, count, version, indexed_at, error, attempts, lease_until = row[:8]
    return IndexRecord(
        note_revision=revision,
        status=IndexStatus(status),
        chunk_count=count,
        index_version=version,
        indexed_at=to_datetime(indexed_at),
        error=error,
        attempts=attempts,
        lease_until=None if lease_until is None else to_datetime(lease_until),
    )


def chunk_row(chunk: IndexedChunk) -> Row:
    return (
        chunk.chunk_id,
        chunk.note_id,
        chunk.position,
        chunk.title,
        chunk.heading_path,
        chunk.start,
        chunk.end,
        chunk.utf16_start,
        to_micros(chunk.created_at),
        to_micros(chunk.updated_at),
        chunk.vault,
        chunk.path,
        json.dumps(chunk.tags),
        json.dumps(chunk.scopes),
        chunk.length,
        chunk.text_hash,
        chunk.index_version,
        chunk.note_revision,
        tokens.terms_column(chunk.terms),
        chunk.text,
    )


def to_chunk(row: Row, asked: Sequence[tuple[str, str]]) -> IndexedChunk:
    """`asked`: `tokens.term_keys` of the stems whose counts the chunk is to carry."""
    chunk_id, note_id, position, title, heading_path, start, end, utf16_start, created_at, updated_at = row[:10]
    vault, path, tags, scopes, length, text_hash, index_version, note_revision, terms, text = row[10:]
    return IndexedChunk(
        chunk_id=chunk_id,
        note_id=note_id,
        position=position,
        title=title,
        heading_path=heading_path,
        text=text,
        start=start,
        end=end,
        utf16_start=utf16_start,
        created_at=to_datetime(created_at),
        updated_at=to_datetime(updated_at),
        vault=vault,
        path=path,
        tags=_strings(tags),
        scopes=_strings(scopes),
        terms=tokens.term_counts(terms, asked),
        length=length,
        text_hash=text_hash,
        index_version=index_version,
        note_revision=note_revision,
    )
