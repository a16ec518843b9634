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

_NUMBER = re.compile(r"(?<![\w.,])(?:(?<![^\s(])[-−])?(\d+(?:[.,'’\u202f]\d+)*)(?![.,]?\d)(?:\s?([^\W\d_]+))?")
_CLOCK = re.compile(
    r"(?<![\w:.])(\d{1,2}):(\d{2})(?::\d{2})?(?:\s?([ap])\.?m\b)?|(?<![\w:.])(\d{1,2})\s?([ap])\.?m\b", re.IGNORECASE
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
    """Whether it is a time of day."""
    counts: bool = True
    """Whether it was meant as a number; `one` often is not."""

    def equals(self, other: Quantity) -> bool:
        return self.clock == other.clock and not self.readings.isdisjoint(other.readings)


def quantities(text: str, lang: str) -> tuple[tuple[Quantity, ...], tuple[Day, ...]]:
    """Every number and every date of the text, in no order; a date's numbers are not numbers of their own.

    Digits inside names and versions (`v1.4.2`, `ERR_42`) are none. `lang`: whose number words count.
    """
    if not any(map(str.isdigit, text)):
        return tuple(_spelled(text, lang)), ()
    days, clocks, numbers = tuple(days_in(text)), list[Quantity](), list[Quantity]()
    rest = _blanked(text, days)
    for found in _CLOCK.finditer(rest):
        hour, minute = int(found[1] or found[4]), int(found[2] or 0)
        half = (found[3] or found[5] or "").lower()
        if hour <= 24 and minute < 60:
            hour = hour % 12 + (12 if half == "p" else 0) if half else hour
            clocks.append(Quantity(frozenset({hour * 60.0 + minute}), found.start(), found.end(), clock=True))
    rest = _blanked(rest, clocks)
    for found in _NUMBER.finditer(rest):
        scale = _scales().get((found[2] or "").lower())
        if readings := _readings(found[1]):
            values = frozenset([value * (scale or 1.0) for value in readings])
            numbers.append(Quantity(values, found.start(1), found.end(2 if scale else 1)))
    return (*clocks, *numbers, *_spelled(rest, lang)), days


def _blanked(text: str, found: Sequence[Day | Quantity]) -> str:
    for each in found:
        text = f"{text[: each.start]}{' ' * (each.end - each.start)}{text[each.end :]}"
    return text


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
        # Begins with the word itself: what stands before is cheaper to look at where one was found.
        for found in re.finditer(rf"{re.escape(word)}(?![\w-])", lowered):
            start, end = found.span()
            if start == 0 or not (lowered[start - 1].isalnum() or lowered[start - 1] == "-"):
                yield Quantity(frozenset({words[word]}), start, end, counts=words[word] > 1)


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
