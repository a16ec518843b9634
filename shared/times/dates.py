"""Dates as people write them: what a text says, and how one is said so that a question that names it finds the note."""

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

_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<number>\d{2})(?:-(?P<day>\d{2}))?\b")
_SLASHES = re.compile(r"\b(?P<year>\d{4})/(?P<number>\d{1,2})/(?P<day>\d{1,2})\b")
_DOTS = re.compile(r"\b(?P<day>\d{1,2})\.(?P<number>\d{1,2})\.(?P<year>\d{4})?(?!\d)")


@dataclass(frozen=True, slots=True)
class Day:
    """A date at `[start, end)` of its text. Year and day are None where they are not said."""

    year: int | None
    month: int
    day: int | None
    start: int
    end: int

    def within(self, other: Day) -> bool:
        """Whether `other` says everything that this one does; a year it leaves open is no contradiction."""
        same_year = self.year is None or other.year is None or self.year == other.year
        return same_year and self.month == other.month and self.day in (None, other.day)


def days_in(text: str) -> Iterator[Day]:
    """Every date written with digits, months in words of any language, unordered: for texts of two languages."""
    taken: list[tuple[int, int]] = []  # in order and apart
    for pattern in _patterns():
        for found in pattern.finditer(text):
            parts = found.groupdict()
            month = int(parts["number"]) if parts.get("number") else _months()[parts["month"].lower()]
            day, year = parts.get("day"), parts.get("year") or parts.get("only")
            place = bisect_left(taken, found.span())
            overlaps = (place and taken[place - 1][1] > found.start()) or (
                place < len(taken) and taken[place][0] < found.end()
            )
            if not overlaps and 1 <= month <= 12 and (day is None or 1 <= int(day) <= 31):
                taken.insert(place, found.span())
                said = {"year": int(year) if year else None, "day": int(day) if day else None}
                yield Day(month=month, start=found.start(), end=found.end(), **said)


def day_in(text: str) -> date | None:
    """The one whole date that a text names; None if it names none, or several."""
    found = {(day.year, day.month, day.day) for day in days_in(text)}
    year, month, day = found.pop() if len(found) == 1 else (None, 0, None)
    try:
        return date(year, month, day) if year and day else None
    except ValueError:
        return None


def date_in_words(when: datetime) -> str:
    """`8 May 2023`: the day in `when`'s own zone, in English, whatever the locale."""
    times = vocabulary("en").times
    assert times is not None  # noqa: S101 - English has words for times
    name = times.months[when.month - 1].partition("|")[0]
    return f"{when.day} {name.capitalize()} {when.year}"


def _times() -> tuple[Times, ...]:
    return tuple(each.times for each in vocabularies() if each.times)


@cache
def _months() -> dict[str, int]:
    """Each form of a month in any language, lower case -> its number."""
    found: dict[str, int] = {}
    for times in _times():
        found.update({form: number for number, forms in enumerate(times.months, 1) for form in forms.split("|")})
        found.update(times.short_months)
    return found


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    forms = sorted(_months(), key=len, reverse=True)
    month = rf"(?P<month>{'|'.join(forms)})\b\.?"
    first = "".join(sorted({form[0] for form in forms}))  # spares most words the whole comparison
    endings = "|".join(times.day_endings for times in _times() if times.day_endings)
    links = "|".join(times.date_links for times in _times() if times.date_links)
    link, year = rf"(?:(?:{links})\s+)?", r"(?P<year>\d{4})"
    after = rf"\b(?P<day>\d{{1,2}})(?:\.|{endings})?\s+{link}{month}(?:,?\s+{link}{year})?"
    before = (
        rf"\b(?=[{first}]){month}\s+(?:(?P<day>\d{{1,2}})(?:{endings})?(?![\w%€]|[.,:]\d)(?:,?\s+{year})?"
        rf"|{link}(?P<only>\d{{4}})\b)"
    )
    return (_ISO, _SLASHES, _DOTS, re.compile(after, re.IGNORECASE), re.compile(before, re.IGNORECASE))


FIRST_YEAR = 1900
LAST_YEAR = 2199
"""Far enough for any note, and no arithmetic on it leaves the calendar."""

INSTANT = "an RFC 3339 time with its offset, like 2026-11-21T10:30:00Z, from 1900 to 2199"
DAY_OR_INSTANT = "a date like 2026-11-21, or an RFC 3339 time like 2026-11-21T10:30:00Z, from 1900 to 2199"
ZONE = "an IANA time zone, like Europe/Berlin"

_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_OF_THIS_MACHINE = re.compile(r"localtime|posixrules|(?:posix|right)/.*")
"""Files beside the database's own zones."""
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}", re.ASCII)


def parse_instant(text: str) -> datetime:
    """RFC 3339 -> an aware datetime. Raises ValueError saying what was expected."""
    if _INSTANT.fullmatch(text):
        with suppress(ValueError):
            when = datetime.fromisoformat(text.upper())
            if is_within_years(when):
                return when
    raise ValueError(INSTANT)


def parse_day_or_instant(text: str, zone: str) -> datetime:
    """RFC 3339 or a bare date -> an aware datetime; a date is the start of that day in `zone`, a valid IANA name.

    Raises ValueError saying what was expected.
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
    """The name itself. Raises ValueError for one that is not in the time zone database."""
    if not _ZONE.fullmatch(text) or _OF_THIS_MACHINE.fullmatch(text):
        raise ValueError(ZONE)
    try:
        return ZoneInfo(text).key
    except (KeyError, ValueError, OSError):  # unknown; not a zone file; a folder of the database
        raise ValueError(ZONE) from None


def is_within_years(when: datetime) -> bool:
    """Whether it lies between the first and the last year, also in UTC: stores and clients get it in UTC."""
    return FIRST_YEAR <= when.year <= LAST_YEAR and FIRST_YEAR <= when.astimezone(UTC).year <= LAST_YEAR
