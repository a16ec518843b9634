"""Question -> the time it names, by a small grammar of our own.

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
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from shared.model.questions import TimeHint, TimeRange
from shared.times.calendar import Span
from shared.times.intent import Intent, Intents
from shared.times.lexicon import Context, Mention, lexicon, time_words
from shared.times.mentions import mentions_in
from shared.times.readings import Reading, read
from shared.times.recognition import has_other_year
from shared.times.resolvers import ONE_DAY
from shared.times.spelling import correct_names

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

    Returns the first time that is asked about, otherwise the first that may be; None if there is none. It restricts
    where notes of then are asked for, and else orders. A time of the person's story is left out (see `intent`), and so
    is one that lies wholly in the future: notes cannot come from there. `zone` is an IANA name that exists. In a
    language without words for times those in digits alone are found.
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
    ordering: FoundTime | None = None
    previous_mentions = [None, *mentions]
    following_mentions = [*mentions[1:], None]
    neighbours = zip(previous_mentions, mentions, following_mentions, strict=False)
    for previous, mention, following in neighbours:
        reading = read(corrected.text, mention, following, context)
        if reading is None or has_other_year(corrected.text, mention, context.words):
            continue

        start = corrected.original_position(reading.start)
        end = corrected.original_position(reading.end)
        phrase = " ".join(text[start:end].split())
        hint = _hint(reading.span, phrase, context)
        if hint is None:
            continue
        found_time = FoundTime(hint, start, end, recurs=reading.recurs)

        is_running = hint.range.contains(now)
        intent = intents.of(start, end, recurs=reading.recurs, is_running=is_running)
        is_certain = reading.certain and not _stands_in_row(
            corrected.text,
            previous,
            mention,
            reading,
            following,
        )
        if is_certain and intent is Intent.ASKED:
            return found_time

        without_restriction = replace(hint, restricts=False)
        ordering_time = replace(found_time, hint=without_restriction)
        if is_certain and intent is Intent.EVENT:
            return ordering_time
        if intent is not Intent.STORY and ordering is None:
            ordering = ordering_time
    return ordering


def _as_blanks(quoted: re.Match[str]) -> str:
    """Returns as many blanks as the match has characters."""
    return " " * len(quoted[0])


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
