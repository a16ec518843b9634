"""Numbers, times of day and dates in a text, as values that compare.

`4 million` is `4,000,000`, `three` is `3`, 3 May is `3. Mai`. A number may read in more than one way (`1.840` is 1840
in German): it equals whatever one reading equals. Units are words like others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from shared.language.vocabulary import vocabularies, vocabulary
from shared.times.dates import Day, days_in

_NUMBER = re.compile(
    r"(?<![\w.,])(?:(?<![^\s(])[-−])?(?P<digits>\d+(?:[.,'’\u202f]\d+)*)(?![.,]?\d)"
    r"(?:\s?(?P<word>[^\W\d_]+))?",
)
_CLOCK = re.compile(
    r"(?<![\w:.])(\d{1,2}):(\d{2})(?::\d{2})?(?:\s?([ap])\.?m\b)?|(?<![\w:.])(\d{1,2})\s?([ap])\.?m\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number at `[start, end)` of its text."""

    readings: frozenset[float]
    """Values, at least one; of a time of day minutes since midnight."""
    start: int
    end: int
    clock: bool = False
    """True if it is a time of day."""
    counts: bool = True
    """False if it may not have been meant as a number, like `one`."""

    def equals(self, other: Quantity) -> bool:
        """Reports whether both have a reading in common."""
        return self.clock == other.clock and not self.readings.isdisjoint(other.readings)


def quantities(text: str, lang: str) -> tuple[tuple[Quantity, ...], tuple[Day, ...]]:
    """Finds every number and every date of a text, in no order; a date's numbers are not numbers of their own.

    Digits inside names and versions (`v1.4.2`, `ERR_42`) are none. `lang` is the language whose number words count.
    """
    if not any(map(str.isdigit, text)):
        return tuple(_spelled_numbers(text, lang)), ()
    days = tuple(days_in(text))
    rest = _blanked(text, days)
    clocks = tuple(_clocks(rest))
    rest = _blanked(rest, clocks)
    return (*clocks, *_numbers(rest), *_spelled_numbers(rest, lang)), days


def _clocks(text: str) -> Iterator[Quantity]:
    """Yields times of day: `14:30`, `2.30 pm` as minutes since midnight."""
    for match in _CLOCK.finditer(text):
        hour = int(match[1] or match[4])
        minute = int(match[2] or 0)
        half_of_day = (match[3] or match[5] or "").lower()
        if hour > 24 or minute > 59:
            continue
        if half_of_day:
            hour %= 12
        if half_of_day == "p":
            hour += 12
        yield Quantity(frozenset({hour * 60.0 + minute}), match.start(), match.end(), clock=True)


def _numbers(text: str) -> Iterator[Quantity]:
    """Yields numbers in digits, multiplied by a word like `million` behind them."""
    for match in _NUMBER.finditer(text):
        readings = _readings(match["digits"])
        if not readings:
            continue
        scale = _scales().get((match["word"] or "").lower())
        if scale is None:
            yield Quantity(readings, match.start("digits"), match.end("digits"))
        else:
            scaled = frozenset([value * scale for value in readings])
            yield Quantity(scaled, match.start("digits"), match.end("word"))


def _blanked(text: str, places: Sequence[Day | Quantity]) -> str:
    """Replaces what was read by as many blanks."""
    for place in places:
        blanks = " " * (place.end - place.start)
        text = f"{text[: place.start]}{blanks}{text[place.end :]}"
    return text


def _readings(digits: str) -> frozenset[float]:
    """Returns the values that a number in digits may have; none if its groups make no number.

    `1,840` is 1840 and 1.84, `7.5` is 7.5. With more than one kind of sign, or several groups of three, the signs part
    thousands.
    """
    if digits.isdecimal():
        return frozenset({float(digits)})
    groups = re.split(r"[.,'’\u202f]", digits)
    signs = re.sub(r"\d", "", digits)
    parts_thousands = all(len(group) == 3 for group in groups[1:])
    if len(signs) == 1:
        readings = set()
        if signs in ".,":
            readings.add(float(".".join(groups)))
        if parts_thousands and len(groups[0]) <= 3:
            readings.add(float("".join(groups)))
        return frozenset(readings)
    if len(set(signs)) > 1:  # the last sign is the decimal one
        return frozenset({float("".join(groups[:-1]) + "." + groups[-1])})
    if parts_thousands:
        return frozenset({float("".join(groups))})
    return frozenset()


def _spelled_numbers(text: str, lang: str) -> Iterator[Quantity]:
    """Yields the numbers that the text spells in words."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter that lower case makes two of would shift the offsets
        return
    values = _spellings(lang)
    for word in sorted(values.keys() & set(_WORD.findall(lowered))):
        # The pattern begins with the word itself: what stands before is cheaper to look at where one was found.
        for match in re.finditer(rf"{re.escape(word)}(?![\w-])", lowered):
            letter_before = lowered[match.start() - 1 : match.start()]
            if letter_before.isalnum() or letter_before == "-":
                continue
            value = values[word]
            yield Quantity(frozenset({value}), match.start(), match.end(), counts=value > 1)


@cache
def _spellings(lang: str) -> dict[str, float]:
    """Maps number words to their values: one to twelve, tens, and compounds of both where tens come first."""
    times = vocabulary(lang).times
    if times is None:
        return {}
    ones = {forms.partition("|")[0]: float(value) for value, forms in enumerate(times.numbers, 1)}
    tens = {word: 10.0 * value for value, word in enumerate(times.tens, 2)}
    values = ones | tens
    if times.tens_join:
        for ten, ten_value in tens.items():
            for one, one_value in list(ones.items())[:9]:
                values[f"{ten}{times.tens_join}{one}"] = ten_value + one_value
    return values


@cache
def _scales() -> dict[str, float]:
    """Maps words for large numbers in every language to their values."""
    scales: dict[str, float] = {}
    for language in vocabularies():
        if language.facts is not None:
            scales |= language.facts.scales
    return scales
