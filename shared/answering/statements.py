"""Sentence -> what it states, to be compared with another sentence about the same thing.

Two sentences differ in a number of the same unit or in a date. If they otherwise read alike, a different name or bare
number counts too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from shared.judging.facts import Facts, facts_of
from shared.judging.quantities import Quantity
from shared.language.terms import stems

ALIKE = 0.5
"""Two sentences read alike if at least this share of their words stands in both. Chosen by hand, not measured."""
REACH = 40
"""Characters before a number in which its sign or its name is looked for: longer words are no names."""

_UNIT_BEHIND = re.compile(r"\s?([^\W\d_]+|[%‰°€$£¥])")
_UNIT_BEFORE = re.compile(r"([€$£¥])\s?\Z")
_WORD_BEFORE = re.compile(r"([^\W\d_]+)\s\Z")


@dataclass(frozen=True, slots=True)
class _Number:
    """A number of a sentence, with what tells which one it is."""

    value: Quantity
    unit: str
    """The sign before it, or the sign or stem behind it; empty if it has none."""
    name: str
    """The name directly before it, `PostgreSQL` in `PostgreSQL 17 since May`; empty if there is none."""

    def has_unit_of(self, other: _Number) -> bool:
        return self.unit != "" and self.unit == other.unit

    def may_replace(self, other: _Number) -> bool:
        """Reports whether both have the same unit, or none, or stand behind the same name."""
        has_same_name = self.name != "" and self.name == other.name
        return has_same_name or self.unit == other.unit


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a window, read to be compared with others."""

    facts: Facts
    numbers: tuple[_Number, ...]

    def differs(self, older: Statement) -> bool:
        """Reports whether it states something else than an older statement about the same thing."""
        return (
            self._has_another_day(older)
            or self._has_another_quantity(older)
            or self._has_another_name(older)
        )

    def _has_another_day(self, older: Statement) -> bool:
        days = self.facts.days
        older_days = older.facts.days
        if not days or not older_days:
            return False
        for day, older_day in product(days, older_days):
            if day.within(older_day):
                return False
        return True

    def _has_another_quantity(self, older: Statement) -> bool:
        for number in self.numbers:
            older_numbers = [other for other in older.numbers if number.may_replace(other)]
            is_stated_there = any(number.value.equals(other.value) for other in older_numbers)
            if not older_numbers or is_stated_there:
                continue
            has_their_unit = any(map(number.has_unit_of, older_numbers))
            if has_their_unit or self._reads_like(older):
                return True
        return False

    def _has_another_name(self, older: Statement) -> bool:
        names = _names(self.facts)
        older_names = _names(older.facts)
        if names <= older_names or older_names <= names:
            return False
        return self._reads_like(older)

    def _reads_like(self, older: Statement) -> bool:
        """Reports whether both have enough words in common, apart from names."""
        words = self.facts.stems - _names(self.facts)
        older_words = older.facts.stems - _names(older.facts)
        common_words = words & older_words
        if not common_words:
            return False
        all_words = words | older_words
        min_common = ALIKE * len(all_words)
        return len(common_words) >= min_common


def statements_of(text: str, lang: str) -> Iterator[Statement]:
    """Yields what the sentences of a text state."""
    for facts in facts_of(text, lang):
        raw_names = {word.raw for word in facts.words if word.is_name}
        numbers: list[_Number] = []
        for number in facts.numbers:
            if not number.counts:
                continue
            word = _word_before(text, number)
            numbers.append(
                _Number(
                    value=number,
                    unit=_unit(text, number, lang),
                    name=word if word in raw_names else "",
                )
            )
        yield Statement(facts, tuple(numbers))


def _word_before(text: str, number: Quantity) -> str:
    """Returns the word directly before a number; empty if there is none."""
    first = max(0, number.start - REACH)
    word = _WORD_BEFORE.search(text, first, number.start)
    if word is None:
        return ""
    return word[1]


def _unit(text: str, number: Quantity, lang: str) -> str:
    """Returns the sign before a number, or the sign or stem behind it; empty if the number has no unit."""
    if number.clock:
        return "o'clock"
    first = max(0, number.start - REACH)
    sign_before = _UNIT_BEFORE.search(text, first, number.start)
    if sign_before is not None:
        return sign_before[1]
    unit_behind = _UNIT_BEHIND.match(text, number.end)
    if unit_behind is None:
        return ""
    sign_or_word = unit_behind[1]
    if not sign_or_word.isalpha():
        return sign_or_word
    return next(iter(stems(sign_or_word, lang)), "")


def _names(facts: Facts) -> frozenset[str]:
    """Returns the stems of the names in a sentence."""
    names: set[str] = set()
    for word in facts.words:
        if word.is_name:
            names.update(word.stems)
    return frozenset(names)
