"""What a language's lexicon of times holds, and its patterns as regular expressions.

A pattern is a regular expression in which `{unit}`, `{n}`, `{weekday}`, `{month}`, `{season}` and `{year}` stand for
the language's words. A pattern marked weak is a time only behind one of the language's prepositions or operators:
`March` alone is a verb, a name or a month, `in March` is the month.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

YEAR = r"(?:19|20)\d\d"

ORDINALS = {
    word: number
    for number, words in enumerate(
        (
            "first|1st|erste|ersten|primer|premier",
            "second|2nd|zweite|zweiten|segundo|deuxième",
            "third|3rd|dritte|dritten|tercer|troisième",
            "fourth|4th|vierte|vierten|cuarto|quatrième",
            "fifth",
        ),
        start=1,
    )
    for word in words.split("|")
}
"""Without the last one."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to name a time. `kind` is resolved by `time_kinds`; `weak`: needs a preposition before it."""

    kind: str
    pattern: str
    weak: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """One language's time words, lower case."""

    units: Mapping[str, str]
    numbers: Mapping[str, int]
    weekdays: Mapping[str, int]
    months: Mapping[str, int]
    seasons: Mapping[str, int]
    """Word -> first month."""
    rules: tuple[Rule, ...]
    prepositions: str
    """What makes a weak match a time, directly before it."""
    operators: Mapping[str, str]
    """`since`, `after`, `before`, `until`, … -> pattern directly before a time."""
    distances: tuple[Rule, ...]
    """What makes `before` and `after` a distance from a time, directly before them."""
    members: tuple[Rule, ...]
    """What names one day or weekend of a time, directly before it: `the first Monday of`."""
    named: str
    """Behind which a word is spoken of and does not speak, directly before it: `spell Wednesday`."""
    named_parts: str
    """Things that bear names of days, months and quarters, directly before one: `column Q1`."""
    between: str
    """What opens a range, directly before its first end."""
    joiners: str
    """What stands between the two ends of a range."""
    links: str
    """What stands between two times that are one, a comma aside: `March of last year`. Behind `said` stands the day of
    the note."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """`start`, `end`, … -> pattern directly before a time."""
    names_are_capitalised: bool = True
    """Whether a capital inside a sentence marks a name (not so in German)."""

    @property
    def words(self) -> Mapping[str, str]:
        """Name in a pattern -> what it stands for."""
        number = rf"[1-9]\d{{0,2}}|{_alternatives(self.numbers)}"
        return {
            "unit": _group("unit", self.units),
            "n": rf"(?P<n>{number})",
            "most": rf"(?P<most>{number})",
            "weekday": _group("weekday", self.weekdays),
            "month": _group("month", self.months),
            "season": _group("season", self.seasons),
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


def _whole_word(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w./@#_=$])(?<!(?<!mid)(?<!mi)-)(?:{pattern})(?![\w/@_]|[.\-][\w])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Compiled:
    """A lexicon's regular expressions. Rules match whole words, never a piece of an identifier or a version."""

    words: Lexicon
    rules: tuple[tuple[Rule, re.Pattern[str]], ...]
    preposition: re.Pattern[str]
    operators: tuple[tuple[str, re.Pattern[str]], ...]
    distances: tuple[tuple[Rule, re.Pattern[str]], ...]
    members: tuple[tuple[Rule, re.Pattern[str]], ...]
    named: re.Pattern[str]
    named_parts: re.Pattern[str]
    between: re.Pattern[str]
    parts: tuple[tuple[str, re.Pattern[str]], ...]
    joiner: re.Pattern[str]
    link: re.Pattern[str]


def compile_lexicon(words: Lexicon) -> Compiled:
    """Its expressions; takes some milliseconds."""
    return Compiled(
        words,
        tuple((rule, _whole_word(_filled(rule.pattern, words.words))) for rule in words.rules),
        _before(words.prepositions),
        tuple((name, _before(pattern)) for name, pattern in words.operators.items()),
        tuple((rule, _before(_filled(rule.pattern, words.words))) for rule in words.distances),
        tuple((rule, _before(_filled(rule.pattern, words.words))) for rule in words.members),
        _before(words.named),
        _before(words.named_parts),
        _before(words.between),
        tuple((name, _before(pattern)) for name, pattern in words.parts.items()),
        re.compile(rf"\s*(?:{words.joiners})\s+(?:the\s+)?|\s*[-–]\s*", re.IGNORECASE),
        re.compile(rf",?\s*(?:(?:{words.links.replace(' ', chr(92) + 's+')})\s*(?:the\s+)?)?", re.IGNORECASE),
    )


NEARBY = 80
"""Characters before a time in which what belongs to it is looked for."""


def at_end(text: str, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """Where a pattern of what precedes a time ends with the text."""
    return pattern.search(text, max(0, len(text) - NEARBY))


def _before(pattern: str) -> re.Pattern[str]:
    """Matches at the end of what precedes a time."""
    return re.compile(rf"(?<![\w-])(?:{pattern.replace(' ', chr(92) + 's+')})(?:\s+the)?\s*$", re.IGNORECASE)
