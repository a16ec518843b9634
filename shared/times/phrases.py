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
from zoneinfo import ZoneInfo

from shared.language.vocabulary import vocabulary
from shared.model.questions import TimeHint, TimeRange
from shared.times import calendar
from shared.times.calendar import Span
from shared.times.intent import Intent, Intents
from shared.times.lexicon import NEARBY, Context, Lexicon, Mention, at_end, lexicon
from shared.times.mentions import days_at, days_of_ordinal, distance_before, leading, mentions_in, ordinal_before
from shared.times.resolvers import days_of

_QUOTED = re.compile(r"\"[^\"]*\"|“[^“”]*”|«[^«»]*»|„[^„“”]*[“”]|`[^`]*`|(?<!\w)'[^']{2,80}'(?!\w)")
_NEXT_WORD = re.compile(r"\s+[a-z]")


@dataclass(frozen=True, slots=True)
class FoundTime:
    """A time hint and where its phrase stands: `text[start:end]`."""

    hint: TimeHint
    start: int
    end: int


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
        intent = intents.of(found.start, found.end)
        if intent is Intent.ASKED:
            return found
        if intent is Intent.EITHER:
            either = either or replace(found, hint=replace(found.hint, restricts=False))
    return either


def _named(text: str, context: Context) -> Iterator[FoundTime]:
    """Every time the text names, in order."""
    grammar = context.words
    visible = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text)
    mentions = mentions_in(visible, grammar, context)
    for index, mention in enumerate(mentions):
        following = mentions[index + 1] if index + 1 < len(mentions) else None
        interpreted = _interpreted(visible, mention, following, grammar, context)
        if interpreted is not None:
            span, start, end = interpreted
            hint = _hint(span, " ".join(text[start:end].split()), context)
            if hint is not None:
                yield FoundTime(hint, start, end)


def _interpreted(
    text: str, mention: Mention, following: Mention | None, grammar: Lexicon, context: Context
) -> tuple[Span, int, int] | None:
    """The days meant, and where the phrase with its preposition or operator stands; None: no time after all."""
    opening = at_end(text, mention.start, grammar.between)
    if following is not None and (opening or not following.rule.weak or _alike(text, mention, following, grammar)):
        pair = _pair(text, mention, following, grammar, context)
        if pair is not None:
            return pair, opening.start() if opening else mention.start, following.end
    ordinal = ordinal_before(text, mention.start, grammar)
    part, start = leading(text, ordinal.start if ordinal else mention.start, () if ordinal else grammar.parts)
    bare = part is None and ordinal is None
    operator, outside = leading(text, start, grammar.operators)
    if bare and not _stands(text, mention, operator, grammar):
        return None
    span = _narrowed(days_of(mention, context), part, ordinal, context)
    if operator is not None and span and (distance := distance_before(text, outside, operator, grammar)):
        span, start = days_at(distance, span, context), distance.mention.start
        operator, outside = leading(text, start, grammar.operators)
    if span is None:
        return None
    if operator is not None and (operator not in OF_DISTANCES or mention.rule.kind == "ago"):
        operator = "until" if (operator, part) == ("before", "end") else operator
        return _applied(operator, span, context), outside, mention.end
    preposition = at_end(text, start, grammar.preposition) if mention.rule.weak and bare else None
    return span, preposition.start() if preposition else start, mention.end


def _alike(text: str, first: Mention, second: Mention, grammar: Lexicon) -> bool:
    """Whether the second stands as a time because the first does: `in May and June`."""
    if first.rule.kind != second.rule.kind or second.match[0] in grammar.verbs_as_months:
        return False
    return _stands_as_time(text, first, grammar)


def _stands(text: str, mention: Mention, operator: str | None, grammar: Lexicon) -> bool:
    """Whether a mention of which no part is named is a time."""
    if mention.rule.kind in ("now", "current"):
        return False  # they only end a range ("from January to now") or have a part ("the start of the year")
    return operator is not None or not mention.rule.weak or _stands_as_time(text, mention, grammar)


def _narrowed(span: Span | None, part: str | None, ordinal: Mention | None, context: Context) -> Span | None:
    if span is None or ordinal is None:
        return span and calendar.part(span, part) if part else span
    return days_of_ordinal(ordinal, span, context)


def _stands_as_time(text: str, mention: Mention, grammar: Lexicon) -> bool:
    """Whether a weak mention has a preposition before it, or is a weekday that stands by itself."""
    attribute = _NEXT_WORD.match(text, mention.end)
    if at_end(text, mention.start, grammar.preposition):
        # "on the Friday report", "during the march": behind an article these are attributes or common nouns.
        article = at_end(text, mention.start, grammar.article)
        verb = mention.word("month") in grammar.verbs_as_months
        return not (article and mention.rule.kind in ("weekday", "month") and (attribute or verb))
    attributive = at_end(text, mention.start, grammar.attribute_follows)
    weekday = mention.word("weekday")
    written_out = not any(name != weekday and name.startswith(weekday or "") for name in grammar.weekdays)
    return (
        written_out and not attributive and _goes_on_in_lower_case(text[max(0, mention.start - NEARBY) : mention.start])
    )


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
        case "until":
            return Span(None, span.end)
        case _:
            return Span(None, span.start)


def _pair(text: str, first: Mention, second: Mention, grammar: Lexicon, context: Context) -> Span | None:
    """`between first and second`, both included. A year that only one of them names is the other's too."""
    if not grammar.joiner.fullmatch(text[first.end : second.start]):
        return None
    named = second.word("year") or second.year
    begin = days_of(first, replace(context, year=int(named)) if named and not first.word("year") else context)
    if begin is None or begin.start is None:
        return None
    inherited = replace(context, year=begin.start.year) if not named else context
    end = days_of(second, inherited)
    if end is not None and end.end is not None and end.end <= begin.start:
        if named:
            begin = days_of(first, replace(context, year=int(named) - 1)) or begin
        elif first.rule.kind == second.rule.kind == "weekday":
            begin = days_of(first, replace(context, now=context.now - timedelta(days=7))) or begin
        else:
            end = days_of(second, replace(inherited, year=(inherited.year or 0) + 1))
    empty = end is None or (end.end and begin.start and end.end <= begin.start)
    return None if end is None or empty else Span(begin.start, end.end)


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


@dataclass(frozen=True, slots=True)
class Moment:
    """From where "last week" is seen. `zone`: IANA."""

    now: datetime
    zone: str

    def day(self, at: datetime) -> str:
        return at.astimezone(ZoneInfo(self.zone)).date().isoformat()


def time_in(text: str, moment: Moment, lang: str) -> FoundTime | None:
    return find_time(text, now=moment.now, zone=moment.zone, lang=lang)


def as_a_time(word: str, lang: str) -> str:
    """A bare month as the language asks for it: `March` -> `in March`."""
    times = vocabulary(lang).times
    return f"{times.in_a_month} {word}" if times else word


def rebase(text: str, time: FoundTime, *, asked: Moment, now: Moment, lang: str) -> str:
    """The phrase of a time that `text` names; asked on another day, the days that it meant then."""
    start, end = time.hint.range.start, time.hint.range.end
    times = vocabulary(lang).times
    if times is None or asked.day(asked.now) == now.day(now.now) or start is None or end is None:
        return text[time.start : time.end]
    first, last = asked.day(start), asked.day(end - timedelta(microseconds=1))
    return first if first == last else times.from_to.format(first, last)
