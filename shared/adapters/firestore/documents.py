"""Notes, chunks and index records as Firestore documents, and back.

Fields are those of `shared.model` in camelCase, by its codec. This module names only fields that serve this store alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar, get_type_hints

from shared.adapters.firestore.protocol import (
    VERSION_FIELDS,
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
"""Writes objects as text, because Firestore's maps keep no order; checks types, because apps write documents too."""
LISTED_FIELDS = CODEC.keys(Note, "note_id", "text")
"""Fields that a list of notes reads: all but the texts."""
CHUNK_FIELDS = CODEC.keys(IndexedChunk, "chunk_id", "terms")
"""Fields that a search reads of a chunk, beside the postings of its stems. The vectors and `terms` are the bulk."""
RECORD_FIELDS = CODEC.keys(IndexRecord)
"""Fields of a record. The package's docstring lists further ones, which serve this store alone."""
SHARDS = "0123456789abcdef"
"""Parts of the index over all tenants by `waiting` and `dueAt`: each takes 500 writes a second. One `in` holds 30."""

MAX_COUNT = 1024
"""Count from which on BM25 does not tell counts apart."""
MAX_MOMENT = 2**53 - 1
"""Microseconds since 1970, so that a posting fits into 64 bits."""
MAX_STEM_BYTES = 400
"""Bytes of the longest stem that is kept: longer ones are no words, and Firestore's field paths end at 1500 bytes."""


def entity(kind: type[T], document: Any, **known: Any) -> T:  # noqa: ANN401
    """Reads the entity in a document, whose id is the first field of `kind`.

    known: see `Codec.load`, whose errors are raised.
    """
    id_field, *_ = CODEC.fields(kind)
    known[id_field.name] = id_of(document)
    fields = values_of(document)
    return CODEC.load(kind, fields, **known)


def note_fields(note: Note) -> Mapping[str, object]:
    """Returns the document of a note, without `lang` if no language is set."""
    if note.lang is None:
        return CODEC.dump(note, "note_id", "lang")
    return CODEC.dump(note, "note_id")


def note_of(document: Any) -> Note:  # noqa: ANN401
    """Reads a note, perhaps one of an app: missing fields but the text get defaults, times those of the document.

    Raises NoteUnreadable naming the field that is missing or has a wrong type.
    """
    fields = _note_values(document)
    try:
        return CODEC.load(Note, fields, note_id=id_of(document))
    except InvalidArgument as bad:
        hint = "" if bad.field in fields else "; no other field stands in for it"
        raise NoteUnreadable(bad.field, bad.expected + hint) from bad


def whole_note_of(document: Any) -> Note | UnreadableNote:  # noqa: ANN401
    """Reads a note; if it is unreadable, returns all of its fields in the form of Firestore's REST API."""
    try:
        return note_of(document)
    except NoteUnreadable as bad:
        from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]  # noqa: PLC0415 - seldom

        fields = MessageToDict(document).get("fields", {})
        return UnreadableNote(id_of(document), bad.message, fields)


def listed_note_of(document: Any) -> ListedNote:  # noqa: ANN401
    """Reads a note from a document without its text. Fields of wrong types count as missing; the first is the error."""
    messages: dict[str, str] = {}  # by the field that has a wrong type
    while True:
        values = _note_values(document, messages)
        try:
            note = CODEC.load(Note, {**values, "text": ""}, note_id=id_of(document))
            first_message = next(iter(messages.values()), None)
            return ListedNote.of(note, first_message)
        except InvalidArgument as bad:
            messages[bad.field] = bad.message


def _note_values(document: Any, without: Container[str] = ()) -> dict[str, Any]:  # noqa: ANN401
    values = {
        "title": "",
        "createdAt": timestamp(document.create_time),
        "updatedAt": timestamp(document.update_time),
    }
    for name, value in values_of(document).items():
        is_unset = value is None or (name == "lang" and value == "")
        if not is_unset and name not in without:
            values[name] = value
    return values


def record_fields(name: str, record: IndexRecord) -> dict[str, object]:
    """Returns the document of a record, without the folder of its note. A record with a due time names a shard.

    Earlier releases named it in the field `unfinished`, also for records that are never due, and wrote no `dueAt`.
    """
    fields = CODEC.dump(record)
    if record.due_at is not None:
        digest = hashlib.sha256(name.encode()).hexdigest()
        shard = digest[0]
        fields["waiting"] = f"{record.status.value}:{shard}"
    return fields


def chunk_fields(tenant_id: str, chunk: IndexedChunk) -> Mapping[str, object]:
    """Returns the document of a chunk, without its vectors and `embedded`."""
    time_part = posting(chunk.created_at, 0)
    stems = []
    postings = {}
    for stem, count in chunk.terms.items():
        if is_indexed(stem):
            stems.append(stem)
            key = posting_key(stem)
            postings[key] = time_part + min(count, MAX_COUNT - 1)
    created_on = day(chunk.created_at)
    return {
        **CODEC.dump(chunk, "terms"),
        "tenantId": tenant_id,
        "month": created_on[:7],
        "day": created_on,
        "folder": chunk.folder,
        "place": folder_key(Folder(chunk.vault, chunk.folder)),
        "terms": stems,
        "postings": postings,
    }


def chunk_of(document: Any, stems: Iterable[str]) -> IndexedChunk:  # noqa: ANN401
    """Reads a chunk from CHUNK_FIELDS and the postings of these stems.

    Types are not checked: no app writes chunks, and a search reads hundreds, by `Codec.load` in 1.7 times the time.
    """
    fields = document.fields
    postings = fields["postings"].map_value.fields
    terms = {}
    for stem in stems:
        key = posting_key(stem)
        if key in postings:
            terms[stem] = postings[key].integer_value % MAX_COUNT
    values = {name: read(fields[key]) for name, key, read in _CHUNK_READERS}
    return IndexedChunk(
        chunk_id=id_of(document),
        terms=terms,
        **values,
    )


def vector_in(chunk: Any, index_version: str | None) -> Vector | None:  # noqa: ANN401
    """Returns the chunk's vector in this version's vector space, without a version its own; None if it has none."""
    fields = chunk.fields
    version = index_version or fields["indexVersion"].string_value
    space = vector_space(version)
    for vector_field, version_field in VERSION_FIELDS.items():
        vector_version = fields[version_field].string_value
        is_in_space = vector_space(vector_version) == space
        if is_in_space and vector_field in fields:
            return vector_of(fields[vector_field])
    return None


def _read_text(value: Any) -> str:  # noqa: ANN401
    text: str = value.string_value
    return text


def _read_number(value: Any) -> int:  # noqa: ANN401
    number: int = value.integer_value
    return number


def _read_time(value: Any) -> datetime:  # noqa: ANN401
    return timestamp(value.timestamp_value)


def _read_texts(value: Any) -> tuple[str, ...]:  # noqa: ANN401
    return tuple([item.string_value for item in value.array_value.values])


_READERS: Mapping[Any, Callable[[Any], Any]] = {
    str: _read_text,
    int: _read_number,
    datetime: _read_time,
    tuple[str, ...]: _read_texts,
}
_CHUNK_READERS: tuple[tuple[str, str, Callable[[Any], Any]], ...] = tuple(
    (name, camel(name), _READERS[kind])
    for name, kind in get_type_hints(IndexedChunk).items()
    if camel(name) in CHUNK_FIELDS
)
"""Name of a field of IndexedChunk, its key, and the function that reads it from a Value."""


def searched_fields(stems: Sequence[str]) -> tuple[str, ...]:
    """Returns the field paths that a search for these stems reads."""
    paths = []
    for stem in dict.fromkeys(stems):
        if is_indexed(stem):
            paths.append(posting_path(stem))
    return (*CHUNK_FIELDS, *paths)


def posting(created_at: datetime, count: int) -> int:
    """Returns the value at `postings.{stem}`: microseconds since 1970 times 1024, plus the stem's count in the chunk.

    The index that Firestore has of every key of a map is then the stem's posting list, newest first: one query without
    a composite index finds the newest chunks with a stem, in a range or not. An array of stems would need a composite
    index, and `array_contains` costs the emulator 2 ms a chunk. Times before 1684 or after 2255 count as these.
    """
    moment = microseconds(created_at)
    moment = max(moment, -MAX_MOMENT)
    moment = min(moment, MAX_MOMENT)
    count_part = min(count, MAX_COUNT - 1)
    return moment * MAX_COUNT + count_part


def is_indexed(stem: str) -> bool:
    """Reports whether chunks hold a posting of the stem."""
    return 0 < len(stem.encode()) <= MAX_STEM_BYTES


def posting_path(stem: str) -> str:
    return path("postings", posting_key(stem))


def posting_key(stem: str) -> str:
    """Returns the stem's key in `postings`: with a space in front where Firestore reserves the name, as `__init__`.

    Stems that look like that behind spaces get one more, so that no two stems share a key.
    """
    if stem.lstrip(" ").startswith("__"):
        return f" {stem}"
    return stem


def day(when: datetime) -> str:
    """Returns the UTC date as `2026-11-08`. Vector searches are restricted by it, or by its month."""
    date = when.astimezone(UTC).date()
    return date.isoformat()


def folder_key(folder: Folder) -> str:
    """Returns the key of a vault and a folder without its subfolders, by which vector searches and records are filtered.

    It is a digest because every vector index entry of the folder holds it, and unique for the pair of names.
    """
    names = f"{folder.vault}\0{folder.folder}".encode()
    digest = hashlib.sha256(names).hexdigest()
    return digest[:32]
