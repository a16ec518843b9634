"""Notes, chunks and index records as Firestore documents, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from shared.adapters.firestore.requests.protocol import microseconds, plain, timestamp
from shared.adapters.firestore.requests.queries import path
from shared.errors import InvalidArgument, NoteUnreadable
from shared.model.index import IndexedChunk, IndexRecord, IndexStatus
from shared.model.notes import Folder, ListedNote, Note

CHUNK_FIELDS = (
    "noteId", "position", "title", "headingPath", "text", "start", "end", "utf16Start", "createdAt", "updatedAt",
    "vault", "path", "tags", "scopes", "length", "textHash", "indexVersion", "noteRevision",
)  # fmt: skip
"""What a search reads of a chunk, beside the postings of its stems. Neither vector nor `terms`: they are the bulk."""

PATCHED_FIELDS = ("chunkId", "tenantId", *CHUNK_FIELDS, "month", "day", "folder", "place", "terms", "postings")
"""All fields of a chunk but the vector and the `embedded` that goes with it."""

MAX_COUNT = 1024
"""Beyond it BM25 does not tell counts apart."""
LAST_MOMENT = 2**53 - 1
"""Microseconds since 1970, so that a posting fits into 64 bits."""

LONGEST_STEM = 400
"""Bytes. A longer one is no word anybody asks for, and Firestore's field paths end at 1500."""


def note_fields(note: Note) -> Mapping[str, object]:
    return {
        "title": note.title,
        "text": note.text,
        "createdAt": note.created_at,
        "updatedAt": note.updated_at,
        "vault": note.vault,
        "path": note.path,
        "tags": note.tags,
        **({} if note.lang is None else {"lang": note.lang}),
    }


def note_of(note_id: str, document: Any) -> Note:  # noqa: ANN401
    """Apps write notes too: what they left out gets its default (times: those of the document), but for the text.

    Raises NoteUnreadable naming the field that is missing or has a wrong type.
    """
    try:
        return _note_of(note_id, document)
    except InvalidArgument as bad:
        raise NoteUnreadable(bad.field, bad.expected) from bad


def listed_note_of(note_id: str, document: Any) -> ListedNote:  # noqa: ANN401
    """Of a document without its text. Fields of wrong types count as left out; the first of them is the error."""
    error = None
    while True:
        try:
            return ListedNote.of(_note_of(note_id, document, texts=False), error)
        except InvalidArgument as bad:
            error = error or bad.message
            del document.fields[bad.field]


def _note_of(note_id: str, document: Any, *, texts: bool = True) -> Note:  # noqa: ANN401
    fields = Fields(document.fields)
    return Note(
        note_id=note_id,
        title=fields.text("title", ""),
        text=fields.text("text") if texts else "",
        created_at=fields.time("createdAt", timestamp(document.create_time)),
        updated_at=fields.time("updatedAt", timestamp(document.update_time)),
        vault=fields.text("vault", "default"),
        path=fields.text("path", ""),
        tags=fields.texts("tags"),
        lang=fields.text("lang", "") or None,
    )


class Fields:
    """Reads typed fields. A field that is null counts as left out."""

    def __init__(self, fields: Any) -> None:  # noqa: ANN401
        self._fields = fields

    def _get(self, name: str) -> object:
        return plain(self._fields[name]) if name in self._fields else None

    def text(self, name: str, default: str | None = None) -> str:
        """`default` None: it must not be left out."""
        value = self._get(name)
        if value is None and default is None:
            raise InvalidArgument(name, "a string, found none; no other field stands in for it")
        if value is None:
            return default or ""
        if not isinstance(value, str):
            raise InvalidArgument(name, f"a string, found {type(value).__name__}")
        return value

    def time(self, name: str, default: datetime) -> datetime:
        value = self._get(name)
        if value is None:
            return default
        if not isinstance(value, datetime):
            raise InvalidArgument(name, f"a timestamp, got {type(value).__name__}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self._get(name)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise InvalidArgument(name, "a list of texts")
        return tuple(value)


def chunk_fields(tenant_id: str, chunk: IndexedChunk) -> Mapping[str, object]:
    """Everything but `embedding` and `embedded`."""
    counts = {stem: count for stem, count in chunk.terms.items() if is_kept(stem)}
    none = posting(chunk.created_at, 0)
    return {
        "chunkId": chunk.chunk_id,
        "tenantId": tenant_id,
        "noteId": chunk.note_id,
        "position": chunk.position,
        "title": chunk.title,
        "headingPath": chunk.heading_path,
        "text": chunk.text,
        "start": chunk.start,
        "end": chunk.end,
        "utf16Start": chunk.utf16_start,
        "createdAt": chunk.created_at,
        "updatedAt": chunk.updated_at,
        "month": month(chunk.created_at),
        "day": day(chunk.created_at),
        "vault": chunk.vault,
        "path": chunk.path,
        "folder": chunk.folder,
        "place": place_key(Folder(chunk.vault, chunk.folder)),
        "tags": chunk.tags,
        "scopes": chunk.scopes,
        "terms": list(counts),
        "postings": {posting_key(stem): none + min(count, MAX_COUNT - 1) for stem, count in counts.items()},
        "length": chunk.length,
        "textHash": chunk.text_hash,
        "indexVersion": chunk.index_version,
        "noteRevision": chunk.note_revision,
    }


def chunk_of(document: Any, stems: Iterable[str]) -> IndexedChunk:  # noqa: ANN401
    """A chunk from its CHUNK_FIELDS and the postings of these stems."""
    fields = document.fields
    postings = fields["postings"].map_value.fields if "postings" in fields else {}
    return IndexedChunk(
        chunk_id=document.name.rpartition("/")[2],
        note_id=fields["noteId"].string_value,
        position=fields["position"].integer_value,
        title=fields["title"].string_value,
        heading_path=fields["headingPath"].string_value,
        text=fields["text"].string_value,
        start=fields["start"].integer_value,
        end=fields["end"].integer_value,
        utf16_start=fields["utf16Start"].integer_value,
        created_at=timestamp(fields["createdAt"].timestamp_value),
        updated_at=timestamp(fields["updatedAt"].timestamp_value),
        vault=fields["vault"].string_value,
        path=fields["path"].string_value,
        tags=_strings(fields["tags"]),
        scopes=_strings(fields["scopes"]),
        terms={
            stem: postings[key].integer_value % MAX_COUNT for stem in stems if (key := posting_key(stem)) in postings
        },
        length=fields["length"].integer_value,
        text_hash=fields["textHash"].string_value,
        index_version=fields["indexVersion"].string_value,
        note_revision=fields["noteRevision"].string_value,
    )


def searched_fields(stems: Sequence[str]) -> tuple[str, ...]:
    """Field paths of a search that asks for these stems."""
    asked = filter(is_kept, dict.fromkeys(stems))
    return (*CHUNK_FIELDS, *map(posting_path, asked))


def posting(created_at: datetime, count: int) -> int:
    """The value at `postings.{stem}`: microseconds since 1970 times 1024, plus how often the stem stands in the chunk.

    So the index that Firestore keeps of every key of a map is the stem's posting list, newest first, and one query
    without a composite index finds the newest chunks with a stem, in a range or not. An array of stems would need
    one, and `array_contains` costs the emulator 2 ms a chunk. Times before 1684 or after 2255 count as these.
    """
    return min(max(microseconds(created_at), -LAST_MOMENT), LAST_MOMENT) * MAX_COUNT + min(count, MAX_COUNT - 1)


def is_kept(stem: str) -> bool:
    return 0 < len(stem.encode()) <= LONGEST_STEM


def posting_path(stem: str) -> str:
    return path("postings", posting_key(stem))


def posting_key(stem: str) -> str:
    """Firestore reserves keys like `__init__`: those that begin so get a space in front, and others like them too,
    so that no two stems share a key.
    """
    return f" {stem}" if stem.lstrip(" ").startswith("__") else stem


def _strings(value: Any) -> tuple[str, ...]:  # noqa: ANN401
    return tuple(each.string_value for each in value.array_value.values)


def month(when: datetime) -> str:
    """`2026-11`, in UTC: what vector searches can be restricted by."""
    utc = when.astimezone(UTC)
    return f"{utc.year:04}-{utc.month:02}"


def day(when: datetime) -> str:
    """`2026-11-08`, in UTC: the same for short ranges."""
    return when.astimezone(UTC).date().isoformat()


def place_key(place: Folder) -> str:
    """Of a vault and a folder, its subfolders not included: what vector searches and records are restricted by. A
    digest, for it stands in every vector index entry of a place, and no two pairs of names may share one.
    """
    return hashlib.sha256(f"{place.vault}\0{place.folder}".encode()).hexdigest()[:32]


RECORD_FIELDS = (
    "noteRevision", "status", "chunkCount", "indexVersion", "indexedAt", "error", "attempts", "leaseUntil",
)  # fmt: skip
"""Of a record; the other fields (`vault`, `folder`, `changedAt`, `writing`) are the store's own."""


def record_fields(record: IndexRecord) -> Mapping[str, object]:
    return {
        "noteRevision": record.note_revision,
        "status": record.status.value,
        "chunkCount": record.chunk_count,
        "indexVersion": record.index_version,
        "indexedAt": record.indexed_at,
        "error": record.error,
        "attempts": record.attempts,
        "leaseUntil": record.lease_until,
    }


def record_of(document: Any) -> IndexRecord:  # noqa: ANN401
    fields = document.fields
    lease = fields["leaseUntil"]
    error = fields["error"]
    return IndexRecord(
        note_revision=fields["noteRevision"].string_value,
        status=IndexStatus(fields["status"].string_value),
        chunk_count=fields["chunkCount"].integer_value,
        index_version=fields["indexVersion"].string_value,
        indexed_at=timestamp(fields["indexedAt"].timestamp_value),
        error=error.string_value if error.HasField("string_value") else None,
        attempts=fields["attempts"].integer_value,
        lease_until=timestamp(lease.timestamp_value) if lease.HasField("timestamp_value") else None,
    )
