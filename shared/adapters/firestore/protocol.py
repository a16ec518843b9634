"""Firestore's raw protobuf classes: Python values, queries and writes in and out of them.

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
_TOKEN = re.compile("[0-9]{1,10}[.][0-9]{1,9}")
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
"""As the client library spells them -> their number in StructuredQuery.FieldFilter.Operator."""
SLOTS = {"embedding": "indexVersion", "keptEmbedding": "kept"}
"""A chunk's fields for its own vector and for a second one -> the field that holds the vector's index version."""
DISTANCE = "distance"
"""The field in which a vector search tells how near a document lies."""


@cache
def protocol() -> Any:  # noqa: ANN401 - classes made at run time; typed stubs of them do not exist
    """The message classes by name. Loads the SDK: 200 ms, so on first use."""
    from google.cloud.firestore_v1 import types  # noqa: PLC0415

    names = (
        "BatchGetDocumentsRequest", "BatchWriteRequest", "CommitRequest", "Document", "RunAggregationQueryRequest",
        "RunQueryRequest", "StructuredAggregationQuery", "StructuredQuery", "Write",
    )  # fmt: skip
    return SimpleNamespace(**{name: getattr(types, name).pb() for name in names})


def fill(target: Any, value: object) -> None:  # noqa: ANN401, C901, PLR0912 - a line or two a type
    """Write `value` into the empty protobuf Value `target`. Raises TypeError for what Firestore has no type for."""
    if isinstance(value, str):
        target.string_value = value
    elif isinstance(value, bool):
        target.boolean_value = value
    elif isinstance(value, int):
        target.integer_value = value
    elif isinstance(value, float):
        target.double_value = value
    elif isinstance(value, datetime):
        stamp = target.timestamp_value
        stamp.seconds, rest = divmod(microseconds(value), 1_000_000)
        stamp.nanos = rest * 1000
        stamp.SetInParent()
    elif isinstance(value, array):
        _fill_vector(target.map_value.fields, value)
    elif isinstance(value, Mapping):
        target.map_value.SetInParent()
        fields = target.map_value.fields
        for name, each in value.items():
            if type(each) is int:  # postings, by the hundred: a fifth of the time that `fill` takes
                fields[name].integer_value = each
            else:
                fill(fields[name], each)
    elif isinstance(value, Iterable):
        target.array_value.SetInParent()
        add = target.array_value.values.add
        for each in value:
            if type(each) is str:  # stems, likewise
                add(string_value=each)
            else:
                fill(add(), each)
    elif value is None:
        target.null_value = 0
    else:
        raise TypeError(f"{type(value).__name__} is no Firestore value")


def put(name: str, fields: Mapping[str, object]) -> Any:  # noqa: ANN401
    """The write after which the document of this name holds exactly these fields."""
    write = protocol().Write()
    write.update.name = name
    for field, value in fields.items():
        fill(write.update.fields[field], value)
    return write


def change(name: str, fields: Mapping[str, object], *, existing: bool = True) -> Any:  # noqa: ANN401
    """The write that changes these fields alone, of a document that must exist unless said otherwise."""
    write = put(name, fields)
    write.update_mask.SetInParent()  # an empty mask: no field but those that transforms will set
    write.update_mask.field_paths.extend(fields)
    if existing:
        write.current_document.exists = True
    return write


def delete(name: str, *, existing: bool = False) -> Any:  # noqa: ANN401
    """The write after which there is no such document; with `existing` it fails where there was none."""
    write = protocol().Write(delete=name)
    if existing:
        write.current_document.exists = True
    return write


def expect(write: Any, token: str | None) -> Any:  # noqa: ANN401
    """The write, which fails unless the document still is as `token_of` told; None: unless there is none."""
    if token is None:
        write.current_document.exists = False
    else:
        stamp = write.current_document.update_time
        stamp.seconds, stamp.nanos = map(int, token.split("."))
    return write


def verify(name: str) -> Any:  # noqa: ANN401
    """The write that changes nothing and carries a precondition: the document must exist, unless `expect` says more.

    Apps' SDKs send it in every transaction that reads a document without writing it. The message class has no field for
    it, so it is written as what it is on the wire: field 5, text.
    """
    write = protocol().Write()
    encoded = name.encode()
    write.MergeFromString(b"\x2a" + _varint(len(encoded)) + encoded)
    write.current_document.exists = True
    return write


def _varint(number: int) -> bytes:
    """A protobuf length: seven bits a byte, the lowest first, the highest bit set on all but the last."""
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def token_of(stamp: Any) -> str:  # noqa: ANN401
    """An update time, which every write that changes the document moves, as text: seconds and nanoseconds."""
    return f"{stamp.seconds}.{stamp.nanos}"


def is_token(text: str) -> bool:
    """Whether `token_of` may have made it."""
    return bool(_TOKEN.fullmatch(text))


def _fill_vector(fields: Any, vector: Vector) -> None:  # noqa: ANN401
    """Builds the array's serialised form in a few slice copies and lets protobuf parse it."""
    count = len(vector)
    doubles = array("d", vector)
    if sys.byteorder == "big":
        doubles.byteswap()
    content = doubles.tobytes()
    packed = bytearray(count * _ELEMENT_BYTES)
    for place, byte in enumerate(_ELEMENT):
        packed[place::_ELEMENT_BYTES] = bytes((byte,)) * count
    for place in range(8):
        packed[len(_ELEMENT) + place :: _ELEMENT_BYTES] = content[place::8]
    fields["__type__"].string_value = "__vector__"
    fields["value"].array_value.ParseFromString(bytes(packed))


def microseconds(when: datetime) -> int:
    """Since 1970, of an aware datetime."""
    return (when - _EPOCH) // _MICROSECOND


def timestamp(stamp: Any) -> datetime:  # noqa: ANN401
    """A protobuf Timestamp as an aware datetime, cut to microseconds."""
    return _EPOCH + timedelta(seconds=stamp.seconds, microseconds=stamp.nanos // 1000)


def plain(value: Any) -> object:  # noqa: ANN401
    """A protobuf Value as a Python value: str, int, float, bool, None, datetime, list, dict, or array for a vector.

    What the product never writes (bytes, references, places) comes as the protobuf message.
    """
    kind = value.WhichOneof("value_type")
    if kind not in _CONVERTED:
        return getattr(value, kind)
    if kind == "timestamp_value":
        return timestamp(value.timestamp_value)
    if kind == "array_value":
        return [plain(each) for each in value.array_value.values]
    if kind == "map_value":
        fields = value.map_value.fields
        if "__type__" in fields and fields["__type__"].string_value == "__vector__":
            return vector_of(value)
        return {name: plain(fields[name]) for name in fields}
    return None


def id_of(document: Any) -> str:  # noqa: ANN401
    """The last part of a Document's name."""
    name: str = document.name
    return name.rpartition("/")[2]


def values_of(document: Any) -> dict[str, Any]:  # noqa: ANN401
    """Field -> its Python value, of a Document."""
    fields = document.fields
    return {name: plain(fields[name]) for name in fields}  # twice as fast as by items()


def vector_of(value: Any) -> Vector:  # noqa: ANN401
    """The float32 vector in a vector Value."""
    return array(
        "f", [each.double_value for each in value.map_value.fields["value"].array_value.values]
    )


class Where(NamedTuple):
    """One comparison; a query's comparisons hold together."""

    field: str
    operator: str
    """A key of OPERATORS."""
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query of one collection."""

    collection: str
    """Empty, with `everywhere`: every collection."""
    everywhere: bool = False
    """Every collection of that name, whatever it lies under."""
    where: tuple[Where, ...] = ()
    order: tuple[str, ...] = ()
    """Field paths, ascending; with "-" in front descending."""
    after: tuple[object, ...] = ()
    """Values of the `order` fields of the last document already seen, of KEY its full name; empty: all."""
    limit: int | None = None
    fields: tuple[str, ...] | None = None
    """Field paths to return; None: whole documents; empty: names alone. Of a vector search DISTANCE among them."""
    nearest: Vector | None = None
    """A vector search, of at most `limit`. None: none."""
    vector_field: str = "embedding"
    """A key of SLOTS."""

    def message(self) -> Any:  # noqa: ANN401
        """As StructuredQuery."""
        query = protocol().StructuredQuery()
        query.from_.add(collection_id=self.collection, all_descendants=self.everywhere)
        if self.where:
            query.where.composite_filter.op = 1  # AND
        for each in self.where:
            added = query.where.composite_filter.filters.add().field_filter
            added.field.field_path = each.field
            added.op = OPERATORS[each.operator]
            fill(added.value, each.value)
        for order in self.order:
            # 1 is ascending, 2 descending.
            query.order_by.add(
                direction=2 if order[0] == "-" else 1
            ).field.field_path = order.removeprefix("-")
        for order, value in zip(self.order, self.after, strict=False):
            if order.endswith(KEY):
                query.start_at.values.add(reference_value=value)
            else:
                fill(query.start_at.values.add(), value)
        if self.nearest is not None:
            # By dot product, which for unit vectors is the cosine. Without DISTANCE in `fields` it silently vanishes.
            search = query.find_nearest
            search.vector_field.field_path = self.vector_field
            fill(search.query_vector, self.nearest)
            search.distance_measure = 3  # DOT_PRODUCT
            search.limit.value = self.limit
            search.distance_result_field = DISTANCE
        elif self.limit is not None:
            query.limit.value = self.limit
        if self.fields is not None:
            for path in self.fields or (KEY,):
                query.select.fields.add(field_path=path)
        return query


def path(*names: str) -> str:
    """A field path; names that are no plain identifiers are quoted."""
    escaped = (name.replace("\\", "\\\\").replace("`", "\\`") for name in names)
    return ".".join(name if _PLAIN.fullmatch(name) else f"`{name}`" for name in escaped)
