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
ONE_DAY = timedelta(days=1)


class Unit(StrEnum):
    """A calendar unit."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    HALF = "half"
    YEAR = "year"


MONTHS = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.HALF: 6, Unit.YEAR: 12}
"""Number of months in each longer unit."""


@dataclass(frozen=True, slots=True)
class Span:
    """Days `[start, end)`; None is open."""

    start: date | None
    end: date | None
    reach: int | None = None
    """Most days that it may reach back from today; None for no such limit."""
    begins: date | None = None
    """The day from which "since" and distances count; None for its first or last day."""


def applied(operator: str, span: Span, today: date) -> Span:
    """Returns the days that `since`, `within`, `after`, `until`, `by` or `before` a time means."""
    today_over = today + ONE_DAY
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
    return Span(start, start + ONE_DAY)


def shifted_month(year: int, month: int, by: int) -> tuple[int, int]:
    """Moves (year, month) by months; `month` may lie outside 1 to 12."""
    month_index = month - 1
    months_since_year_0 = year * 12 + month_index
    months_since_year_0 += by
    shifted_year, shifted_index = divmod(months_since_year_0, 12)
    shifted_number = shifted_index + 1
    return shifted_year, shifted_number


def shifted(start: date, unit: Unit, by: int) -> date:
    """Moves a date by units, back if `by` is negative; to the last day of a month that has no such day."""
    if unit in (Unit.DAY, Unit.WEEK):
        days = by * REACH[unit]
        return start + timedelta(days)

    months_moved = by * MONTHS[unit]
    year, month = shifted_month(start.year, start.month, months_moved)
    _, days_in_month = monthrange(year, month)
    return date(
        year=year,
        month=month,
        day=min(start.day, days_in_month),
    )


def months(year: int, first: int, count: int = 1) -> Span:
    """Returns `count` calendar months from the first day of month `first`; both may lie outside the year."""
    start = month_start(year, first)
    end = month_start(year, first + count)
    return Span(start, end)


def month_start(year: int, month: int) -> date:
    """Returns the first day of a month; `month` may lie outside 1 to 12."""
    year, month = shifted_month(year, month, 0)
    return date(year, month, 1)


def unit_back(unit: Unit, back: int, today: date) -> Span:
    """Returns the calendar unit `back` units before the one that holds today; 0 is this one."""
    most_days = REACH[unit]
    units_touched = back + 1
    reach = most_days * units_touched
    if unit in (Unit.DAY, Unit.WEEK):
        length = timedelta(most_days)
        start = today - back * length
        if unit is Unit.WEEK:
            start = monday_of(start)
        end = start + length
        return Span(start, end, reach)

    size = MONTHS[unit]
    months_over = (today.month - 1) % size
    months_back = months_over + size * back
    first_month = today.month - months_back
    span = months(today.year, first_month, size)
    return replace(span, reach=reach)


def monday_of(day_of_week: date) -> date:
    """Returns the Monday of the week that holds a day."""
    days_since_monday = day_of_week.weekday()
    return day_of_week - timedelta(days_since_monday)


def season_back(first_month: int, back: int, today: date) -> Span:
    """Returns the latest season with that first month that has begun; with `back`, the one that many before the
    present.
    """
    year = today.year
    if date(year, first_month, 1) > today:
        year -= 1

    # A latest season that is over is itself the first before the present one.
    is_over = month_start(year, first_month + 3) <= today
    if back > 0 and is_over:
        back -= 1
    return months(year - back, first_month, 3)


def weekday_back(weekday: int, back: int, today: date) -> Span:
    """Returns the most recent day with this weekday (Monday = 0), today included; with `back`, the one that many before
    today.
    """
    days = (today.weekday() - weekday) % 7
    if back > 0:
        if days == 0:
            days = 7
        weeks_more = back - 1
        days += 7 * weeks_more
    return day(today - timedelta(days))


def weekend_back(back: int, today: date) -> Span:
    """Returns the most recent Saturday and Sunday begun by today; with `back` that many before this calendar week."""
    days_since_saturday = (today.weekday() - 5) % 7
    saturday = today - timedelta(days_since_saturday)
    if back > 0:
        monday = monday_of(today)
        is_of_this_week = saturday >= monday
        weeks = back if is_of_this_week else back - 1
        saturday -= timedelta(weeks=weeks)

    next_monday = saturday + timedelta(2)
    return Span(saturday, next_monday)


def month_back(month: int, back: int, today: date) -> Span:
    """Returns the most recent month with this number, the current one included; with `back`, the one that many before
    it.
    """
    year = today.year
    if back == 0:
        if month > today.month:
            year -= 1
        return months(year, month)

    if month >= today.month:
        year -= 1
    year -= back - 1
    return months(year, month)


def day_at(number: int, month: int | None, year: int | None, today: date) -> Span | None:
    """Returns a day by its numbers; None if there is no such day.

    Without a year it is the most recent such day in that month, and without a month the most recent in any month.
    Raises ValueError for a date that does not exist.
    """
    if year is not None and month is not None:
        return day(date(year, month, number))

    # Twelve months hold every day but 29 February; that lies at most eight years back.
    for back in range(12):
        if month is None:
            candidate_year, candidate_month = shifted_month(today.year, today.month, -back)
        else:
            candidate_year = today.year - back
            candidate_month = month

        _, days_in_month = monthrange(candidate_year, candidate_month)
        if not 1 <= number <= days_in_month:
            continue
        candidate = date(candidate_year, candidate_month, number)
        if candidate <= today:
            return day(candidate)
    return None


def easter(year: int) -> date:
    """Returns Easter Sunday of the Gregorian calendar, by Gauss's algorithm with Lichtenberg's correction.

    All days are counted as days of March: 32 is 1 April.
    """
    # Where the calendar differs from the Julian one, in the sun's years and the moon's months.
    century = year // 100
    leap_days_left_out = (3 * century + 3) // 4
    moon_correction = (8 * century + 13) // 25

    # The first full moon of spring.
    year_of_moon_cycle = year % 19
    moon_shift = 15 + leap_days_left_out
    moon_shift -= moon_correction
    first_moon = 19 * year_of_moon_cycle + moon_shift
    first_moon %= 30
    too_late = (first_moon + year_of_moon_cycle // 11) // 29
    full_moon = 21 + first_moon - too_late

    # The Sunday after it.
    leap_days = year // 4 + 2
    sundays_shift = year + leap_days - leap_days_left_out
    first_sunday = 7 - sundays_shift % 7
    days_since_sunday = (full_moon - first_sunday) % 7
    sunday = full_moon + 7 - days_since_sunday

    first_of_march = date(year, 3, 1)
    return first_of_march + timedelta(sunday - 1)


EASTER = "-2/4"
"""From Good Friday to Easter Monday."""


def feast(rule: str, year: int) -> Span:
    """Returns the days of a feast or public holiday in that year.

    `rule` is `MM-DD`, days from Easter Sunday as `+39`, or `MM-D#N`, the Nth weekday D (Monday = 0) of that month, the
    last for 0. `/N` behind it: N days.
    """
    first_day, _, length = rule.partition("/")
    start = _first_day_of_feast(first_day, year)
    days = 1
    if length:
        days = int(length)
    end = start + timedelta(days)
    begins = None
    if rule == EASTER:
        begins = easter(year)
    return Span(start, end, begins=begins)


def _first_day_of_feast(rule: str, year: int) -> date:
    """Returns the first day of a feast, by its rule without the number of days."""
    if rule[0] in "+-":
        days_from_easter = int(rule)
        return easter(year) + timedelta(days_from_easter)

    month = int(rule[:2])
    day_or_weekday, _, nth = rule[3:].partition("#")
    if not nth:
        return date(year, month, int(day_or_weekday))
    return _nth_weekday(
        year,
        month,
        weekday=int(day_or_weekday),
        nth=int(nth),
    )


def _nth_weekday(year: int, month: int, *, weekday: int, nth: int) -> date:
    """Returns the Nth such weekday of a month, the last if `nth` is 0."""
    is_last = nth == 0
    if is_last:
        month += 1
    first = month_start(year, month)
    days_ahead = (weekday - first.weekday()) % 7
    weeks_ahead = nth - 1
    return first + timedelta(days_ahead, weeks=weeks_ahead)


def part(whole: Span, name: str) -> Span:
    """Returns one of PARTS: a part of a week, month, quarter, year or decade; the `week` or `weekend` of a day.

    The start and the end of a month or quarter are seven days, of a week three; early and late are its outer thirds. Of
    a year they are its first and last month, and three months each; its middle is May to August. Any other part of a
    single day is that day.
    """
    start = whole.start
    if start is None or whole.end is None:
        return whole
    length = (whole.end - start).days
    if name in ("week", "weekend"):
        if length > 7:
            return whole
        monday = monday_of(start)
        saturday = monday + timedelta(5)
        next_monday = monday + timedelta(7)
        if name == "week":
            return Span(monday, next_monday)
        return Span(saturday, next_monday)

    if length == 1:
        return whole
    if length > 300:
        is_decade = length > 3000
        parts = _DECADE_PARTS if is_decade else _YEAR_PARTS
        first_month, count = parts[name]
        return months(start.year, first_month, count)

    days_to_start, days_to_end = _days_of_part(name, length)
    first_day = start + timedelta(days_to_start)
    end = start + timedelta(days_to_end)
    return Span(first_day, end)


def _days_of_part(name: str, length: int) -> tuple[int, int]:
    """Returns where a part of `length` days begins and ends, in days from the first."""
    edge = 3
    if length > 7:
        edge = 7
    end = length - edge
    half = length // 2
    third = length // 3
    late = length - third
    # The last third of a month begins on the 21st, also where the month has 31 days.
    if length == 31:
        late = 20
    parts = {
        "start": (0, edge),
        "early": (0, third),
        "mid": (third, late),
        "late": (late, length),
        "end": (end, length),
        "first half": (0, half),
        "second half": (half, length),
    }
    return parts[name]


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
