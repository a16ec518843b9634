"""Firestore's raw protobuf classes, and Python values in and out of them.

The client library wraps every value in a Python object: a 768-dimensional vector takes it 5.8 ms to encode.
Filled straight into the protobuf, whose fields are memory of its C implementation, it takes 0.03 ms.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from types import SimpleNamespace
from typing import Any

from shared.model.index import Vector

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# An element of a packed-by-hand ArrayValue: field 1 with 9 bytes, in them field 3 as a 64-bit double.
_ELEMENT = b"\x0a\x09\x19"
_ELEMENT_BYTES = len(_ELEMENT) + 8


@cache
def protocol() -> Any:  # noqa: ANN401 - classes made at run time; typed stubs of them do not exist
    """The message classes by name. Loads the SDK: 200 ms, so on first use."""
    from google.cloud.firestore_v1 import types  # noqa: PLC0415

    names = (
        "AggregationResult", "BatchGetDocumentsRequest", "BatchGetDocumentsResponse", "BatchWriteRequest",
        "CommitRequest", "Document", "ListenRequest", "RunAggregationQueryRequest", "RunAggregationQueryResponse",
        "RunQueryRequest", "RunQueryResponse", "StructuredAggregationQuery", "StructuredQuery", "Value", "Write",
    )  # fmt: skip
    return SimpleNamespace(**{name: getattr(types, name).pb() for name in names})


def fill(target: Any, value: object) -> None:  # noqa: ANN401, C901 - one line a type
    """Write `value` into the empty protobuf Value `target`. Raises TypeError for what Firestore has no type for."""
    if isinstance(value, str):
        target.string_value = value
    elif isinstance(value, bool):
        target.boolean_value = value
    elif isinstance(value, int):
        target.integer_value = value
    elif isinstance(value, datetime):
        fill_timestamp(target.timestamp_value, value)
    elif isinstance(value, array):
        _fill_vector(target.map_value.fields, value)
    elif isinstance(value, Mapping):
        _fill_map(target.map_value, value)
    elif isinstance(value, Iterable):
        values = target.array_value.values
        target.array_value.SetInParent()
        for each in value:
            fill(values.add(), each)
    elif isinstance(value, float):
        target.double_value = value
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


def change(name: str, fields: Mapping[str, object]) -> Any:  # noqa: ANN401
    """The write that changes these fields alone, of a document that must exist."""
    write = put(name, fields)
    write.update_mask.field_paths.extend(fields)
    write.current_document.exists = True
    return write


def _fill_map(target: Any, value: Mapping[str, object]) -> None:  # noqa: ANN401
    target.SetInParent()
    for name, each in value.items():
        fill(target.fields[name], each)


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


def fill_timestamp(target: Any, when: datetime) -> None:  # noqa: ANN401
    """Write an aware datetime into a protobuf Timestamp."""
    target.seconds, rest = divmod(microseconds(when), 1_000_000)
    target.nanos = rest * 1000
    target.SetInParent()


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
    if kind == "timestamp_value":
        return timestamp(value.timestamp_value)
    if kind == "array_value":
        return [plain(each) for each in value.array_value.values]
    if kind == "map_value":
        fields = value.map_value.fields
        if "__type__" in fields and fields["__type__"].string_value == "__vector__":
            return vector_of(value)
        return {name: plain(each) for name, each in fields.items()}
    if kind == "null_value" or kind is None:
        return None
    return getattr(value, kind)


def as_json(document: Any) -> Mapping[str, object]:  # noqa: ANN401
    """A document's fields as Firestore's REST API gives them, whatever they are."""
    from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]  # noqa: PLC0415 - seldom used

    fields: Mapping[str, object] = MessageToDict(document).get("fields", {})
    return fields


def vector_of(value: Any) -> Vector:  # noqa: ANN401
    """The float32 vector in a vector Value."""
    return array("f", [each.double_value for each in value.map_value.fields["value"].array_value.values])
