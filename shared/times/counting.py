"""Counts from a time: what a mention counts, the days at a distance from a time, and ordinals in it.

`unit_of`, `count_of` and `read_ordinal` read a mention's words. `days_at` counts outward from a time (`two days before
May`), `days_of_ordinal` within it (`the first Monday of May`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from shared.times import calendar
from shared.times.calendar import ONE_DAY, Span, Unit
from shared.times.lexicon import FEW, Context, Mention

SHORT_WHILE_DAYS = 7
"""Days of `the other day`, and of `shortly before`."""
MAX_FEW = {
    Unit.DAY: 7,
    Unit.WEEK: 4,
    Unit.MONTH: 3,
    Unit.QUARTER: 3,
    Unit.HALF: 3,
    Unit.YEAR: 3,
}
"""Most units that "the last few" can be."""
SATURDAY = 5


def unit_of(mention: Mention, context: Context) -> Unit:
    """Returns the unit in which a mention counts; days if it names none."""
    word = mention.word("unit")
    if word is None:
        return Unit.DAY
    unit = context.words.units[word]
    return Unit(unit)


def count_of(
    mention: Mention,
    context: Context,
    group: str = "n",
    *,
    absent: int = 1,
    few: int | None = None,
) -> int:
    """Returns how many units a mention counts; a fortnight is two weeks.

    absent: the count of a mention without a number.
    few: the count of `a few`; None for MAX_FEW of its unit.
    """
    words = context.words
    word = mention.word(group)
    if word is None:
        number = absent
    elif word.isdecimal():
        number = int(word)
    else:
        number = words.numbers[word]

    if number == FEW:
        unit = unit_of(mention, context)
        number = few or MAX_FEW[unit]
    if mention.word("unit") in words.fortnights:
        number *= 2
    return number


def read_ordinal(word: str, context: Context) -> int | None:
    """Reads `3rd` or `third`; None for a word that is neither."""
    if word[:1].isdigit():
        return int(word[0])
    return context.words.ordinals.get(word)


def days_at(
    distance: Mention,
    time: Span,
    context: Context,
    *,
    sign: int,
    is_feast: bool,
) -> Span | None:
    """Returns the days at that distance before a time (`sign` -1) or after it (1).

    Returns None if the time is open on that side, or if there are no such days.
    """
    edge = _edge_to_count_from(distance, time, context, sign=sign, is_feast=is_feast)
    if edge is None:
        return None
    try:
        return _days_from(distance, edge, context, sign)
    except (ValueError, OverflowError):
        return None


def _edge_to_count_from(
    distance: Mention,
    time: Span,
    context: Context,
    *,
    sign: int,
    is_feast: bool,
) -> date | None:
    """Returns the first day of the time (`sign` -1), or the day after its last day (1); None if it is open on that
    side.
    """
    if sign < 0:
        return time.begins or time.start
    if time.begins is not None:
        return time.begins + ONE_DAY
    if time.end is None:
        return None

    # The day after Christmas is the 26th, although that is the feast's last.
    counts_days = distance.word("unit") is not None and unit_of(distance, context) is Unit.DAY
    if is_feast and counts_days and time.start is not None:
        length = time.end - time.start
        if 1 < length.days < 5:
            return time.end - ONE_DAY
    return time.end


def _days_from(distance: Mention, edge: date, context: Context, sign: int) -> Span:
    """Returns the days at a distance from `edge`, by the distance's kind."""
    kind = distance.kind
    if kind == "counted":
        day = edge
        if sign > 0:
            day -= ONE_DAY
        units = away(distance, context, day, sign)
        return replace(units, reach=None)
    if kind == "nearest":
        return _nearest_days(distance, edge, context, sign)

    if kind == "soon":
        other_edge = edge + timedelta(sign * SHORT_WHILE_DAYS)
    else:
        unit = unit_of(distance, context)
        absent = MAX_FEW[unit]
        if kind == "adjoining":
            absent = 1
        count = count_of(distance, context, absent=absent)
        other_edge = calendar.shifted(edge, unit, sign * count)
    if sign < 0:
        return Span(other_edge, edge)
    return Span(edge, other_edge)


def _nearest_days(distance: Mention, edge: date, context: Context, sign: int) -> Span:
    """Returns the last weekday or weekend before `edge` (`sign` -1), or the first from it on (1)."""
    weekday = distance.word("weekday")
    if weekday is not None:
        number = context.words.weekdays[weekday]
        day = _nearest(number, edge, sign)
        return calendar.day(day)
    if sign < 0:
        edge -= ONE_DAY  # a weekend that reaches up to it
    saturday = _nearest(SATURDAY, edge, sign)
    return _weekend_from(saturday)


def _weekend_from(saturday: date) -> Span:
    """Returns a Saturday and its Sunday."""
    monday = saturday + 2 * ONE_DAY
    return Span(saturday, monday)


def _nearest(weekday: int, edge: date, sign: int) -> date:
    """Returns the last such weekday before `edge` (`sign` -1), or the first from it on (1)."""
    days_ahead = (weekday - edge.weekday()) % 7
    if sign < 0:
        days_ahead -= 7
    return edge + timedelta(days_ahead)


def away(mention: Mention, context: Context, day: date, sign: int) -> Span:
    """Returns the calendar unit at a mention's distance before the unit of a day (`sign` -1) or after it (1).

    "Two or three" are both; "a few" are two to MAX_FEW.
    """
    unit = unit_of(mention, context)
    least = count_of(mention, context, few=2)
    group_of_most = "n"
    if mention.word("most") is not None:
        group_of_most = "most"
    most = count_of(mention, context, group_of_most)

    least_back = -sign * least
    near = calendar.unit_back(unit, least_back, day)
    most_back = -sign * most
    far = calendar.unit_back(unit, most_back, day)
    earlier = near
    later = far
    if sign < 0:
        earlier = far
        later = near
    return Span(earlier.start, later.end, far.reach)


def days_of_ordinal(ordinal: Mention, time: Span | None, context: Context) -> Span | None:
    """Returns a weekday, weekend or units of a time: the last, or counted from its first; None if it has none."""
    if time is None or time.start is None or time.end is None:
        return None
    if ordinal.kind == "eve":
        day_before = time.start - ONE_DAY
        return calendar.day(day_before)

    days = _counted_days(ordinal, time.start, time.end, context)
    if days.start is None or not time.start <= days.start < time.end:
        return None
    return days


def _counted_days(ordinal: Mention, start: date, end: date, context: Context) -> Span:
    """Returns the weekday, weekend or units that an ordinal counts in `[start, end)`, or beyond it."""
    nth_word = ordinal.word("nth") or ""
    nth = read_ordinal(nth_word, context)
    weekday = ordinal.word("weekday")
    if weekday is not None:
        number = context.words.weekdays[weekday]
        day = _nth_weekday(nth, number, start, end)
        return calendar.day(day)
    if ordinal.word("weekend"):
        saturday = _nth_weekday(nth, SATURDAY, start, end)
        return _weekend_from(saturday)
    return _units_of(ordinal, nth, start, end, context)


def _nth_weekday(nth: int | None, weekday: int, start: date, end: date) -> date:
    """Returns the nth such weekday from `start` on, or the last before `end` if `nth` is None."""
    if nth is None:
        return _nearest(weekday, end, -1)
    first = _nearest(weekday, start, 1)
    weeks_behind_first = nth - 1
    return first + timedelta(weeks=weeks_behind_first)


def _units_of(ordinal: Mention, nth: int | None, start: date, end: date, context: Context) -> Span:
    """Returns the units from the nth of `[start, end)` on, or its last ones: `the first two weeks`."""
    unit = unit_of(ordinal, context)
    is_single = ordinal.kind == "nth"
    absent = MAX_FEW[unit]
    if is_single:
        absent = 1
    group = "n"
    if ordinal.word("n2"):
        group = "n2"
    count = count_of(ordinal, context, group, absent=absent)

    is_last = is_single and nth is None
    if is_last or ordinal.word("last"):
        first_day = calendar.shifted(end, unit, -count)
    else:
        units_before = (nth or 1) - 1
        first_day = calendar.shifted(start, unit, units_before)
    day_behind = calendar.shifted(first_day, unit, count)
    return Span(first_day, day_behind)
