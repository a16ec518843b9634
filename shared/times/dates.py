"""Dates in texts, dates in words, and the times that callers write."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import cache
from zoneinfo import ZoneInfo

from shared.language.vocabulary import Times, vocabularies, vocabulary
from shared.times.patterns import forms_of, ignore_case

# A pattern that opens with a digit is found several times as fast as one that opens with `\b`; the look behind says
# the same.
_ISO = re.compile(r"(?P<year>\d(?<!\w\d)\d{3})-(?P<number>\d{2})(?:-(?P<day>\d{2}))?\b")
_SLASHES = re.compile(r"(?P<year>\d(?<!\w\d)\d{3})/(?P<number>\d{1,2})/(?P<day>\d{1,2})\b")
_DOTS = re.compile(r"(?P<day>\d(?<!\w\d)\d?)\.(?P<number>\d{1,2})\.(?P<year>\d{4})?(?!\d)")
_JOINED_DIGITS = re.compile(r"\d[-/.]\d")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Day:
    """A date at `[start, end)` of its text. Year and day are None if the text does not name them."""

    year: int | None
    month: int
    day: int | None
    start: int
    end: int

    def within(self, other: Day) -> bool:
        """Reports whether `other` says all that this one does; a year it leaves open is no contradiction."""
        if self.month != other.month:
            return False
        if self.day is not None and self.day != other.day:
            return False
        if self.year is None or other.year is None:
            return True
        return self.year == other.year


def days_in(text: str) -> Iterator[Day]:
    """Yields every date written in digits or with a month's name in any language, unordered.

    For texts of two languages, such as a question and a note. Dates do not overlap.
    """
    occupied: list[tuple[int, int]] = []  # sorted, without overlaps
    for pattern in _patterns_of(text):
        for match in pattern.finditer(text):
            day = _day_of(match)
            if day is None:
                continue

            span = (day.start, day.end)
            index = bisect_left(occupied, span)
            if index > 0:
                _, previous_end = occupied[index - 1]
                if previous_end > day.start:
                    continue
            if index < len(occupied):
                next_start, _ = occupied[index]
                if next_start < day.end:
                    continue

            occupied.insert(index, span)
            yield day


def _day_of(match: re.Match[str]) -> Day | None:
    """Reads the groups of one of `_patterns_of`; None for a month or day that does not exist."""
    groups = match.groupdict()
    number = groups.get("number")
    if number is not None:
        month = int(number)
    else:
        name = groups["month"].lower()
        month = _months()[name]
    if not 1 <= month <= 12:
        return None

    day = _number(groups.get("day"))
    if day is not None and not 1 <= day <= 31:
        return None

    year_digits = groups.get("year") or groups.get("only")
    year = _number(year_digits)
    return Day(
        year=year,
        month=month,
        day=day,
        start=match.start(),
        end=match.end(),
    )


def _number(digits: str | None) -> int | None:
    """Reads the digits of a group; None for a group that matched nothing."""
    if digits is None:
        return None
    return int(digits)


def day_in(text: str) -> date | None:
    """Returns the one whole date that a text names; None if it names none, or several."""
    dates = {(day.year, day.month, day.day) for day in days_in(text)}
    if len(dates) != 1:
        return None
    year, month, day = dates.pop()
    if not year or not day:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def months_in(text: str) -> Iterator[int]:
    """Yields the numbers of the months whose names in any language are words of a text, which is a time."""
    for word in _WORD.findall(text.lower()):
        number = _months().get(word)
        if number is not None:
            yield number


def date_in_words(moment: datetime, lang: str = "en") -> str:
    """Writes the day of a moment in its own zone as `8 May 2023`, in English where `lang` has no words for times."""
    times = vocabulary(lang).times or vocabulary("en").times
    assert times is not None  # noqa: S101 - English has words for times
    month, *_ = forms_of(times.months[moment.month - 1])
    return times.date.format(
        day=moment.day,
        month=month,
        Month=month.capitalize(),
        year=moment.year,
    )


@cache
def _months() -> dict[str, int]:
    """Maps each form of a month in any language, in lower case, to its number."""
    numbers: dict[str, int] = {}
    for times in _times():
        for number, month in enumerate(times.months, 1):
            forms = forms_of(month)
            numbers |= dict.fromkeys(forms, number)
        numbers |= times.short_months
    return numbers


def _times() -> tuple[Times, ...]:
    """Returns the words for times of every language that has some."""
    words_for_times = []
    for language in vocabularies():
        if language.times:
            words_for_times.append(language.times)
    return tuple(words_for_times)


def _patterns_of(text: str) -> list[re.Pattern[str]]:
    """Returns the patterns that may find a date in `text`: most texts have no month's name, and looking for it is slow."""
    patterns: list[re.Pattern[str]] = []
    if _JOINED_DIGITS.search(text):
        patterns += (_ISO, _SLASHES, _DOTS)

    words = _WORD.findall(text.lower())
    month_names = _months().keys()
    if not month_names.isdisjoint(words):
        patterns += _patterns_with_month()
    return patterns


@cache
def _patterns_with_month() -> tuple[re.Pattern[str], ...]:
    """Compiles the ways in which a date has a month's name."""
    endings_of_languages = []
    links_of_languages = []
    for times in _times():
        if times.day_endings:
            endings_of_languages.append(times.day_endings)
        if times.date_links:
            links_of_languages.append(times.date_links)
    endings = "|".join(endings_of_languages)
    links = "|".join(links_of_languages)
    link = rf"(?:(?:{links})\s+)?"

    forms = sorted(_months(), key=len, reverse=True)
    any_form = "|".join(forms)
    month = rf"(?P<month>{any_form})\b\.?"
    year = r"(?P<year>\d{4})"
    day = rf"(?P<day>\d(?<!\w\d)\d?)(?:\.|{endings})?"
    day_first = rf"{day}\s+{link}{month}(?:,?\s+{link}{year})?"

    # Looking at a word's first letter spares most words the comparison with every month.
    first_letters = {form[0] for form in forms}
    any_letter = "".join(sorted(first_letters))
    can_be_month = f"(?=[{any_letter}])"
    number_of_day = rf"(?P<day>\d{{1,2}})(?:{endings})?(?![\w%€]|[.,:]\d)"
    day_behind = rf"{number_of_day}(?:,?\s+{year})?"
    year_behind = rf"{link}(?P<only>\d{{4}})\b"
    month_first = rf"\b{can_be_month}{month}\s+(?:{day_behind}|{year_behind})"

    return (
        ignore_case(day_first),
        ignore_case(month_first),
    )


FIRST_YEAR = 1900
LAST_YEAR = 2199
"""The last year of a note. No arithmetic on these years leaves the calendar."""

INSTANT = "an RFC 3339 time with its offset, like 2026-11-21T10:30:00Z, from 1900 to 2199"
DAY_OR_INSTANT = (
    "a date like 2026-11-21, or an RFC 3339 time like 2026-11-21T10:30:00Z, from 1900 to 2199"
)
ZONE = "an IANA time zone, like Europe/Berlin"

_INSTANT = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)",
    re.ASCII,
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_OF_THIS_MACHINE = re.compile(r"localtime|posixrules|(?:posix|right)/.*")
"""Files in the time zone database that are not zones of their own."""
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}", re.ASCII)


def parse_instant(text: str) -> datetime:
    """Parses RFC 3339 into an aware datetime. Raises ValueError that says what was expected."""
    if _INSTANT.fullmatch(text):
        with suppress(ValueError):
            moment = datetime.fromisoformat(text.upper())
            if is_within_years(moment):
                return moment
    raise ValueError(INSTANT)


def parse_day_or_instant(text: str, zone: str) -> datetime:
    """Parses RFC 3339 or a bare date, which is the start of that day in `zone`, a valid IANA name.

    Raises ValueError that says what was expected.
    """
    try:
        if not _DAY.fullmatch(text):
            return parse_instant(text)
        day = date.fromisoformat(text)
    except ValueError:
        raise ValueError(DAY_OR_INSTANT) from None
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise ValueError(DAY_OR_INSTANT)
    return datetime.combine(day, time(), tzinfo=ZoneInfo(zone))


def parse_zone(text: str) -> str:
    """Returns the name itself. Raises ValueError for one that is not in the time zone database."""
    if not _ZONE.fullmatch(text) or _OF_THIS_MACHINE.fullmatch(text):
        raise ValueError(ZONE)
    try:
        return ZoneInfo(text).key
    except (KeyError, ValueError, OSError):  # unknown; not a zone file; a folder of the database
        raise ValueError(ZONE) from None


def is_within_years(moment: datetime) -> bool:
    """Reports whether a moment lies between the first and the last year, also in UTC, in which clients get it."""
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        return False
    moment_in_utc = moment.astimezone(UTC)
    return FIRST_YEAR <= moment_in_utc.year <= LAST_YEAR
