"""Question -> the time it names, by a small grammar of our own.

A time is found in two steps: rules find what can name a time (`time_words`), then what stands before it decides
whether it does (a preposition before a bare month) and what it means (`since`, `before`, `between … and`).
Quoted text, names, versions and identifiers are no times. dateparser's `search_dates` understood 3 of 12 held-out
phrases and fired on 3 of 6 sentences without a time, hence our own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from shared.domain import TimeHint, TimeRange
from shared.retrieval import calendar
from shared.retrieval.calendar import Span, Unit
from shared.retrieval.time_words import ORDINALS, Compiled, Lexicon, Rule, compiled

RECENTLY_DAYS = 14
OTHER_DAY_DAYS = 7
FEW = {Unit.DAY: 7, Unit.WEEK: 4, Unit.MONTH: 3, Unit.QUARTER: 3, Unit.YEAR: 3}
"""How many units back "the last few" reach."""

_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|`[^`]*`|(?<!\w)'[^']{2,80}'(?!\w)")


@dataclass(frozen=True, slots=True)
class FoundTime:
    """A time hint and where its phrase stands: `text[start:end]`."""

    hint: TimeHint
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Mention:
    """Something that can name a time: a rule's match."""

    rule: Rule
    match: re.Match[str]

    @property
    def start(self) -> int:
        return self.match.start()

    @property
    def end(self) -> int:
        return self.match.end()

    def word(self, group: str) -> str | None:
        """What a group matched, lower case, single spaces; None if the rule has no such group or it did not match."""
        found = self.match.groupdict().get(group)
        return None if found is None else " ".join(found.lower().split())


@dataclass(frozen=True, slots=True)
class _Context:
    """From where times are seen. `year`: what a month or day without a year falls into; None: the most recent."""

    now: datetime
    zone: ZoneInfo
    words: Lexicon
    year: int | None = None

    @property
    def today(self) -> date:
        return self.now.astimezone(self.zone).date()


def find_time(text: str, *, now: datetime, zone: str, lang: str = "en") -> FoundTime | None:
    """The first time the text names, as a half-open range that ends with `now`'s day at the latest.

    `zone` is an IANA name that exists. A language without a grammar is read as English. Times that lie wholly in the
    future are none: notes cannot come from there.
    """
    grammar = _grammar(lang)
    context = _Context(now, ZoneInfo(zone), grammar.words)
    visible = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text)
    mentions = _mentions(visible, grammar)
    for index, mention in enumerate(mentions):
        following = mentions[index + 1] if index + 1 < len(mentions) else None
        found = _interpreted(visible, mention, following, grammar, context)
        if found is not None:
            span, start, end = found
            hint = _hint(span, " ".join(text[start:end].split()), context)
            if hint is not None:
                return FoundTime(hint, start, end)
    return None


def _grammar(lang: str) -> Compiled:
    try:
        return compiled(lang)
    except KeyError:
        return compiled("en")


def _mentions(text: str, grammar: Compiled) -> list[_Mention]:
    """Leftmost, then longest, not overlapping; without names and what a rule says to ignore."""
    found = [_Mention(rule, match) for rule, pattern in grammar.rules for match in pattern.finditer(text)]
    found.sort(key=lambda mention: (mention.start, -mention.end))
    kept: list[_Mention] = []
    for mention in found:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    names = grammar.words.names_are_capitalised and not text.isupper()
    return [
        mention
        for mention in kept
        if mention.rule.kind != "ignored" and not (names and (_is_name(text, mention) or _is_verb(text, mention)))
    ]


def _is_name(text: str, mention: _Mention) -> bool:
    """Whether capitals say that this is a title or a name: `Friday Night Lights`, `USA Today`, `Last Year at`."""
    before, after = text[: mention.start], text[mention.end :]
    named = {"weekday", "weekday_in_week", "month", "date", "days_of_month", "christmas", "quarter", "half", "season"}
    if mention.rule.kind in named:
        next_word = re.match(r"\s+([A-Z][a-z]\w*)", after)
        is_bare = mention.rule.weak and not re.search(r"\d", mention.match[0])
        follows_name = re.search(r"[A-Z]\w+\s+$", before) and not re.search(r"(?:^|[.!?]\s+)\w+\s+$", before)
        return bool(is_bare and (next_word or follows_name))
    capitals = [word for word in mention.match[0].split() if word[0].isupper()]
    starts_sentence = not before.strip() or before.rstrip()[-1] in ".!?:;([\n"
    return len(capitals) > (1 if starts_sentence else 0)


def _is_verb(text: str, mention: _Mention) -> bool:
    """`may 3 people join`: a month that is a verb too, then a number of something."""
    if mention.rule.kind != "date" or mention.word("month") not in ("may", "march") or mention.word("year"):
        return False
    of_something = re.match(r"\s+(?!and|to|until|or|we|i|in|at|about|with|for)[a-z]", text[mention.end :])
    return mention.match[0][-1].isdecimal() and bool(of_something)


def _interpreted(
    text: str, mention: _Mention, following: _Mention | None, grammar: Compiled, context: _Context
) -> tuple[Span, int, int] | None:
    """The days meant, and where the phrase with its preposition or operator stands; None: no time after all."""
    before = text[: mention.start]
    opening = grammar.between.search(before)
    if following is not None and (opening or not following.rule.weak):
        pair = _pair(text, mention, following, grammar, context)
        if pair is not None:
            return pair, opening.start() if opening else mention.start, following.end
    part, before = _leading(before, grammar.parts)
    operator, before_operator = _leading(before, grammar.operators)
    if part is None and operator is None and mention.rule.weak and not _stands_as_time(text, mention, grammar):
        return None
    span = _resolved(mention, context)
    if span is None:
        return None
    span = calendar.part(span, part) if part else span
    if (operator, part) == ("before", "end"):
        operator = "until"
    if operator is not None and (operator not in _OF_DISTANCES or mention.rule.kind == "ago"):
        return _applied(operator, span, context), len(before_operator), mention.end
    preposition = grammar.preposition.search(before) if mention.rule.weak and part is None else None
    return span, preposition.start() if preposition else len(before), mention.end


def _leading(before: str, patterns: tuple[tuple[str, re.Pattern[str]], ...]) -> tuple[str | None, str]:
    """The longest of the patterns that the text ends with, and the text before it."""
    matches = [(found.start(), name) for name, pattern in patterns if (found := pattern.search(before))]
    if not matches:
        return None, before
    start, name = min(matches)
    return name, before[:start]


def _stands_as_time(text: str, mention: _Mention, grammar: Compiled) -> bool:
    """Whether a weak mention has a preposition before it, or is a weekday that stands by itself."""
    before, after = text[: mention.start], text[mention.end :]
    attribute = re.match(r"\s+[a-z]", after)
    if grammar.preposition.search(before):
        # "on the Friday report", "during the march": behind an article these are attributes or common nouns.
        article = re.search(r"\bthe\s+$", before, re.IGNORECASE)
        verb = mention.word("month") in ("may", "march")
        return not (article and mention.rule.kind in ("weekday", "month") and (attribute or verb))
    attributive = re.search(r"\b(?:the|a|an|my|our|your|his|her|their|for|with|about|by|of)\s+$", before, re.IGNORECASE)
    written_out = len(mention.word("weekday") or "") > len("thurs")
    return written_out and not attributive and bool(re.search(r"(?:^|\s)[a-z]\w*,?\s+$", before))


_OF_DISTANCES = ("more than", "within")
"""Operators that go only before a distance: "more than May" is no time."""


def _applied(operator: str, span: Span, context: _Context) -> Span:
    today_over = context.today + timedelta(days=1)
    match operator:
        case "since" | "within":
            return Span(span.start, today_over)
        case "after":
            return Span(span.end, today_over)
        case "until":
            return Span(None, span.end)
        case _:
            return Span(None, span.start)


def _pair(text: str, first: _Mention, second: _Mention, grammar: Compiled, context: _Context) -> Span | None:
    """`between first and second`, both included. A year that only one of them names is the other's too."""
    if not grammar.joiner.fullmatch(text[first.end : second.start]):
        return None
    named = second.word("year")
    begin = _resolved(first, replace(context, year=int(named)) if named and not first.word("year") else context)
    if begin is None or begin.start is None:
        return None
    inherited = replace(context, year=begin.start.year) if not named else context
    end = _resolved(second, inherited)
    if end is not None and end.end is not None and end.end <= begin.start:
        if named:
            begin = _resolved(first, replace(context, year=int(named) - 1)) or begin
        else:
            end = _resolved(second, replace(inherited, year=(inherited.year or 0) + 1))
    return None if end is None else Span(begin.start, end.end)


# -- what each kind of rule means ---------------------------------------------------------------


def _resolved(mention: _Mention, context: _Context) -> Span | None:
    """The days a mention names; None if there is no such day (31 February)."""
    try:
        return _RESOLVERS[mention.rule.kind](mention, context)
    except (ValueError, OverflowError):
        return None


def _days_back(back: int) -> Callable[[_Mention, _Context], Span]:
    return lambda _mention, context: calendar.unit_back(Unit.DAY, back, context.today)


def _window(days: int) -> Callable[[_Mention, _Context], Span]:
    return lambda _mention, context: calendar.rolling(Unit.DAY, days, context.today, _window_start(days, context))


def _window_start(days: int, context: _Context) -> date:
    """The day in which the moment `days` x 24 hours ago lies."""
    return (context.now.astimezone(UTC) - timedelta(days=days)).astimezone(context.zone).date()


def _unit(mention: _Mention, context: _Context) -> Unit:
    word = mention.word("unit") or "day"
    singular = word if word in context.words.units else word.rstrip("s").removesuffix("e")
    return Unit(context.words.units.get(word) or context.words.units.get(singular, "day"))


def _count(mention: _Mention, context: _Context) -> int | None:
    """How many; None: a few."""
    word = mention.word("n")
    if word is None:
        return None
    count = int(word) if word.isdecimal() else context.words.numbers[word]
    return None if count < 0 else count


def _ago(mention: _Mention, context: _Context) -> Span:
    """That calendar unit; a few units ago: from two of them to as many as "few" reaches."""
    unit = _unit(mention, context)
    if mention.word("n") is None:
        return calendar.unit_back(unit, 2, context.today)
    count = _count(mention, context)
    if count is not None:
        return calendar.unit_back(unit, count * (2 if mention.word("unit") == "fortnights" else 1), context.today)
    far, near = calendar.unit_back(unit, FEW[unit], context.today), calendar.unit_back(unit, 2, context.today)
    return Span(far.start, near.end, far.reach)


def _older(mention: _Mention, context: _Context) -> Span:
    return Span(None, _rolling(mention, context).start)


def _rolling(mention: _Mention, context: _Context) -> Span:
    unit = _unit(mention, context)
    count = (1 if mention.word("n") is None else _count(mention, context)) or FEW[unit]
    days = count * calendar.REACH[unit]
    return calendar.rolling(unit, count, context.today, _window_start(days, context))


def _last_unit(mention: _Mention, context: _Context) -> Span:
    return calendar.unit_back(_unit(mention, context), 1, context.today)


def _this_unit(mention: _Mention, context: _Context) -> Span:
    return calendar.unit_back(_unit(mention, context), 0, context.today)


def _weekend(mention: _Mention, context: _Context) -> Span:
    """Saturday and Sunday: of the last calendar week, or the most recent one begun by today."""
    saturday = calendar.latest_weekday(5, context.today, before_today=False).start or context.today
    if mention.word("last") is not None and saturday >= context.today - timedelta(days=context.today.weekday()):
        saturday -= timedelta(days=7)
    return Span(saturday, saturday + timedelta(days=2))


def _weekday(mention: _Mention, context: _Context) -> Span:
    number = context.words.weekdays[mention.word("weekday") or ""]
    before_today = any(mention.word(group) is not None for group in ("last", "last2"))
    return calendar.latest_weekday(number, context.today, before_today=before_today)


def _weekday_in_week(mention: _Mention, context: _Context) -> Span:
    week = calendar.unit_back(Unit.WEEK, 1 if mention.word("last") else 0, context.today)
    assert week.start is not None  # noqa: S101 - a calendar week has bounds
    return calendar.day(week.start + timedelta(days=context.words.weekdays[mention.word("weekday") or ""]))


def _year_of(mention: _Mention, context: _Context) -> int | None:
    named = mention.word("year")
    return int(named) if named else context.year


def _date(mention: _Mention, context: _Context) -> Span | None:
    number, month = int(mention.word("day") or 0), context.words.months[mention.word("month") or ""]
    year = _year_of(mention, context)
    if year is not None:
        return calendar.day(date(year, month, number))
    return calendar.latest_day(number, month, context.today) if number else None


def _day_number(mention: _Mention, context: _Context) -> Span | None:
    number = int(mention.word("day") or 0)
    return calendar.latest_day(number, None, context.today) if 1 <= number <= 31 else None


def _days_of_month(mention: _Mention, context: _Context) -> Span | None:
    first, last = (int(mention.word(group) or 0) for group in ("d1", "d2"))
    month = context.words.months[mention.word("month") or ""]
    year = _year_of(mention, context)
    if year is None:
        latest = calendar.latest_day(first, month, context.today)
        if latest is None or latest.start is None:
            return None
        year = latest.start.year
    return Span(date(year, month, first), calendar.day(date(year, month, last)).end)


def _iso(mention: _Mention, _context: _Context) -> Span:
    year, month = int(mention.match["year"]), int(mention.match["number"])
    named_day = mention.word("day")
    return calendar.day(date(year, month, int(named_day))) if named_day else calendar.month(year, month)


def _day_month_order(mention: _Mention, _context: _Context) -> Span:
    return calendar.day(date(int(mention.match["year"]), int(mention.match["second"]), int(mention.match["first"])))


def _month_day_order(mention: _Mention, context: _Context) -> Span:
    """English slashes: month first, unless that is no date or lies in the future."""
    first, second = int(mention.match["first"]), int(mention.match["second"])
    try:
        month_first = date(int(mention.match["year"]), first, second)
    except ValueError:
        return _day_month_order(mention, context)
    return calendar.day(month_first) if month_first <= context.today else _day_month_order(mention, context)


def _month(mention: _Mention, context: _Context) -> Span:
    number = context.words.months[mention.word("month") or ""]
    year = _year_of(mention, context)
    if year is not None:
        return calendar.month(year, number)
    return calendar.latest_month(number, context.today, before_this=mention.word("last") is not None)


def _quarter(mention: _Mention, context: _Context) -> Span:
    number = int(mention.word("quarter") or 0) or ORDINALS[mention.word("nth") or "last"]
    year = _year_of(mention, context)
    if year is None and mention.word("back") is not None:
        year = context.today.year - (1 if mention.word("back") == "last" else 0)
    if year is None:
        year = context.today.year - (1 if date(context.today.year, number * 3 - 2, 1) > context.today else 0)
    return calendar.months(year, number * 3 - 2, 3)


def _half(mention: _Mention, _context: _Context) -> Span:
    return calendar.months(int(mention.match["year"]), 1 if mention.match["half"] == "1" else 7, 6)


def _season(mention: _Mention, context: _Context) -> Span:
    """`last summer`: the latest that is over."""
    first_month = context.words.seasons[mention.word("season") or ""]
    span = calendar.season(first_month, context.today, _year_of(mention, context))
    if mention.word("last") is not None and span.end is not None and span.end > context.today:
        return calendar.season(first_month, context.today, None, back=1)
    return span


def _christmas(mention: _Mention, context: _Context) -> Span:
    year = _year_of(mention, context)
    if year is None:
        year = context.today.year - (1 if date(context.today.year, 12, 24) > context.today else 0)
    return Span(date(year, 12, 24), date(year, 12, 27))


def _year(mention: _Mention, _context: _Context) -> Span:
    return calendar.months(int(mention.match["year"]), 1, 12)


_RESOLVERS: Mapping[str, Callable[[_Mention, _Context], Span | None]] = {
    "today": _days_back(0),
    "yesterday": _days_back(1),
    "day_before_yesterday": _days_back(2),
    "recently": _window(RECENTLY_DAYS),
    "other_day": _window(OTHER_DAY_DAYS),
    "fortnight": lambda _mention, context: calendar.unit_back(Unit.WEEK, 2, context.today),
    "ago": _ago,
    "older": _older,
    "rolling": _rolling,
    "last_unit": _last_unit,
    "this_unit": _this_unit,
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
    "year": _year,
}


def _hint(span: Span, phrase: str, context: _Context) -> TimeHint | None:
    """Days -> moments in the caller's zone, ending with today at the latest; None if nothing is left."""
    tomorrow = context.today + timedelta(days=1)
    end = tomorrow if span.end is None else min(span.end, tomorrow)
    if span.start is not None and span.start >= end:
        return None
    start = _midnight(span.start, context) if span.start else None
    reach = span.reach
    if reach is None and start is not None:
        reach = max(1, math.ceil((context.now - start) / timedelta(days=1)))
    return TimeHint(TimeRange(start, _midnight(end, context)), phrase, reach)


def _midnight(day: date, context: _Context) -> datetime:
    return datetime.combine(day, time(), context.zone)
