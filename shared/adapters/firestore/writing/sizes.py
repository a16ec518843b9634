"""What a document and its index entries weigh, by Firestore's documented rules.

Sizes: https://firebase.google.com/docs/firestore/storage-size. A commit is limited by what it writes and by the index
entries that it adds and removes, together 10 MiB; the emulator counts neither. The documentation has no rule for an
entry of a vector index: it is taken for a composite one, its vector for a value of 8 bytes a dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_OF_A_NAME, _OF_A_DOCUMENT, _OF_AN_ENTRY = 16, 32, 32
_FIXED = {"boolean_value": 1, "null_value": 1, "integer_value": 8, "double_value": 8, "timestamp_value": 8}


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


def document_weight(document: Any, indexes: Indexes, *, awaited: Mapping[str, int] | None = None) -> Weight:  # noqa: ANN401 - a protobuf Document
    """Of a Document and of all its entries in `indexes`. `awaited`: sizes of fields that it does not have yet."""
    own, parent = _name_sizes(document.name)
    parts = {name: _parts(value) for name, value in document.fields.items()}
    parts |= {name: [size] for name, size in (awaited or {}).items() if name not in parts}
    maps = sum(map(_is_map, document.fields.values()))
    size = own + _OF_A_DOCUMENT * (1 + maps) + sum(string_size(name) + sum(part) for name, part in parts.items())
    of_each = own + parent + _OF_AN_ENTRY
    entries = [of_each + string_size(field) + part for field in indexes.single for part in parts.get(field, ())]
    for index in indexes.composite:
        if all(field in parts for field in index):
            entries += [of_each + part for part in _combined(parts[field] for field in index)]
    return Weight(len(entries), size + sum(entries))


def string_size(text: str) -> int:
    return (len(text) if text.isascii() else len(text.encode())) + 1


def _value_size(value: Any) -> int:  # noqa: ANN401
    """Of a protobuf Value."""
    kind = value.WhichOneof("value_type")
    if kind in _FIXED:
        return _FIXED[kind]
    if kind == "string_value":
        return string_size(value.string_value)
    return sum(_parts(value)) + (_OF_A_DOCUMENT if _is_map(value) else 0)


def _parts(value: Any) -> list[int]:  # noqa: ANN401
    """Sizes of what a field's entries hold each: an array's elements, a map's keys with their values, or the value."""
    if value.HasField("array_value"):
        return [_value_size(each) for each in value.array_value.values]
    if _is_map(value):
        return [string_size(key) + _value_size(each) for key, each in value.map_value.fields.items()]
    if value.HasField("map_value"):
        return [8 * len(value.map_value.fields["value"].array_value.values)]
    return [_value_size(value)]


def _is_map(value: Any) -> bool:  # noqa: ANN401
    """Rather than a vector, which is written as a map."""
    return value.HasField("map_value") and "__type__" not in value.map_value.fields


def _name_sizes(name: str) -> tuple[int, int]:
    """Of a document's name and of its parent document's."""
    sizes = [string_size(part) for part in name.partition("/documents/")[2].split("/")]
    return sum(sizes) + _OF_A_NAME, sum(sizes[:-2]) + _OF_A_NAME


def _combined(parts: Iterable[list[int]]) -> list[int]:
    sizes = [0]
    for part in parts:
        sizes = [size + each for size in sizes for each in part]
    return sizes
