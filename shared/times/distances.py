"""A distance from a time -> the days it names: `two weeks before 5 May`, `the weekend after Christmas`. A day of a
time, too: `the first Monday of May`.

Seen from that time as the same words are from today: two weeks before is the calendar week before the last one, the
week before are seven days.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta

from shared.times import calendar
from shared.times.calendar import Span
from shared.times.context import Context, Mention
from shared.times.kinds import FEW, OTHER_DAY_DAYS, count_of, unit_of, weeks_in
from shared.times.lexicon import Lexicon, at_end

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Distance:
    """What stands before `before` or `after`: a rule's match, and which of the two it is."""

    mention: Mention
    operator: str


def distance_before(text: str, end: int, operator: str, grammar: Lexicon) -> Distance | None:
    """The longest distance that `text[:end]` ends with; None if there is none, or the operator counts from no time."""
    if operator not in ("before", "after"):
        return None
    found = [Mention.of(rule, match) for rule, pattern in grammar.distances if (match := at_end(text, end, pattern))]
    return Distance(min(found, key=lambda mention: mention.start), operator) if found else None


def days_at(distance: Distance, of: Span, context: Context) -> Span | None:
    """The days at that distance of a time. None if it is open on that side, or there are no such days."""
    back = distance.operator == "before"
    edge = of.start if back else of.end
    if edge is None:
        return None
    try:
        return _days(distance.mention, edge, context, sign=-1 if back else 1)
    except (ValueError, OverflowError):
        return None


def member_before(text: str, end: int, grammar: Lexicon) -> Mention | None:
    """What names, at the end of `text[:end]`, a day or weekend of the time behind it."""
    found = [Mention.of(rule, match) for rule, pattern in grammar.members if (match := at_end(text, end, pattern))]
    return found[0] if found else None


def days_of_member(member: Mention, of: Span, context: Context) -> Span | None:
    """That day or weekend of the time: the last, or counted from the first that begins in it. None: it has no such."""
    if of.start is None or of.end is None:
        return None
    weekend, nth = member.rule.kind == "weekend", context.words.ordinals.get(member.word("nth") or "")
    if member.rule.kind == "day":
        return calendar.day(of.start if nth else of.end - ONE_DAY)
    number = 5 if weekend else context.words.weekdays[member.word("weekday") or ""]
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
