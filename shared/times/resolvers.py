"""A mention of a time -> the days it names, one small function for each kind of rule in the lexicons.

`days_of` resolves a mention by itself, `days_at` a distance from a time, `days_of_ordinal` a day or weekend of a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, timedelta

from shared.times import calendar
from shared.times.calendar import Span, Unit
from shared.times.lexicon import FEW, Context, Mention

RECENTLY_DAYS = 14
OTHER_DAY_DAYS = 7
MAX_FEW = {Unit.DAY: 7, Unit.WEEK: 4, Unit.MONTH: 3, Unit.QUARTER: 3, Unit.HALF: 3, Unit.YEAR: 3}
"""How many units "the last few" are at most."""
ONE_DAY = timedelta(days=1)


def days_of(mention: Mention, context: Context) -> Span | None:
    """The days a mention names; None if there is no such day (31 February)."""
    try:
        return RESOLVERS[mention.rule.kind](mention, context)
    except (ValueError, OverflowError):
        return None


def unit_of(mention: Mention, context: Context) -> Unit:
    """The unit it is counted in; days where it names none."""
    word = mention.word("unit")
    return Unit.DAY if word is None else Unit(context.words.units[word])


def _count(mention: Mention, context: Context, group: str = "n", *, absent: int = 1, few: int | None = None) -> int:
    """How many of its unit; `absent` without a number; a few are `few`, else MAX_FEW. A fortnight is two weeks."""
    word = mention.word(group)
    number = absent if word is None else int(word) if word.isdecimal() else context.words.numbers[word]
    if number == FEW:
        number = few or MAX_FEW[unit_of(mention, context)]
    return number * 2 if mention.word("unit") in context.words.fortnights else number


def _moment_ago(ago: timedelta, context: Context) -> date:
    """The day in which the moment so long ago lies."""
    return (context.now.astimezone(UTC) - ago).astimezone(context.zone).date()


def _window(unit: Unit, count: int, context: Context) -> Span:
    """The last `count` units up to today: days and weeks of 24 hours a day, longer units by the calendar's date."""
    days = count * calendar.REACH[unit]
    by_hours = unit in (Unit.DAY, Unit.WEEK)
    start = _moment_ago(timedelta(days), context) if by_hours else calendar.shifted(context.today, unit, -count)
    return Span(start, context.today + ONE_DAY, days)


def _rolling(mention: Mention, context: Context) -> Span:
    if hours := mention.word("hours"):  # from the start of the day in which the first of them lies
        first = _moment_ago(timedelta(hours=int(hours)), context)
        return Span(first, context.today + ONE_DAY, (context.today - first).days + 1)
    unit = unit_of(mention, context)
    absent = 1 if mention.word("few") is None else MAX_FEW[unit]
    return _window(unit, _count(mention, context, absent=absent), context)


def _clock_ago(mention: Mention, context: Context) -> Span:
    """The day in which the moment lies."""
    count = _count(mention, context, few=3)
    ago = timedelta(minutes=count) if mention.word("minutes") else timedelta(hours=count)
    return calendar.day(_moment_ago(ago, context))


def _away(mention: Mention, context: Context, day: date, sign: int) -> Span:
    """The calendar unit so many before a day's (`sign` -1) or after (1). Two or three: both; a few: two to MAX_FEW."""
    unit, most = unit_of(mention, context), "n" if mention.word("most") is None else "most"
    near = calendar.unit_back(unit, -sign * _count(mention, context, few=2), day)
    far = calendar.unit_back(unit, -sign * _count(mention, context, most), day)
    first, last = (far, near) if sign < 0 else (near, far)
    return Span(first.start, last.end, far.reach)


def _period(mention: Mention, context: Context, back: int = 0, year: int | None = None) -> Span | None:
    """The unit, weekday, month, season or weekend so many before the present one; the month or season of that year."""
    today, words = context.today, context.words
    if month := mention.word("month"):
        number = words.months[month]
        return calendar.months(year, number) if year else calendar.month_back(number, back, today)
    if mention.word("unit"):
        return calendar.unit_back(unit_of(mention, context), _count(mention, context, absent=back), today)
    if weekday := mention.word("weekday"):
        return calendar.weekday_back(words.weekdays[weekday], back, today)
    if season := mention.word("season"):
        first = words.seasons[season]
        if year is None:
            return calendar.season_back(first, back, today)
        # Winter bears the year in which it begins, unless that lies ahead.
        return calendar.months(year - (first == 12 and date(year, 12, 1) > today), first, 3)
    return calendar.weekend_back(back, today)


def _month(mention: Mention, context: Context) -> Span | None:
    return _period(mention, context, year=_year_of(mention, context))


def _weekday(mention: Mention, context: Context) -> Span | None:
    """The weekday or weekend, `N Mondays ago`, or the weekday in the week that holds it."""
    if mention.week is None:
        return _period(mention, context, _count(mention, context, absent=0, few=MAX_FEW[Unit.WEEK]))
    week = days_of(mention.week, context)
    number = context.words.weekdays[mention.word("weekday") or ""]
    return calendar.day(week.start + number * ONE_DAY) if week and week.start else None


def _iso_week(mention: Mention, context: Context) -> Span | None:
    """The most recent week of that number that has begun, or that of the year named; with `last` up to that week."""
    number, present = int(mention.match["week"]), context.today.isocalendar().year
    latest = present - (date.fromisocalendar(present, number, 1) > context.today)
    monday = date.fromisocalendar(_year_of(mention, context) or latest, number, 1)
    weeks = int(mention.word("last") or number) - number + 1
    return Span(monday, monday + timedelta(days=7 * weeks)) if weeks > 0 else None


def _year_of(mention: Mention, context: Context) -> int | None:
    named = mention.word("year") or mention.word("yy")
    if named is None or len(named) == 4:
        return int(named) if named else mention.year or context.year
    return 2000 + int(named.removeprefix("'"))


def _day(mention: Mention, context: Context) -> Span | None:
    """A day, with `d2` the days up to it, or the month where none is named: of the year named, else the latest."""
    named = mention.word("day") or mention.word("first") or mention.word("d1") or mention.word("nth")
    figure, name = mention.word("number") or mention.word("second"), mention.word("month")
    month = int(figure) if figure else context.words.months[name] if name else None
    year, last = _year_of(mention, context), mention.word("d2")
    if named is None:
        return calendar.months(year, month) if year and month else None
    number = int(named) if named.isdecimal() else context.words.ordinals.get(named) or int(named[0])
    first = calendar.day_at(number, month, year, context.today)
    if first is None or first.start is None or last is None:
        return first
    return Span(first.start, first.start.replace(day=int(last)) + ONE_DAY)


def _slashes(mention: Mention, context: Context) -> Span | None:
    """Day first. Month first where the language does so and the zone is American, or unknown and that is over."""
    first, second, year = int(mention.match["first"]), int(mention.match["second"]), _year_of(mention, context)
    if not context.words.month_first:
        return calendar.day_at(first, second, year, context.today)
    american = context.zone.key.startswith(("America/", "US/", "UTC", "Pacific/Honolulu"))
    day, month = (second, first) if (american and first <= 12) or second > 12 else (first, second)
    found = calendar.day_at(day, month, year, context.today)
    ahead = found and found.start and found.start > context.today and day <= 12
    return calendar.day_at(month, day, year, context.today) if ahead else found


def _term(mention: Mention, context: Context) -> Span | None:
    """The quarter or half of the year named, else the most recent that has begun."""
    nth, half = mention.word("nth") or "", mention.word("half")
    unit = Unit.HALF if half else unit_of(mention, context) if nth else Unit.QUARTER
    figure = half or mention.word("quarter") or (nth[0] if nth[:1].isdigit() else "")
    number = int(figure) if figure else context.words.ordinals[nth]
    size = calendar.MONTHS[unit]
    if number * size > 12:
        return None
    year, first = _year_of(mention, context), (number - 1) * size + 1
    if year is None:
        year = context.today.year - (date(context.today.year, first, 1) > context.today)
    return calendar.months(year, first, size)


def _feast(mention: Mention, context: Context) -> Span:
    """In the year named, else the most recent that has begun."""
    name, year = context.words.feasts[mention.word("feast") or ""], _year_of(mention, context)
    latest = calendar.feast(name, year or context.today.year)
    ahead = year is None and latest.start is not None and latest.start > context.today
    return calendar.feast(name, context.today.year - 1) if ahead else latest


def _decade(mention: Mention, context: Context) -> Span:
    """Ten years; of a decade without its century the most recent that has begun."""
    word = mention.word("decade") or ""
    number = int(word) if word.isdecimal() else context.words.decades[word]
    if number < 100:
        number += 2000 if 2000 + number <= context.today.year else 1900
    return Span(date(number, 1, 1), date(number + 10, 1, 1))


IGNORED = "ignored"
"""The kind of what looks like a time and is none."""

RESOLVERS: Mapping[str, Callable[[Mention, Context], Span | None]] = {
    **dict.fromkeys(("today", "now"), lambda _, context: calendar.unit_back(Unit.DAY, 0, context.today)),
    "yesterday": lambda _, context: calendar.unit_back(Unit.DAY, 1, context.today),
    "day_before_yesterday": lambda _, context: calendar.unit_back(Unit.DAY, 2, context.today),
    "recently": lambda _, context: _window(Unit.DAY, RECENTLY_DAYS, context),
    "other_day": lambda _, context: _window(Unit.DAY, OTHER_DAY_DAYS, context),
    "ago": lambda mention, context: _away(mention, context, context.today, -1),
    "half_year": lambda mention, context: calendar.unit_back(
        Unit.MONTH, 18 if mention.word("more") else 6, context.today
    ),
    "older": lambda mention, context: Span(None, _rolling(mention, context).start),
    "rolling": _rolling,
    "clock_ago": _clock_ago,
    "this": _period,
    "current": _period,
    "last": lambda mention, context: _period(mention, context, 1),
    "before_last": lambda mention, context: _period(mention, context, 2),
    "same_day": lambda _mention, _context: None,
    "shifted": lambda mention, context: calendar.day(
        calendar.shifted(context.today, unit_of(mention, context), -_count(mention, context))
    ),
    "this_day": lambda mention, context: calendar.day(
        context.today.replace(year=_year_of(mention, context) or context.today.year)
    ),
    "iso_week": _iso_week,
    "weekend": _weekday,
    "weekday": _weekday,
    **dict.fromkeys(("date", "day_number", "days_of_month", "iso", "dots"), _day),
    "slashes": _slashes,
    **dict.fromkeys(("quarter", "half", "nth_unit"), _term),
    **dict.fromkeys(("month", "season"), _month),
    "feast": _feast,
    "decade": _decade,
    "nth": lambda mention, context: days_of_ordinal(mention, _month(mention, context), context),
    "year": lambda mention, context: calendar.months(_year_of(mention, context) or 0, 1, 12),
}


def days_at(distance: Mention, of: Span, context: Context, *, sign: int, feast: bool) -> Span | None:
    """The days at that distance before a time (`sign` -1) or after it (1). None: open on that side, or no such days."""
    edge = of.start if sign < 0 else of.end  # the first day of the time, or the day after its last
    if of.begins:
        edge = of.begins + ONE_DAY * (sign > 0)
    if edge is None:
        return None
    if (
        feast
        and not of.begins
        and sign > 0
        and of.start
        and distance.word("unit")
        and unit_of(distance, context) is Unit.DAY
    ):
        edge -= ONE_DAY * (1 < (edge - of.start).days < 5)  # the day after Christmas is the 26th
    try:
        match distance.rule.kind:
            case "counted":
                return replace(_away(distance, context, edge if sign < 0 else edge - ONE_DAY, sign), reach=None)
            case "nearest":
                if weekday := distance.word("weekday"):
                    return calendar.day(_beside(context.words.weekdays[weekday], edge, sign))
                saturday = _beside(5, edge - ONE_DAY if sign < 0 else edge, sign)
                return Span(saturday, saturday + 2 * ONE_DAY)
            case "soon":
                other = edge + sign * OTHER_DAY_DAYS * ONE_DAY
            case kind:
                unit = unit_of(distance, context)
                count = _count(distance, context, absent=1 if kind == "adjoining" else MAX_FEW[unit])
                other = calendar.shifted(edge, unit, sign * count)
        return Span(min(edge, other), max(edge, other))
    except (ValueError, OverflowError):
        return None


def days_of_ordinal(ordinal: Mention, of: Span | None, context: Context) -> Span | None:
    """A weekday, weekend or units of the time, the last or counted from the first in it. None: it has no such."""
    if of is None or of.start is None or of.end is None:
        return None
    if ordinal.rule.kind == "eve":
        return calendar.day(of.start - ONE_DAY)
    named, weekday = ordinal.word("nth") or "", ordinal.word("weekday")
    nth = int(named[0]) if named[:1].isdigit() else context.words.ordinals.get(named)
    if weekday or ordinal.word("weekend"):
        number, length = (context.words.weekdays[weekday], ONE_DAY) if weekday else (5, 2 * ONE_DAY)
        start = _beside(number, of.start, 1) + (nth - 1) * 7 * ONE_DAY if nth else _beside(number, of.end, -1)
        found = Span(start, start + length)
    else:
        unit, single = unit_of(ordinal, context), ordinal.rule.kind == "nth"
        group, absent = "n2" if ordinal.word("n2") else "n", 1 if single else MAX_FEW[unit]
        count, from_end = _count(ordinal, context, group, absent=absent), ordinal.word("last") or (single and not nth)
        start = calendar.shifted(of.end, unit, -count) if from_end else calendar.shifted(of.start, unit, (nth or 1) - 1)
        found = Span(start, calendar.shifted(start, unit, count))
    return found if of.start <= start < of.end else None


def _beside(weekday: int, edge: date, sign: int) -> date:
    """The last such day before `edge` (`sign` -1), or the first from it on (1)."""
    ahead = (weekday - edge.weekday()) % 7
    return edge + timedelta(days=ahead if sign > 0 else ahead - 7)
