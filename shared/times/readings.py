"""A mention and the words around it -> the days that the phrase means: `since the end of March`, `between May and July`.

Before a mention may stand a part (`the end of`), a distance (`two days before`) and an operator (`since`); a joiner may
lead to a second mention, and a bound may follow (`onwards`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from shared.times import calendar
from shared.times.calendar import ONE_DAY, Span, Unit
from shared.times.counting import days_at, days_of_ordinal
from shared.times.lexicon import Context, Lexicon, Mention, at_end, longest_at_end
from shared.times.mentions import COUNT_FROM
from shared.times.recognition import (
    describes_plural,
    has_other_year,
    is_time,
    is_time_as_first,
    means_a_time_only,
)
from shared.times.resolvers import days_of

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
    """The days that it means; None if there are no such days."""
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
    """Reads the days that a mention means, together with the words around it; None if it does not mean a time.

    following: the next mention of the text, which may be the other end of a range.
    """
    grammar = context.words
    anchor = _anchor(text, mention, context)
    operator = longest_at_end(text, anchor.start, grammar.operators)

    # A range: `from May to July`.
    lacks_other_end = False
    if following is not None and _may_be_range(text, anchor, operator, following, context):
        second = _anchor(text, following, context)
        span = _range_between(text, anchor, second, context)
        if span is not None:
            return _read_range(text, anchor, operator, following, span=span, context=context)
        lacks_other_end = _lacks_other_end(text, anchor, following, grammar)

    # A mention by itself may be no time.
    if anchor.is_bare and not _is_time(text, mention, operator, grammar):
        return _read_plural(text, anchor, grammar)

    # A distance: `two days before May`.
    if operator is not None and operator.kind in COUNT_FROM:
        distance = longest_at_end(text, operator.start, grammar.distances)
        if distance is not None:
            anchor = _at_distance(distance, operator.kind, anchor, context)
            operator = longest_at_end(text, anchor.start, grammar.operators)
    span = anchor.span
    if span is None:
        return None

    # An operator: `since May`.
    if operator is None or not _applies(operator.kind, anchor):
        return _read_single(text, anchor, span, context, certain=not lacks_other_end)
    bound = operator.kind
    if bound == "before" and anchor.part == "end":
        bound = "until"
    reading = Reading(
        span=calendar.applied(bound, span, context.today),
        start=operator.start,
        end=mention.end,
        certain=not lacks_other_end,
    )
    return _with_bounds_behind(text, reading, context)


def _is_time(text: str, mention: Mention, operator: Mention | None, grammar: Lexicon) -> bool:
    """Reports whether a mention without a part (`the end of`) means a time; an operator may stand before it."""
    after_operator = operator is not None and operator.kind not in OF_DISTANCES
    return is_time(text, mention, grammar, after_operator=after_operator)


def _read_plural(text: str, anchor: _Anchor, grammar: Lexicon) -> Reading | None:
    """Reads a mention that is not a time by itself; None unless it tells when things are from: `the October releases`."""
    if anchor.span is None:
        return None
    if not describes_plural(text, anchor.mention, grammar):
        return None
    return Reading(
        span=anchor.span,
        start=anchor.start,
        end=anchor.mention.end,
        certain=False,
    )


def _at_distance(
    distance: Mention,
    operator: str,
    anchor: _Anchor,
    context: Context,
) -> _Anchor:
    """Returns the anchor with the days at a distance from its own; an anchor without days stays as it is."""
    if anchor.span is None:
        return anchor
    span = days_at(
        distance,
        anchor.span,
        context,
        sign=-1 if operator == "before" else 1,
        is_feast=anchor.mention.word("feast") is not None,
    )
    return replace(anchor, span=span, start=distance.start)


def _lacks_other_end(text: str, anchor: _Anchor, following: Mention, grammar: Lexicon) -> bool:
    """Reports whether a range opens that was not understood: `from May down to 3 April`."""
    distance = following.start - anchor.mention.end
    if distance >= NEAR_SECOND_END:
        return False
    opening = at_end(text, anchor.start, grammar.between)
    return opening is not None


def _may_be_range(
    text: str,
    anchor: _Anchor,
    operator: Mention | None,
    following: Mention,
    context: Context,
) -> bool:
    """Reports whether the anchor and the mention that follows may be the two ends of a range."""
    grammar = context.words
    if not following.is_weak:
        return True
    if operator is not None and operator.kind in OPENING:
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
    """Reads a range, including the words before and behind it."""
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
    context: Context,
    *,
    certain: bool,
) -> Reading:
    """Reads a time that is no range and has no operator. `span`: the anchor's days."""
    grammar = context.words
    mention = anchor.mention
    if anchor.is_bare and not means_a_time_only(text, mention, grammar):
        certain = False
    is_one_of_many = mention.kind in RECURRING and mention.week is None
    recurs = is_one_of_many and mention.word("year") is None
    reading = Reading(
        span=span,
        start=anchor.start,
        end=mention.end,
        recurs=recurs,
        certain=certain,
    )
    reading = _with_bounds_behind(text, reading, context)

    # The phrase includes the preposition that makes a time of the mention.
    takes_preposition = mention.is_weak or mention.week is not None
    if not anchor.is_bare or not takes_preposition:
        return reading
    preposition = at_end(text, anchor.start, grammar.preposition)
    if preposition is None:
        return reading
    first = min(reading.start, preposition.start())
    return replace(reading, start=first)


def _anchor(text: str, mention: Mention, context: Context) -> _Anchor:
    """Resolves a mention with the part or the day of it that is named before it."""
    grammar = context.words
    span = days_of(mention, context)
    whole = _Anchor(
        mention=mention,
        span=span,
        start=mention.start,
        part=None,
        is_bare=True,
    )

    ordinal = longest_at_end(text, mention.start, grammar.ordinal_days)
    if ordinal is not None:
        if span is not None:
            span = days_of_ordinal(ordinal, span, context)
        return replace(
            whole,
            span=span,
            start=ordinal.start,
            is_bare=False,
        )

    part = longest_at_end(text, mention.start, grammar.parts)
    if part is not None:
        if span is not None:
            span = calendar.part(span, part.kind)
        return replace(
            whole,
            span=span,
            start=part.start,
            part=part.kind,
            is_bare=False,
        )
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
        reading = replace(
            reading,
            span=span,
            start=start,
            end=bound.end(),
        )
    if at_end(text, reading.start, grammar.unread):
        reading = replace(reading, certain=False)
    return reading


def _range_between(text: str, first: _Anchor, second: _Anchor, context: Context) -> Span | None:
    """Returns the days from the first to the second, both included; None if nothing joins them.

    If only one of them names a year, it applies to the other too.
    """
    if not _are_joined(text, first, second, context.words):
        return None
    second = _in_week_of_first(text, first, second, context)

    begin = first.span
    end = second.span
    second_has_year = _has_year(second)
    if second_has_year and not first.mention.word("year"):
        begin = _in_year(text, first, end, context)
    if begin is None or begin.start is None:
        return None
    if not second_has_year:
        end = _in_year(text, second, begin, context)
    if end is None:
        return None

    start = begin.begins or begin.start
    if _ends_before(end, start):
        start, end = _in_order(text, first, second, start, end, context=context)
        if _ends_before(end, start):
            return None
    return Span(start, end.end)


def _are_joined(text: str, first: _Anchor, second: _Anchor, grammar: Lexicon) -> bool:
    """Reports whether a joiner leads from the first to the second: `to`, `and`."""
    joiner = grammar.joiner.match(text, first.mention.end)
    if joiner is None:
        return False
    # It may hold words that belong to the second: "and the | third", "à la | fin de".
    return second.start <= joiner.end() < second.mention.end


def _in_week_of_first(text: str, first: _Anchor, second: _Anchor, context: Context) -> _Anchor:
    """Returns the second, a weekday, in the week that stands before the first: `last week from Monday to Wednesday`.

    Without such a week it is returned unchanged.
    """
    week = first.mention.week
    if week is None or second.mention.kind != "weekday":
        return second
    first_weekday = first.mention.match.start()
    if week.start > first_weekday:
        return second
    weekday = replace(second.mention, week=week)
    return _anchor(text, weekday, context)


def _has_year(second: _Anchor) -> bool:
    """Reports whether the second end of a range names its year, or has one beside it."""
    mention = second.mention
    return bool(mention.word("year") or mention.year)


def _ends_before(end: Span, start: date) -> bool:
    """Reports whether the last time of a range is over when the range starts."""
    return end.end is not None and end.end <= start


def _in_order(
    text: str,
    first: _Anchor,
    second: _Anchor,
    start: date,
    end: Span,
    *,
    context: Context,
) -> tuple[date, Span]:
    """Returns the start of a range and its last time, where the last was read as before the first.

    A weekday is then the one of the week before; otherwise the second time lies a year later, or the first a year
    earlier: `from November to February`.
    """
    if second.mention.kind == "weekday" and first.mention.word("weekday"):
        week_before = start - 7 * ONE_DAY
        return week_before, end

    if not _has_year(second):
        next_year = calendar.shifted(start, Unit.YEAR, 1)
        later = _in_year(text, second, calendar.day(next_year), context)
        if later is not None and later.start is not None and later.start <= context.today:
            return start, later

    previous_year = calendar.shifted(start, Unit.YEAR, -1)
    earlier = _in_year(text, first, calendar.day(previous_year), context)
    if earlier is None:
        return start, end
    return earlier.begins or earlier.start or start, end


def _in_year(text: str, anchor: _Anchor, other: Span | None, context: Context) -> Span | None:
    """Returns the anchor's days, in the year in which `other` begins if the anchor names none."""
    year = None
    if other is not None and other.start is not None:
        year = other.start.year
    in_that_year = replace(context, year=year)
    anchor_in_year = _anchor(text, anchor.mention, in_that_year)
    return anchor_in_year.span
