"""Text -> what in it can name a time, in order.

Two mentions side by side may be one: `Monday, 5 May`, `in March last year`, `recently, in 2024`, `the Friday before
5 May`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta

from shared.language.vocabulary import Rule
from shared.times import calendar
from shared.times.calendar import Span, Unit
from shared.times.lexicon import NEARBY, Context, Lexicon, Mention, at_end
from shared.times.resolvers import FEW, IGNORED, OTHER_DAY_DAYS, count_of, days_of, unit_of, weeks_in

_FLAG = re.compile(r"(?<!\S)--?[A-Za-z][\w-]*\s+$")
_NAME_BEHIND = re.compile(r"(?:['’]s)?\s+([A-Z][a-z]\w*)")
_NAME_BEFORE = re.compile(r"\b[A-Z]\w+\s+$")
_FIRST_WORD = re.compile(r"(?:^|[.!?]\s+)\w+\s+$")
VAGUE = ("recently", "other_day")
OF_A_YEAR = ("date", "days_of_month", "month", "quarter", "nth_unit", "season", "feast")
PERIODS = ("this", "last", "before_last")
SHIFTS = ("ago", "last")
WHOLE_YEARS = (*PERIODS, "ago", "year")
NAMES = (*OF_A_YEAR, "weekday", "half", "iso_week")
DATES = ("date", "day_number", "days_of_month", "iso", "dots", "slashes")


def mentions_in(text: str, grammar: Lexicon, context: Context) -> list[Mention]:
    """Leftmost, then longest, not overlapping; without names and what a rule says to ignore. Weak ones are included."""
    found = [Mention.of(rule, match) for rule, pattern in grammar.rules for match in pattern.finditer(text)]
    found.sort(key=lambda mention: (mention.start, -mention.end))
    kept: list[Mention] = []
    for mention in found:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    names = grammar.names_are_capitalised and not text.isupper()
    times = (
        mention
        for mention in kept
        if mention.rule.kind != IGNORED
        and not _is_spoken_of(text, mention, grammar)
        and not (names and _is_name(text, mention))
    )
    return _united(times, text, grammar, context)


def _is_spoken_of(text: str, mention: Mention, grammar: Lexicon) -> bool:
    """Whether the words are a name or a value here: `spell Wednesday`, `column Q1`, `--since yesterday`."""
    if at_end(text, mention.start, _FLAG) or at_end(text, mention.start, grammar.named):
        return True
    is_name = mention.rule.kind in NAMES and mention.rule.kind != "year"
    return is_name and at_end(text, mention.start, grammar.named_parts) is not None


def _is_name(text: str, mention: Mention) -> bool:
    """Whether capitals say that this is a title or a name: `Friday Night Lights`, `USA Today`, `Last Year at`."""
    start = mention.start
    if mention.rule.kind in NAMES or (mention.rule.kind in PERIODS and mention.word("unit") is None):
        next_word = _NAME_BEHIND.match(text, mention.end)
        leads = mention.rule.kind == "feast" and mention.match.start("feast") == start
        is_bare = (mention.rule.weak or leads) and not re.search(r"\d", mention.match[0])
        follows_name = at_end(text, start, _NAME_BEFORE) and not at_end(text, start, _FIRST_WORD)
        return bool(is_bare and (next_word or follows_name))
    capitals = [word for word in mention.match[0].split() if word[0].isupper()]
    before = text[max(0, start - NEARBY) : start].rstrip()
    starts_sentence = not before or before[-1] in ".!?:;([\n"
    return len(capitals) > (1 if starts_sentence else 0)


def is_of_another_year(text: str, mention: Mention, grammar: Lexicon) -> bool:
    """Whether a year behind it that no rule reads says that the most recent such days are not meant: `14 July 1789`."""
    needs_year = mention.rule.kind in (*OF_A_YEAR, "half", "iso_week") and mention.year is None
    has_year = mention.word("year") or mention.word("yy")
    return needs_year and not has_year and grammar.other_year.match(text, mention.end) is not None


def _united(mentions: Iterable[Mention], text: str, grammar: Lexicon, context: Context) -> list[Mention]:
    united: list[Mention] = []
    for mention in mentions:
        one = _one(text, united, mention, grammar, context) if united else None
        if one is None:
            united.append(mention)
        else:
            united[-1] = one
    return united


def _one(text: str, before: list[Mention], second: Mention, grammar: Lexicon, context: Context) -> Mention | None:
    """What the last mention and the second say together; None: each speaks for itself."""
    first = before[-1]
    gap = text[first.end : second.start]
    if _counted_from(text, first.end, gap, grammar) <= first.start:
        return second
    link = grammar.link.fullmatch(gap)
    day = _day_of(first, second, context) if link else None
    if link is None or day is not None:
        return replace(day, start=first.start, end=second.end) if day else None
    if first.rule.weak and not _introduced(text, before, grammar):
        return None  # "the march last year"
    if year := _year_beside(first, second, context):
        return replace(first, end=second.end, year=year)
    if second.rule.weak and not gap.strip(" ,"):
        return None  # "last year may have been better"
    year = _year_beside(second, first, context)
    narrows = year or first.rule.kind in VAGUE or link.groupdict().get("said")
    return replace(_from(first, second), year=year) if narrows else None


def _day_of(first: Mention, second: Mention, context: Context) -> Mention | None:
    """The one day that both name: a weekday with its date or in its week, today's date in another month or year."""
    if first.rule.kind == "weekday" and second.rule.kind in DATES:
        return replace(second, rule=replace(second.rule, weak=False))
    for day, other in ((first, second), (second, first)):
        if day.rule.kind == "weekday" and _is_a_week(other, context):
            return replace(day, rule=replace(day.rule, weak=False), week=other)
        if day.rule.kind in ("today", "same_day") and other.rule.kind in SHIFTS and other.word("unit"):
            return replace(other, rule=Rule("shifted", ""))
    return None


def _from(first: Mention, second: Mention) -> Mention:
    """The second, whose phrase begins with the first."""
    return replace(second, rule=replace(second.rule, weak=False), start=first.start)


def _is_a_week(mention: Mention, context: Context) -> bool:
    """Whether it names one calendar week."""
    in_weeks = mention.rule.kind in (*PERIODS, "ago") and mention.word("unit") is not None
    return in_weeks and unit_of(mention, context) is Unit.WEEK and mention.word("most") is None


def _introduced(text: str, mentions: list[Mention], grammar: Lexicon) -> bool:
    """Whether what stands before the last mention makes a time of it."""
    start = mentions[-1].start
    if len(mentions) > 1 and grammar.joiner.fullmatch(text[mentions[-2].end : start]):
        return True
    patterns = (grammar.preposition, grammar.between, *(pattern for _, pattern in (*grammar.operators, *grammar.parts)))
    return any(at_end(text, start, pattern) for pattern in patterns)


def _year_beside(specific: Mention, other: Mention, context: Context) -> int | None:
    """The year that the other one is, if the first needs one."""
    if specific.rule.kind not in OF_A_YEAR or specific.word("year") or other.rule.kind not in WHOLE_YEARS:
        return None
    span = days_of(other, context)
    if span is None or span.start is None or span.end is None or (span.end - span.start).days < 365:
        return None
    return span.start.year


def _counted_from(text: str, end: int, gap: str, grammar: Lexicon) -> int:
    """Where the distance or the ordinal begins that is of what follows the `gap`, which begins at `end`; else `end`."""
    ordinal = ordinal_before(text, end + len(gap), grammar)
    if ordinal is not None:
        return ordinal.start
    operator, before = leading(gap, leading(gap, len(gap), grammar.parts)[1], grammar.operators)
    distance = distance_before(text, end + before, operator, grammar)
    return end if distance is None else distance.start


def leading(text: str, end: int, patterns: Iterable[tuple[str, re.Pattern[str]]]) -> tuple[str | None, int]:
    """The longest of the patterns that `text[:end]` ends with, and where it begins; None and `end`: none does."""
    matches = [(found.start(), name) for name, pattern in patterns if (found := at_end(text, end, pattern))]
    if not matches:
        return None, end
    start, name = min(matches)
    return name, start


ONE_DAY = timedelta(days=1)


def distance_before(text: str, end: int, operator: str | None, grammar: Lexicon) -> Mention | None:
    """The longest distance that `text[:end]` ends with; None if there is none, or the operator counts from no time."""
    if operator not in ("before", "after"):
        return None
    found = [Mention.of(rule, match) for rule, pattern in grammar.distances if (match := at_end(text, end, pattern))]
    return min(found, key=lambda mention: mention.start) if found else None


def days_at(distance: Mention, of: Span, context: Context, *, sign: int) -> Span | None:
    """The days at that distance before a time (`sign` -1) or after it (1). None if it is open on that side, or there
    are no such days.
    """
    edge = of.start if sign < 0 else of.end
    if edge is None:
        return None
    try:
        return _days(distance, edge, context, sign=sign)
    except (ValueError, OverflowError):
        return None


def ordinal_before(text: str, end: int, grammar: Lexicon) -> Mention | None:
    """What names, at the end of `text[:end]`, a day or weekend of the time behind it."""
    found = [Mention.of(rule, match) for rule, pattern in grammar.ordinal_days if (match := at_end(text, end, pattern))]
    return found[0] if found else None


def days_of_ordinal(ordinal: Mention, of: Span, context: Context) -> Span | None:
    """That day or weekend of the time: the last, or counted from the first that begins in it. None: it has no such."""
    if of.start is None or of.end is None:
        return None
    weekend, nth = ordinal.rule.kind == "weekend", context.words.ordinals.get(ordinal.word("nth") or "")
    if ordinal.rule.kind == "units":
        unit, count = unit_of(ordinal, context), count_of(ordinal, context, "n2" if ordinal.word("n2") else "n")
        edge, sign = (of.end, -1) if ordinal.word("last") else (of.start, 1)
        return _between(edge, calendar.shifted(edge, unit, sign * (count or FEW[unit])))
    if ordinal.rule.kind == "eve":
        return calendar.day(of.start - ONE_DAY)
    if ordinal.rule.kind == "day":
        return calendar.day(of.start if nth else of.end - ONE_DAY)
    number = 5 if weekend else context.words.weekdays[ordinal.word("weekday") or ""]
    day = _weekday(number, of.start, 1) + 7 * (nth - 1) * ONE_DAY if nth else _weekday(number, of.end, -1)
    return Span(day, day + (2 if weekend else 1) * ONE_DAY) if of.start <= day < of.end else None


def _days(mention: Mention, edge: date, context: Context, *, sign: int) -> Span:
    """`edge`: the first day of the time, or the day after its last; `sign` -1: before it, 1: after."""
    match mention.rule.kind:
        case "counted":
            return _counted(mention, edge if sign < 0 else edge - ONE_DAY, context, sign=sign)
        case "weekday":
            day = _weekday(context.words.weekdays[mention.word("weekday") or ""], edge, sign)
            return Span(day, day + ONE_DAY)
        case "weekend":
            saturday = _weekday(5, edge - ONE_DAY if sign < 0 else edge, sign)
            return Span(saturday, saturday + 2 * ONE_DAY)
        case "soon":
            return _between(edge, edge + sign * OTHER_DAY_DAYS * ONE_DAY)
        case kind:
            unit = unit_of(mention, context)
            one = kind == "adjoining" and mention.word("n") is None
            count = 1 if one else count_of(mention, context) or FEW[unit]
            return _between(edge, calendar.shifted(edge, unit, sign * count))


def _counted(mention: Mention, day: date, context: Context, *, sign: int) -> Span:
    """That calendar unit; a few units: from two of them to as many as "few" reaches."""
    unit, count = unit_of(mention, context), count_of(mention, context)
    if count is None:
        two, few = (calendar.unit_back(unit, -sign * many, day) for many in (2, FEW[unit]))
        return replace(few, end=two.end, reach=None) if sign < 0 else replace(two, end=few.end, reach=None)
    weeks = weeks_in(mention, context)
    return replace(calendar.unit_back(unit, -sign * count * weeks, day), reach=None)


def _weekday(number: int, edge: date, sign: int) -> date:
    """The last such day before `edge`, or the first from it on."""
    ahead = (number - edge.weekday()) % 7
    return edge + timedelta(days=ahead if sign > 0 else ahead - 7)


def _between(one: date, other: date) -> Span:
    return Span(min(one, other), max(one, other))
