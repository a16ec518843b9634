"""Times of a question that was asked at another moment than now, as they are to be said today."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from shared.retrieval.time_phrases import FoundTime, find_time
from shared.sessions.follow_up_words import Words, words_of

TRAILING = " \t\n?!.…¿¡,;:"
"""What ends a question."""
_EMPTIED = re.compile(r" \( \)| (?=\))")
"""What a time leaves that stood in the brackets of an earlier step, alone or last."""


@dataclass(frozen=True, slots=True)
class Moment:
    """From where "last week" is seen. `zone`: IANA."""

    now: datetime
    zone: str

    @property
    def day(self) -> str:
        return self.now.astimezone(ZoneInfo(self.zone)).date().isoformat()


@dataclass(frozen=True, slots=True)
class Times:
    """Times of a question that was asked at another moment than now."""

    asked: Moment
    now: Moment
    lang: str

    def _found(self, text: str) -> FoundTime | None:
        return find_time(text, now=self.asked.now, zone=self.asked.zone, lang=self.lang)

    def without(self, text: str) -> str:
        """The text without its time, the preposition before it and what ends it."""
        found = self._found(text)
        if found is None:
            return text.strip().rstrip(TRAILING)
        head, _, last = text[: found.start].rstrip().rpartition(" ")
        kept = head if last in words_of(self.lang).before_time else f"{head} {last}"
        rest = _EMPTIED.sub("", f"{kept.rstrip()} {text[found.end :].lstrip()}")
        return rest.strip().rstrip(TRAILING)

    def fixed(self, text: str) -> str:
        """The text with its time as it is to be said today."""
        found = self._found(text)
        return text if found is None else f"{text[: found.start]}{self._today(found, text)}{text[found.end :]}"

    def phrase(self, text: str) -> list[str]:
        found = self._found(text)
        return [] if found is None else [self._today(found, text)]

    def days(self, text: str) -> tuple[date, date] | None:
        """The first and the last day of its time; None without one, or where it has no beginning or no end."""
        found = self._found(text)
        if found is None or found.hint.range.start is None or found.hint.range.end is None:
            return None
        zone = ZoneInfo(self.asked.zone)
        last = found.hint.range.end - timedelta(microseconds=1)
        return found.hint.range.start.astimezone(zone).date(), last.astimezone(zone).date()

    def _today(self, found: FoundTime, text: str) -> str:
        """The phrase; asked on another day, the days it meant then."""
        end = found.hint.range.end
        if self.asked.day == self.now.day or end is None:
            return text[found.start : found.end]
        words = words_of(self.lang)
        days = self.days(text)
        if days is None:
            return words.before.format(end.astimezone(ZoneInfo(self.asked.zone)).date().isoformat())
        return in_days(*days, words)


def in_days(first: date, last: date, words: Words) -> str:
    return first.isoformat() if first == last else words.between.format(first.isoformat(), last.isoformat())
