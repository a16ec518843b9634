"""Question -> the time it names, by a small grammar of our own.

Rules find what can name a time (`mentions`); the text before it decides whether it does (a preposition before a bare
month) and what it means (`since`, `before`, `between … and`); `resolvers` says which days a rule names. Quoted text,
names, versions and identifiers are no times. dateparser's `search_dates` understood 3 of 12 held-out phrases and fired
on 3 of 6 sentences without a time, hence our own.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from itertools import zip_longest
from zoneinfo import ZoneInfo

from shared.model.questions import TimeHint, TimeRange
from shared.times import calendar
from shared.times.calendar import Span, Unit
from shared.times.intent import Intent, Intents
from shared.times.lexicon import NEARBY, Context, Lexicon, Mention, at_end, correct_names, lexicon, longest_at_end
from shared.times.mentions import COUNT_FROM, OF_A_YEAR, mentions_in
from shared.times.resolvers import ONE_DAY, days_at, days_of, days_of_ordinal

_QUOTED = re.compile(r"\"[^\"]*\"|“[^“”]*”|«[^«»]*»|„[^„“”]*[“”]|`[^`]*`|(?<!\w)'[^']{2,80}'(?!\w)")
_NEXT_WORD = re.compile(r"\s+[a-z]")
_PLURAL = re.compile(r"\s+[a-z]+s\b")
_WORD_BEHIND = re.compile(r"\s+([^\W\d]+)")
RECURRING = ("weekday", "weekend", "month", "season", "feast")
"""Kinds of times that come again and again."""
OPENING = ("since", "after")
"""Operators that open a range, like `from`: "since May until July"."""
OF_DISTANCES = ("more than", "within")
"""Operators that go only before a distance: "more than May" is no time."""


@dataclass(frozen=True, slots=True)
class FoundTime:
    """A time hint and the place of its phrase: `text[start:end]`."""

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
    where = ZoneInfo(zone)
    context = Context(now=now, zone=where, today=now.astimezone(where).date(), words=lexicon(lang))
    spelled, gains = correct_names(_QUOTED.sub(lambda quoted: " " * len(quoted[0]), text), context.words)
    mentions = mentions_in(spelled, context)
    if not mentions:
        return None
    either, intents, before = None, Intents(text, context.words), -1
    for mention, following in zip_longest(mentions, mentions[1:]):
        reading = _reading(spelled, mention, following, context)
        # "a week ago last Tuesday": two times in a row that make no pair are not understood.
        ends = [(before, mention.start), (reading.end if reading else 0, following.start if following else 0)]
        is_row, before = any(0 < end < start and spelled[end:start].isspace() for end, start in ends), mention.end
        if reading is None or _is_of_another_year(spelled, mention, context.words):
            continue
        start, end = [at - sum([more for end, more in gains if end <= at]) for at in (reading.start, reading.end)]
        hint = _hint(reading.span, " ".join(text[start:end].split()), context)
        if hint is None:
            continue
        found = FoundTime(hint, start, end, recurs=reading.recurs)
        intent = intents.of(start, end, recurs=reading.recurs)
        if intent is Intent.ASKED and reading.certain and not is_row:
            return found
        if intent is not Intent.STORY and either is None:
            either = replace(found, hint=replace(hint, restricts=False))
    return either


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A mention with the part of it that is meant: `the end of March`."""

    mention: Mention
    span: Span | None
    start: int
    part: str | None
    bare: bool
    """Whether no part or day of it is named."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """The days that a phrase means, and its place in the text."""

    span: Span
    start: int
    end: int
    recurs: bool = False
    certain: bool = True
    """Whether everything that belongs to it was understood: else it orders and does not restrict."""


def _reading(text: str, mention: Mention, following: Mention | None, context: Context) -> _Reading | None:
    """The days meant, and the place of the phrase with what belongs to it; None: no time after all."""
    grammar = context.words
    anchor = _anchor(text, mention, context)
    opening = at_end(text, anchor.start, grammar.between)
    operator, unpaired = longest_at_end(text, anchor.start, grammar.operators), False
    opens = operator and operator.rule.kind in OPENING
    if following is not None and (
        opening or opens or not following.rule.weak or _alike(text, mention, following, grammar)
    ):
        second = _anchor(text, following, context)
        pair = _pair(text, anchor, second, context)
        if pair is not None:
            if operator and operator.rule.kind == "after" and anchor.span:
                pair = replace(pair, start=anchor.span.end)
            start = opening.start() if opening else operator.start if operator and opens else anchor.start
            reading = _Reading(pair, start, following.end)
            return None if _is_of_another_year(text, following, grammar) else _bounded(text, reading, context)
        unpaired = opening is not None and following.start - mention.end < 20  # "from May down to 3 April"
    led = operator is not None and operator.rule.kind not in OF_DISTANCES
    if anchor.bare and not _stands(text, mention, grammar, led=led):
        described = anchor.span if _is_attribute(text, mention, grammar) else None
        return _Reading(described, anchor.start, mention.end, certain=False) if described else None
    span, start = anchor.span, anchor.start
    if span and operator and operator.rule.kind in COUNT_FROM:
        distance = longest_at_end(text, operator.start, grammar.distances)
        if distance is not None:
            sign = -1 if operator.rule.kind == "before" else 1
            feast = mention.word("feast") is not None
            span, start = days_at(distance, span, context, sign=sign, feast=feast), distance.start
            operator = longest_at_end(text, start, grammar.operators)
    if span is None:
        return None
    name = operator.rule.kind if operator else ""
    name = "until" if (name, anchor.part) == ("before", "end") else name
    is_a_name = name == "by" and mention.rule.weak and anchor.bare  # "by June"
    if operator and not is_a_name and (name not in OF_DISTANCES or mention.rule.kind == "ago"):
        span = calendar.applied(name, span, context.today)
        return _bounded(text, _Reading(span, operator.start, mention.end, certain=not unpaired), context)
    leads = (mention.rule.weak or mention.week) and anchor.bare
    preposition = at_end(text, start, grammar.preposition) if leads else None
    certain = not unpaired and (not anchor.bare or _is_plain(text, mention, grammar))
    recurs = mention.rule.kind in RECURRING and mention.week is None and mention.word("year") is None
    reading = _bounded(text, _Reading(span, start, mention.end, recurs=recurs, certain=certain), context)
    return replace(reading, start=min(reading.start, preposition.start())) if preposition else reading


def _anchor(text: str, mention: Mention, context: Context) -> _Anchor:
    ordinal = longest_at_end(text, mention.start, context.words.ordinal_days)
    part = None if ordinal else longest_at_end(text, mention.start, context.words.parts)
    span, of_it = days_of(mention, context), ordinal or part
    if span and ordinal:
        span = days_of_ordinal(ordinal, span, context)
    elif span and part:
        span = calendar.part(span, part.rule.kind)
    start, kind = of_it.start if of_it else mention.start, part.rule.kind if part else None
    return _Anchor(mention=mention, span=span, start=start, part=kind, bare=of_it is None)


def _bounded(text: str, reading: _Reading, context: Context) -> _Reading:
    """With the bounds behind it, and whether all connectives beside it are understood."""
    grammar, span = context.words, reading.span
    for name, pattern in grammar.behind:
        found = pattern.match(text, reading.end)
        opening = at_end(text, reading.start, grammar.between) if name == "from" else None
        if found is None or (name == "from" and opening is None):
            continue
        if name != "included":
            span = calendar.applied("since" if name == "from" else name, span, context.today)
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
    """Whether the second is a time because the first is one: `in May and June`."""
    same = first.rule.kind == second.rule.kind or (first.word("weekday") and second.word("weekday"))
    if not same or second.match[0] in grammar.verbs_as_months:
        return False
    return not first.rule.weak or first.rule.kind == "dots" or _stands_as_time(text, first, grammar)


def _stands(text: str, mention: Mention, grammar: Lexicon, *, led: bool) -> bool:
    """Whether a mention of which no part is named is a time. `led`: an operator stands before it."""
    if mention.rule.kind in ("now", "current"):
        return False  # they only end a range ("from January to now") or have a part ("the start of the year")
    if mention.rule.kind in ("iso_week", "nth_unit", "season", "slashes", "weekend") and grammar.genitive.match(
        text, mention.end
    ):
        return False  # "week 3 of the course", "the first quarter of the game"
    if mention.rule.kind == "year" and _counts(text, mention, grammar):
        return False
    if mention.rule.kind == "slashes" and mention.rule.weak:
        return led or at_end(text, mention.start, grammar.on_days) is not None
    return led or not mention.rule.weak or _stands_as_time(text, mention, grammar)


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
    rest = f"{text[: mention.start]} {text[mention.end :]}".lower()
    if len(rest) < NEARBY and mention.word("month") not in grammar.verbs_as_months and grammar.asks_for_notes(rest):
        return True  # "Summarise August", "my October notes"
    weekday = mention.word("weekday")
    written_out = not any(name != weekday and name.startswith(weekday or "") for name in grammar.weekdays)
    if not written_out or at_end(text, mention.start, grammar.attribute_follows):
        return False
    before = text[max(0, mention.start - NEARBY) : mention.start]
    word = before.rstrip().rpartition(" ")[2].removesuffix(",")
    # No name's, no sentence's end: "Black Friday", "See: Friday".
    return before[-1:].isspace() and word[:1].islower() and word[-1].isalnum()


def _is_of_another_year(text: str, mention: Mention, grammar: Lexicon) -> bool:
    """Whether a year behind it that no rule reads says that the most recent such days are not meant: `14 July 1789`."""
    needs_year = mention.rule.kind in (*OF_A_YEAR, "half", "iso_week") and mention.year is None
    has_year = mention.word("year") or mention.word("yy")
    return needs_year and not has_year and grammar.other_year.match(text, mention.end) is not None


def _pair(text: str, first: _Anchor, second: _Anchor, context: Context) -> Span | None:
    """`between first and second`, both included. A year that only one of them names is the other's too."""
    joined = context.words.joiner.match(text, first.mention.end)
    if joined is None or not second.start <= joined.end() < second.mention.end:  # "and the | third", "à la | fin de"
        return None
    week = first.mention.week
    if week and second.mention.rule.kind == "weekday" and week.start < first.mention.match.start():
        second = _anchor(text, replace(second.mention, week=week), context)  # "last week from Monday to Wednesday"
    named = second.mention.word("year") or second.mention.year
    begin = first.span
    if named and not first.mention.word("year"):
        begin = _in_year(text, first, second.span.start if second.span else None, context)
    if begin is None or begin.start is None:
        return None
    end = second.span if named else _in_year(text, second, begin.start, context)
    start = begin.begins or begin.start
    if end is not None and end.end is not None and end.end <= start:
        later = None if named else _in_year(text, second, calendar.shifted(start, Unit.YEAR, 1), context)
        if second.mention.rule.kind == "weekday" and first.mention.word("weekday"):
            begin = Span(start - 7 * ONE_DAY, None)
        elif later and later.start and later.start <= context.today:
            end = later
        else:
            begin = _in_year(text, first, calendar.shifted(start, Unit.YEAR, -1), context) or begin
        start = begin.begins or begin.start or start
    return None if end is None or (end.end and end.end <= start) else Span(start, end.end)


def _in_year(text: str, anchor: _Anchor, day: date | None, context: Context) -> Span | None:
    """The anchor's days where what has no year is of that day's."""
    return _anchor(text, anchor.mention, replace(context, year=day.year if day else None)).span


def _hint(span: Span, phrase: str, context: Context) -> TimeHint | None:
    """Days -> moments in the caller's zone, ending with today at the latest; None if nothing is left."""
    tomorrow = context.today + ONE_DAY
    end = tomorrow if span.end is None else min(span.end, tomorrow)
    if span.start is not None and span.start >= end:
        return None
    start = datetime.combine(span.start, time(), context.zone) if span.start else None
    reach = span.reach or (max(1, math.ceil((context.now - start) / ONE_DAY)) if start else None)
    return TimeHint(TimeRange(start, datetime.combine(end, time(), context.zone)), phrase, reach)
