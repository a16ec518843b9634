"""`dataclass` for immutable values: the standard library's, but cheap to import.

The standard one writes six methods of each class as text and compiles them, which takes 0.8 ms a class. A process that
answers one question imports two hundred classes and uses half of them. So here all classes share their methods, but
`__init__`, which is compiled when a class has its first instance.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, fields
from functools import cache
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass

    from _typeshed import DataclassInstance

__all__ = ["dataclass"]

T = TypeVar("T")


def _dataclass(
    *, frozen: bool = False, slots: bool = False, **options: bool
) -> Callable[[type[T]], type[T]]:
    """Returns the decorator of a frozen class with slots, or the standard library's for any other class."""
    if not (frozen and slots):
        return dataclasses.dataclass(frozen=frozen, slots=slots, **options)
    with_slots = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, **options)

    def decorate(definition: type[T]) -> type[T]:
        written = set(vars(definition))
        value_type = with_slots(definition)
        for name, method in _METHODS.items():
            if name not in written:
                setattr(value_type, name, method)
        return value_type

    return decorate


if not TYPE_CHECKING:  # a type checker knows the standard one alone
    dataclass = _dataclass


def _init(self: DataclassInstance, *arguments: object, **keywords: object) -> None:
    """Makes the first instance of a class, and leaves a compiled `__init__` for it and all others."""
    value_type: Any = type(self)
    value_type.__init__ = _compiled_init(value_type)
    value_type.__init__(self, *arguments, **keywords)


def _compiled_init(value_type: type[DataclassInstance]) -> Callable[..., None]:
    """Returns `__init__(self, a, b=default_b, *, c)`, which puts each field into its slot."""
    names: dict[str, Any] = {"MISSING": MISSING}
    positional = ["self"]
    keyword_only = []
    lines = ["pass"]
    for field in fields(value_type):
        name = field.name
        parameter = name
        value = name
        if field.default_factory is not MISSING:
            names[f"make_{name}"] = field.default_factory
            parameter = f"{name}=MISSING"
            value = f"make_{name}() if {name} is MISSING else {name}"
        elif field.default is not MISSING:
            names[f"default_{name}"] = field.default
            parameter = f"{name}=default_{name}"
        if field.kw_only:
            keyword_only.append(parameter)
        else:
            positional.append(parameter)
        slot = getattr(value_type, name)
        names[f"set_{name}"] = slot.__set__
        lines.append(f"set_{name}(self, {value})")
    if hasattr(value_type, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = positional
    if keyword_only:
        parameters = [*positional, "*", *keyword_only]
    body = "\n ".join(lines)
    exec(f"def __init__({', '.join(parameters)}):\n {body}", names)  # noqa: S102 - as the standard library does
    init: Callable[..., None] = names["__init__"]
    return init


@recursive_repr()
def _repr(self: DataclassInstance) -> str:
    shown = [f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _eq(self: DataclassInstance, other: DataclassInstance) -> object:
    if type(self) is not type(other):
        return NotImplemented
    return _compared_values(self) == _compared_values(other)


def _hash(self: DataclassInstance) -> int:
    return hash(_compared_values(self))


def _compared_values(value: DataclassInstance) -> tuple[object, ...]:
    return tuple([getattr(value, name) for name in _compared_fields(type(value))])


@cache
def _compared_fields(value_type: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(value_type) if field.compare)


def _setattr(self: DataclassInstance, name: str, _: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to {type(self).__name__}.{name}")


def _delattr(self: DataclassInstance, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete {type(self).__name__}.{name}")


def _getstate(self: DataclassInstance) -> list[object]:
    return [getattr(self, field.name) for field in fields(self)]


def _setstate(self: DataclassInstance, state: list[object]) -> None:
    for field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_METHODS: dict[str, Callable[..., Any]] = {
    "__init__": _init,
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
}
