"""Calendar arithmetic in whole days: which days a unit of time covers, seen from one day.

Conventions (SPEC section 3): weeks start on Monday, seasons are meteorological and northern, spans are half-open.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

REACH = {"day": 1, "week": 7, "month": 31, "quarter": 92, "half": 184, "year": 366}
"""The most days a unit may have."""


class Unit(StrEnum):
    """A calendar unit."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    HALF = "half"
    YEAR = "year"


MONTHS = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.HALF: 6, Unit.YEAR: 12}
"""How many a longer unit has."""


@dataclass(frozen=True, slots=True)
class Span:
    """Days `[start, end)`; None is open. `reach`: how many days back from today it may go, None: from its dates."""

    start: date | None
    end: date | None
    reach: int | None = None


def day(of: date) -> Span:
    """That day alone."""
    return Span(of, of + timedelta(days=1))


def shifted_month(year: int, month: int, by: int) -> tuple[int, int]:
    """(year, month) moved by months."""
    index = year * 12 + month - 1 + by
    return index // 12, index % 12 + 1


def shifted(of: date, unit: Unit, by: int) -> date:
    """That many units on, back if `by` is negative; the last day of a month that has no such day."""
    if unit in (Unit.DAY, Unit.WEEK):
        return of + timedelta(days=by * REACH[unit])
    year, number = shifted_month(of.year, of.month, by * MONTHS[unit])
    return date(year, number, min(of.day, monthrange(year, number)[1]))


def month(year: int, number: int) -> Span:
    """That calendar month."""
    return Span(date(year, number, 1), date(*shifted_month(year, number, 1), 1))


def months(year: int, first: int, count: int) -> Span:
    """`count` months from the first of month `first`, which may run over the end of the year."""
    return Span(date(year, first, 1), date(*shifted_month(year, first, count), 1))


def unit_back(unit: Unit, back: int, today: date) -> Span:
    """The calendar unit `back` units before the one that holds today; 0 is this one."""
    reach = REACH[unit] * (back + 1)
    if unit is Unit.DAY:
        start = today - timedelta(days=back)
        end = start + timedelta(days=1)
    elif unit is Unit.WEEK:
        start = today - timedelta(days=today.weekday() + 7 * back)
        end = start + timedelta(days=7)
    else:
        size = MONTHS[unit]
        first = (today.month - 1) // size * size + 1
        year, number = shifted_month(today.year, first, -size * back)
        start, end = date(year, number, 1), date(*shifted_month(year, number, size), 1)
    return Span(start, end, reach)


def rolling(unit: Unit, count: int, today: date, window_start: date) -> Span:
    """The last `count` units up to today: days and weeks from `window_start`, longer units by the calendar's date."""
    if unit in (Unit.DAY, Unit.WEEK):
        return Span(window_start, today + timedelta(days=1), count * REACH[unit])
    return Span(shifted(today, unit, -count), today + timedelta(days=1), count * REACH[unit])


def season(first_month: int, today: date, year: int | None, *, back: int = 0) -> Span:
    """Three months from `first_month` (3, 6, 9, 12): of that year, or the latest begun by today less `back` seasons.

    Winter bears the year in which it begins, unless that lies ahead.
    """
    if year is None:
        year = today.year if date(today.year, first_month, 1) <= today else today.year - 1
        year -= back
    elif first_month == 12 and date(year, 12, 1) > today:
        year -= 1
    return months(year, first_month, 3)


def latest_weekday(weekday: int, today: date, *, before_today: bool) -> Span:
    """The most recent such day (Monday = 0); today counts unless `before_today`."""
    back = (today.weekday() - weekday) % 7
    return day(today - timedelta(days=back or (7 if before_today else 0)))


def latest_month(number: int, today: date, *, before_this: bool) -> Span:
    """The most recent such month; the current one counts unless `before_this`."""
    ahead = number > today.month or (before_this and number == today.month)
    return month(today.year - 1 if ahead else today.year, number)


def latest_day(number: int, month_number: int | None, today: date) -> Span | None:
    """The most recent day with that number in that month (None: in any month); None if there is no such day."""
    for back in range(48 if month_number == 2 else 12):
        year, at_month = (
            (today.year - back, month_number) if month_number else shifted_month(today.year, today.month, -back)
        )
        if number <= monthrange(year, at_month)[1] and date(year, at_month, number) <= today:
            return day(date(year, at_month, number))
    return None


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar, by Gauss's algorithm with Lichtenberg's correction."""
    century = year // 100
    moon = 15 + (3 * century + 3) // 4 - (8 * century + 13) // 25
    age = (19 * (year % 19) + moon) % 30
    full = 21 + age - (age + year % 19 // 11) // 29
    sunday = 7 - (year + year // 4 + 2 - (3 * century + 3) // 4) % 7
    return date(year, 3, 1) + timedelta(days=full + 6 - (full - sunday) % 7)


FEASTS: dict[str, tuple[int, int] | int] = {
    "new year": (1, 1), "epiphany": (1, 6), "valentine": (2, 14), "rose monday": -48, "shrove tuesday": -47,
    "ash wednesday": -46, "holy week": -7, "maundy thursday": -3, "good friday": -2, "easter": -2, "easter sunday": 0,
    "easter monday": 1, "may day": (5, 1), "ascension": 39, "pentecost": 49, "whit monday": 50, "corpus christi": 60,
    "assumption": (8, 15), "halloween": (10, 31), "all saints": (11, 1), "saint nicholas": (12, 6),
    "immaculate conception": (12, 8), "christmas eve": (12, 24), "christmas": (12, 24), "boxing day": (12, 26),
    "new year's eve": (12, 31),
}  # fmt: skip
"""Feast -> (month, day), or the days from Easter Sunday. A vocabulary adds public holidays of its countries as
`MM-DD`, or as `MM-D#N`: the Nth weekday D (Monday = 0) of that month, the last for 0.
"""
_FEAST_DAYS = {"christmas": 3, "easter": 4, "holy week": 8, "pentecost": 2}
"""Lengths in days of the feasts that last longer than one."""


def feast(name: str, year: int) -> Span:
    """The days of a feast or public holiday in that year."""
    known = FEASTS.get(name)
    if isinstance(known, int):
        start = easter(year) + timedelta(days=known)
    elif known is not None:
        start = date(year, *known)
    else:
        number, rest = int(name[:2]), name[3:]
        start = (
            date(year, number, int(rest)) if "#" not in rest else _nth_weekday(year, number, *map(int, rest.split("#")))
        )
    return Span(start, start + timedelta(days=_FEAST_DAYS.get(name, 1)))


def _nth_weekday(year: int, number: int, weekday: int, nth: int) -> date:
    first = date(year, number, 1) if nth else date(*shifted_month(year, number, 1), 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))


def part(of: Span, which: str) -> Span:
    """`start`, `early`, `mid`, `late`, `end`, a half or one of the first weeks of a week, month, quarter or year; the
    `week` or `weekend` of a day. Any other part of a single day is that day.

    First weeks count from the first day. The start and the end of a month or quarter are seven days, of a week three;
    early and late are its outer thirds. Of a year they are its first and last month, and three months each; its middle
    is May to August.
    """
    if of.start is None or of.end is None:
        return of
    if which in _WEEKS:
        first_day = of.start + timedelta(days=7 * _WEEKS[which])
        return Span(first_day, first_day + timedelta(days=7))
    length = (of.end - of.start).days
    weekly = which in ("week", "weekend")
    if weekly or length == 1:
        return _week_of(of.start, 5 if which == "weekend" else 0) if weekly and length <= 7 else of
    if length > 3000:
        first, count = _DECADE_PARTS[which]
        return months(of.start.year + first, 1, 12 * count)
    if length > 300:
        return months(of.start.year, *_YEAR_PARTS[which])
    third, edge = length // 3, 7 if length > 7 else 3
    first, last = {
        "start": (0, edge),
        "early": (0, third),
        "mid": (third, length - third),
        "late": (length - third, length),
        "end": (length - edge, length),
        "first half": (0, length // 2),
        "second half": (length // 2, length),
    }[which]
    return Span(of.start + timedelta(days=first), of.start + timedelta(days=last))


def _week_of(day_in_it: date, first_weekday: int) -> Span:
    """The calendar week that holds the day, from that weekday on."""
    monday = day_in_it - timedelta(days=day_in_it.weekday())
    return Span(monday + timedelta(days=first_weekday), monday + timedelta(days=7))


_DECADE_PARTS = {
    "start": (0, 4), "early": (0, 4), "mid": (4, 3), "late": (7, 3), "end": (7, 3), "first half": (0, 5),
    "second half": (5, 5),
}  # fmt: skip
"""Part of a decade -> (first year, how many)."""

_WEEKS = {"second week": 1, "third week": 2, "fourth week": 3}

_YEAR_PARTS = {
    "start": (1, 1),
    "early": (1, 3),
    "mid": (5, 4),
    "late": (10, 3),
    "end": (12, 1),
    "first half": (1, 6),
    "second half": (7, 6),
}
"""Part of a year -> (first month, how many)."""

PARTS = (*_YEAR_PARTS, *_WEEKS, "week", "weekend")
"""What `part` knows."""
