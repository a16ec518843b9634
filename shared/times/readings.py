"""A mention and the words around it -> the days that the phrase means: `since the end of March`, `between May and July`.

Before a mention may stand a part (`the end of`), a distance (`two days before`) and an operator (`since`); a joiner may
lead to a second mention, and a bound may follow (`onwards`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from shared.times import calendar
from shared.times.calendar import Span, Unit
from shared.times.lexicon import Context, Mention, at_end, longest_at_end
from shared.times.mentions import COUNT_FROM
from shared.times.recognition import (
    describes_plural,
    has_other_year,
    is_time,
    is_time_as_first,
    means_a_time_only,
)
from shared.times.resolvers import ONE_DAY, days_at, days_of, days_of_ordinal

RECURRING = ("weekday", "weekend", "month", "season", "feast")
"""Kinds of times that come again and again."""
OPENING = ("since", "after")
"""Operators that open a range, like `from`: "since May until July"."""
OF_DISTANCES = ("more than", "within")
"""Operators that go only before a distance: "more than May" is no time."""
NEAR_SECOND_END = 20
"""Characters between `from May` and a mention within which the latter may be the range's other end."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The days that a phrase means, and its place in the text."""

    span: Span
    start: int
    end: int
    recurs: bool = False
    """True if it may also be one to come, or each of its kind: `Monday`, `in spring`."""
    certain: bool = True
    """False if something beside it was not understood: it then orders and does not restrict."""


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A mention with the part of it that is meant: `the end of March`."""

    mention: Mention
    span: Span | None
    """Days that it means; None if there are no such days."""
    start: int
    part: str | None
    """One of `calendar.PARTS`."""
    is_bare: bool
    """True if no part or day of it is named."""


def read(
    text: str,
    mention: Mention,
    following: Mention | None,
    context: Context,
) -> Reading | None:
    """Reads the days that a mention means, with what belongs to it; None if it is no time after all.

    following: the next mention of the text, which may be the other end of a range.
    """
    grammar = context.words
    anchor = _anchor(text, mention, context)
    operator = longest_at_end(text, anchor.start, grammar.operators)
    kind = operator.kind if operator is not None else None

    # A range: `from May to July`.
    lacks_other_end = False
    if following is not None and _may_be_range(text, anchor, kind, following, context):
        span = _range_between(text, anchor, _anchor(text, following, context), context)
        if span is not None:
            return _read_range(text, anchor, operator, following, span=span, context=context)
        opening = at_end(text, anchor.start, grammar.between)
        is_near = following.start - mention.end < NEAR_SECOND_END
        lacks_other_end = opening is not None and is_near  # "from May down to 3 April"

    # A mention by itself may be no time.
    after_operator = kind is not None and kind not in OF_DISTANCES
    if anchor.is_bare and not is_time(text, mention, grammar, after_operator=after_operator):
        if anchor.span is None or not describes_plural(text, mention, grammar):
            return None
        return Reading(anchor.span, anchor.start, mention.end, certain=False)

    # A distance: `two days before May`.
    span = anchor.span
    start = anchor.start
    if span is not None and operator is not None and kind in COUNT_FROM:
        distance = longest_at_end(text, operator.start, grammar.distances)
        if distance is not None:
            sign = -1 if kind == "before" else 1
            is_feast = mention.word("feast") is not None
            span = days_at(distance, span, context, sign=sign, is_feast=is_feast)
            start = distance.start
            operator = longest_at_end(text, start, grammar.operators)
    if span is None:
        return None

    # An operator: `since May`.
    if operator is not None and _applies(operator.kind, anchor):
        name = operator.kind
        if name == "before" and anchor.part == "end":
            name = "until"
        bounded = calendar.applied(name, span, context.today)
        reading = Reading(bounded, operator.start, mention.end, certain=not lacks_other_end)
        return _with_bounds_behind(text, reading, context)
    return _read_single(text, anchor, span, start, context, certain=not lacks_other_end)


def _may_be_range(
    text: str,
    anchor: _Anchor,
    operator: str | None,
    following: Mention,
    context: Context,
) -> bool:
    """Reports whether the anchor and the mention that follows may be the two ends of a range."""
    grammar = context.words
    if not following.is_weak or operator in OPENING:
        return True
    if at_end(text, anchor.start, grammar.between):
        return True
    return is_time_as_first(text, anchor.mention, following, grammar)


def _read_range(
    text: str,
    first: _Anchor,
    operator: Mention | None,
    second: Mention,
    *,
    span: Span,
    context: Context,
) -> Reading | None:
    """Reads a range with what stands before and behind it."""
    grammar = context.words
    if has_other_year(text, second, grammar):
        return None
    start = first.start
    if operator is not None and operator.kind in OPENING:
        start = operator.start
        if operator.kind == "after" and first.span is not None:
            span = replace(span, start=first.span.end)
    opening = at_end(text, first.start, grammar.between)
    if opening is not None:
        start = opening.start()
    reading = Reading(span, start, second.end)
    return _with_bounds_behind(text, reading, context)


def _applies(operator: str, anchor: _Anchor) -> bool:
    """Reports whether an operator means something before this time."""
    mention = anchor.mention
    if operator in OF_DISTANCES:
        return mention.kind == "ago"
    may_be_person = mention.is_weak and anchor.is_bare
    return operator != "by" or not may_be_person  # "by June"


def _read_single(
    text: str,
    anchor: _Anchor,
    span: Span,
    start: int,
    context: Context,
    *,
    certain: bool,
) -> Reading:
    """Reads a time that is no range and has no operator."""
    grammar = context.words
    mention = anchor.mention
    if anchor.is_bare and not means_a_time_only(text, mention, grammar):
        certain = False
    is_one_of_many = mention.kind in RECURRING and mention.week is None
    recurs = is_one_of_many and mention.word("year") is None
    reading = Reading(
        span=span,
        start=start,
        end=mention.end,
        recurs=recurs,
        certain=certain,
    )
    reading = _with_bounds_behind(text, reading, context)
    takes_preposition = mention.is_weak or mention.week is not None
    if not anchor.is_bare or not takes_preposition:
        return reading
    preposition = at_end(text, start, grammar.preposition)
    if preposition is None:
        return reading
    first = min(reading.start, preposition.start())
    return replace(reading, start=first)


def _anchor(text: str, mention: Mention, context: Context) -> _Anchor:
    """Resolves a mention with the part or the day of it that is named before it."""
    grammar = context.words
    span = days_of(mention, context)
    whole = _Anchor(mention=mention, span=span, start=mention.start, part=None, is_bare=True)
    ordinal = longest_at_end(text, mention.start, grammar.ordinal_days)
    if ordinal is not None:
        if span is not None:
            span = days_of_ordinal(ordinal, span, context)
        return replace(whole, span=span, start=ordinal.start, is_bare=False)
    part = longest_at_end(text, mention.start, grammar.parts)
    if part is not None:
        if span is not None:
            span = calendar.part(span, part.kind)
        return replace(whole, span=span, start=part.start, part=part.kind, is_bare=False)
    return whole


def _with_bounds_behind(text: str, reading: Reading, context: Context) -> Reading:
    """Applies the bounds behind a time (`onwards`), and lowers its certainty beside words that are not understood."""
    grammar = context.words
    for name, pattern in grammar.behind:
        bound = pattern.match(text, reading.end)
        if bound is None:
            continue
        span = reading.span
        start = reading.start
        if name == "from":  # "from 2023 on"
            opening = at_end(text, reading.start, grammar.between)
            if opening is None:
                continue
            start = opening.start()
            span = calendar.applied("since", span, context.today)
        elif name != "included":
            span = calendar.applied(name, span, context.today)
        reading = replace(reading, span=span, start=start, end=bound.end())
    if at_end(text, reading.start, grammar.unread):
        reading = replace(reading, certain=False)
    return reading


def _range_between(text: str, first: _Anchor, second: _Anchor, context: Context) -> Span | None:
    """Returns the days from the first to the second, both included; None if nothing joins them.

    A year that only one of them names is the other's too.
    """
    joined = context.words.joiner.match(text, first.mention.end)
    if joined is None or not second.start <= joined.end() < second.mention.end:
        return None  # "and the | third", "à la | fin de"

    week = first.mention.week
    if week is not None and second.mention.kind == "weekday":
        week_comes_first = week.start < first.mention.match.start()
        if week_comes_first:  # "last week from Monday to Wednesday"
            weekday = replace(second.mention, week=week)
            second = _anchor(text, weekday, context)

    begin = first.span
    end = second.span
    first_has_year = bool(first.mention.word("year"))
    second_has_year = bool(second.mention.word("year") or second.mention.year)
    if second_has_year and not first_has_year:
        begin = _in_year(text, first, end, context)
    if begin is None or begin.start is None:
        return None
    if not second_has_year:
        end = _in_year(text, second, begin, context)
    if end is None:
        return None

    start = begin.begins or begin.start
    if end.end is not None and end.end <= start:
        start, end = _in_order(
            text,
            first,
            second,
            begin,
            end,
            context=context,
            second_has_year=second_has_year,
        )
        if end.end is not None and end.end <= start:
            return None
    return Span(start, end.end)


def _in_order(
    text: str,
    first: _Anchor,
    second: _Anchor,
    begin: Span,
    end: Span,
    *,
    context: Context,
    second_has_year: bool,
) -> tuple[date, Span]:
    """Returns the start of a range and its last time, where the last was read as before the first.

    A weekday is then the one of the week before; otherwise the second time lies a year later, or the first a year
    earlier: `from November to February`.
    """
    start = begin.begins or begin.start
    assert start is not None  # noqa: S101 - the caller has looked
    if second.mention.kind == "weekday" and first.mention.word("weekday"):
        return start - 7 * ONE_DAY, end
    if not second_has_year:
        next_year = calendar.shifted(start, Unit.YEAR, 1)
        later = _in_year(text, second, calendar.day(next_year), context)
        if later is not None and later.start is not None and later.start <= context.today:
            return start, later
    previous_year = calendar.shifted(start, Unit.YEAR, -1)
    earlier = _in_year(text, first, calendar.day(previous_year), context) or begin
    return earlier.begins or earlier.start or start, end


def _in_year(text: str, anchor: _Anchor, other: Span | None, context: Context) -> Span | None:
    """Returns the anchor's days, in the year in which `other` begins if the anchor names none."""
    year = None
    if other is not None and other.start is not None:
        year = other.start.year
    in_that_year = replace(context, year=year)
    return _anchor(text, anchor.mention, in_that_year).span
