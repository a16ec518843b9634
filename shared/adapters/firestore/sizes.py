"""What a document and its index entries weigh, by Firestore's documented rules.

Sizes: https://firebase.google.com/docs/firestore/storage-size. Values are indexed up to 1500 bytes:
https://firebase.google.com/docs/firestore/quotas. A commit is limited by what it writes and by the index entries that
it adds and removes, together 10 MiB; the emulator counts neither. The documentation has no rule for an entry of a
vector index: it is taken for a composite one, its vector for a value of 8 bytes a dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_OF_A_NAME, _OF_A_DOCUMENT, _OF_AN_ENTRY = 16, 32, 32
_FIXED = {"boolean_value": 1, "null_value": 1, "integer_value": 8, "double_value": 8, "timestamp_value": 8}
_LONGEST_INDEXED = 1500


@dataclass(frozen=True, slots=True)
class Weight:
    """Of documents with their index entries, or of a part of that."""

    entries: int
    bytes: int

    def __add__(self, other: Weight) -> Weight:
        return Weight(self.entries + other.entries, self.bytes + other.bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexes:
    """Those of a collection. A map's or an array's field has an entry for each of its values."""

    single: tuple[str, ...]
    """Fields with an index of their own, each in one direction."""
    composite: tuple[tuple[str, ...], ...]
    """Fields of each index. It holds the documents that have all of them; at most one is an array."""


CHUNKS = Indexes(
    single=("noteId", "length", "postings"),
    composite=(
        ("embedding",), ("month", "embedding"), ("day", "embedding"), ("place", "embedding"),
        ("place", "month", "embedding"), ("tags", "embedding"), ("createdAt",), ("scopes", "createdAt"),
    ),
)  # fmt: skip
"""What firestore.indexes.json, which is not deployed with the functions, says of `chunks`; a test compares them."""


def document_weight(document: Any, indexes: Indexes) -> Weight:  # noqa: ANN401 - a protobuf Document
    """Of a Document and of all its entries in `indexes`."""
    own, parent = _name_sizes(document.name)
    fields = document.fields
    values = {name: _indexed_sizes(fields[name]) for name in _named(indexes) if name in fields}
    entries = [
        own + parent + _OF_AN_ENTRY + string_size(field) + size
        for field in indexes.single
        for size in values.get(field, ())
    ]
    for index in indexes.composite:
        if all(field in values for field in index):
            entries += [own + parent + _OF_AN_ENTRY + size for size in _combined(values[field] for field in index)]
    return Weight(len(entries), own + _fields_size(fields) + sum(entries))


def string_size(text: str) -> int:
    return len(text.encode()) + 1


def value_size(value: Any) -> int:  # noqa: ANN401
    """Of a protobuf Value."""
    kind = value.WhichOneof("value_type")
    if kind == "string_value":
        return string_size(value.string_value)
    if kind == "array_value":
        return sum(map(value_size, value.array_value.values))
    if kind == "map_value":
        fields = value.map_value.fields
        return 8 * len(fields["value"].array_value.values) if "__type__" in fields else _fields_size(fields)
    return _FIXED.get(kind) or value.ByteSize()


def _fields_size(fields: Mapping[str, Any]) -> int:
    return sum(string_size(name) + value_size(value) for name, value in fields.items()) + _OF_A_DOCUMENT


def _name_sizes(name: str) -> tuple[int, int]:
    """Of a document's name and of its parent document's."""
    sizes = [string_size(part) for part in name.partition("/documents/")[2].split("/")]
    return sum(sizes) + _OF_A_NAME, sum(sizes[:-2]) + _OF_A_NAME


def _indexed_sizes(value: Any) -> list[int]:  # noqa: ANN401
    """Of each entry's part that the field makes up. A map's keys stand in the names of its fields."""
    kind = value.WhichOneof("value_type")
    if kind == "array_value":
        return [min(value_size(each), _LONGEST_INDEXED) for each in value.array_value.values]
    if kind == "map_value" and "__type__" not in value.map_value.fields:
        return [string_size(key) + value_size(each) for key, each in value.map_value.fields.items()]
    size = value_size(value)
    return [size if kind == "map_value" else min(size, _LONGEST_INDEXED)]


def _combined(parts: Iterable[list[int]]) -> list[int]:
    sizes = [0]
    for part in parts:
        sizes = [size + each for size in sizes for each in part]
    return sizes


def _named(indexes: Indexes) -> set[str]:
    return {*indexes.single, *(field for index in indexes.composite for field in index)}
