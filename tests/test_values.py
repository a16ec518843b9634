"""Immutable values: the standard library's dataclass, compiled when it is used."""

from __future__ import annotations

import ast
import copy
import dataclasses
import pickle
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

import pytest

from shared.values import dataclass

ROOT = Path(__file__).parents[1]
PACKAGES = ("functions", "shared", "desktop", "cli")


@dataclass(frozen=True, slots=True)
class Passage:
    """A class as this project writes them."""

    note_id: str
    score: float = 0.0
    notes: Mapping[str, int] = field(default_factory=dict)
    secret: str = field(default="hush", repr=False)
    seen: int = field(default=0, compare=False)

    @property
    def is_good(self) -> bool:
        return self.score > 0.5


@dataclass(frozen=True, slots=True)
class Dated(Passage):
    """A class with fields of another."""

    date: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """A class whose fields have names in every call."""

    limit: int
    name: str = "all"


def standard(value_type: type[Any]) -> type[Any]:
    """Returns the class that the standard library makes of the same fields."""
    declared = [
        (
            item.name,
            item.type,
            field(
                default=item.default,
                default_factory=item.default_factory,
                repr=item.repr,
                compare=item.compare,
                kw_only=item.kw_only,
            ),
        )
        for item in dataclasses.fields(value_type)
    ]
    return dataclasses.make_dataclass(value_type.__name__, declared, frozen=True, slots=True)


CALLS: list[tuple[type[Any], tuple[object, ...], dict[str, object]]] = [
    (Passage, ("n",), {}),
    (Passage, ("n", 0.7, {"a": 1}, "s", 3), {}),
    (Passage, ("n",), {"notes": {}, "score": 1}),
    (Passage, (), {}),
    (Passage, ("n",), {"colour": "red"}),
    (Dated, ("n",), {"date": "2026-01-01"}),
    (Options, (), {"limit": 3}),
    (Options, (3,), {}),
    (Options, (), {"name": "x"}),
]


@pytest.mark.parametrize(("value_type", "arguments", "keywords"), CALLS)
def test_an_instance_is_what_the_standard_library_makes(
    value_type: type[Any], arguments: tuple[object, ...], keywords: dict[str, object]
) -> None:
    def outcome(made_by: type[Any]) -> object:
        try:
            value = made_by(*arguments, **keywords)
        except TypeError as error:
            return str(error).rpartition("__init__")[2]
        return repr(value), [getattr(value, item.name) for item in dataclasses.fields(value)]

    assert outcome(value_type) == outcome(standard(value_type))


def test_values_are_equal_by_their_fields_and_class() -> None:
    assert Passage("n", seen=1) == Passage("n", seen=2)
    assert Passage("n") != Passage("m")
    assert Passage("n") != Dated("n")
    assert len({Options(limit=1), Options(limit=1), Options(limit=2)}) == 2


def test_a_value_does_not_change_and_its_copies_are_equal() -> None:
    passage = Passage("n", 0.7)
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"cannot assign to Passage\.score"):
        passage.score = 1.0  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"cannot delete Passage\.score"):
        del passage.score
    assert not hasattr(passage, "__dict__")
    assert dataclasses.replace(passage, score=0.1) == Passage("n", 0.1)
    assert passage == copy.copy(passage) == copy.deepcopy(passage)
    assert pickle.loads(pickle.dumps(passage)) == passage  # noqa: S301
    assert passage.is_good


def test_a_class_of_mutable_instances_is_the_standard_librarys() -> None:
    @dataclass(slots=True)
    class Count:
        number: int = 0

    count = Count()
    count.number += 1
    assert count == Count(1)


def test_every_frozen_class_with_slots_is_made_this_way() -> None:
    standard_ones = []
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
        names = {(node.module, alias.name) for node in imports for alias in node.names}
        if "frozen=True, slots=True" in text and ("dataclasses", "dataclass") in names:
            standard_ones.append(str(path.relative_to(ROOT)))
    assert not standard_ones, "import dataclass from shared.values"


def test_a_class_that_checks_its_values_does_so_when_an_instance_is_made() -> None:
    @dataclass(frozen=True, slots=True)
    class Share:
        value: float

        def __post_init__(self) -> None:
            if self.value > 1:
                raise ValueError("more than all")

    assert Share(0.5).value == 0.5
    with pytest.raises(ValueError, match="more than all"):
        Share(1.5)
    with pytest.raises(ValueError, match="more than all"):
        dataclasses.replace(Share(0.5), value=2.0)
