"""Notes, chunks and index records as Firestore documents, and back.

Fields are those of `shared.model` in camelCase, by its codec; named here are only those that serve this store alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, TypeVar, get_type_hints

from shared.adapters.firestore.protocol import (
    SLOTS,
    id_of,
    microseconds,
    path,
    timestamp,
    values_of,
    vector_of,
)
from shared.errors import InvalidArgument, NoteUnreadable
from shared.model.codec import Codec, camel
from shared.model.index import IndexedChunk, IndexRecord, Vector, vector_space
from shared.model.notes import Folder, ListedNote, Note, UnreadableNote

T = TypeVar("T")

CODEC = Codec(objects_as_text=True, checked=True)
"""Objects are text, for Firestore's maps keep no order; types are checked, for apps write notes and templates too."""
LISTED_FIELDS = CODEC.keys(Note, "note_id", "text")
"""What a list of notes reads: all but the texts."""
CHUNK_FIELDS = CODEC.keys(IndexedChunk, "chunk_id", "terms")
"""What a search reads of a chunk, beside the postings of its stems. Neither vector nor `terms`: they are the bulk."""
RECORD_FIELDS = CODEC.keys(IndexRecord)
"""Fields of a record; the others are the store's own: see the docstring of this package."""
SHARDS = "0123456789abcdef"
"""Parts of the index over all tenants by `waiting` and `dueAt`: each takes 500 writes a second. One `in` holds 30."""

MAX_COUNT = 1024
"""Beyond it BM25 does not tell counts apart."""
MAX_MOMENT = 2**53 - 1
"""Microseconds since 1970, so that a posting fits into 64 bits."""
MAX_STEM_BYTES = 400
"""A longer stem is no word anybody asks for, and Firestore's field paths end at 1500 bytes."""


def entity(kind: type[T], document: Any, **known: Any) -> T:  # noqa: ANN401
    """The entity in a document, whose id is the first field of its kind. `known` and errors as of `Codec.load`."""
    return CODEC.load(
        kind, values_of(document), **{CODEC.fields(kind)[0].name: id_of(document)}, **known
    )


def note_fields(note: Note) -> Mapping[str, object]:
    """The document of a note. A language that is not set is left out."""
    return CODEC.dump(note, "note_id", *(["lang"] if note.lang is None else []))


def note_of(document: Any) -> Note:  # noqa: ANN401
    """Apps write notes too: what they left out gets its default (times: those of the document), but for the text.

    Raises NoteUnreadable naming the field that is missing or has a wrong type.
    """
    fields = _note_values(document)
    try:
        return CODEC.load(Note, fields, note_id=id_of(document))
    except InvalidArgument as bad:
        hint = "" if bad.field in fields else "; no other field stands in for it"
        raise NoteUnreadable(bad.field, bad.expected + hint) from bad


def whole_note_of(document: Any) -> Note | UnreadableNote:  # noqa: ANN401
    """The note; where it cannot be read, its fields as Firestore's REST API gives them, whatever they are."""
    try:
        return note_of(document)
    except NoteUnreadable as bad:
        from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]  # noqa: PLC0415 - seldom

        return UnreadableNote(
            id_of(document), bad.message, MessageToDict(document).get("fields", {})
        )


def listed_note_of(document: Any) -> ListedNote:  # noqa: ANN401
    """A note from a document without its text. Fields of wrong types count as left out; the first is the error."""
    wrong: dict[str, str] = {}
    while True:
        try:
            note = CODEC.load(
                Note, {**_note_values(document, wrong), "text": ""}, note_id=id_of(document)
            )
            return ListedNote.of(note, next(iter(wrong.values()), None))
        except InvalidArgument as bad:
            wrong[bad.field] = bad.message


def _note_values(document: Any, without: Container[str] = ()) -> dict[str, Any]:  # noqa: ANN401
    times = {
        "createdAt": timestamp(document.create_time),
        "updatedAt": timestamp(document.update_time),
    }
    held = {
        name: value
        for name, value in values_of(document).items()
        if value is not None and name not in without
    }
    if held.get("lang") == "":
        del held["lang"]
    return {"title": "", **times, **held}


def record_fields(name: str, record: IndexRecord) -> dict[str, object]:
    """The document of this name, but for where its note lies. One that is due some day says so in one of the shards.

    Earlier releases said so in the field `unfinished`, whether a record was ever due or not, and knew no `dueAt`.
    """
    fields = CODEC.dump(record)
    if record.due_at is not None:
        shard = hashlib.sha256(name.encode()).hexdigest()[0]
        fields["waiting"] = f"{record.status.value}:{shard}"
    return fields


def chunk_fields(tenant_id: str, chunk: IndexedChunk) -> Mapping[str, object]:
    """The document of a chunk, but for its vectors and `embedded`."""
    counts = {stem: count for stem, count in chunk.terms.items() if is_kept(stem)}
    none = posting(chunk.created_at, 0)
    return {
        **CODEC.dump(chunk, "terms"),
        "tenantId": tenant_id,
        "month": day(chunk.created_at)[:7],
        "day": day(chunk.created_at),
        "folder": chunk.folder,
        "place": folder_key(Folder(chunk.vault, chunk.folder)),
        "terms": list(counts),
        "postings": {
            posting_key(stem): none + min(count, MAX_COUNT - 1) for stem, count in counts.items()
        },
    }


def chunk_of(document: Any, stems: Iterable[str]) -> IndexedChunk:  # noqa: ANN401
    """A chunk from CHUNK_FIELDS and postings of these stems. Unchecked: apps write none, a search reads hundreds."""
    fields = document.fields
    postings = fields["postings"].map_value.fields
    terms = {
        stem: postings[key].integer_value % MAX_COUNT
        for stem in stems
        if (key := posting_key(stem)) in postings
    }
    held = {name: read(fields[key]) for name, key, read in _CHUNK_READS}
    return IndexedChunk(chunk_id=id_of(document), terms=terms, **held)


def vector_in(chunk: Any, index_version: str | None) -> Vector | None:  # noqa: ANN401
    """A chunk's own vector, or the one in the space of `index_version`. None: it has none."""
    for field, version in SLOTS.items():
        wanted, held = (
            index_version or chunk.fields["indexVersion"].string_value,
            chunk.fields[version].string_value,
        )
        if field in chunk.fields and vector_space(held) == vector_space(wanted):
            return vector_of(chunk.fields[field])
    return None


_READS: Mapping[type, Callable[[Any], Any]] = {
    str: attrgetter("string_value"),
    int: attrgetter("integer_value"),
    datetime: lambda value: timestamp(value.timestamp_value),
}
_CHUNK_READS: tuple[tuple[str, str, Callable[[Any], Any]], ...] = tuple(
    (
        name,
        camel(name),
        _READS.get(
            kind, lambda value: tuple([each.string_value for each in value.array_value.values])
        ),
    )
    for name, kind in get_type_hints(IndexedChunk).items()
    if camel(name) in CHUNK_FIELDS
)
"""Field, its key, and what reads it from a Value."""


def searched_fields(stems: Sequence[str]) -> tuple[str, ...]:
    """Field paths of a search that asks for these stems."""
    asked = filter(is_kept, dict.fromkeys(stems))
    return (*CHUNK_FIELDS, *map(posting_path, asked))


def posting(created_at: datetime, count: int) -> int:
    """The value at `postings.{stem}`: microseconds since 1970 times 1024, plus the count of the stem in the chunk.

    So the index that Firestore keeps of every key of a map is the stem's posting list, newest first, and one query
    without a composite index finds the newest chunks with a stem, in a range or not. An array of stems would need
    one, and `array_contains` costs the emulator 2 ms a chunk. Times before 1684 or after 2255 count as these.
    """
    return min(max(microseconds(created_at), -MAX_MOMENT), MAX_MOMENT) * MAX_COUNT + min(
        count, MAX_COUNT - 1
    )


def is_kept(stem: str) -> bool:
    return 0 < len(stem.encode()) <= MAX_STEM_BYTES


def posting_path(stem: str) -> str:
    return path("postings", posting_key(stem))


def posting_key(stem: str) -> str:
    """Firestore reserves keys like `__init__`: these, and what looks like them behind spaces, get a space in front."""
    return f" {stem}" if stem.lstrip(" ").startswith("__") else stem


def day(when: datetime) -> str:
    """`2026-11-08`, in UTC: by it, and by the month in front, vector searches are restricted."""
    return when.astimezone(UTC).date().isoformat()


def folder_key(place: Folder) -> str:
    """The key of a vault and a folder, its subfolders not included: what vector searches and records are restricted by.
    A digest, for every vector index entry of a place holds it, and no two pairs of names may share one.
    """
    return hashlib.sha256(f"{place.vault}\0{place.folder}".encode()).hexdigest()[:32]
