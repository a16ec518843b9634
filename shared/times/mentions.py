"""Text -> what in it can name a time, in order.

Two mentions side by side may be one: `Monday, 5 May`, `in March last year`, `recently, in 2024`, `the Friday before
5 May`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from shared.language.vocabulary import Rule
from shared.times.calendar import Unit
from shared.times.counting import unit_of
from shared.times.lexicon import NEARBY, Context, Lexicon, Mention, at_end, longest_at_end
from shared.times.resolvers import IGNORED, days_of

_DIGIT = re.compile(r"\d")
_FLAG = re.compile(r"(?<!\S)--?[A-Za-z][\w-]*\s+$")
_NAME_BEHIND = re.compile(r"(?:['’]s)?\s+([A-Z][a-z]\w*)")
_NAME_BEFORE = re.compile(r"\b[A-Z]\w+\s+$")
_FIRST_WORD = re.compile(r"(?:^|[.!?]\s+)\w+\s+$")
_SENTENCE_OPENERS = ".!?:;([\n"
COUNT_FROM = ("before", "after")
"""Operators before which a distance from the time may stand."""
VAGUE = ("recently", "other_day")
OF_A_YEAR = ("date", "days_of_month", "month", "quarter", "nth_unit", "season", "feast")
"""Kinds of times that a year may belong to."""
PERIODS = ("this", "last", "before_last")
SHIFTS = ("ago", "last", "shifted")
WHOLE_YEARS = (*PERIODS, "ago", "year")
"""Kinds of times that can be a whole year."""
NAMES = (*OF_A_YEAR, "weekday", "half", "iso_week")
"""Kinds of times whose words can be names of something else."""
DATES = ("date", "day_number", "days_of_month", "iso", "dots", "slashes")


def mentions_in(text: str, context: Context) -> list[Mention]:
    """Finds what can name a time: leftmost, then longest, not overlapping.

    Names and what a rule says to ignore are left out; weak mentions are included.
    """
    mentions: list[Mention] = []
    end = 0
    for mention in _matches_in(text, context.words):
        if mention.start < end:
            continue
        end = mention.end
        if mention.kind == IGNORED or _is_name(text, mention, context.words):
            continue

        joined = None
        if mentions:
            joined = _join_to_previous(text, mentions, mention, context)
        if joined is None:
            mentions.append(mention)
        else:
            mentions[-1] = joined
    return mentions


def _matches_in(text: str, grammar: Lexicon) -> list[Mention]:
    """Returns every match of a rule, by its start, the longest first."""
    matches = []
    for rule, pattern in grammar.rules:
        for match in pattern.finditer(text):
            mention = Mention(
                rule=rule,
                match=match,
                start=match.start(),
                end=match.end(),
            )
            matches.append(mention)
    matches.sort(key=lambda mention: (mention.start, -mention.end))
    return matches


def _is_name(text: str, mention: Mention, grammar: Lexicon) -> bool:
    """Reports whether the words are a value or the title of something, and no time."""
    if _is_spoken_of(text, mention, grammar):
        return True
    capitals_mark_names = grammar.names_are_capitalised and not text.isupper()
    return capitals_mark_names and _is_title(text, mention)


def _is_spoken_of(text: str, mention: Mention, grammar: Lexicon) -> bool:
    """Reports whether the words are a value here: `spell Wednesday`, `column Q1`, `--since yesterday`."""
    markers = [_FLAG, grammar.named]
    if mention.kind in NAMES:
        markers.append(grammar.named_parts)
    return any(at_end(text, mention.start, marker) for marker in markers)


def _is_title(text: str, mention: Mention) -> bool:
    """Reports whether capitals make a title of the words: `Friday Night Lights`, `USA Today`, `Last Year at`."""
    names_no_unit = mention.kind in PERIODS and mention.word("unit") is None
    if mention.kind in NAMES or names_no_unit:
        return _is_part_of_name(text, mention)

    capitals = 0
    for word in mention.match[0].split():
        first_letter = word[0]
        if first_letter.isupper():
            capitals += 1

    start = mention.start
    first = max(0, start - NEARBY)
    text_before = text[first:start].rstrip()
    starts_sentence = not text_before or text_before[-1] in _SENTENCE_OPENERS
    if starts_sentence:
        return capitals > 1
    return capitals > 0


def _is_part_of_name(text: str, mention: Mention) -> bool:
    """Reports whether a capital beside the words makes a name of them: `Friday Night`, `Black Friday`."""
    start = mention.start
    opens_with_feast = mention.kind == "feast" and mention.match.start("feast") == start
    if not mention.is_weak and not opens_with_feast:
        return False
    if _DIGIT.search(mention.match[0]):
        return False
    if _NAME_BEHIND.match(text, mention.end):
        return True
    if not at_end(text, start, _NAME_BEFORE):
        return False
    # The first word of a sentence has a capital whatever it is.
    return at_end(text, start, _FIRST_WORD) is None


def _join_to_previous(
    text: str,
    mentions: list[Mention],
    second: Mention,
    context: Context,
) -> Mention | None:
    """Returns what the last mention and the second mean together; None if each stands for itself."""
    first = mentions[-1]
    grammar = context.words
    if _counts_from(text, first, second, grammar):
        return second
    gap = text[first.end : second.start]
    link = grammar.link.fullmatch(gap)
    if link is None:
        return None

    day = _same_day(first, second, context) or _same_day(second, first, context)
    if day is not None:
        return replace(
            day,
            start=first.start,
            end=second.end,
        )

    first_is_weak = first.is_weak and first.kind != "nth_unit"
    if first_is_weak and not _is_introduced(text, mentions, grammar):
        return None  # "the march last year"
    year = _year_beside(first, second, context)
    if year is not None:
        rule = replace(first.rule, weak=first_is_weak)
        return replace(
            first,
            rule=rule,
            end=second.end,
            year=year,
        )

    second_is_bare = second.is_weak and not gap.strip(" ,")
    if second_is_bare:
        return None  # "last year may have been better"
    year = _year_beside(second, first, context)
    dates_the_note = link.groupdict().get("said") is not None
    if year is None and first.kind not in VAGUE and not dates_the_note:
        return None
    return replace(
        _strong(second),
        start=first.start,
        year=year,
    )


def _strong(mention: Mention) -> Mention:
    """Returns the mention as a time by itself, without a preposition."""
    rule = replace(mention.rule, weak=False)
    return replace(mention, rule=rule)


def _counts_from(text: str, first: Mention, second: Mention, grammar: Lexicon) -> bool:
    """Reports whether the first mention is a distance from the second, or a part of it: `the Friday before 5 May`."""
    part_rules = (*grammar.ordinal_days, *grammar.parts)
    part_of_second = longest_at_end(text, second.start, part_rules)
    if part_of_second is not None:
        start = part_of_second.start
        preposition = at_end(text, start, grammar.preposition)
        if preposition is not None:  # "on | the weekend of"
            start = preposition.start()
        return start <= first.start

    # Between the two stand an operator and perhaps a part: `the Friday | before | the end of | May`.
    gap = text[first.end : second.start]
    operator_end = len(gap)
    part = longest_at_end(gap, operator_end, grammar.parts)
    if part is not None:
        operator_end = part.start
    operator = longest_at_end(gap, operator_end, grammar.operators)
    if operator is None or operator.kind not in COUNT_FROM:
        return False

    distance_end = first.end + operator.start
    distance = longest_at_end(text, distance_end, grammar.distances)
    if distance is None:
        return False
    return distance.start <= first.start


def _same_day(day: Mention, other: Mention, context: Context) -> Mention | None:
    """Returns the one day that both name; None if they name no common day.

    It is a weekday with its date or in its week, or today's date in another month or year.
    """
    if day.kind == "weekday":
        is_before_date = other.kind in DATES and day.start < other.start
        if is_before_date:
            return _strong(other)
        if _is_week(other, context):
            weekday = _strong(day)
            return replace(weekday, week=other)
        return None

    # `today last year`, `on this day in 2024`.
    is_today = day.kind in ("today", "same_day")
    if is_today and other.kind in SHIFTS and other.word("unit"):
        shifted_day = Rule("shifted", "")
        return replace(other, rule=shifted_day)
    if day.kind == "same_day" and other.kind == "year":
        day_of_year = Rule("this_day", "")
        return replace(other, rule=day_of_year)
    return None


def _is_week(mention: Mention, context: Context) -> bool:
    """Reports whether the mention names one whole week: `last week`, `two weeks ago`."""
    if mention.kind not in (*PERIODS, "ago"):
        return False
    if mention.word("unit") is None or mention.word("most") is not None:
        return False
    return unit_of(mention, context) is Unit.WEEK


def _is_introduced(text: str, mentions: list[Mention], grammar: Lexicon) -> bool:
    """Reports whether the text before the last mention makes a time of it."""
    start = mentions[-1].start
    if len(mentions) > 1:
        previous = mentions[-2]
        gap = text[previous.end : start]
        if grammar.joiner.fullmatch(gap):
            return True

    patterns = [grammar.preposition, grammar.between]
    for _, pattern in (*grammar.operators, *grammar.parts):
        patterns.append(pattern)
    for pattern in patterns:
        if at_end(text, start, pattern):
            return True
    return False


def _year_beside(specific: Mention, other: Mention, context: Context) -> int | None:
    """Returns the year that the other mention is, if the first needs one."""
    if specific.kind not in OF_A_YEAR or specific.word("year"):
        return None
    if other.kind not in WHOLE_YEARS:
        return None

    span = days_of(other, context)
    if span is None or span.start is None or span.end is None:
        return None
    length = span.end - span.start
    if length.days < 365:
        return None
    return span.start.year
