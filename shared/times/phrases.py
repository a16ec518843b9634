"""Question -> the time it names, by a small grammar.

1. `spelling` corrects the names of months and weekdays.
2. `mentions` finds what can name a time.
3. `readings` reads from the words around a mention which days are meant; `recognition` decides whether it is a time.
4. `intent` decides whether notes of that time are asked for, an event of then, or it belongs to the person's story.

Quoted text, names, versions and identifiers are no times. dateparser's `search_dates` understood 3 of 12 held-out
phrases and found times in 3 of 6 sentences without one, hence a grammar of our own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from itertools import zip_longest
from zoneinfo import ZoneInfo

from shared.model.questions import TimeHint, TimeRange
from shared.times.calendar import ONE_DAY, Span
from shared.times.intent import Intent, Intents
from shared.times.lexicon import Context, Mention, lexicon, time_words
from shared.times.mentions import mentions_in
from shared.times.readings import Reading, read
from shared.times.recognition import has_other_year
from shared.times.spelling import CorrectedText, correct_names

_QUOTED = re.compile(r"\"[^\"]*\"|“[^“”]*”|«[^«»]*»|„[^„“”]*[“”]|`[^`]*`|(?<!\w)'[^']{2,80}'(?!\w)")


@dataclass(frozen=True, slots=True)
class FoundTime:
    """A time hint and the place of its phrase: `text[start:end]`."""

    hint: TimeHint
    start: int
    end: int
    recurs: bool = False
    """True if it may also be one to come, or each of its kind: `Monday`, `in spring`."""


def find_time(text: str, *, now: datetime, zone: str, lang: str = "en") -> FoundTime | None:
    """Finds the time that is asked about, as a half-open range that ends with `now`'s day at the latest.

    Returns the first time that is certainly asked about, otherwise the first that may be; None if there is no such
    time. The time restricts the search if the question asks for notes of that time; otherwise it only orders them. A
    time that belongs to the person's story is left out (see `intent`), and so is a time that lies wholly in the future,
    as no note can be from then. `zone` is the name of an existing IANA zone. In a language without words for times,
    only times in digits are found.
    """
    words = time_words(lang)
    without_quotes = _QUOTED.sub(_as_blanks, text)
    corrected = correct_names(without_quotes, words)
    if not words.can_name_time(corrected.text):
        return None

    local_zone = ZoneInfo(zone)
    context = Context(
        now=now,
        zone=local_zone,
        today=now.astimezone(local_zone).date(),
        words=lexicon(lang),
    )
    mentions = mentions_in(corrected.text, context)
    if not mentions:
        return None

    intents = Intents(text, context.words)
    first_possible: FoundTime | None = None
    for reading in _readings(corrected.text, mentions, context):
        found_time = _in_original(text, corrected, reading, context)
        if found_time is None:
            continue

        intent = intents.of(
            found_time.start,
            found_time.end,
            recurs=reading.recurs,
            is_running=found_time.hint.range.contains(now),
        )
        if reading.certain and intent is Intent.ASKED:
            return found_time
        if reading.certain and intent is Intent.EVENT:
            return _without_restriction(found_time)
        if first_possible is None and intent is not Intent.STORY:
            first_possible = _without_restriction(found_time)
    return first_possible


def _as_blanks(quoted: re.Match[str]) -> str:
    """Returns as many blanks as the match has characters."""
    return " " * len(quoted[0])


def _readings(text: str, mentions: Sequence[Mention], context: Context) -> Iterator[Reading]:
    """Yields the readings of the mentions that are times, in order."""
    previous: Mention | None = None
    following_mentions = mentions[1:]
    for mention, following in zip_longest(mentions, following_mentions):
        reading = read(text, mention, following, context)
        if reading is not None and not has_other_year(text, mention, context.words):
            if _stands_in_row(text, previous, mention, reading, following):
                reading = replace(reading, certain=False)
            yield reading
        previous = mention


def _stands_in_row(
    text: str,
    previous: Mention | None,
    mention: Mention,
    reading: Reading,
    following: Mention | None,
) -> bool:
    """Reports whether nothing but blanks parts the time from another: `a week ago last Tuesday` is not understood."""
    if previous is not None:
        gap_before = text[previous.end : mention.start]
        if gap_before.isspace():
            return True
    if following is None:
        return False
    gap_behind = text[reading.end : following.start]
    return gap_behind.isspace()


def _in_original(
    text: str,
    corrected: CorrectedText,
    reading: Reading,
    context: Context,
) -> FoundTime | None:
    """Returns the time of a reading at its place in the uncorrected text; None if it lies in the future."""
    start = corrected.original_position(reading.start)
    end = corrected.original_position(reading.end)
    words = text[start:end].split()
    phrase = " ".join(words)
    hint = _hint(reading.span, phrase, context)
    if hint is None:
        return None
    return FoundTime(
        hint=hint,
        start=start,
        end=end,
        recurs=reading.recurs,
    )


def _without_restriction(found_time: FoundTime) -> FoundTime:
    """Returns the time as one that only orders what is found."""
    hint = replace(found_time.hint, restricts=False)
    return replace(found_time, hint=hint)


def _hint(span: Span, phrase: str, context: Context) -> TimeHint | None:
    """Converts days to moments in the caller's zone that end with today at the latest; None if nothing is left."""

    def midnight(day: date) -> datetime:
        return datetime.combine(day, time(), context.zone)

    # Notes cannot come from days that lie ahead.
    end_day = context.today + ONE_DAY
    if span.end is not None and span.end < end_day:
        end_day = span.end
    end = midnight(end_day)
    if span.start is None:
        return TimeHint(TimeRange(None, end), phrase, span.reach)
    if span.start >= end_day:
        return None

    start = midnight(span.start)
    time_range = TimeRange(start, end)
    if span.reach:
        return TimeHint(time_range, phrase, span.reach)
    age = context.now - start
    days_back = math.ceil(age / ONE_DAY)
    return TimeHint(time_range, phrase, max(1, days_back))
