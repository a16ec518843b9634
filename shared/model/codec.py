"""Entities <-> plain values, by the fields that their frozen dataclasses declare: no store spells them again.

A `Codec` says how keys are spelled and how instants are written. Nested dataclasses, enums, tuples and JSON objects
follow from the declared types, so that a new field is a line in its dataclass.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
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
    """`created_at` -> `createdAt`: names in JSON and in Firestore."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


@dataclass(frozen=True, slots=True)
class Field:
    """How one field is read and written."""

    name: str
    key: str
    expected: str
    """What a value must be, in words."""
    required: bool
    nullable: bool
    structured: bool
    """A tuple, an object or a dataclass: no scalar."""
    read: Convert | None
    """None: the plain value is the field's."""
    write: Convert | None


class Codec:
    """Reads and writes the dataclasses of `shared.model`. Safe between threads."""

    def __init__(
        self,
        *,
        key: Callable[[str], str] = camel,
        instant: Convert | None = None,
        moment: Convert | None = None,
        objects_as_text: bool = False,
        checked: bool = False,
    ) -> None:
        """`key`: name of a field -> its key. `instant`, `moment`: how datetimes are written and read; None: as they
        are. `objects_as_text`: JSON objects are written as text, which keeps the order of their keys. `checked`:
        others write here too, so the types of values are checked.
        """
        self._key, self._instant, self._moment = key, instant, moment
        self._objects_as_text, self._checked = objects_as_text, checked
        self._known: dict[type, tuple[Field, ...]] = {}

    def fields(self, kind: type) -> tuple[Field, ...]:
        """The fields of a dataclass in their order."""
        if kind not in self._known:
            hints = get_type_hints(kind)
            self._known[kind] = tuple(
                self._field(each.name, hints[each.name], each.default is MISSING and each.default_factory is MISSING)
                for each in fields(kind)
            )
        return self._known[kind]

    def keys(self, kind: type, *without: str) -> tuple[str, ...]:
        """The keys of its fields, but for those of the fields named."""
        return tuple(each.key for each in self.fields(kind) if each.name not in without)

    def dump(self, value: object, *without: str) -> dict[str, Any]:
        """Key -> plain value, of all fields but those named."""
        found = {}
        for each in self.fields(type(value)):
            if each.name not in without:
                plain = getattr(value, each.name)
                found[each.key] = plain if each.write is None or plain is None else each.write(plain)
        return found

    def load(self, kind: type[T], plain: Mapping[str, Any], /, **known: Any) -> T:  # noqa: ANN401 - values of fields
        """`known`: fields that `plain` does not hold. What is missing or null there gets the field's default.

        Raises InvalidArgument naming the key of a value that is missing or cannot be read.
        """
        for each in self.fields(kind):
            if each.name in known:
                continue
            value = plain.get(each.key)
            if value is not None:
                try:
                    known[each.name] = value if each.read is None else each.read(value)
                except (TypeError, ValueError) as bad:
                    raise InvalidArgument(each.key, f"{each.expected}, found {type(value).__name__}") from bad
            elif each.required and not each.nullable:
                raise InvalidArgument(each.key, f"{each.expected}, found none")
            elif each.required:
                known[each.name] = None
        return kind(**known)

    def _field(self, name: str, hint: Any, required: bool) -> Field:  # noqa: ANN401, FBT001 - a type annotation
        nullable = get_origin(hint) is UnionType and type(None) in get_args(hint)
        if nullable:
            hint = next(each for each in get_args(hint) if each is not type(None))
        expected, read, write = self._conversions(hint)
        return Field(
            name=name,
            key=self._key(name),
            expected=expected,
            required=required,
            nullable=nullable,
            structured=get_origin(hint) in (tuple, Mapping) or is_dataclass(hint),
            read=read,
            write=write,
        )

    def _conversions(self, hint: Any) -> tuple[str, Convert | None, Convert | None]:  # noqa: ANN401 - an annotation
        """What is expected, and how it is read and written."""
        if get_origin(hint) is tuple:
            return self._tuple(get_args(hint)[0])
        if get_origin(hint) is Mapping and self._objects_as_text:
            return "a JSON object as text", json.loads, partial(json.dumps, ensure_ascii=False)
        if is_dataclass(hint) and isinstance(hint, type):
            # Rows of the first schema hold some by position.
            return "an object", lambda row: hint(*row) if isinstance(row, list) else self.load(hint, row), self.dump
        if isinstance(hint, type) and issubclass(hint, Enum):
            return f"one of {', '.join(each.value for each in hint)}", hint, attrgetter("value")
        expected, kinds = _SCALARS.get(hint, ("", ()))
        read, write = (self._moment, self._instant) if hint is datetime else (None, None)
        if read is None and kinds and self._checked:
            read = partial(_checked, kinds)
        return expected, read, write

    def _tuple(self, hint: Any) -> tuple[str, Convert | None, Convert | None]:  # noqa: ANN401 - an annotation
        _, read, write = self._conversions(hint)

        def read_all(plain: Any) -> tuple[Any, ...]:  # noqa: ANN401
            if not isinstance(plain, (list, tuple)):
                raise TypeError
            return tuple(plain) if read is None else tuple(map(read, plain))

        write_all = None if write is None else lambda values: list(map(write, values))
        return "a list of texts" if hint is str else "a list", read_all, write_all


def _checked(kinds: tuple[type, ...], plain: Any) -> Any:  # noqa: ANN401
    if type(plain) not in kinds:
        raise TypeError
    return plain
