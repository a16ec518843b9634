"""Text -> what in it can name a time, in order.

Two mentions side by side may be one: `Monday, 5 May`, `in March last year`, `recently, in 2024`, `the Friday before
5 May`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from shared.language.vocabulary import Rule
from shared.times.calendar import Unit
from shared.times.lexicon import NEARBY, Context, Lexicon, Mention, at_end, longest_at_end
from shared.times.resolvers import IGNORED, days_of, unit_of

_FLAG = re.compile(r"(?<!\S)--?[A-Za-z][\w-]*\s+$")
_NAME_BEHIND = re.compile(r"(?:['’]s)?\s+([A-Z][a-z]\w*)")
_NAME_BEFORE = re.compile(r"\b[A-Z]\w+\s+$")
_FIRST_WORD = re.compile(r"(?:^|[.!?]\s+)\w+\s+$")
VAGUE = ("recently", "other_day")
OF_A_YEAR = ("date", "days_of_month", "month", "quarter", "nth_unit", "season", "feast")
PERIODS = ("this", "last", "before_last")
SHIFTS = ("ago", "last", "shifted")
WHOLE_YEARS = (*PERIODS, "ago", "year")
NAMES = (*OF_A_YEAR, "weekday", "half", "iso_week")
DATES = ("date", "day_number", "days_of_month", "iso", "dots", "slashes")


def mentions_in(text: str, context: Context) -> list[Mention]:
    """Leftmost, then longest, not overlapping; without names and what a rule says to ignore. Weak ones are included."""
    found = [
        Mention(rule, match, *match.span()) for rule, pattern in context.words.rules for match in pattern.finditer(text)
    ]
    found.sort(key=lambda mention: (mention.start, -mention.end))
    kept: list[Mention] = []
    end, capitals_tell = 0, context.words.names_are_capitalised and not text.isupper()
    for mention in found:
        if mention.start < end:
            continue
        end = mention.end
        if mention.rule.kind == IGNORED or _is_name(text, mention, context, capitals_tell=capitals_tell):
            continue
        one = _one(text, kept, mention, context) if kept else None
        if one is None:
            kept.append(mention)
        else:
            kept[-1] = one
    return kept


def _is_name(text: str, mention: Mention, context: Context, *, capitals_tell: bool) -> bool:
    """Whether the words are a name or a value here: `spell Wednesday`, `column Q1`, `--since yesterday`; or, where
    `capitals_tell`, a title: `Friday Night Lights`, `USA Today`, `Last Year at`.
    """
    start, kind, grammar = mention.start, mention.rule.kind, context.words
    if at_end(text, start, _FLAG) or at_end(text, start, grammar.named):
        return True
    if kind in NAMES and at_end(text, start, grammar.named_parts):
        return True
    if not capitals_tell:
        return False
    if kind in NAMES or (kind in PERIODS and mention.word("unit") is None):
        next_word = _NAME_BEHIND.match(text, mention.end)
        leads = kind == "feast" and mention.match.start("feast") == start
        is_bare = (mention.rule.weak or leads) and not re.search(r"\d", mention.match[0])
        follows_name = at_end(text, start, _NAME_BEFORE) and not at_end(text, start, _FIRST_WORD)
        return bool(is_bare and (next_word or follows_name))
    capitals = [word for word in mention.match[0].split() if word[0].isupper()]
    before = text[max(0, start - NEARBY) : start].rstrip()
    starts_sentence = not before or before[-1] in ".!?:;([\n"
    return len(capitals) > (1 if starts_sentence else 0)


def _one(text: str, before: list[Mention], second: Mention, context: Context) -> Mention | None:
    """What the last mention and the second say together; None: each speaks for itself."""
    first, grammar = before[-1], context.words
    gap = text[first.end : second.start]
    if _counts_from(text, first, second, grammar):
        return second
    link = grammar.link.fullmatch(gap)
    day = (_one_day(first, second, context) or _one_day(second, first, context)) if link else None
    if link is None or day is not None:
        return replace(day, start=first.start, end=second.end) if day else None
    weak = first.rule.weak and first.rule.kind != "nth_unit"
    if weak and not _introduced(text, before, grammar):
        return None  # "the march last year"
    if year := _year_beside(first, second, context):
        return replace(first, rule=replace(first.rule, weak=weak), end=second.end, year=year)
    year = _year_beside(second, first, context)
    narrows = year or first.rule.kind in VAGUE or link.groupdict().get("said")
    if not narrows or (second.rule.weak and not gap.strip(" ,")):  # "last year may have been better"
        return None
    return replace(second, rule=replace(second.rule, weak=False), start=first.start, year=year)


def _counts_from(text: str, first: Mention, second: Mention, grammar: Lexicon) -> bool:
    """Whether the first mention is a distance from the second, or one of its days: `the Friday before 5 May`."""
    of_it = longest_at_end(text, second.start, (*grammar.ordinal_days, *grammar.parts))
    if of_it is not None:
        led = at_end(text, of_it.start, grammar.preposition)  # "on | the weekend of"
        return (led.start() if led else of_it.start) <= first.start
    gap = text[first.end : second.start]
    part = longest_at_end(gap, len(gap), grammar.parts)
    operator = longest_at_end(gap, part.start if part else len(gap), grammar.operators)
    if operator is None or operator.rule.kind not in COUNT_FROM:
        return False
    distance = longest_at_end(text, first.end + operator.start, grammar.distances)
    return distance is not None and distance.start <= first.start


COUNT_FROM = ("before", "after")
"""Operators before which a distance from the time may stand."""


def _one_day(day: Mention, other: Mention, context: Context) -> Mention | None:
    """The one day that both name: a weekday with its date or in its week, today's date in another month or year."""
    if day.rule.kind == "weekday":
        if other.rule.kind in DATES and day.start < other.start:
            return replace(other, rule=replace(other.rule, weak=False))
        in_units = other.rule.kind in (*PERIODS, "ago") and other.word("unit") and other.word("most") is None
        if in_units and unit_of(other, context) is Unit.WEEK:
            return replace(day, rule=replace(day.rule, weak=False), week=other)
    if day.rule.kind in ("today", "same_day") and other.rule.kind in SHIFTS and other.word("unit"):
        return replace(other, rule=Rule("shifted", ""))
    if day.rule.kind == "same_day" and other.rule.kind == "year":
        return replace(other, rule=Rule("this_day", ""))
    return None


def _introduced(text: str, mentions: list[Mention], grammar: Lexicon) -> bool:
    """Whether the text before the last mention makes a time of it."""
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
