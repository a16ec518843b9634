"""Firestore's raw protobuf messages: made from Python values, queries and writes, and read back.

The client library wraps every value in a Python object: a 768-dimensional vector takes it 5.8 ms to encode.
Filled straight into the protobuf, whose fields are memory of its C implementation, it takes 0.03 ms.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

from shared.model.index import Vector

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# An element of a packed-by-hand ArrayValue: field 1 with 9 bytes, in them field 3 as a 64-bit double.
_ELEMENT = b"\x0a\x09\x19"
_ELEMENT_BYTES = len(_ELEMENT) + 8
_CONVERTED = {"timestamp_value", "array_value", "map_value", "null_value", None}
_MESSAGES = (
    "BatchGetDocumentsRequest",
    "BatchWriteRequest",
    "CommitRequest",
    "Document",
    "RunAggregationQueryRequest",
    "RunQueryRequest",
    "StructuredAggregationQuery",
    "StructuredQuery",
    "Write",
)
_SCALAR_FIELDS: tuple[tuple[type, str], ...] = (
    (str, "string_value"),
    (bool, "boolean_value"),  # before int: True is an int too
    (int, "integer_value"),
    (float, "double_value"),
)
"""Type of a scalar -> its field in a protobuf Value."""
_TOKEN = re.compile("[0-9]{1,10}[.][0-9]{1,9}")
# Numbers in StructuredQuery.
_AND = 1
_ASCENDING = 1
_DESCENDING = 2
_DOT_PRODUCT = 3
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

KEY = "__name__"
"""Firestore's name for a document's own path."""
OPERATORS = {
    "<": 1,
    "<=": 2,
    ">=": 4,
    "==": 5,
    "array_contains": 7,
    "in": 8,
    "array_contains_any": 9,
    "not_in": 10,
}
"""Operators as the client library spells them -> numbers in StructuredQuery.FieldFilter.Operator."""
OWN_VECTOR = "embedding"
SECOND_VECTOR = "keptEmbedding"
VERSION_FIELDS = {OWN_VECTOR: "indexVersion", SECOND_VECTOR: "kept"}
"""Field of a chunk's vector -> field of that vector's index version. The stored names are those of the first release."""
DISTANCE = "distance"
"""Field in which a vector search returns the distance of a document."""


@cache
def protocol() -> Any:  # noqa: ANN401 - classes made at run time; typed stubs of them do not exist
    """Returns the message classes as attributes. Loads the SDK: 200 ms, so on first use."""
    from google.cloud.firestore_v1 import types  # noqa: PLC0415

    classes = {name: getattr(types, name).pb() for name in _MESSAGES}
    return SimpleNamespace(**classes)


def fill(target: Any, value: object) -> None:  # noqa: ANN401
    """Writes `value` into the empty protobuf Value `target`. Raises TypeError for a type that Firestore lacks."""
    for scalar_type, field in _SCALAR_FIELDS:
        if isinstance(value, scalar_type):
            setattr(target, field, value)
            return

    if isinstance(value, datetime):
        _fill_timestamp(target.timestamp_value, value)
    elif isinstance(value, array):
        _fill_vector(target.map_value.fields, value)
    elif isinstance(value, Mapping):
        _fill_map(target.map_value, value)
    elif isinstance(value, Iterable):
        _fill_array(target.array_value, value)
    elif value is None:
        target.null_value = 0
    else:
        raise TypeError(f"{type(value).__name__} is no Firestore value")


def _fill_timestamp(stamp: Any, when: datetime) -> None:  # noqa: ANN401
    seconds, fraction = divmod(microseconds(when), 1_000_000)
    stamp.seconds = seconds
    stamp.nanos = fraction * 1000
    stamp.SetInParent()


def _fill_map(target: Any, entries: Mapping[str, object]) -> None:  # noqa: ANN401
    target.SetInParent()
    fields = target.fields
    for name, entry in entries.items():
        # Postings, by the hundred: a fifth of the time that `fill` takes.
        if type(entry) is int:
            fields[name].integer_value = entry
        else:
            fill(fields[name], entry)


def _fill_array(target: Any, items: Iterable[object]) -> None:  # noqa: ANN401
    target.SetInParent()
    add = target.values.add
    for item in items:
        # Stems, likewise.
        if type(item) is str:
            add(string_value=item)
        else:
            fill(add(), item)


def put(name: str, fields: Mapping[str, object]) -> Any:  # noqa: ANN401
    """Makes the write after which the document of this name holds exactly these fields."""
    write = protocol().Write()
    write.update.name = name
    for field, value in fields.items():
        fill(write.update.fields[field], value)
    return write


def change(name: str, fields: Mapping[str, object], *, existing: bool = True) -> Any:  # noqa: ANN401
    """Makes the write that changes these fields alone.

    existing: True to fail if the document does not exist, False to create it then.
    """
    write = put(name, fields)
    write.update_mask.SetInParent()  # an empty mask: no field but those that transforms will set
    write.update_mask.field_paths.extend(fields)
    if existing:
        write.current_document.exists = True
    return write


def delete(name: str, *, existing: bool = False) -> Any:  # noqa: ANN401
    """Makes the write that deletes the document.

    existing: True to fail if the document does not exist.
    """
    write = protocol().Write(delete=name)
    if existing:
        write.current_document.exists = True
    return write


def expect(write: Any, token: str | None) -> Any:  # noqa: ANN401
    """Makes the write fail unless the document's token still is `token`; with None, if the document exists.

    Returns the same write.
    """
    if token is None:
        write.current_document.exists = False
    else:
        stamp = write.current_document.update_time
        stamp.seconds, stamp.nanos = map(int, token.split("."))
    return write


def verify(name: str) -> Any:  # noqa: ANN401
    """Makes a write that changes nothing and fails if the document does not exist; `expect` sets another condition.

    Apps' SDKs send such a write in every transaction that reads a document without writing it. The message class lacks
    the field, so its wire form is appended: field 5, text.
    """
    write = protocol().Write()
    encoded = name.encode()
    write.MergeFromString(b"\x2a" + _varint(len(encoded)) + encoded)
    write.current_document.exists = True
    return write


def _varint(number: int) -> bytes:
    """Encodes a protobuf length: seven bits a byte, the lowest first, the highest bit set on all but the last."""
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def token_of(stamp: Any) -> str:  # noqa: ANN401
    """Returns a document's update time as text, seconds and nanoseconds: each write that changes it moves the time."""
    return f"{stamp.seconds}.{stamp.nanos}"


def is_token(text: str) -> bool:
    """Reports whether `token_of` may have made the text."""
    return bool(_TOKEN.fullmatch(text))


def _fill_vector(fields: Any, vector: Vector) -> None:  # noqa: ANN401
    """Builds the array's serialised form in a few slice copies and lets protobuf parse it."""
    count = len(vector)
    doubles = array("d", vector)
    if sys.byteorder == "big":
        doubles.byteswap()
    content = doubles.tobytes()

    # Byte by byte of an element, for all elements at once: first its head, then the double.
    packed = bytearray(count * _ELEMENT_BYTES)
    for offset, byte in enumerate(_ELEMENT):
        same_byte = bytes((byte,))
        packed[offset::_ELEMENT_BYTES] = same_byte * count
    for offset in range(8):
        offset_in_element = len(_ELEMENT) + offset
        packed[offset_in_element::_ELEMENT_BYTES] = content[offset::8]

    fields["__type__"].string_value = "__vector__"
    elements = fields["value"].array_value
    elements.ParseFromString(bytes(packed))


def microseconds(when: datetime) -> int:
    """Returns the microseconds from 1970 to an aware datetime."""
    return (when - _EPOCH) // _MICROSECOND


def timestamp(stamp: Any) -> datetime:  # noqa: ANN401
    """Returns a protobuf Timestamp as an aware datetime, cut to microseconds."""
    return _EPOCH + timedelta(seconds=stamp.seconds, microseconds=stamp.nanos // 1000)


def plain(value: Any) -> object:  # noqa: ANN401
    """Returns a protobuf Value as a str, int, float, bool, None, datetime, list, dict, or array for a vector.

    Kinds that the product never writes (bytes, references, places) are returned as the protobuf message.
    """
    kind = value.WhichOneof("value_type")
    if kind not in _CONVERTED:
        return getattr(value, kind)
    if kind == "timestamp_value":
        return timestamp(value.timestamp_value)
    if kind == "array_value":
        return [plain(item) for item in value.array_value.values]
    if kind == "map_value":
        fields = value.map_value.fields
        if "__type__" in fields and fields["__type__"].string_value == "__vector__":
            return vector_of(value)
        return {name: plain(fields[name]) for name in fields}
    return None


def id_of(document: Any) -> str:  # noqa: ANN401
    """Returns the last part of a Document's name."""
    name: str = document.name
    return name.rpartition("/")[2]


def values_of(document: Any) -> dict[str, Any]:  # noqa: ANN401
    """Returns a Document's fields as Python values."""
    fields = document.fields
    return {name: plain(fields[name]) for name in fields}  # twice as fast as by items()


def vector_of(value: Any) -> Vector:  # noqa: ANN401
    """Returns the float32 vector in a vector Value."""
    elements = value.map_value.fields["value"].array_value.values
    return array("f", [element.double_value for element in elements])


class Where(NamedTuple):
    """One comparison; a document that a query returns satisfies all of its comparisons."""

    field: str
    operator: str
    """A key of OPERATORS."""
    value: object


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Query:
    """A query of one collection."""

    collection: str
    """Name; empty, with `everywhere`, for all collections."""
    everywhere: bool = False
    """True for all collections of that name at any depth."""
    where: tuple[Where, ...] = ()
    order: tuple[str, ...] = ()
    """Field paths in ascending order; "-" in front makes one descending."""
    after: tuple[object, ...] = ()
    """Values of the `order` fields of the last document already seen, for KEY its full name; empty to start at the first."""
    limit: int | None = None
    fields: tuple[str, ...] | None = None
    """Field paths to return; None for whole documents, empty for names alone. A vector search needs DISTANCE among them."""
    nearest: Vector | None = None
    """Vector whose `limit` nearest documents are searched; None for a query without a vector search."""
    vector_field: str = OWN_VECTOR
    """Field of the vectors that are compared with `nearest`."""

    def message(self) -> Any:  # noqa: ANN401
        """Returns the StructuredQuery."""
        query = protocol().StructuredQuery()
        query.from_.add(collection_id=self.collection, all_descendants=self.everywhere)
        if self.where:
            self._fill_filter(query.where.composite_filter)
        for order in self.order:
            ordering = query.order_by.add()
            ordering.direction = _ASCENDING
            if order.startswith("-"):
                ordering.direction = _DESCENDING
            ordering.field.field_path = order.removeprefix("-")
        for order, value in zip(self.order, self.after, strict=False):
            position = query.start_at.values.add()
            if order.endswith(KEY):
                position.reference_value = value
            else:
                fill(position, value)
        if self.nearest is not None:
            self._fill_nearest(query.find_nearest)
        elif self.limit is not None:
            query.limit.value = self.limit
        if self.fields is not None:
            for field_path in self.fields or (KEY,):
                query.select.fields.add(field_path=field_path)
        return query

    def _fill_filter(self, composite: Any) -> None:  # noqa: ANN401
        composite.op = _AND
        for comparison in self.where:
            condition = composite.filters.add().field_filter
            condition.field.field_path = comparison.field
            condition.op = OPERATORS[comparison.operator]
            fill(condition.value, comparison.value)

    def _fill_nearest(self, search: Any) -> None:  # noqa: ANN401
        search.vector_field.field_path = self.vector_field
        fill(search.query_vector, self.nearest)
        search.distance_measure = _DOT_PRODUCT  # of unit vectors: the cosine
        search.limit.value = self.limit
        search.distance_result_field = DISTANCE  # returned only if `fields` names it too


def path(*names: str) -> str:
    """Joins names to a field path; those that are no plain identifiers are quoted."""
    quoted = []
    for name in names:
        escaped = name.replace("\\", "\\\\").replace("`", "\\`")
        if not _PLAIN.fullmatch(escaped):
            escaped = f"`{escaped}`"
        quoted.append(escaped)
    return ".".join(quoted)
