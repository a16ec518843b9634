"""What names a time in a text, and from where it is seen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from shared.language.vocabulary import Rule
from shared.times.lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class Mention:
    """Something that can name a time: a rule's match, and where the phrase stands that says it."""

    rule: Rule
    match: re.Match[str]
    start: int
    end: int
    year: int | None = None
    """That stands beside it: `in March last year`."""

    @classmethod
    def of(cls, rule: Rule, match: re.Match[str]) -> Mention:
        """The match alone."""
        return cls(rule, match, match.start(), match.end())

    def word(self, group: str) -> str | None:
        """What a group matched, lower case, single spaces; None if the rule has no such group or it did not match."""
        found = self.match.groupdict().get(group)
        return None if found is None else " ".join(found.lower().split())


@dataclass(frozen=True, slots=True)
class Context:
    """From where times are seen. `year`: what a month or day without a year falls into; None: the most recent."""

    now: datetime
    zone: ZoneInfo
    words: Lexicon
    year: int | None = None

    @property
    def today(self) -> date:
        return self.now.astimezone(self.zone).date()
