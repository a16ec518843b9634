"""Numbers, times of day and dates in a text, as values that compare.

`4 million` equals `4,000,000`, `three` equals `3`, and `3 May` equals `3. Mai`. A number can have more than one reading
(`1.840` is 1840 in German); two numbers are equal if they have a reading in common. Units are treated as ordinary words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from shared.language.vocabulary import vocabularies, vocabulary
from shared.times.dates import Day, days_in

# A pattern that begins with a digit is searched several times as fast as one that begins with a lookbehind.
_NUMBER = re.compile(
    r"(?P<digits>\d(?<![\w.,]\d)\d*(?:[.,'’\u202f]\d+)*)(?![.,]?\d)(?:\s?(?P<word>[^\W\d_]+))?",
)
_CLOCK = re.compile(
    r"(?P<hour>\d(?<![\w:.]\d)\d?)"
    r"(?::(?P<minute>\d{2})(?::\d{2})?(?:\s?(?P<half>[ap])\.?m\b)?|\s?(?P<bare_half>[ap])\.?m\b)",
    re.IGNORECASE,
)
_SIGN = re.compile(r"[.,'’\u202f]")
"""Signs between the groups of a number."""
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number at `[start, end)` of its text."""

    readings: frozenset[float]
    """Possible values, at least one. The value of a time of day is in minutes since midnight."""
    start: int
    end: int
    clock: bool = False
    """True if it is a time of day."""
    counts: bool = True
    """False if it may not have been meant as a number, like `one`."""

    def equals(self, other: Quantity) -> bool:
        """Reports whether both have a reading in common."""
        if self.clock != other.clock:
            return False
        return not self.readings.isdisjoint(other.readings)


def quantities(text: str, lang: str) -> tuple[tuple[Quantity, ...], tuple[Day, ...]]:
    """Finds every number and every date of a text, in no particular order.

    The numbers in a date, and digits inside names and versions (`v1.4.2`, `ERR_42`), are not counted as numbers. `lang`
    is the language whose number words are read.
    """
    has_digit = any(map(str.isdigit, text))
    if not has_digit:
        spelled_numbers = tuple(_spelled_numbers(text, lang))
        return spelled_numbers, ()

    days = tuple(days_in(text))
    without_days = blanked(text, days)

    clocks = tuple(_clocks(without_days))
    rest = blanked(without_days, clocks)

    numbers = list(clocks)
    numbers += _numbers(rest)
    numbers += _spelled_numbers(rest, lang)
    return tuple(numbers), days


def _clocks(text: str) -> Iterator[Quantity]:
    """Yields times of day, such as `14:30` and `2:30 pm`, as minutes since midnight."""
    for match in _CLOCK.finditer(text):
        hour = int(match["hour"])
        minute = int(match["minute"] or 0)
        if hour > 24 or minute > 59:
            continue

        half_of_day = match["half"] or match["bare_half"]
        if half_of_day:
            hour %= 12
        if half_of_day in ("p", "P"):
            hour += 12
        minutes = 60.0 * hour + minute
        yield Quantity(
            readings=frozenset({minutes}),
            start=match.start(),
            end=match.end(),
            clock=True,
        )


def _numbers(text: str) -> Iterator[Quantity]:
    """Yields numbers in digits, multiplied by a following word such as `million`."""
    for match in _NUMBER.finditer(text):
        readings = _readings(match["digits"])
        if not readings:
            continue

        word_behind = match["word"] or ""
        scale = _scales().get(word_behind.lower())
        end = match.end("digits")
        if scale is not None:
            readings = frozenset([value * scale for value in readings])
            end = match.end("word")
        yield Quantity(readings, match.start("digits"), end)


def blanked(text: str, places: Iterable[Day | Quantity]) -> str:
    """Replaces dates and numbers by as many blanks."""
    for place in places:
        length = place.end - place.start
        blanks = " " * length
        text_before = text[: place.start]
        text_behind = text[place.end :]
        text = text_before + blanks + text_behind
    return text


def _readings(digits: str) -> frozenset[float]:
    """Returns the values that a number in digits may have; none if its groups do not form a number.

    `1,840` may be 1840 or 1.84, and `7.5` is 7.5. Where the same sign stands more than once, it separates thousands;
    where signs differ, the last one is the decimal sign.
    """
    if digits.isdecimal():
        return frozenset({float(digits)})

    groups = _SIGN.split(digits)
    signs = _SIGN.findall(digits)
    first_group, *further_groups = groups
    separates_thousands = all(len(group) == 3 for group in further_groups)
    whole = float("".join(groups))

    if len(signs) == 1:
        # A single sign can be the decimal sign or separate thousands.
        readings = set()
        if signs[0] in ".,":
            decimal = float(".".join(groups))
            readings.add(decimal)
        if separates_thousands and len(first_group) <= 3:
            readings.add(whole)
        return frozenset(readings)

    if len(set(signs)) > 1:
        thousands = "".join(groups[:-1])
        decimals = groups[-1]
        return frozenset({float(f"{thousands}.{decimals}")})

    if separates_thousands:
        return frozenset({whole})
    return frozenset()


def _spelled_numbers(text: str, lang: str) -> Iterator[Quantity]:
    """Yields the numbers that the text spells in words."""
    lowered = text.lower()
    has_same_offsets = len(lowered) == len(text)
    if not has_same_offsets:  # some letters become two in lower case
        return

    values = _spellings(lang)
    words = set(_WORD.findall(lowered))
    number_words = sorted(words & values.keys())
    for word in number_words:
        value = values[word]
        # The pattern begins with the word itself, which is fast; what stands before is checked only for its matches.
        whole_word = rf"{re.escape(word)}(?![\w-])"
        for match in re.finditer(whole_word, lowered):
            start = match.start()
            sign_before = lowered[start - 1 : start]
            is_inside_a_word = sign_before.isalnum() or sign_before == "-"
            if is_inside_a_word:
                continue
            yield Quantity(
                readings=frozenset({value}),
                start=start,
                end=match.end(),
                counts=value > 1,
            )


@cache
def _spellings(lang: str) -> dict[str, float]:
    """Maps number words to their values: one to twelve, the tens, and compounds such as `twenty-one`."""
    times = vocabulary(lang).times
    if times is None:
        return {}

    values = {}
    for number, forms in enumerate(times.numbers, 1):
        first_form, _, _ = forms.partition("|")
        values[first_form] = float(number)
    one_to_nine = list(values.items())[:9]

    for number, ten in enumerate(times.tens, 2):
        value_of_ten = 10.0 * number
        values[ten] = value_of_ten
        if not times.tens_join:
            continue
        for one, value in one_to_nine:
            compound = ten + times.tens_join + one
            values[compound] = value_of_ten + value
    return values


@cache
def _scales() -> dict[str, float]:
    """Maps words for large numbers in every language to their values."""
    scales: dict[str, float] = {}
    for language in vocabularies():
        if language.facts is not None:
            scales |= language.facts.scales
    return scales
