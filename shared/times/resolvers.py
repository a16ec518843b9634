"""A mention of a time -> the days it names, one small function for each kind of rule in the lexicons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, timedelta

from shared.times import calendar
from shared.times.calendar import Span, Unit
from shared.times.lexicon import Context, Mention

RECENTLY_DAYS = 14
OTHER_DAY_DAYS = 7
FEW = {Unit.DAY: 7, Unit.WEEK: 4, Unit.MONTH: 3, Unit.QUARTER: 3, Unit.HALF: 3, Unit.YEAR: 3}
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
    """Weeks in one unit that it is counted in: 2 for fortnights."""
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


def _period(back: int) -> Callable[[Mention, Context], Span | None]:
    """The unit, weekday, weekend, month or season so many before the present one."""

    def resolve(mention: Mention, context: Context) -> Span | None:
        today = context.today
        if mention.word("unit"):
            return calendar.unit_back(unit_of(mention, context), back * weeks_in(mention, context), today)
        if weekday := mention.word("weekday"):
            return _weekday_back(context.words.weekdays[weekday], back, today)
        if month := mention.word("month"):
            seen_from = calendar.shifted(today, Unit.YEAR, 1 - back) if back else today
            return calendar.latest_month(context.words.months[month], seen_from, before_this=back > 0)
        if season := mention.word("season"):
            first_month = context.words.seasons[season]
            latest = calendar.season(first_month, today, None)
            over = latest.end is not None and latest.end <= today
            return calendar.season(first_month, today, None, back=max(0, back - over))
        return _weekend_back(back, today)

    return resolve


def _weekday_back(number: int, back: int, today: date) -> Span:
    """The most recent such day, today included; `back` of them before today."""
    latest = calendar.latest_weekday(number, today, before_today=back > 0)
    return latest if back < 2 or latest.start is None else calendar.day(latest.start - timedelta(days=7 * (back - 1)))


def _weekend_back(back: int, today: date) -> Span:
    """The most recent Saturday and Sunday begun by today; `back` weekends before this calendar week."""
    saturday = today - timedelta(days=(today.weekday() - 5) % 7)
    if back:
        in_this_week = saturday >= today - timedelta(days=today.weekday())
        saturday -= timedelta(days=7 * (back - 1 + in_this_week))
    return Span(saturday, saturday + timedelta(days=2))


def _weekend(mention: Mention, context: Context) -> Span:
    return _weekend_back(_times_back(mention, context), context.today)


def _weekday(mention: Mention, context: Context) -> Span | None:
    number = context.words.weekdays[mention.word("weekday") or ""]
    if mention.week is None:
        return _weekday_back(number, _times_back(mention, context), context.today)
    week = days_of(mention.week, context)
    return calendar.day(week.start + timedelta(days=number)) if week and week.start else None


def _times_back(mention: Mention, context: Context) -> int:
    """N of `N Mondays ago`; 0 if it names none."""
    return 0 if mention.word("n") is None else count_of(mention, context) or FEW[Unit.WEEK]


def _same_day(mention: Mention, context: Context) -> Span:
    """The day of today's date so many units ago."""
    count = 1 if mention.word("n") is None else count_of(mention, context) or FEW[unit_of(mention, context)]
    unit, count = unit_of(mention, context), count * weeks_in(mention, context)
    return calendar.day(calendar.shifted(context.today, unit, -count))


def _iso_week(mention: Mention, context: Context) -> Span | None:
    """The most recent week of that number that has begun, or that of the year named; with `last` up to that week."""
    number, year = int(mention.match["week"]), _year_of(mention, context)
    monday = date.fromisocalendar(year or context.today.isocalendar().year, number, 1)
    if year is None and monday > context.today:
        monday = date.fromisocalendar(context.today.isocalendar().year - 1, number, 1)
    weeks = int(mention.word("last") or number) - number + 1
    return Span(monday, monday + timedelta(days=7 * weeks)) if weeks > 0 else None


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
    named = mention.word("year") or mention.word("yy")
    if mention.word("current") or mention.word("back"):
        return context.today.year - (1 if mention.word("back") else 0)
    if named is None or len(named) == 4:
        return int(named) if named else mention.year or context.year
    return 2000 + int(named.removeprefix("'"))


def _day(mention: Mention, context: Context) -> Span | None:
    """A day, with `d2` the days up to that one, or the month where none is named: of the year named, else the most
    recent.
    """
    named = mention.word("day") or mention.word("first") or mention.word("d1")
    figure, name = mention.word("number") or mention.word("second"), mention.word("month")
    month = int(figure) if figure else context.words.months[name] if name else None
    year, last = _year_of(mention, context), mention.word("d2")
    if named is None:
        return calendar.month(year, month) if year and month else None
    first = _day_at(int(named), month, year, context)
    if first is None or first.start is None or last is None:
        return first
    return Span(first.start, calendar.day(first.start.replace(day=int(last))).end)


def _day_at(number: int, month: int | None, year: int | None, context: Context) -> Span | None:
    """`month` None: the most recent day of that number; `year` None: the most recent such day."""
    if year is not None and month is not None:
        return calendar.day(date(year, month, number))
    is_day = 1 <= number <= 31 and (month is None or 1 <= month <= 12)
    return calendar.latest_day(number, month, context.today) if is_day else None


def _slashes(mention: Mention, context: Context) -> Span | None:
    """Day first. Month first where the language does so and the zone is American, or unknown and that is over."""
    first, second, year = int(mention.match["first"]), int(mention.match["second"]), _year_of(mention, context)
    if not context.words.month_first:
        return _day_at(first, second, year, context)
    american = context.zone.key.startswith(("America/", "US/", "UTC", "Pacific/Honolulu"))
    day, month = (second, first) if (american and first <= 12) or second > 12 else (first, second)
    found = _day_at(day, month, year, context)
    ahead = found and found.start and found.start > context.today and day <= 12
    return _day_at(month, day, year, context) if ahead else found


def _month(mention: Mention, context: Context) -> Span:
    number, year = context.words.months[mention.word("month") or ""], _year_of(mention, context)
    return calendar.month(year, number) if year else calendar.latest_month(number, context.today, before_this=False)


def _term(mention: Mention, context: Context) -> Span | None:
    """That quarter or half of the year named, else the most recent that has begun; "last quarter of": the fourth."""
    nth, half = mention.word("nth") or "", mention.word("half")
    unit = Unit.HALF if half else unit_of(mention, context) if nth else Unit.QUARTER
    figure = half or mention.word("quarter") or (nth[0] if nth[:1].isdigit() else "")
    number = int(figure) if figure else context.words.ordinals[nth] if nth else 4
    size = calendar.MONTHS[unit]
    if number * size > 12:
        return None
    year, first = _year_of(mention, context), (number - 1) * size + 1
    if year is None:
        year = context.today.year - (date(context.today.year, first, 1) > context.today)
    return calendar.months(year, first, size)


def _season(mention: Mention, context: Context) -> Span:
    first_month = context.words.seasons[mention.word("season") or ""]
    return calendar.season(first_month, context.today, _year_of(mention, context))


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


def _year(mention: Mention, context: Context) -> Span:
    return calendar.months(_year_of(mention, context) or 0, 1, 12)


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
    "this": _period(0),
    "last": _period(1),
    "before_last": _period(2),
    "same_day": lambda _mention, _context: None,
    "shifted": _same_day,
    "current": _period(0),
    "iso_week": _iso_week,
    "weekend": _weekend,
    "weekday": _weekday,
    "date": _day,
    "day_number": _day,
    "days_of_month": _day,
    "iso": _day,
    "dots": _day,
    "slashes": _slashes,
    "month": _month,
    "quarter": _term,
    "half": _term,
    "nth_unit": _term,
    "season": _season,
    "feast": _feast,
    "decade": _decade,
    "year": _year,
}
