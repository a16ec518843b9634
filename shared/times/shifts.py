"""A time in one question, seen from where it was asked -> what it means in the next one, asked later."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from shared.language.vocabulary import vocabulary
from shared.times.phrases import FoundTime, find_time


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


def phrase_today(text: str, time: FoundTime, *, asked: Moment, now: Moment, lang: str) -> str:
    """The phrase of a time that `text` names; asked on another day, the days that it meant then."""
    start, end = time.hint.range.start, time.hint.range.end
    times = vocabulary(lang).times
    if times is None or asked.day(asked.now) == now.day(now.now) or start is None or end is None:
        return text[time.start : time.end]
    first, last = asked.day(start), asked.day(end - timedelta(microseconds=1))
    return first if first == last else times.from_to.format(first, last)
