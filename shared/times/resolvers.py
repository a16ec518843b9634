"""A mention of a time -> the days it names, by the function that RESOLVERS has for the kind of its rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, timedelta
from functools import partial

from shared.times import calendar
from shared.times.calendar import ONE_DAY, Span, Unit
from shared.times.counting import (
    MAX_FEW,
    SHORT_WHILE_DAYS,
    away,
    count_of,
    days_of_ordinal,
    read_ordinal,
    unit_of,
)
from shared.times.lexicon import Context, Mention

RECENTLY_DAYS = 14
AMERICAN_ZONES = ("America/", "US/", "UTC", "Pacific/Honolulu")
"""Prefixes of zones where the month comes first; UTC says nothing of the person."""


def days_of(mention: Mention, context: Context) -> Span | None:
    """Returns the days that a mention names; None if there is no such day (31 February)."""
    try:
        return RESOLVERS[mention.kind](mention, context)
    except (ValueError, OverflowError):
        return None


def _single_day(_: Mention, context: Context, *, back: int) -> Span:
    """Resolves `today`, `yesterday`: the day `back` days before today."""
    return calendar.unit_back(Unit.DAY, back, context.today)


def _last_days(_: Mention, context: Context, *, days: int) -> Span:
    """Resolves words for a short while: the last `days` days."""
    return _window(Unit.DAY, days, context)


def _ago(mention: Mention, context: Context) -> Span:
    """Resolves `two weeks ago`."""
    return away(mention, context, context.today, -1)


def _rolling(mention: Mention, context: Context) -> Span:
    """Resolves `the last 30 days`, `the last 24 hours`: from the start of the first day touched."""
    hours = mention.word("hours")
    if hours is not None:
        ago = timedelta(hours=int(hours))
        first = _day_of_moment(ago, context)
        tomorrow = context.today + ONE_DAY
        days_touched = tomorrow - first
        return Span(first, tomorrow, reach=days_touched.days)

    unit = unit_of(mention, context)
    absent = 1
    if mention.word("few") is not None:
        absent = MAX_FEW[unit]
    count = count_of(mention, context, absent=absent)
    return _window(unit, count, context)


def _window(unit: Unit, count: int, context: Context) -> Span:
    """Returns the last `count` units up to today.

    Days and weeks are counted in 24 hours, longer units by the calendar's date.
    """
    today = context.today
    days = count * calendar.REACH[unit]
    if unit in (Unit.DAY, Unit.WEEK):
        ago = timedelta(days)
        start = _day_of_moment(ago, context)
    else:
        start = calendar.shifted(today, unit, -count)
    return Span(start, today + ONE_DAY, reach=days)


def _older(mention: Mention, context: Context) -> Span:
    """Resolves `older than two weeks`."""
    recent = _rolling(mention, context)
    return Span(None, recent.start)


def _clock_ago(mention: Mention, context: Context) -> Span:
    """Resolves `5 hours ago`: the day in which the moment lies."""
    count = count_of(mention, context, few=3)
    if mention.word("minutes"):
        ago = timedelta(minutes=count)
    else:
        ago = timedelta(hours=count)
    day = _day_of_moment(ago, context)
    return calendar.day(day)


def _day_of_moment(ago: timedelta, context: Context) -> date:
    """Returns the day of the moment that lies so long ago."""
    moment = context.now.astimezone(UTC) - ago
    return moment.astimezone(context.zone).date()


def _half_year_ago(mention: Mention, context: Context) -> Span:
    """Resolves `half a year ago`, `a year and a half ago`: the month."""
    months = 18 if mention.word("more") else 6
    return calendar.unit_back(Unit.MONTH, months, context.today)


def _period(
    mention: Mention,
    context: Context,
    back: int = 0,
    year: int | None = None,
) -> Span | None:
    """Returns the unit, weekday, month, season or weekend that lies `back` before the present one.

    year: the year of a month or season; None for the most recent one.
    """
    today = context.today
    words = context.words

    month = mention.word("month")
    if month is not None:
        number = words.months[month]
        if year is not None:
            return calendar.months(year, number)
        return calendar.month_back(number, back, today)

    if mention.word("unit"):
        unit = unit_of(mention, context)
        count = count_of(mention, context, absent=back)
        return calendar.unit_back(unit, count, today)

    weekday = mention.word("weekday")
    if weekday is not None:
        number = words.weekdays[weekday]
        return calendar.weekday_back(number, back, today)

    season = mention.word("season")
    if season is not None:
        first_month = words.seasons[season]
        return _season(first_month, context, back, year)

    return calendar.weekend_back(back, today)


def _season(first_month: int, context: Context, back: int, year: int | None) -> Span:
    """Returns a season; winter bears the year in which it begins, unless that lies ahead."""
    today = context.today
    if year is None:
        return calendar.season_back(first_month, back, today)
    is_winter = first_month == 12
    if is_winter and date(year, 12, 1) > today:
        year -= 1
    return calendar.months(year, first_month, 3)


def _month_or_season(mention: Mention, context: Context) -> Span | None:
    """Resolves `March`, `spring 2024`."""
    year = _year_of(mention, context)
    return _period(mention, context, year=year)


def _weekday(mention: Mention, context: Context) -> Span | None:
    """Resolves a weekday or weekend, `three Mondays ago`, or a weekday in the week that holds it."""
    if mention.week is None:
        back = count_of(
            mention,
            context,
            absent=0,
            few=MAX_FEW[Unit.WEEK],
        )
        return _period(mention, context, back)

    week = days_of(mention.week, context)
    if week is None or week.start is None:
        return None
    weekday = mention.word("weekday") or ""
    days_behind_monday = context.words.weekdays[weekday]
    day = week.start + timedelta(days_behind_monday)
    return calendar.day(day)


def _iso_week(mention: Mention, context: Context) -> Span | None:
    """Resolves `week 12`: of the year named, otherwise the most recent that has begun; `weeks 3 to 5` up to the last."""
    number = int(mention.match["week"])
    year = _year_of(mention, context)
    if year is None:
        today = context.today
        year = today.isocalendar().year
        is_ahead = date.fromisocalendar(year, number, 1) > today
        if is_ahead:
            year -= 1
    monday = date.fromisocalendar(year, number, 1)

    last_number = number
    last = mention.word("last")
    if last is not None:
        last_number = int(last)
    weeks = last_number - number + 1
    if weeks < 1:
        return None
    end = monday + timedelta(weeks=weeks)
    return Span(monday, end)


def _day(mention: Mention, context: Context) -> Span | None:
    """Resolves a day, the days up to `d2`, or the month if no day is named: of the year named, otherwise the latest."""
    month = _month_number(mention, context)
    year = _year_of(mention, context)
    number = _day_number(mention, context)
    if number is None:
        if year is None or month is None:
            return None
        return calendar.months(year, month)

    first = calendar.day_at(number, month, year, context.today)
    last = mention.word("d2")
    if last is None:
        return first
    if first is None or first.start is None:
        return first
    last_number = int(last)
    last_day = first.start.replace(day=last_number)
    return Span(first.start, last_day + ONE_DAY)


def _month_number(mention: Mention, context: Context) -> int | None:
    """Returns the month that a date names in figures or by name; None if it names no month."""
    figure = mention.word("number") or mention.word("second")
    if figure is not None:
        return int(figure)
    name = mention.word("month")
    if name is None:
        return None
    return context.words.months[name]


def _day_number(mention: Mention, context: Context) -> int | None:
    """Returns the number of the day that a date names, in figures or as an ordinal; None if it names no day."""
    for group in ("day", "first", "d1", "nth"):
        word = mention.word(group)
        if word is None:
            continue
        if word.isdecimal():
            return int(word)
        return read_ordinal(word, context)
    return None


def _slashes(mention: Mention, context: Context) -> Span | None:
    """Resolves `7/4`: day first.

    The month comes first in a language that writes it so, if the zone is American, or UTC and the day is over.
    """
    today = context.today
    first = int(mention.match["first"])
    second = int(mention.match["second"])
    year = _year_of(mention, context)
    if not context.words.month_first:
        return calendar.day_at(first, second, year, today)

    is_american = context.zone.key.startswith(AMERICAN_ZONES)
    month_is_first = is_american and first <= 12
    if month_is_first or second > 12:
        month = first
        day = second
    else:
        day = first
        month = second
    span = calendar.day_at(day, month, year, today)
    if span is None or span.start is None:
        return span

    # Notes cannot come from a day that lies ahead: the other order is meant.
    can_be_month = day <= 12
    if can_be_month and span.start > today:
        return calendar.day_at(month, day, year, today)
    return span


def _term(mention: Mention, context: Context) -> Span | None:
    """Resolves a quarter or half: of the year named, otherwise the most recent that has begun."""
    number = _number_of_term(mention, context)
    size = calendar.MONTHS[_unit_of_term(mention, context)]
    last_month = number * size
    if last_month > 12:
        return None

    first_month = last_month - size + 1
    year = _year_of(mention, context)
    if year is None:
        today = context.today
        year = today.year
        if date(year, first_month, 1) > today:
            year -= 1
    return calendar.months(year, first_month, size)


def _unit_of_term(mention: Mention, context: Context) -> Unit:
    """Returns whether a mention counts quarters or halves: `Q2`, `H1`, `the second quarter`."""
    if mention.word("half") is not None:
        return Unit.HALF
    if mention.word("nth") is not None:
        return unit_of(mention, context)
    return Unit.QUARTER


def _number_of_term(mention: Mention, context: Context) -> int:
    """Returns which quarter or half of the year a mention names, from 1."""
    figure = mention.word("half") or mention.word("quarter")
    if figure is not None:
        return int(figure)
    nth = mention.word("nth") or ""
    number = read_ordinal(nth, context)
    assert number is not None  # noqa: S101 - the rule holds the language's ordinals alone
    return number


def _feast(mention: Mention, context: Context) -> Span:
    """Resolves a feast: in the year named, otherwise the most recent that has begun."""
    word = mention.word("feast") or ""
    rule = context.words.feasts[word]
    year = _year_of(mention, context)
    if year is not None:
        return calendar.feast(rule, year)

    today = context.today
    feast = calendar.feast(rule, today.year)
    is_ahead = feast.start is not None and feast.start > today
    if is_ahead:
        last_year = today.year - 1
        feast = calendar.feast(rule, last_year)
    return feast


def _decade(mention: Mention, context: Context) -> Span:
    """Resolves ten years; a decade without its century is the most recent that has begun."""
    word = mention.word("decade") or ""
    if word.isdecimal():
        first_year = int(word)
    else:
        first_year = context.words.decades[word]
    names_no_century = first_year < 100
    if names_no_century:
        first_year += 2000
        if first_year > context.today.year:
            first_year -= 100
    start = calendar.month_start(first_year, 1)
    end = calendar.month_start(first_year + 10, 1)
    return Span(start, end)


def _no_days(_mention: Mention, _context: Context) -> None:
    """Resolves `on this day`, which means something only beside another time: `this day last year`."""


def _shifted_day(mention: Mention, context: Context) -> Span:
    """Resolves `two years ago today`."""
    unit = unit_of(mention, context)
    count = count_of(mention, context)
    day = calendar.shifted(context.today, unit, -count)
    return calendar.day(day)


def _this_day_in_year(mention: Mention, context: Context) -> Span:
    """Resolves `on this day in 2024`."""
    today = context.today
    year = _year_of(mention, context) or today.year
    day = today.replace(year=year)
    return calendar.day(day)


def _nth(mention: Mention, context: Context) -> Span | None:
    """Resolves `the first Monday of March`, `the last July days` as one mention."""
    time = _month_or_season(mention, context)
    return days_of_ordinal(mention, time, context)


def _year(mention: Mention, context: Context) -> Span:
    """Resolves `2024`."""
    year = _year_of(mention, context) or 0
    return calendar.months(year, 1, 12)


def _year_of(mention: Mention, context: Context) -> int | None:
    """Returns the year that a mention names, or the year beside it, or the context's; None if there is none."""
    year = mention.word("year") or mention.word("yy")
    if year is None:
        return mention.year or context.year
    if len(year) == 4:
        return int(year)
    two_digits = year.removeprefix("'")
    return 2000 + int(two_digits)


IGNORED = "ignored"
"""The kind of text that looks like a time but is not one."""

RESOLVERS: Mapping[str, Callable[[Mention, Context], Span | None]] = {
    "today": partial(_single_day, back=0),
    "now": partial(_single_day, back=0),
    "yesterday": partial(_single_day, back=1),
    "day_before_yesterday": partial(_single_day, back=2),
    "recently": partial(_last_days, days=RECENTLY_DAYS),
    "other_day": partial(_last_days, days=SHORT_WHILE_DAYS),
    "ago": _ago,
    "half_year": _half_year_ago,
    "older": _older,
    "rolling": _rolling,
    "clock_ago": _clock_ago,
    "this": _period,
    "current": _period,
    "last": partial(_period, back=1),
    "before_last": partial(_period, back=2),
    "same_day": _no_days,
    "shifted": _shifted_day,
    "this_day": _this_day_in_year,
    "iso_week": _iso_week,
    "weekend": _weekday,
    "weekday": _weekday,
    "date": _day,
    "day_number": _day,
    "days_of_month": _day,
    "iso": _day,
    "dots": _day,
    "slashes": _slashes,
    "quarter": _term,
    "half": _term,
    "nth_unit": _term,
    "month": _month_or_season,
    "season": _month_or_season,
    "feast": _feast,
    "decade": _decade,
    "nth": _nth,
    "units": _nth,
    "year": _year,
}
"""Kind of a rule -> the function that resolves its mentions."""
