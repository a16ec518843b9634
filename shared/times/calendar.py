"""Calendar arithmetic in whole days: which days a unit of time covers, seen from one day.

Conventions (SPEC section 3): weeks start on Monday, seasons are meteorological and northern, spans are half-open.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass, replace
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
    """Days `[start, end)`; None is open. `reach`: how many days back from today it may go, None: from its dates.
    `begins`: the one of its days from which "since" and distances count, None: the first or the last.
    """

    start: date | None
    end: date | None
    reach: int | None = None
    begins: date | None = None


def applied(operator: str, span: Span, today: date) -> Span:
    """The days that `since`, `within`, `after`, `until`, `by` or `before` a time means."""
    today_over = today + timedelta(days=1)
    match operator:
        case "since" | "within":
            return Span(span.begins or span.start, today_over)
        case "after":
            return Span(span.end, today_over)
        case "until" | "by":
            return Span(None, span.end)
        case _:
            return Span(None, span.start)


def day(of: date) -> Span:
    """One day."""
    return Span(of, of + timedelta(days=1))


def shifted_month(year: int, month: int, by: int) -> tuple[int, int]:
    """(year, month) moved by months; `month` may lie outside 1 to 12."""
    index = year * 12 + month - 1 + by
    return index // 12, index % 12 + 1


def shifted(of: date, unit: Unit, by: int) -> date:
    """A date moved by units, back if `by` is negative; the last day of a month that has no such day."""
    if unit in (Unit.DAY, Unit.WEEK):
        return of + timedelta(days=by * REACH[unit])
    year, number = shifted_month(of.year, of.month, by * MONTHS[unit])
    return date(year, number, min(of.day, monthrange(year, number)[1]))


def months(year: int, first: int, count: int = 1) -> Span:
    """`count` calendar months from the first day of month `first`; both may lie outside the year."""
    return Span(date(*shifted_month(year, first, 0), 1), date(*shifted_month(year, first, count), 1))


def unit_back(unit: Unit, back: int, today: date) -> Span:
    """The calendar unit `back` units before the one that holds today; 0 is this one."""
    if unit in (Unit.DAY, Unit.WEEK):
        days = REACH[unit]
        start = today - timedelta(days=days * back + (today.weekday() if unit is Unit.WEEK else 0))
        found = Span(start, start + timedelta(days=days))
    else:
        size = MONTHS[unit]
        found = months(today.year, (today.month - 1) // size * size + 1 - size * back, size)
    return replace(found, reach=REACH[unit] * (back + 1))


def season_back(first_month: int, back: int, today: date) -> Span:
    """The latest season of that first month begun by today; with `back` that many before the present one."""
    year = today.year - (date(today.year, first_month, 1) > today)
    is_over = date(*shifted_month(year, first_month, 3), 1) <= today
    return months(year - max(0, back - is_over), first_month, 3)


def weekday_back(weekday: int, back: int, today: date) -> Span:
    """The most recent such day (Monday = 0), today included; the `back`th of them before today."""
    days = (today.weekday() - weekday) % 7
    return day(today - timedelta(days=(days or 7) + 7 * (back - 1) if back else days))


def weekend_back(back: int, today: date) -> Span:
    """The most recent Saturday and Sunday begun by today; the `back`th weekend before this calendar week."""
    saturday = today - timedelta(days=(today.weekday() - 5) % 7)
    if back:
        is_in_this_week = saturday >= today - timedelta(days=today.weekday())
        saturday -= timedelta(days=7 * (back - 1 + is_in_this_week))
    return Span(saturday, saturday + timedelta(days=2))


def month_back(number: int, back: int, today: date) -> Span:
    """The most recent such month, the current one included; the `back`th of them before the current one."""
    ahead = number >= today.month if back else number > today.month
    return months(today.year - ahead - max(0, back - 1), number)


def day_at(number: int, month: int | None, year: int | None, today: date) -> Span | None:
    """A day by its numbers; without a year the most recent one in that month, without a month in any month. None: there
    is none. Raises ValueError for a date that does not exist.
    """
    if year is not None and month is not None:
        return day(date(year, month, number))
    for back in range(48 if month == 2 else 12):
        at = (today.year - back, month) if month else shifted_month(today.year, today.month, -back)
        if 1 <= number <= monthrange(*at)[1] and date(*at, number) <= today:
            return day(date(*at, number))
    return None


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar, by Gauss's algorithm with Lichtenberg's correction."""
    century = year // 100
    moon = 15 + (3 * century + 3) // 4 - (8 * century + 13) // 25
    age = (19 * (year % 19) + moon) % 30
    full = 21 + age - (age + year % 19 // 11) // 29
    sunday = 7 - (year + year // 4 + 2 - (3 * century + 3) // 4) % 7
    return date(year, 3, 1) + timedelta(days=full + 6 - (full - sunday) % 7)


EASTER = "-2/4"
"""From Good Friday to Easter Monday."""


def feast(day: str, year: int) -> Span:
    """The days of a feast or public holiday in that year: `MM-DD`, days from Easter Sunday as `+39`, or `MM-D#N`, the
    Nth weekday D (Monday = 0) of that month, the last for 0. `/N` behind it: N days.
    """
    first, _, length = day.partition("/")
    if first[0] in "+-":
        start = easter(year) + timedelta(days=int(first))
    elif "#" in first:
        number, weekday, nth = int(first[:2]), int(first[3]), int(first[5])
        month = date(*shifted_month(year, number, 0 if nth else 1), 1)
        start = month + timedelta(days=(weekday - month.weekday()) % 7 + 7 * (nth - 1))
    else:
        start = date(year, int(first[:2]), int(first[3:]))
    return Span(start, start + timedelta(days=int(length or 1)), begins=easter(year) if day == EASTER else None)


def part(of: Span, which: str) -> Span:
    """`start`, `early`, `mid`, `late`, `end` or a half of a week, month, quarter or year; the `week` or `weekend` of a
    day. Any other part of a single day is that day.

    The start and the end of a month or quarter are seven days, of a week three;
    early and late are its outer thirds. Of a year they are its first and last month, and three months each; its middle
    is May to August.
    """
    if of.start is None or of.end is None:
        return of
    length = (of.end - of.start).days
    weekly = which in ("week", "weekend")
    if weekly or length == 1:
        if not weekly or length > 7:
            return of
        monday = of.start - timedelta(days=of.start.weekday())
        return Span(monday + timedelta(days=5 if which == "weekend" else 0), monday + timedelta(days=7))
    if length > 300:
        return months(of.start.year, *(_DECADE_PARTS if length > 3000 else _YEAR_PARTS)[which])
    third, edge = length // 3, 7 if length > 7 else 3
    late = (
        20 if length == 31 else length - third
    )  # the last third of a long month begins on the 21st, as that of others
    first, last = {
        "start": (0, edge),
        "early": (0, third),
        "mid": (third, late),
        "late": (late, length),
        "end": (length - edge, length),
        "first half": (0, length // 2),
        "second half": (length // 2, length),
    }[which]
    return Span(of.start + timedelta(days=first), of.start + timedelta(days=last))


_YEAR_PARTS = {
    "start": (1, 1), "early": (1, 3), "mid": (5, 4), "late": (10, 3), "end": (12, 1), "first half": (1, 6),
    "second half": (7, 6),
}  # fmt: skip
_DECADE_PARTS = {
    "start": (1, 48), "early": (1, 48), "mid": (49, 36), "late": (85, 36), "end": (85, 36), "first half": (1, 60),
    "second half": (61, 60),
}  # fmt: skip
"""Part of a year or decade -> its first month, counted from January of the first year, and how many."""

PARTS = (*_YEAR_PARTS, "week", "weekend")
"""What `part` knows."""
