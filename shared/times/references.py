"""Text and range -> whether the text refers to a day or a month of that range: a note of today may tell what was in May."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from itertools import chain
from typing import Self

from shared.language.vocabulary import vocabularies
from shared.model.questions import TimeRange
from shared.times.dates import Day, days_in, months_in
from shared.times.patterns import alternatives, fill, forms_of, ignore_case

_CAPITALISED_WORD = re.compile(r"[^\W\d_a-z][^\W\d_]{2,}")
"""A word that may be a month: without a day it must have a capital, since `may` and `march` are verbs, too."""
_WITHIN_SENTENCE = re.compile(r"[\w,] ")
"""Text before a word inside a sentence. At the start of a sentence such a verb has a capital, too."""
_SHORTEST_ABBREVIATION = 4
"""Fewest letters of an abbreviation that counts: `Sept`, but not `Jan`, which is a given name, too."""
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ONE_DAY = timedelta(days=1)
_RANGE_REACH = 24
"""Characters before a day in which the first day of its range is looked for."""


def refers_to(text: str, time_range: TimeRange, written: datetime) -> bool:
    """Reports whether a text names a day or a month that lies wholly in a range. Of `23-27 March` both days count.

    A month alone counts behind a year: with a capital, or behind a preposition in languages that write it without.

    written: time at which the text was written. A day without a year is in the last year named before it, otherwise in
    the year of `written`.
    """
    return any(_lies_in(start, end, time_range) for start, end in _times_in(text, written.year))


def names_time_in(text: str, time_range: TimeRange, written: datetime) -> bool:
    """Reports whether a text names a day, a month or a year that lies wholly in a range.

    Unlike in `refers_to`, a year alone counts.
    """
    if refers_to(text, time_range, written):
        return True
    for match in _YEAR.finditer(text):
        year = int(match[0])
        if _lies_in(date(year, 1, 1), date(year + 1, 1, 1), time_range):
            return True
    return False


def names_month_of(text: str, phrase: str) -> bool:
    """Reports whether a text names a day of the month, or the day, that a phrase names without a year."""
    if _YEAR.search(phrase):
        return False
    months = set(months_in(phrase))
    asked_days = {day.day for day in days_in(phrase) if day.day is not None}
    for day in days_in(text):
        is_of_day = not asked_days or day.day in asked_days
        if day.month in months and is_of_day:
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Years:
    """Years that a text names, in order."""

    offsets: Sequence[int]
    years: Sequence[int]

    @classmethod
    def of(cls, text: str) -> Self:
        """Finds the years in a text."""
        matches = list(_YEAR.finditer(text))
        offsets = [match.start() for match in matches]
        years = [int(match[0]) for match in matches]
        return cls(offsets, years)

    def before(self, offset: int) -> int | None:
        """Returns the last year that the text names before an offset; None if it names none there."""
        count = bisect_left(self.offsets, offset)
        if count == 0:
            return None
        return self.years[count - 1]


def _times_in(text: str, written_year: int) -> Iterator[tuple[date, date]]:
    """Yields the days and months that a text names, each as its first day and the day behind its last."""
    years = _Years.of(text)
    dates = list(days_in(text))
    for day in dates:
        year = day.year or years.before(day.start) or written_year
        with suppress(ValueError, OverflowError):  # no such day, or none behind it: `31.12.9999`
            if day.day is None:
                yield _month(year, day.month)
                continue
            for number in (day.day, *_other_ends(text, day)):
                start = date(year, day.month, number)
                yield start, start + _ONE_DAY
    yield from _months_alone(text, years, dates)


def _other_ends(text: str, day: Day) -> Iterator[int]:
    """Yields the day at the other end of a range in one month: 23 for the 27th of `23-27 March`, 27 for the 23rd of
    `March 23-27`.
    """
    if day.day is None:
        return
    first_days, last_days = _ends_of_ranges()
    first = first_days.search(text, max(0, day.start - _RANGE_REACH), day.start)
    if first is not None and int(first["day"]) < day.day:
        yield int(first["day"])
    is_month_first = not text[day.start].isdigit()
    last = last_days.match(text, day.end)
    if last is not None and is_month_first and int(last["day"]) > day.day:
        yield int(last["day"])


@cache
def _ends_of_ranges() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compiles what stands before the last day of a range in any language, and what behind the first: only a dash, since
    what follows words may be another number (`March 3 and 5 guests`).
    """
    joiners_of_languages: list[str] = []
    endings_of_languages = [r"\."]
    for language in vocabularies():
        times = language.times
        if times is None:
            continue
        joiners_of_languages.append(times.joiners)
        if times.day_endings:
            endings_of_languages.append(times.day_endings)
    joiners = "|".join(joiners_of_languages)
    number = rf"(?P<day>\d{{1,2}})(?:{'|'.join(endings_of_languages)})?"
    return (
        ignore_case(rf"(?<![\w.,:/-]){number}\s*(?:{joiners})\s*\Z"),
        ignore_case(rf"\s*[-–]\s*{number}(?![\w:.,/-]*\d)"),
    )


def _months_alone(text: str, years: _Years, dates: Iterable[Day]) -> Iterator[tuple[date, date]]:
    """Yields the months that a text names behind a year, outside its dates: `low in March 2026, better in September`.

    A month with no year before it may be one to come.
    """
    dated_offsets: set[int] = set()
    for day in dates:
        dated_offsets.update(range(day.start, day.end))

    months_alone = chain(_months_with_capital(text), _months_in_small_letters(text))
    for offset, number in months_alone:
        year = years.before(offset)
        if year is not None and offset not in dated_offsets:
            yield _month(year, number)


def _months_with_capital(text: str) -> Iterator[tuple[int, int]]:
    """Yields where a text names a month with a capital, in a language that writes it so, and the month's number."""
    months = _capitalised_months()
    for match in _CAPITALISED_WORD.finditer(text):
        word = match[0].lower()
        number = months.numbers.get(word)
        if number is None:
            continue
        if word in months.verbs and not _WITHIN_SENTENCE.match(text, max(0, match.start() - 2)):
            continue
        yield match.start(), number


def _months_in_small_letters(text: str) -> Iterator[tuple[int, int]]:
    """Yields where a text names a month in small letters behind a preposition of its language, and the month's number."""
    for pattern, numbers in _months_behind_prepositions():
        for match in pattern.finditer(text):
            yield match.start("month"), numbers[match["month"]]


def _month(year: int, number: int) -> tuple[date, date]:
    """Returns the first day of a month, and that of the next.

    Raises ValueError for a year that does not exist, OverflowError for the last month of all.
    """
    start = date(year, number, 1)
    in_next_month = start + timedelta(days=31)
    return start, in_next_month.replace(day=1)


def _lies_in(start: date, end: date, time_range: TimeRange) -> bool:
    """Reports whether the days from `start` up to `end` lie in a range, in the time zone of its bounds."""
    if time_range.start is not None:
        zone = time_range.start.tzinfo
        if datetime.combine(start, time(), zone) < time_range.start:
            return False
    if time_range.end is not None:
        zone = time_range.end.tzinfo
        if datetime.combine(end, time(), zone) > time_range.end:
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Months:
    """Names of months, in lower case."""

    numbers: Mapping[str, int]
    verbs: frozenset[str]
    """Names that are verbs, too."""


@cache
def _capitalised_months() -> _Months:
    """Returns the names of months in all languages that write them with a capital.

    In the others a capital makes a name of one: `Mars` is a planet, `en mars` a month.
    """
    numbers: dict[str, int] = {}
    verbs: set[str] = set()
    for language in vocabularies():
        times = language.times
        if times is None or times.names_are_lower_case:
            continue
        verbs.update(times.verbs_as_months.split())
        for number, month in enumerate(times.months, 1):
            name, *others = forms_of(month)
            numbers[name] = number
            long_forms = [form for form in others if len(form) >= _SHORTEST_ABBREVIATION]
            numbers |= dict.fromkeys(long_forms, number)
    return _Months(numbers, frozenset(verbs))


@cache
def _months_behind_prepositions() -> tuple[tuple[re.Pattern[str], Mapping[str, int]], ...]:
    """Returns a pattern, and the numbers of its months, for each language that writes months in small letters.

    The preposition tells them from words of other languages: `en mayo` is a month, `with mayo` a sauce.
    """
    patterns: list[tuple[re.Pattern[str], Mapping[str, int]]] = []
    for language in vocabularies():
        times = language.times
        if times is None or not times.names_are_lower_case:
            continue
        numbers: dict[str, int] = {}
        for number, month in enumerate(times.months, 1):
            numbers |= dict.fromkeys(forms_of(month), number)
        prepositions = fill(times.prepositions, {})
        blank = r"(?:\s|(?<=['’]))"
        pattern = rf"\b(?:{prepositions}){blank}(?P<month>{alternatives(numbers)})\b"
        patterns.append((re.compile(pattern), numbers))
    return tuple(patterns)
