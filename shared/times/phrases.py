"""Question -> the time it names, by a small grammar of our own.

A time is found in two steps: rules find what can name a time (`mentions`), then what stands before it decides
whether it does (a preposition before a bare month) and what it means (`since`, `before`, `between … and`). Which days
a rule names is in `resolvers`.
Quoted text, names, versions and identifiers are no times. dateparser's `search_dates` understood 3 of 12 held-out
phrases and fired on 3 of 6 sentences without a time, hence our own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import zip_longest
from zoneinfo import ZoneInfo

from shared.model.questions import TimeHint, TimeRange
from shared.times import calendar
from shared.times.calendar import Span, Unit
from shared.times.intent import Intent, Intents
from shared.times.lexicon import NEARBY, Context, Lexicon, Mention, at_end, correct_names, lexicon
from shared.times.mentions import (
    days_at,
    days_of_ordinal,
    distance_before,
    is_of_another_year,
    leading,
    mentions_in,
    ordinal_before,
)
from shared.times.resolvers import days_of

_QUOTED = re.compile(r"\"[^\"]*\"|“[^“”]*”|«[^«»]*»|„[^„“”]*[“”]|`[^`]*`|(?<!\w)'[^']{2,80}'(?!\w)")
_NEXT_WORD = re.compile(r"\s+[a-z]")
_PLURAL = re.compile(r"\s+[a-z]+s\b")
_WORD_BEHIND = re.compile(r"\s+([^\W\d]+)")


@dataclass(frozen=True, slots=True)
class FoundTime:
    """A time hint and where its phrase stands: `text[start:end]`."""

    hint: TimeHint
    start: int
    end: int
    recurs: bool = False
    """Whether it may as well be one to come, or each of its kind: `Monday`, `in spring`."""


def find_time(text: str, *, now: datetime, zone: str, lang: str = "en") -> FoundTime | None:
    """The time that is asked about, as a half-open range that ends with `now`'s day at the latest: the first that
    restricts, else the first that may; a time of the person's story is none (see `intent`).

    `zone` is an IANA name that exists. In a language without words for times those in digits alone are found. Times
    that lie wholly in the future are none: notes cannot come from there.
    """
    context = Context(now, ZoneInfo(zone), lexicon(lang))
    either = None
    intents = Intents(text, lang)
    for found in _named(text, context):
        intent = intents.of(found.start, found.end, recurs=found.recurs)
        if intent is Intent.ASKED and found.hint.restricts:
            return found
        if intent is not Intent.STORY:
            either = either or replace(found, hint=replace(found.hint, restricts=False))
    return either


RECURRING = ("weekday", "weekend", "month", "season", "feast")
"""Kinds of times that come again and again."""


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A mention with the part of it that is meant: `the end of March`."""

    mention: Mention
    span: Span | None
    start: int
    end: int
    part: str | None
    bare: bool
    """Whether no part or day of it is named."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """The days that a phrase means, and where it stands."""

    span: Span
    start: int
    end: int
    recurs: bool = False
    certain: bool = True
    """Whether everything that belongs to it was understood: else it orders and does not restrict."""


def _named(text: str, context: Context) -> Iterator[FoundTime]:
    """Every time the text names, in order."""
    grammar = context.words
    spelled, gains = correct_names(_QUOTED.sub(lambda quoted: " " * len(quoted[0]), text), grammar)
    mentions = mentions_in(spelled, grammar, context)
    for mention, following in zip_longest(mentions, mentions[1:]):
        reading = _reading(spelled, mention, following, context)
        if reading is None or is_of_another_year(spelled, mention, grammar):
            continue
        start, end = (at - sum(more for end, more in gains if end <= at) for at in (reading.start, reading.end))
        hint = _hint(reading.span, " ".join(text[start:end].split()), context)
        if hint is not None:
            yield FoundTime(replace(hint, restricts=reading.certain), start, end, recurs=reading.recurs)


def _reading(text: str, mention: Mention, following: Mention | None, context: Context) -> _Reading | None:
    """The days meant, and where the phrase with what belongs to it stands; None: no time after all."""
    grammar = context.words
    anchor = _anchor(text, mention, context)
    opening = at_end(text, anchor.start, grammar.between)
    unpaired = False
    if following is not None and (opening or not following.rule.weak or _alike(text, mention, following, grammar)):
        second = _anchor(text, following, context)
        pair = _pair(text, anchor, second, context)
        if pair is not None:
            reading = _Reading(pair, opening.start() if opening else anchor.start, second.end)
            return None if is_of_another_year(text, following, grammar) else _bounded(text, reading, context)
        unpaired = opening is not None and following.start - anchor.end < 20  # "from May down to 3 April"
    operator, outside = leading(text, anchor.start, grammar.operators)
    if anchor.bare and not _stands(text, mention, operator, grammar):
        described = anchor.span if _is_attribute(text, mention, grammar) else None
        return _Reading(described, anchor.start, anchor.end, certain=False) if described else None
    span, start = anchor.span, anchor.start
    if span and (distance := distance_before(text, outside, operator, grammar)):
        span, start = days_at(distance, span, context, sign=-1 if operator == "before" else 1), distance.start
        operator, outside = leading(text, start, grammar.operators)
    if operator == "by" and mention.rule.weak and anchor.bare:
        operator = None  # "by June": somebody's name
    if span is None:
        return None
    if operator is not None and (operator not in OF_DISTANCES or mention.rule.kind == "ago"):
        operator = "until" if (operator, anchor.part) == ("before", "end") else operator
        return _bounded(text, _Reading(_applied(operator, span, context), outside, anchor.end), context)
    led = (mention.rule.weak or mention.week) and anchor.bare
    preposition = at_end(text, start, grammar.preposition) if led else None
    certain = not unpaired and (not anchor.bare or _is_plain(text, mention, grammar))
    recurs = mention.rule.kind in RECURRING and mention.week is None and mention.word("year") is None
    reading = _bounded(text, _Reading(span, start, anchor.end, recurs=recurs, certain=certain), context)
    return replace(reading, start=min(reading.start, preposition.start())) if preposition else reading


def _anchor(text: str, mention: Mention, context: Context) -> _Anchor:
    ordinal = ordinal_before(text, mention.start, context.words)
    part, start = leading(text, ordinal.start if ordinal else mention.start, () if ordinal else context.words.parts)
    span = days_of(mention, context)
    if span and ordinal:
        span = days_of_ordinal(ordinal, span, context)
    elif span and part:
        span = calendar.part(span, part)
    bare = part is None and ordinal is None
    return _Anchor(mention, span, start=start, end=mention.end, part=part, bare=bare)


def _bounded(text: str, reading: _Reading, context: Context) -> _Reading:
    """With the bounds behind it, and whether all connectives beside it are understood."""
    grammar, span = context.words, reading.span
    for name, pattern in grammar.behind:
        found = pattern.match(text, reading.end)
        opening = at_end(text, reading.start, grammar.between) if name == "from" else None
        if found is None or (name == "from" and opening is None):
            continue
        if name != "included":
            span = _applied("since" if name == "from" else name, span, context)
        reading = replace(reading, span=span, start=opening.start() if opening else reading.start, end=found.end())
    return replace(reading, certain=reading.certain and not at_end(text, reading.start, grammar.unread))


def _is_plain(text: str, mention: Mention, grammar: Lexicon) -> bool:
    """Whether a weekday or month is no name (`Domingo de Ramos`) and a year describes nothing (`2023 edition`)."""
    if mention.rule.kind == "year":
        return _counts(text, mention, grammar) is not None or not at_end(text, mention.start, grammar.article)
    if mention.rule.kind not in ("weekday", "month") or mention.week:
        return True
    at = mention.match.start(mention.rule.kind)
    is_name = grammar.names_are_lower_case and text[at].isupper() and text[max(0, at - NEARBY) : at].strip()
    return not is_name and not (mention.rule.kind == "weekday" and grammar.genitive.match(text, mention.end))


def _alike(text: str, first: Mention, second: Mention, grammar: Lexicon) -> bool:
    """Whether the second stands as a time because the first does: `in May and June`."""
    if first.rule.kind != second.rule.kind or second.match[0] in grammar.verbs_as_months:
        return False
    return _stands_as_time(text, first, grammar)


def _stands(text: str, mention: Mention, operator: str | None, grammar: Lexicon) -> bool:
    """Whether a mention of which no part is named is a time."""
    if mention.rule.kind in ("now", "current"):
        return False  # they only end a range ("from January to now") or have a part ("the start of the year")
    if mention.rule.kind in ("iso_week", "nth_unit", "season") and grammar.genitive.match(text, mention.end):
        return False  # "week 3 of the course", "the first quarter of the game"
    if mention.rule.kind == "year" and _counts(text, mention, grammar):
        return False
    if mention.rule.kind == "slashes" and mention.rule.weak and not at_end(text, mention.start, grammar.on_days):
        return False
    return operator is not None or not mention.rule.weak or _stands_as_time(text, mention, grammar)


def _is_attribute(text: str, mention: Mention, grammar: Lexicon) -> bool:
    """Whether a month says of when several things are: `the October releases`."""
    if mention.rule.kind != "month" or mention.word("month") in grammar.verbs_as_months:
        return False
    return bool(_PLURAL.match(text, mention.end) and at_end(text, mention.start, grammar.article))


def _counts(text: str, year: Mention, grammar: Lexicon) -> bool | None:
    """Whether the number says how many: `2000 words`. None: or of which year what follows is, or neither."""
    behind = _WORD_BEHIND.match(text, year.end)
    if behind is None or behind[1].lower() in grammar.common:
        return False
    if not grammar.names_are_capitalised:
        return behind[1].istitle()
    return True if behind[1].islower() and behind[1].endswith("s") else None


def _stands_as_time(text: str, mention: Mention, grammar: Lexicon) -> bool:
    """Whether a weak mention has a preposition before it, or is a weekday that stands by itself."""
    attribute = _NEXT_WORD.match(text, mention.end)
    if at_end(text, mention.start, grammar.preposition):
        # "on the Friday report", "during the march": behind an article these are attributes or common nouns.
        article = at_end(text, mention.start, grammar.article)
        verb = mention.word("month") in grammar.verbs_as_months
        return not (article and mention.rule.kind in ("weekday", "month") and (attribute or verb))
    alone = mention.start < NEARBY and not text[mention.end : mention.end + NEARBY].strip(" ?!.")
    if alone and text[: mention.start].strip().lower() in grammar.writing:
        return True  # "Summarise August"
    weekday = mention.word("weekday")
    written_out = not any(name != weekday and name.startswith(weekday or "") for name in grammar.weekdays)
    if not written_out or at_end(text, mention.start, grammar.attribute_follows):
        return False
    return _goes_on_in_lower_case(text[max(0, mention.start - NEARBY) : mention.start])


def _goes_on_in_lower_case(before: str) -> bool:
    """Whether the word before it is no name's and no sentence ends there: `Black Friday`, `See: Friday`."""
    word = before.rstrip().rpartition(" ")[2].removesuffix(",")
    return before[-1:].isspace() and word[:1].islower() and word[-1].isalnum()


OF_DISTANCES = ("more than", "within")
"""Operators that go only before a distance: "more than May" is no time."""


def _applied(operator: str, span: Span, context: Context) -> Span:
    today_over = context.today + timedelta(days=1)
    match operator:
        case "since" | "within":
            return Span(span.start, today_over)
        case "after":
            return Span(span.end, today_over)
        case "until" | "by":
            return Span(None, span.end)
        case _:
            return Span(None, span.start)


def _pair(text: str, first: _Anchor, second: _Anchor, context: Context) -> Span | None:
    """`between first and second`, both included. A year that only one of them names is the other's too."""
    joined = context.words.joiner.match(text, first.end)
    if joined is None or not second.start <= joined.end() <= second.mention.start:
        return None
    named = second.mention.word("year") or second.mention.year
    begin = first.span
    if named and not first.mention.word("year"):
        begin = _in_year(text, first, second.span.start if second.span else None, context)
    if begin is None or begin.start is None:
        return None
    end = second.span if named else _in_year(text, second, begin.start, context)
    start = begin.start
    if end is not None and end.end is not None and end.end <= start:
        if second.mention.rule.kind == "weekday" and first.mention.word("weekday"):
            begin = Span(start - timedelta(days=7), None)
        elif named:
            begin = _in_year(text, first, calendar.shifted(start, Unit.YEAR, -1), context) or begin
        else:
            end = _in_year(text, second, calendar.shifted(start, Unit.YEAR, 1), context)
    empty = end is None or (end.end and begin.start and end.end <= begin.start)
    return None if end is None or empty else Span(begin.start, end.end)


def _in_year(text: str, anchor: _Anchor, day: date | None, context: Context) -> Span | None:
    """The anchor's days where what has no year is of that day's."""
    return _anchor(text, anchor.mention, replace(context, year=day.year if day else None)).span


def _hint(span: Span, phrase: str, context: Context) -> TimeHint | None:
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


def _midnight(day: date, context: Context) -> datetime:
    return datetime.combine(day, time(), context.zone)
