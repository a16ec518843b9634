"""A language's words for times -> its lexicon: what each word stands for, and its patterns as regular expressions.

A pattern marked weak is a time only behind one of the language's prepositions or operators: `March` alone is a verb, a
name or a month, `in March` is the month.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import TypeVar
from zoneinfo import ZoneInfo

from shared.language.vocabulary import Rule, Times, vocabulary

_NEVER = "(?!)"
YEAR = r"(?:19|20)\d\d"
NEARBY = 80
"""Characters before a time in which what belongs to it is looked for."""
FEW = -1
"""The number of a word that names none."""

_SEASONS = (3, 6, 9, 12)
"""Their first months."""
_DIGITS = (Rule("iso", rf"(?P<year>{YEAR})-(?P<number>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12]\d|3[01]))?"),)
"""Read in every language."""
_WORDLESS = Times(
    units={},
    weekdays=(),
    months=(),
    seasons=("", "", "", ""),
    numbers=(),
    tens=(),
    few="",
    ordinals=(),
    rules=(Rule("dots", rf"(?P<first>\d{{1,2}})\.\s?(?P<second>\d{{1,2}})\.\s?(?P<year>{YEAR})"),),
    prepositions="",
    operators={},
    distances=(),
    ordinal_days=(),
    named="",
    named_parts="",
    between="",
    joiners="",
    links="",
    parts={},
    in_a_month="",
    from_to="{} – {}",
)
"""Of a language without words for times."""

T = TypeVar("T")
Rules = tuple[tuple[Rule, re.Pattern[str]], ...]
Named = tuple[tuple[str, re.Pattern[str]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """One language's words with their meanings, and its expressions. Rules match whole words, never a piece of an
    identifier or a version; the other patterns match at the end of what precedes a time.
    """

    units: Mapping[str, str]
    fortnights: frozenset[str]
    """Units of two weeks."""
    numbers: Mapping[str, int]
    """FEW for those that name none."""
    ordinals: Mapping[str, int]
    weekdays: Mapping[str, int]
    months: Mapping[str, int]
    seasons: Mapping[str, int]
    """Word -> first month."""
    verbs_as_months: frozenset[str]
    names_are_capitalised: bool
    """Whether a capital inside a sentence marks a name (not so in German)."""
    rules: Rules
    preposition: re.Pattern[str]
    article: re.Pattern[str]
    attribute_follows: re.Pattern[str]
    operators: Named
    distances: Rules
    ordinal_days: Rules
    named: re.Pattern[str]
    named_parts: re.Pattern[str]
    between: re.Pattern[str]
    parts: Named
    joiner: re.Pattern[str]
    link: re.Pattern[str]


@cache
def lexicon(lang: str) -> Lexicon:
    """The language's, made on first use in some milliseconds. Of one without words for times: dates in digits alone."""
    known = vocabulary(lang)
    return _lexicon(known.times or _WORDLESS, names_are_capitalised=not known.nouns_are_capitalised)


def at_end(text: str, end: int, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """The match of a pattern of what precedes a time that ends with `text[:end]`, at most NEARBY characters long."""
    return pattern.search(text, max(0, end - NEARBY), end)


def _lexicon(times: Times, *, names_are_capitalised: bool) -> Lexicon:
    fortnights = frozenset(filter(None, times.fortnights.split("|")))
    units = {**_meanings(times.units.items()), **dict.fromkeys(fortnights, "week")}
    numbers = _numbers(times)
    weekdays, months = _meanings(enumerate(times.weekdays)), _meanings(enumerate(times.months, 1))
    seasons = _meanings(zip(_SEASONS, times.seasons, strict=True))
    words = _words_of_patterns(units=units, numbers=numbers, weekdays=weekdays, months=months, seasons=seasons)

    def before(pattern: str) -> re.Pattern[str]:
        return _before(_filled(pattern, words), times.articles)

    article = f"(?:(?:{times.articles})\\s+)?" if times.articles else ""
    return Lexicon(
        units=units,
        fortnights=fortnights,
        numbers=numbers,
        ordinals=_meanings(enumerate(times.ordinals, 1)),
        weekdays=weekdays,
        months=months,
        seasons=seasons,
        verbs_as_months=frozenset(times.verbs_as_months.split()),
        names_are_capitalised=names_are_capitalised,
        rules=tuple(
            (rule, _whole_word(_filled(rule.pattern, words), times.hyphened)) for rule in (*times.rules, *_DIGITS)
        ),
        preposition=before(times.prepositions),
        article=_at_end(times.articles),
        attribute_follows=_at_end(times.attributes_follow),
        operators=tuple((name, before(pattern)) for name, pattern in times.operators.items()),
        distances=tuple((rule, before(rule.pattern)) for rule in times.distances),
        ordinal_days=tuple((rule, before(rule.pattern)) for rule in times.ordinal_days),
        named=before(times.named),
        named_parts=before(times.named_parts),
        between=before(times.between),
        parts=tuple((name, before(pattern)) for name, pattern in times.parts.items()),
        joiner=re.compile(rf"\s*(?:{times.joiners or _NEVER})\s+{article}|\s*[-–]\s*", re.IGNORECASE),
        link=re.compile(rf",?\s*(?:(?:{_filled(times.links or _NEVER, {})})\s*{article})?", re.IGNORECASE),
    )


def _meanings(words: Iterable[tuple[T, str]]) -> dict[str, T]:
    """Meanings with the forms of their words -> form: meaning."""
    return {form: meaning for meaning, forms in words for form in forms.split("|") if form}


def _numbers(times: Times) -> dict[str, int]:
    tens = ((10 * number, word) for number, word in enumerate(times.tens, 2))
    few = dict.fromkeys(filter(None, times.few.split("|")), FEW)
    return {**_meanings(enumerate(times.numbers, 1)), **_meanings(tens), **times.more_numbers, **few}


def _words_of_patterns(
    *,
    units: Mapping[str, str],
    numbers: Mapping[str, int],
    weekdays: Mapping[str, int],
    months: Mapping[str, int],
    seasons: Mapping[str, int],
) -> dict[str, str]:
    """Name in a pattern -> what it stands for."""
    number = rf"[1-9]\d{{0,2}}|{_alternatives(numbers)}"
    return {
        "unit": _group("unit", units),
        "n": rf"(?P<n>{number})",
        "most": rf"(?P<most>{number})",
        "weekday": _group("weekday", weekdays),
        "month": _group("month", months),
        "season": _group("season", seasons),
        "year": rf"(?P<year>{YEAR})",
    }


def _alternatives(words: Mapping[str, object]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True)).replace(r"\ ", r"\s+")


def _group(name: str, words: Mapping[str, object]) -> str:
    return rf"(?P<{name}>{_alternatives(words)})"


def _filled(pattern: str, words: Mapping[str, str]) -> str:
    for name, alternatives in words.items():
        pattern = pattern.replace("{" + name + "}", alternatives)
    return pattern.replace(" ", r"\s+")


def _whole_word(pattern: str, hyphened: str) -> re.Pattern[str]:
    joined = "".join(f"(?<!{word})" for word in hyphened.split())
    return re.compile(rf"(?<![\w./@#_=$])(?<!{joined}-)(?:{pattern})(?![\w/@_]|[.\-][\w])", re.IGNORECASE)


def _before(pattern: str, articles: str) -> re.Pattern[str]:
    """Matches at the end of what precedes a time."""
    article = rf"(?:\s+(?:{articles}))?" if articles else ""
    return re.compile(rf"(?<![\w-])(?:{pattern or _NEVER}){article}\s*$", re.IGNORECASE)


def _at_end(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words or _NEVER})\s+$", re.IGNORECASE)


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
