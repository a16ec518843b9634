"""Entities <-> plain values, by the fields that their frozen dataclasses declare: no store spells them again.

A `Codec` defines how keys are spelled and datetimes are written. Nested dataclasses, enums, tuples and JSON objects
follow from the declared types, so that a new field is a line in its dataclass.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from dataclasses import Field as DataclassField
from datetime import datetime
from enum import Enum
from functools import partial
from operator import attrgetter
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from shared.errors import InvalidArgument

T = TypeVar("T")
Convert = Callable[[Any], Any]

_SCALARS: Mapping[Any, tuple[str, tuple[type, ...]]] = {
    str: ("a string", (str,)),
    bool: ("true or false", (bool,)),
    int: ("a whole number", (int,)),
    float: ("a number", (float, int)),
    datetime: ("a timestamp", (datetime,)),
}


def camel(name: str) -> str:
    """Returns a field's name as JSON and Firestore have it: `created_at` -> `createdAt`."""
    first, *words = name.split("_")
    capitalized = map(str.capitalize, words)
    return first + "".join(capitalized)


@dataclass(frozen=True, slots=True)
class Field:
    """Conversion of one field to and from its stored form."""

    name: str
    key: str
    expected: str
    """Expected value in words."""
    required: bool
    nullable: bool
    structured: bool
    """True for a tuple, an object or a dataclass, False for a scalar."""
    read: Convert | None
    """Reads the stored value; None if the stored value is the field's value."""
    write: Convert | None


@dataclass(frozen=True, slots=True)
class _Conversion:
    """How the values of one type are stored."""

    expected: str
    """Expected value in words."""
    read: Convert | None = None
    """Reads the stored value; None if the stored value is the value."""
    write: Convert | None = None
    """Makes the stored value; None if it is the value."""


class Codec:
    """Reads and writes the dataclasses of `shared.model`. Safe between threads."""

    def __init__(
        self,
        *,
        key: Callable[[str], str] = camel,
        encode_datetime: Convert | None = None,
        decode_datetime: Convert | None = None,
        objects_as_text: bool = False,
        checked: bool = False,
    ) -> None:
        """Makes a codec.

        key: returns the key of a field's name.
        encode_datetime, decode_datetime: write and read datetimes; None leaves them as they are.
        objects_as_text: True if JSON objects are written as text, which keeps the order of their keys.
        checked: True if others write here too, so that the types of values are checked.
        """
        self.key = key
        self._encode_datetime = encode_datetime
        self._decode_datetime = decode_datetime
        self._objects_as_text = objects_as_text
        self._checked = checked
        self._fields: dict[type, tuple[Field, ...]] = {}

    def fields(self, kind: type) -> tuple[Field, ...]:
        """Returns the fields of a dataclass in their order."""
        if kind in self._fields:
            return self._fields[kind]

        hints = get_type_hints(kind)
        fields_of_kind = []
        for declared in fields(kind):
            hint = hints[declared.name]
            field = self._field(declared, hint)
            field = _with_newer_choices(field, hint, declared)
            fields_of_kind.append(field)

        converted = tuple(fields_of_kind)
        self._fields[kind] = converted
        return converted

    def keys(self, kind: type, *without: str) -> tuple[str, ...]:
        """Returns the keys of all fields but those named."""
        keys = []
        for field in self.fields(kind):
            if field.name not in without:
                keys.append(field.key)
        return tuple(keys)

    def dump(self, value: object, *without: str) -> dict[str, Any]:
        """Returns key -> plain value of all fields but those named."""
        row = {}
        for field in self.fields(type(value)):
            if field.name in without:
                continue

            plain = getattr(value, field.name)
            if field.write is not None and plain is not None:
                plain = field.write(plain)
            row[field.key] = plain
        return row

    def load(self, kind: type[T], plain: Mapping[str, Any], /, **known: Any) -> T:  # noqa: ANN401 - values of fields
        """Returns an entity; a value that is missing or null gets the field's default.

        known: values of fields that `plain` does not hold.

        Raises InvalidArgument naming the key of a value that is missing or cannot be read.
        """
        for field in self.fields(kind):
            if field.name in known:
                continue

            value = plain.get(field.key)
            if value is not None:
                known[field.name] = _read_value(field, value)
            elif field.required and not field.nullable:
                raise InvalidArgument(field.key, f"{field.expected}, found none")
            elif field.required:
                known[field.name] = None
        return kind(**known)

    def _field(self, declared: DataclassField[Any], hint: Any) -> Field:  # noqa: ANN401 - an annotation
        """Converts a declared field. Its metadata `stored_as` holds the name in stored data if that differs."""
        options = get_args(hint)
        nullable = get_origin(hint) is UnionType and type(None) in options
        if nullable:
            hint = next(option for option in options if option is not type(None))
        conversion = self._conversion(hint)

        is_collection = get_origin(hint) in (tuple, Mapping)
        has_value = declared.default is not MISSING
        has_factory = declared.default_factory is not MISSING
        has_default = has_value or has_factory
        stored_name = declared.metadata.get("stored_as", declared.name)
        return Field(
            name=declared.name,
            key=self.key(stored_name),
            expected=conversion.expected,
            required=not has_default,
            nullable=nullable,
            structured=is_collection or is_dataclass(hint),
            read=conversion.read,
            write=conversion.write,
        )

    def _conversion(self, hint: Any) -> _Conversion:  # noqa: ANN401 - an annotation
        """Returns how values of a type are read and written."""
        origin = get_origin(hint)

        if origin is tuple:
            item_hint, *_ = get_args(hint)
            return self._tuple(item_hint)

        if origin is Mapping and self._objects_as_text:
            write_text = partial(json.dumps, ensure_ascii=False)
            return _Conversion("a JSON object as text", json.loads, write_text)

        if is_dataclass(hint) and isinstance(hint, type):
            read_object = partial(self._read_object, hint)
            return _Conversion("an object", read_object, self.dump)

        if isinstance(hint, type) and issubclass(hint, Enum):
            values = [member.value for member in hint]
            choices = ", ".join(values)
            return _Conversion(f"one of {choices}", hint, attrgetter("value"))

        return self._scalar(hint)

    def _scalar(self, hint: Any) -> _Conversion:  # noqa: ANN401 - an annotation
        expected, kinds = _SCALARS.get(hint, ("", ()))
        read: Convert | None = None
        if self._checked and kinds:
            read = partial(_checked, kinds)
        if hint is datetime:
            read = self._decode_datetime or read
            return _Conversion(expected, read, self._encode_datetime)
        return _Conversion(expected, read)

    def _read_object(self, kind: type[T], row: Any) -> T:  # noqa: ANN401 - a plain value
        if isinstance(row, list):  # rows of the first schema hold some by position
            return kind(*row)
        return self.load(kind, row)

    def _tuple(self, hint: Any) -> _Conversion:  # noqa: ANN401 - an annotation
        item = self._conversion(hint)
        read = item.read
        write = item.write

        def read_all(plain: Any) -> tuple[Any, ...]:  # noqa: ANN401
            if not isinstance(plain, (list, tuple)):
                raise TypeError
            if read is None:
                return tuple(plain)
            return tuple(map(read, plain))

        expected = "a list"
        if hint is str:
            expected = "a list of texts"

        if write is None:
            return _Conversion(expected, read_all)

        def write_all(values: Iterable[Any]) -> list[Any]:
            return list(map(write, values))

        return _Conversion(expected, read_all, write_all)


def _read_value(field: Field, value: Any) -> Any:  # noqa: ANN401
    """Reads the stored value of a field. Raises InvalidArgument naming its key."""
    if field.read is None:
        return value
    try:
        return field.read(value)
    except (TypeError, ValueError) as error:
        found_type = type(value).__name__
        raise InvalidArgument(field.key, f"{field.expected}, found {found_type}") from error


def _with_newer_choices(field: Field, hint: Any, declared: DataclassField[Any]) -> Field:  # noqa: ANN401
    """Has a field accept choices that this release does not know, which a newer one wrote before it was rolled back.

    Such a choice counts as the field's default; without a default, as the enum's `newer()`.
    """
    choices = frozenset(declared.metadata.get("choices", ()))
    fallback = declared.default
    enum = _enum_in(hint)
    if enum is not None:
        values = [member.value for member in enum]
        choices = frozenset(values)
        if fallback is MISSING and hasattr(enum, "newer"):
            fallback = enum.newer()

    if not choices or fallback is MISSING:
        return field
    read = partial(_read_choice, field.read, choices, fallback)
    return replace(field, read=read)


def _enum_in(hint: Any) -> type[Enum] | None:  # noqa: ANN401 - an annotation
    """Returns the enum that an annotation names, alone or in a union; None if it names no enum."""
    for option in (hint, *get_args(hint)):
        if isinstance(option, type) and issubclass(option, Enum):
            return option
    return None


def _read_choice(
    read: Convert | None,
    choices: frozenset[str],
    fallback: object,
    plain: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    if isinstance(plain, str) and plain not in choices:
        return fallback
    if read is None:
        return plain
    return read(plain)


def _checked(kinds: tuple[type, ...], plain: Any) -> Any:  # noqa: ANN401
    if type(plain) not in kinds:
        raise TypeError
    return plain
