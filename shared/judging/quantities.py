"""Numbers with their units, times of day and dates in a text, as values that compare.

`0.4 s` and `400 ms` are equal, `400 ms` and `400 s` are not; `4 million` is `4,000,000`; `three` is `3`; 3 May is
`3. Mai`. A number may read in more than one way (`1.840` is 1840 in German): it equals whatever one reading equals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from shared.language.vocabulary import vocabularies, vocabulary
from shared.times.dates import Day, days_in

_NUMBER = re.compile(
    r"(?<![\w.,])(?:(?<![^\s(])[-−])?(\d+(?:[.,'’\u202f]\d+)*)(?![.,]?\d)\s?([%‰€$£]|°\s?[CF]|[^\W\d_]+)?"
)
_CURRENCY_FIRST = re.compile(r"[$€£]\s?\Z")
_CLOCK = re.compile(
    r"(?<![\w:.])(\d{1,2}):(\d{2})(?::\d{2})?(?:\s?([ap])\.?m\b)?|(?<![\w:.])(\d{1,2})\s?([ap])\.?m\b", re.IGNORECASE
)
_SYMBOLS = {
    ("time", 0.001): "ms", ("time", 1.0): "s", ("time", 60.0): "min", ("time", 3600.0): "h",
    ("mass", 1e-6): "µg μg mcg", ("mass", 0.001): "mg", ("mass", 1.0): "g", ("mass", 1000.0): "kg",
    ("length", 0.001): "mm", ("length", 0.01): "cm", ("length", 1.0): "m", ("length", 1000.0): "km",
    ("volume", 0.001): "ml", ("volume", 1.0): "l",
    ("data", 0.001): "kb", ("data", 1.0): "mb", ("data", 1000.0): "gb", ("data", 1e6): "tb",
    ("share", 1.0): "%", ("share", 0.1): "‰", ("eur", 1.0): "€ eur", ("usd", 1.0): "$ usd", ("gbp", 1.0): "£ gbp",
    ("celsius", 1.0): "°c", ("fahrenheit", 1.0): "°f",
}  # fmt: skip
_MEASURES = {
    "millisecond": ("time", 0.001), "second": ("time", 1.0), "minute": ("time", 60.0), "hour": ("time", 3600.0),
    "gram": ("mass", 1.0), "kilogram": ("mass", 1000.0), "metre": ("length", 1.0), "kilometre": ("length", 1000.0),
    "litre": ("volume", 1.0), "percent": ("share", 1.0), "euro": ("eur", 1.0), "dollar": ("usd", 1.0),
    "pound": ("gbp", 1.0),
}  # fmt: skip
"""Of the vocabularies."""
_CALENDAR = {"day": ("time", 86_400.0), "week": ("time", 604_800.0), "month": ("month", 1.0), "year": ("month", 12.0)}
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_UNIT_AHEAD = re.compile(r"\s?([%‰€$£]|°\s?[CF]|[^\W\d_]+)")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number at `[start, end)` of its text. `readings`: its values in the base unit of `kind`; at least one."""

    readings: frozenset[float]
    kind: str
    """What is measured (`time`, `eur`, `clock`, …); empty: a bare number."""
    bare: frozenset[float]
    """The values as written, without a unit."""
    start: int
    end: int
    counts: bool = True
    """Whether it was meant as a number; `one` often is not."""

    def equals(self, other: Quantity) -> bool:
        """A known unit on both sides must agree; where one side has none, the numbers as written do."""
        if self.kind and other.kind:
            return self.kind == other.kind and not self.readings.isdisjoint(other.readings)
        return not self.bare.isdisjoint(other.bare)


def quantities(text: str, lang: str) -> tuple[tuple[Quantity, ...], tuple[Day, ...]]:
    """Every number and every date of the text, in no order; a date's numbers are not numbers of their own.

    Digits inside names and versions (`v1.4.2`, `ERR_42`) are none. `lang`: whose number words count.
    """
    digits = any(map(str.isdigit, text))
    days = tuple(days_in(text)) if digits else ()
    rest = _blanked(text, days)
    clocks = tuple(_clocks(rest)) if digits else ()
    rest = _blanked(rest, clocks)
    numbers = tuple(_numbers(rest)) if digits else ()
    return (*clocks, *numbers, *_spelled(rest, lang)), days


def _blanked(text: str, found: tuple[Day, ...] | tuple[Quantity, ...]) -> str:
    for each in found:
        text = f"{text[: each.start]}{' ' * (each.end - each.start)}{text[each.end :]}"
    return text


def _clocks(text: str) -> Iterator[Quantity]:
    for found in _CLOCK.finditer(text):
        hour, minute = int(found[1] or found[4]), int(found[2] or 0)
        half = (found[3] or found[5] or "").lower()
        if hour <= 24 and minute < 60:
            hour = hour % 12 + (12 if half == "p" else 0) if half else hour
            value = frozenset({hour * 60.0 + minute})
            yield Quantity(readings=value, kind="clock", bare=value, start=found.start(), end=found.end())


def _numbers(text: str) -> Iterator[Quantity]:
    for found in _NUMBER.finditer(text):
        word = (found[2] or "").lower().replace(" ", "")
        attached = bool(found[2]) and found.end(1) == found.start(2)
        if attached and word not in _units() and word not in _scales():
            continue  # part of a name: `2nd`, `5x`
        bare = _readings(found[1])
        end = found.end(1)
        if word in _scales():
            bare = frozenset(value * _scales()[word] for value in bare)
            end = found.end(2)
            following = _UNIT_AHEAD.match(text, end)
            word = following[1].lower() if following else ""
        if bare:
            yield _measured(bare, word, text, found.start(1), end)


def _measured(bare: frozenset[float], word: str, text: str, start: int, end: int) -> Quantity:
    before = _CURRENCY_FIRST.search(text, max(0, start - 2), start)
    kind, factor = _units().get(before[0].strip() if before else word, ("", 1.0))
    unit = _UNIT_AHEAD.match(text, end) if kind and not before else None
    return Quantity(
        readings=frozenset(round(value * factor, 9) for value in bare),
        kind=kind,
        bare=bare,
        start=start,
        end=unit.end() if unit else end,
    )


def _readings(digits: str) -> frozenset[float]:
    """`1,840` -> 1840 and 1.84; `7.5` -> 7.5; more than one kind of sign, or groups of three: thousands."""
    signs = re.sub(r"\d", "", digits)
    groups = re.split(r"[.,'’\u202f]", digits)
    if not signs:
        return frozenset({float(digits)})
    thousands = all(len(group) == 3 for group in groups[1:])
    if len(signs) == 1:
        decimal = {float(".".join(groups))} if signs in ".," else set()
        return frozenset(decimal | ({float("".join(groups))} if thousands and len(groups[0]) <= 3 else set()))
    if len(set(signs)) == 1:
        return frozenset({float("".join(groups))}) if thousands else frozenset()
    return frozenset({float("".join(groups[:-1]) + "." + groups[-1])})


def _spelled(text: str, lang: str) -> Iterator[Quantity]:
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter that lower case makes two of: offsets would not be the text's
        return
    words = _spellings(lang)
    for word in sorted(words.keys() & set(_WORD.findall(lowered))):
        for found in _spelling(word).finditer(lowered):
            start, end = found.span()
            if start == 0 or not (lowered[start - 1].isalnum() or lowered[start - 1] == "-"):
                yield _counted(words[word], lowered, start, end)


def _counted(value: float, lowered: str, start: int, end: int) -> Quantity:
    following = _UNIT_AHEAD.match(lowered, end)
    kind, factor = _units().get(following[1] if following else "", ("", 1.0))
    stop = following.end() if following and kind else end
    return Quantity(
        readings=frozenset({value * factor}),
        kind=kind,
        bare=frozenset({value}),
        start=start,
        end=stop,
        counts=value > 1 or bool(kind),
    )


@cache
def _spelling(word: str) -> re.Pattern[str]:
    """Begins with the word itself: what stands before is cheaper to look at where one was found."""
    return re.compile(rf"{re.escape(word)}(?![\w-])")


@cache
def _spellings(lang: str) -> dict[str, float]:
    times = vocabulary(lang).times
    if times is None:
        return {}
    ones = {forms.partition("|")[0]: float(value) for value, forms in enumerate(times.numbers, 1)}
    tens = {word: 10.0 * value for value, word in enumerate(times.tens, 2)}
    join = times.tens_join
    both = {f"{ten}{join}{one}": tens[ten] + ones[one] for ten in tens for one in list(ones)[:9]} if join else {}
    return {**ones, **tens, **both}


@cache
def _scales() -> dict[str, float]:
    return {word: value for each in vocabularies() if each.facts for word, value in each.facts.scales.items()}


@cache
def _units() -> dict[str, tuple[str, float]]:
    """Every symbol and every word of any language -> what it measures, and how much of it."""
    found = {name: measure for measure, names in _SYMBOLS.items() for name in names.split()}
    for known in vocabularies():
        if known.facts and known.times:
            words = {measure: names.split() for measure, names in known.facts.measures.items()}
            forms = {unit: known.times.units[unit].split("|") for unit in _CALENDAR}
            found.update({name: _MEASURES[measure] for measure, names in words.items() for name in names})
            found.update({name: _CALENDAR[unit] for unit, names in forms.items() for name in names})
    return found
