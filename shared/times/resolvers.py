"""A mention of a time -> the days it names, one small function for each kind of rule in the lexicons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, timedelta

from shared.times import calendar
from shared.times.calendar import Span, Unit
from shared.times.lexicon import Context, Mention

RECENTLY_DAYS = 14
OTHER_DAY_DAYS = 7
FEW = {Unit.DAY: 7, Unit.WEEK: 4, Unit.MONTH: 3, Unit.QUARTER: 3, Unit.YEAR: 3}
"""How many units back "the last few" reach."""


def days_of(mention: Mention, context: Context) -> Span | None:
    """The days a mention names; None if there is no such day (31 February)."""
    try:
        return RESOLVERS[mention.rule.kind](mention, context)
    except (ValueError, OverflowError):
        return None


def _days_back(back: int) -> Callable[[Mention, Context], Span]:
    return lambda _mention, context: calendar.unit_back(Unit.DAY, back, context.today)


def _window(days: int) -> Callable[[Mention, Context], Span]:
    return lambda _mention, context: calendar.rolling(Unit.DAY, days, context.today, _window_start(days, context))


def _window_start(days: int, context: Context) -> date:
    """The day in which the moment `days` x 24 hours ago lies."""
    return (context.now.astimezone(UTC) - timedelta(days=days)).astimezone(context.zone).date()


def unit_of(mention: Mention, context: Context) -> Unit:
    """The unit it is counted in; days where it names none."""
    word = mention.word("unit")
    return Unit.DAY if word is None else Unit(context.words.units[word])


def weeks_in(mention: Mention, context: Context) -> int:
    """Of the unit it is counted in, if these are weeks."""
    return 2 if mention.word("unit") in context.words.fortnights else 1


def count_of(mention: Mention, context: Context, group: str = "n") -> int | None:
    """How many; None: a few."""
    word = mention.word(group)
    if word is None:
        return None
    count = int(word) if word.isdecimal() else context.words.numbers[word]
    return None if count < 0 else count


def _ago(mention: Mention, context: Context) -> Span:
    """That calendar unit; two or three units ago: both; a few: from two of them to as many as "few" reaches."""
    unit = unit_of(mention, context)
    if mention.word("n") is None:
        return calendar.unit_back(unit, 2, context.today)
    count = count_of(mention, context)
    most = count_of(mention, context, "most") or count or FEW[unit]
    weeks = weeks_in(mention, context)
    far, near = (calendar.unit_back(unit, many * weeks, context.today) for many in (most, count or 2))
    return Span(far.start, near.end, far.reach)


def _older(mention: Mention, context: Context) -> Span:
    return Span(None, _rolling(mention, context).start)


def _rolling(mention: Mention, context: Context) -> Span:
    unit = unit_of(mention, context)
    one = mention.word("n") is None and mention.word("few") is None
    count = 1 if one else count_of(mention, context) or FEW[unit]
    days = count * calendar.REACH[unit]
    return calendar.rolling(unit, count, context.today, _window_start(days, context))


def _last_unit(mention: Mention, context: Context) -> Span:
    return calendar.unit_back(unit_of(mention, context), 1, context.today)


def _this_unit(mention: Mention, context: Context) -> Span:
    return calendar.unit_back(unit_of(mention, context), 0, context.today)


def _weekend(mention: Mention, context: Context) -> Span:
    """Saturday and Sunday: of the last calendar week or the one before, or the most recent ones begun by today."""
    saturday = calendar.latest_weekday(5, context.today, before_today=False).start or context.today
    if mention.word("n") is not None:
        saturday -= timedelta(days=7 * ((count_of(mention, context) or FEW[Unit.WEEK]) - 1))
    if mention.word("last") is not None and saturday >= context.today - timedelta(days=context.today.weekday()):
        saturday -= timedelta(days=7)
    if mention.word("before") is not None:
        saturday -= timedelta(days=7)
    return Span(saturday, saturday + timedelta(days=2))


def _weekday(mention: Mention, context: Context) -> Span:
    number = context.words.weekdays[mention.word("weekday") or ""]
    before_today = any(mention.word(group) is not None for group in ("last", "last2", "n"))
    latest = calendar.latest_weekday(number, context.today, before_today=before_today)
    if mention.word("n") is None or latest.start is None:
        return latest
    return calendar.day(latest.start - timedelta(days=7 * ((count_of(mention, context) or FEW[Unit.WEEK]) - 1)))


def _iso_week(mention: Mention, context: Context) -> Span:
    """The most recent week of that number that has begun, or that of the year named."""
    number, year = int(mention.match["week"]), _year_of(mention, context)
    monday = date.fromisocalendar(year or context.today.isocalendar().year, number, 1)
    if year is None and monday > context.today:
        monday = date.fromisocalendar(context.today.isocalendar().year - 1, number, 1)
    return Span(monday, monday + timedelta(days=7))


def _weekday_in_week(mention: Mention, context: Context) -> Span:
    week = calendar.unit_back(Unit.WEEK, 1 if mention.word("last") else 0, context.today)
    assert week.start is not None  # noqa: S101 - a calendar week has bounds
    return calendar.day(week.start + timedelta(days=context.words.weekdays[mention.word("weekday") or ""]))


def _hours(mention: Mention, context: Context) -> Span:
    """From the start of the day in which the first of them lies."""
    first = (context.now.astimezone(UTC) - timedelta(hours=int(mention.match["hours"]))).astimezone(context.zone).date()
    return Span(first, context.today + timedelta(days=1), (context.today - first).days + 1)


def _clock_ago(mention: Mention, context: Context) -> Span:
    """The day in which the moment lies."""
    count = (1 if mention.word("n") is None else count_of(mention, context)) or FEW[Unit.MONTH]
    ago = timedelta(minutes=count) if mention.word("minutes") else timedelta(hours=count)
    return calendar.day((context.now.astimezone(UTC) - ago).astimezone(context.zone).date())


def _year_of(mention: Mention, context: Context) -> int | None:
    named = mention.word("year")
    if mention.word("current") or mention.word("back"):
        return context.today.year - (1 if mention.word("back") else 0)
    return int(named) if named else mention.year or context.year


def _date(mention: Mention, context: Context) -> Span | None:
    number, month = int(mention.word("day") or 0), context.words.months[mention.word("month") or ""]
    year = _year_of(mention, context)
    if year is not None:
        return calendar.day(date(year, month, number))
    return calendar.latest_day(number, month, context.today) if number else None


def _day_number(mention: Mention, context: Context) -> Span | None:
    number = int(mention.word("day") or 0)
    return calendar.latest_day(number, None, context.today) if 1 <= number <= 31 else None


def _days_of_month(mention: Mention, context: Context) -> Span | None:
    first, last = (int(mention.word(group) or 0) for group in ("d1", "d2"))
    month = context.words.months[mention.word("month") or ""]
    year = _year_of(mention, context)
    if year is None:
        latest = calendar.latest_day(first, month, context.today)
        if latest is None or latest.start is None:
            return None
        year = latest.start.year
    return Span(date(year, month, first), calendar.day(date(year, month, last)).end)


def _iso(mention: Mention, _context: Context) -> Span:
    year, month = int(mention.match["year"]), int(mention.match["number"])
    named_day = mention.word("day")
    return calendar.day(date(year, month, int(named_day))) if named_day else calendar.month(year, month)


def _day_month_order(mention: Mention, context: Context) -> Span | None:
    number, month, year = int(mention.match["first"]), int(mention.match["second"]), _year_of(mention, context)
    if year is None:
        return calendar.latest_day(number, month, context.today) if number and 1 <= month <= 12 else None
    return calendar.day(date(year, month, number))


def _month_day_order(mention: Mention, context: Context) -> Span | None:
    """English slashes: month first, unless that is no date or lies in the future."""
    first, second = int(mention.match["first"]), int(mention.match["second"])
    try:
        month_first = date(int(mention.match["year"]), first, second)
    except ValueError:
        return _day_month_order(mention, context)
    return calendar.day(month_first) if month_first <= context.today else _day_month_order(mention, context)


def _month(mention: Mention, context: Context) -> Span:
    number = context.words.months[mention.word("month") or ""]
    year = _year_of(mention, context)
    if year is not None:
        return calendar.month(year, number)
    return calendar.latest_month(number, context.today, before_this=mention.word("last") is not None)


def _quarter(mention: Mention, context: Context) -> Span:
    number = int(mention.word("quarter") or 0) or context.words.ordinals.get(mention.word("nth") or "", 4)
    year = _year_of(mention, context)
    if year is None:
        year = context.today.year - (1 if date(context.today.year, number * 3 - 2, 1) > context.today else 0)
    return calendar.months(year, number * 3 - 2, 3)


def _half(mention: Mention, _context: Context) -> Span:
    return calendar.months(int(mention.match["year"]), 1 if mention.match["half"] == "1" else 7, 6)


def _season(mention: Mention, context: Context) -> Span:
    """`last summer`: the latest that is over."""
    first_month = context.words.seasons[mention.word("season") or ""]
    span = calendar.season(first_month, context.today, _year_of(mention, context))
    if mention.word("last") is not None and span.end is not None and span.end > context.today:
        return calendar.season(first_month, context.today, None, back=1)
    return span


def _christmas(mention: Mention, context: Context) -> Span:
    year = _year_of(mention, context)
    if year is None:
        year = context.today.year - (1 if date(context.today.year, 12, 24) > context.today else 0)
    return Span(date(year, 12, 24), date(year, 12, 27))


def _feast(day: int, month: int) -> Callable[[Mention, Context], Span | None]:
    return lambda _mention, context: calendar.latest_day(day, month, context.today)


def _year(mention: Mention, _context: Context) -> Span:
    return calendar.months(int(mention.match["year"]), 1, 12)


IGNORED = "ignored"
"""The kind of what looks like a time and is none."""

RESOLVERS: Mapping[str, Callable[[Mention, Context], Span | None]] = {
    "today": _days_back(0),
    "now": _days_back(0),
    "yesterday": _days_back(1),
    "day_before_yesterday": _days_back(2),
    "recently": _window(RECENTLY_DAYS),
    "other_day": _window(OTHER_DAY_DAYS),
    "ago": _ago,
    "half_year": lambda _mention, context: calendar.unit_back(Unit.MONTH, 6, context.today),
    "year_and_half": lambda _mention, context: calendar.unit_back(Unit.MONTH, 18, context.today),
    "older": _older,
    "rolling": _rolling,
    "hours": _hours,
    "clock_ago": _clock_ago,
    "last_unit": _last_unit,
    "this_unit": _this_unit,
    "current": _this_unit,
    "iso_week": _iso_week,
    "weekend": _weekend,
    "weekday": _weekday,
    "weekday_in_week": _weekday_in_week,
    "date": _date,
    "day_number": _day_number,
    "days_of_month": _days_of_month,
    "iso": _iso,
    "dots": _day_month_order,
    "slashes": _month_day_order,
    "month": _month,
    "quarter": _quarter,
    "half": _half,
    "season": _season,
    "christmas": _christmas,
    "christmas_eve": _feast(24, 12),
    "new_years_eve": _feast(31, 12),
    "new_years_day": _feast(1, 1),
    "year": _year,
}
