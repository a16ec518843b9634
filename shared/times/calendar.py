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
"""Months of a longer unit."""


@dataclass(frozen=True, slots=True)
class Span:
    """Days `[start, end)`; None is open."""

    start: date | None
    end: date | None
    reach: int | None = None
    """Days back from today that it may reach; None: as its dates say."""
    begins: date | None = None
    """The day from which "since" and distances count; None: the first or the last."""


def applied(operator: str, span: Span, today: date) -> Span:
    """Returns the days that `since`, `within`, `after`, `until`, `by` or `before` a time means."""
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


def day(start: date) -> Span:
    """Returns one day."""
    return Span(start, start + timedelta(days=1))


def shifted_month(year: int, month: int, by: int) -> tuple[int, int]:
    """Moves (year, month) by months; `month` may lie outside 1 to 12."""
    index = year * 12 + month - 1 + by
    return index // 12, index % 12 + 1


def shifted(start: date, unit: Unit, by: int) -> date:
    """Moves a date by units, back if `by` is negative; to the last day of a month that has no such day."""
    if unit in (Unit.DAY, Unit.WEEK):
        return start + timedelta(days=by * REACH[unit])
    year, month = shifted_month(start.year, start.month, by * MONTHS[unit])
    days_in_month = monthrange(year, month)[1]
    return date(year, month, min(start.day, days_in_month))


def months(year: int, first: int, count: int = 1) -> Span:
    """Returns `count` calendar months from the first day of month `first`; both may lie outside the year."""
    start = date(*shifted_month(year, first, 0), 1)
    end = date(*shifted_month(year, first, count), 1)
    return Span(start, end)


def unit_back(unit: Unit, back: int, today: date) -> Span:
    """Returns the calendar unit `back` units before the one that holds today; 0 is this one."""
    reach = REACH[unit] * (back + 1)
    if unit in (Unit.DAY, Unit.WEEK):
        days = REACH[unit]
        start = today - timedelta(days=days * back)
        if unit is Unit.WEEK:
            start -= timedelta(days=today.weekday())
        return Span(start, start + timedelta(days=days), reach)
    size = MONTHS[unit]
    first_month = (today.month - 1) // size * size + 1
    return replace(months(today.year, first_month - size * back, size), reach=reach)


def season_back(first_month: int, back: int, today: date) -> Span:
    """Returns the latest season of that first month begun by today; with `back` that many before the present one."""
    year = today.year
    if date(year, first_month, 1) > today:
        year -= 1
    end = date(*shifted_month(year, first_month, 3), 1)
    if back > 0 and end <= today:
        back -= 1  # the latest season is over: it is the first before the present one
    return months(year - back, first_month, 3)


def weekday_back(weekday: int, back: int, today: date) -> Span:
    """Returns the most recent such day (Monday = 0), today included; with `back` that many before today."""
    days = (today.weekday() - weekday) % 7
    if back > 0:
        days = (days or 7) + 7 * (back - 1)
    return day(today - timedelta(days=days))


def weekend_back(back: int, today: date) -> Span:
    """Returns the most recent Saturday and Sunday begun by today; with `back` that many before this calendar week."""
    saturday = today - timedelta(days=(today.weekday() - 5) % 7)
    if back > 0:
        monday = today - timedelta(days=today.weekday())
        weeks = back if saturday >= monday else back - 1
        saturday -= timedelta(weeks=weeks)
    return Span(saturday, saturday + timedelta(days=2))


def month_back(month: int, back: int, today: date) -> Span:
    """Returns the most recent such month, the current one included; with `back` that many before the current one."""
    year = today.year
    if back == 0:
        if month > today.month:
            year -= 1
        return months(year, month)
    if month >= today.month:
        year -= 1
    return months(year - (back - 1), month)


def day_at(number: int, month: int | None, year: int | None, today: date) -> Span | None:
    """Returns a day by its numbers; None if there is none.

    Without a year it is the most recent one in that month, without a month in any month. Raises ValueError for a date
    that does not exist.
    """
    if year is not None and month is not None:
        return day(date(year, month, number))
    for back in range(48 if month == 2 else 12):
        if month is None:
            candidate_year, candidate_month = shifted_month(today.year, today.month, -back)
        else:
            candidate_year, candidate_month = today.year - back, month
        days_in_month = monthrange(candidate_year, candidate_month)[1]
        if not 1 <= number <= days_in_month:
            continue
        candidate = date(candidate_year, candidate_month, number)
        if candidate <= today:
            return day(candidate)
    return None


def easter(year: int) -> date:
    """Returns Easter Sunday of the Gregorian calendar, by Gauss's algorithm with Lichtenberg's correction."""
    century = year // 100
    moon = 15 + (3 * century + 3) // 4 - (8 * century + 13) // 25
    age = (19 * (year % 19) + moon) % 30
    full = 21 + age - (age + year % 19 // 11) // 29
    sunday = 7 - (year + year // 4 + 2 - (3 * century + 3) // 4) % 7
    return date(year, 3, 1) + timedelta(days=full + 6 - (full - sunday) % 7)


EASTER = "-2/4"
"""From Good Friday to Easter Monday."""


def feast(rule: str, year: int) -> Span:
    """Returns the days of a feast or public holiday in that year.

    `rule` is `MM-DD`, days from Easter Sunday as `+39`, or `MM-D#N`, the Nth weekday D (Monday = 0) of that month, the
    last for 0. `/N` behind it: N days.
    """
    first_day, _, length = rule.partition("/")
    if first_day[0] in "+-":
        start = easter(year) + timedelta(days=int(first_day))
    elif "#" in first_day:
        month = int(first_day[:2])
        start = _nth_weekday(year, month, weekday=int(first_day[3]), nth=int(first_day[5]))
    else:
        start = date(year, int(first_day[:2]), int(first_day[3:]))
    end = start + timedelta(days=int(length or 1))
    begins = easter(year) if rule == EASTER else None
    return Span(start, end, begins=begins)


def _nth_weekday(year: int, month: int, *, weekday: int, nth: int) -> date:
    """Returns the Nth such weekday of a month, the last if `nth` is 0."""
    if nth == 0:
        first = date(*shifted_month(year, month, 1), 1)
    else:
        first = date(year, month, 1)
    days_ahead = (weekday - first.weekday()) % 7
    return first + timedelta(days=days_ahead + 7 * (nth - 1))


def part(whole: Span, name: str) -> Span:
    """Returns one of PARTS: a part of a week, month, quarter, year or decade; the `week` or `weekend` of a day.

    The start and the end of a month or quarter are seven days, of a week three; early and late are its outer thirds. Of
    a year they are its first and last month, and three months each; its middle is May to August. Any other part of a
    single day is that day.
    """
    if whole.start is None or whole.end is None:
        return whole
    length = (whole.end - whole.start).days
    if name in ("week", "weekend"):
        if length > 7:
            return whole
        return _week_of(whole.start, weekend=name == "weekend")
    if length == 1:
        return whole
    if length > 3000:
        return months(whole.start.year, *_DECADE_PARTS[name])
    if length > 300:
        return months(whole.start.year, *_YEAR_PARTS[name])
    first, last = _days_of_part(name, length)
    return Span(whole.start + timedelta(days=first), whole.start + timedelta(days=last))


def _week_of(start: date, *, weekend: bool) -> Span:
    """Returns the week that holds a day, or its weekend."""
    monday = start - timedelta(days=start.weekday())
    first = monday + timedelta(days=5) if weekend else monday
    return Span(first, monday + timedelta(days=7))


def _days_of_part(name: str, length: int) -> tuple[int, int]:
    """Returns where a part of `length` days begins and ends, in days from the first."""
    third = length // 3
    edge = 7 if length > 7 else 3
    # The last third of a month begins on the 21st, also where the month has 31 days.
    late = 20 if length == 31 else length - third
    return {
        "start": (0, edge),
        "early": (0, third),
        "mid": (third, late),
        "late": (late, length),
        "end": (length - edge, length),
        "first half": (0, length // 2),
        "second half": (length // 2, length),
    }[name]


_YEAR_PARTS = {
    "start": (1, 1),
    "early": (1, 3),
    "mid": (5, 4),
    "late": (10, 3),
    "end": (12, 1),
    "first half": (1, 6),
    "second half": (7, 6),
}
"""Part of a year -> its first month, and how many months."""
_DECADE_PARTS = {
    "start": (1, 48),
    "early": (1, 48),
    "mid": (49, 36),
    "late": (85, 36),
    "end": (85, 36),
    "first half": (1, 60),
    "second half": (61, 60),
}
"""Part of a decade -> its first month, counted from January of its first year, and how many months."""

PARTS = (*_YEAR_PARTS, "week", "weekend")
"""The parts that `part` knows."""
