"""Texts on which regular expressions are slow, made from the expressions themselves: an opening that is never closed,
what a repeat repeats, two such side by side.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import _lru_cache_wrapper
from itertools import pairwise
from re import _constants as codes
from re import _parser as parser
from time import thread_time
from types import ModuleType
from typing import Any

import cli
import functions
import shared
from shared.language.vocabulary import languages

_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_MANY = 100
_BRANCHES = 2
"""Alternatives of a pattern that are tried."""
_SUFFIX = "\x00\n!"
"""Signs that fit hardly any pattern, so that a match that got so far is given up."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A text of any length: `once`, then `again` as often as fits, then `_SUFFIX`."""

    once: str
    again: str

    def __call__(self, length: int) -> str:
        return (
            self.once + self.again * max(1, (length - len(self.once)) // len(self.again)) + _SUFFIX
        )


def modules() -> Iterator[ModuleType]:
    """Every module of what is deployed and of the command."""
    for package in (shared, functions, cli):
        for module_info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(module_info.name)


def patterns() -> dict[re.Pattern[str], str]:
    """Every expression that a module holds, or makes on first use for itself or for a language; and its language."""
    language_of_pattern: dict[re.Pattern[str], str] = {}
    for module in modules():
        for value in vars(module).values():
            inputs = [("en", value)]
            if isinstance(value, _lru_cache_wrapper):
                parameters = tuple(inspect.signature(value).parameters)
                inputs = [("en", value())] if not parameters else []
                inputs += [(lang, value(lang)) for lang in languages() if parameters == ("lang",)]
            for lang, holder in inputs:
                for pattern in _within(holder, set()):
                    language_of_pattern.setdefault(pattern, lang)
    return language_of_pattern


def _within(value: object, seen: set[int]) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, Mapping):
        value = [*value.values()]
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = [getattr(value, field.name) for field in dataclasses.fields(value)]
    if isinstance(value, list | tuple | set | frozenset):
        for element in value:
            yield from _within(element, seen)


def recipes(pattern: re.Pattern[str]) -> list[Recipe]:
    """Texts that may be slow to read by the pattern."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
    pumps = [pump for pump in _pumps([*tree], "") if pump.again]
    examples = [example for example in _examples([*tree]) if example]
    recipes = [Recipe("", example) for example in examples]
    recipes += [Recipe("", f"{example} ") for example in examples]
    for pump in pumps:
        recipes += [pump, Recipe("", pump.again), Recipe("", pump.once + pump.again)]
        recipes += [Recipe("", pump.once)] * bool(pump.once)
    recipes += [Recipe("", pump.again + next_pump.again) for pump, next_pump in pairwise(pumps)]
    return [*dict.fromkeys(recipes)]


Node = tuple[Any, Any]
"""A node of a parsed expression: its kind, and its arguments."""


def _pumps(nodes: list[Node], before: str) -> Iterator[Recipe]:
    """Each unbounded repeat, with the shortest text that leads up to it."""
    for node in nodes:
        for inner in _inside(node):
            yield from _pumps(inner, before)
        if node[0] in _REPEATS and node[1][1] >= _MANY:
            for body in _examples([*node[1][2]]):
                yield Recipe(before, body)
        before += _examples([node])[0]


def _inside(node: Node) -> list[list[Node]]:
    code, argument = node
    if code in _REPEATS:
        return [[*argument[2]]]
    if code is codes.BRANCH:
        return [[*branch] for branch in argument[1][:_BRANCHES]]
    if code in (codes.SUBPATTERN, codes.ATOMIC_GROUP, codes.ASSERT, codes.ASSERT_NOT):
        return [[*(argument if code is codes.ATOMIC_GROUP else argument[-1])]]
    return []


def _examples(nodes: list[Node]) -> list[str]:
    """Short texts that fit, a few of them: the first takes the first alternatives."""
    texts = [""]
    for node in nodes:
        texts = [text + text_of_node for text in texts for text_of_node in _one(node)][
            : _BRANCHES * 2
        ]
    return texts


def _one(node: Node) -> list[str]:
    code, argument = node
    if code is codes.LITERAL:
        return [chr(argument)]
    if code in (codes.IN, codes.ANY, codes.NOT_LITERAL):
        return _of_a_class(
            argument
            if code is codes.IN
            else [
                (codes.NEGATE, None),
                (codes.LITERAL, argument or 10),
            ]
        )
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return [""]
    inner = [text for inner_nodes in _inside(node) for text in _examples(inner_nodes)] or [""]
    return [text * max(1, argument[0]) for text in inner] if code in _REPEATS else inner


def _of_a_class(members: list[Node]) -> list[str]:
    negates = members[0][0] is codes.NEGATE
    spelt = [
        chr(member[0] if code is codes.RANGE else member)
        for code, member in members
        if code in _SPELT
    ]
    signs = [*spelt, *"ax1 -é☃"]
    fit = [sign for sign in signs if any(_holds(member, sign) for member in members) != negates]
    return fit[: 1 if negates else _BRANCHES] or [signs[0]]


_SPELT = (codes.LITERAL, codes.RANGE)
_CATEGORIES = {
    getattr(codes, f"CATEGORY_{'' if sign.islower() else 'NOT_'}{name}"): re.compile(rf"\{sign}")
    for name, signs in (
        ("DIGIT", "dD"),
        ("SPACE", "sS"),
        ("WORD", "wW"),
    )
    for sign in signs
}


def _holds(member: Node, sign: str) -> bool:
    code, argument = member
    if code is codes.CATEGORY:
        return _CATEGORIES[argument].match(sign) is not None
    if code is codes.RANGE:
        return bool(argument[0] <= ord(sign) <= argument[1])
    return code is codes.LITERAL and argument == ord(sign)


def slow_texts() -> dict[Recipe, str]:
    """Texts that a pattern of ours takes more than linear time to search; and the language of the pattern."""
    slow: dict[Recipe, str] = {}
    alike: Counter[str] = Counter()
    for pattern, lang in patterns().items():
        for recipe in recipes(pattern):
            is_known = recipe in slow or alike[recipe.again] >= _ALIKE
            if not is_known and any(_is_slow(pattern, recipe(length)) for length in _LENGTHS):
                slow[recipe] = lang
                alike[recipe.again] += 1
    return slow


_ALIKE = 3
"""Texts that repeat the same."""
_LENGTHS = (18, 22, 26, 30, 34, 42, 1000)
"""An expression that takes exponential time does so in one of the first, and does not end in the last."""
_SLOW = 0.002
"""Seconds; most take a tenth for the longest."""


def _is_slow(pattern: re.Pattern[str], text: str) -> bool:
    return seconds(lambda: deque(pattern.finditer(text), 0)) > _SLOW


def seconds(call: Callable[[], object], *, repeats: int = 1) -> float:
    """Measure the processor time of this thread, the least of some tries: what else runs on the machine does not count."""

    def once() -> float:
        time_before = thread_time()
        call()
        return thread_time() - time_before

    return min(once() for _ in range(repeats))
