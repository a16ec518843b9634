"""What a chunk of the sample notes costs in Firestore: index entries and bytes, by firestore.indexes.json.

By the documented sizes, as tests/servers/firestore_limits.py counts them, with a vector of the default dimension.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any

from shared.adapters.firestore.documents import chunk_fields
from shared.adapters.firestore.protocol import protocol, put
from shared.indexing.chunking import chunk
from shared.indexing.wanted import wanted_chunks
from shared.language.languages import detect
from shared.markdown.file import fields_of
from shared.model.index import IndexedChunk
from shared.model.notes import Note
from shared.settings import Settings
from tests.servers.firestore_indexes import VECTOR, Index, IndexFile
from tests.servers.firestore_limits import cost

NOTES = Path(__file__).parents[1] / "examples" / "notes"
NOW = datetime(2026, 11, 1, tzinfo=UTC)
SCOPED = {"scopes", "place", "tags"}
"""Fields by which a vector index is restricted to folders or tags."""


def run(*, small: bool = False) -> dict[str, Any]:
    """Figures by name; see `python -m bench`."""
    indexes = IndexFile()
    scoped = IndexFile()
    scoped.composites = [each for each in scoped.composites if _is_scoped(each)]
    unscoped = IndexFile()
    unscoped.composites = []
    documents = [_document(each) for each in islice(_chunks(), 5 if small else None)]
    every, alone, within = ([cost(file, each) for each in documents] for file in (indexes, unscoped, scoped))
    vectors = [whole - single for (_, whole), (_, single) in zip(within, alone, strict=True)]
    return {
        "chunks looked at": {"value": len(documents), "unit": ""},
        "index entries of a chunk": {"value": mean(entries for entries, _ in every), "unit": ""},
        "bytes of a chunk with its entries": {"value": mean(size for _, size in every) / 1000, "unit": "KB"},
        "of them under folders and tags": {"value": mean(vectors) / 1000, "unit": "KB"},
    }


def _is_scoped(index: Index) -> bool:
    fields = {field for field, _ in index.fields}
    return index.fields[-1][1] == VECTOR and bool(fields & SCOPED)


def _document(one: IndexedChunk) -> Any:  # noqa: ANN401
    name = f"projects/p/databases/(default)/documents/tenants/{'t' * 28}/chunks/{one.chunk_id}"
    vector = array("f", bytes(4 * Settings().embedding_dim))
    write = put(name, {**chunk_fields("t" * 28, one), "embedded": True, "embedding": vector})
    document = protocol().Document()
    document.CopyFrom(write.update)
    return document


def _chunks() -> Iterator[IndexedChunk]:
    for path in sorted(NOTES.rglob("*.md")):
        text, place = path.read_text(), path.relative_to(NOTES).as_posix()
        fields = fields_of(text, place)
        note = Note(
            "n" * 20, fields.title, text, fields.created_at or NOW, NOW, "default", place, fields.tags, fields.lang
        )
        lang = note.lang or detect(note.text)
        yield from wanted_chunks(note, chunk(note.text, lang=lang), lang=lang, revision="r" * 32, index_version="v")
