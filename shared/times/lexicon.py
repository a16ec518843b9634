"""A language's words for times -> its lexicon: what each word means, and its patterns as regular expressions.

A pattern marked weak is a time only behind one of the language's prepositions or operators: `March` alone is a verb, a
name or a month, `in March` is the month.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from itertools import starmap
from typing import TypeVar
from zoneinfo import ZoneInfo

from shared.language.vocabulary import Asking, Rule, Times, Vocabulary, vocabulary
from shared.language.words import fold

_NEVER = "(?!)"
YEAR = r"(?:19|20)\d\d"
NEARBY = 80
"""Characters before a time in which what belongs to it is looked for."""
MAX_MENDED = 20
"""Words of a text in which a wrong letter is mended."""
FEW = -1
"""The number of a word that names none: `several`."""

_FIGURES = (
    Rule("iso", rf"(?P<year>{YEAR})-(?P<number>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12]\d|3[01]))?"),
    Rule("iso_week", rf"(?P<year>{YEAR})-?w(?P<week>[0-5]\d)"),
    Rule("dots", rf"(?P<first>\d{{1,2}})\.\s?(?P<second>\d{{1,2}})\.\s?(?P<year>{YEAR})"),
)
"""Rules of every language."""
_OF_A_YEAR = "(?:(?:/|,? (?:(?:{links}) )?){year})?"
_COMMON = (
    Rule("slashes", rf"(?P<first>\d{{1,2}})/(?P<second>\d{{1,2}})/(?P<year>{YEAR}|\d\d)"),
    Rule("slashes", r"(?P<first>\d{1,2})/(?P<second>\d{1,2})", weak=True),
    Rule("iso", rf"(?P<number>0?[1-9]|1[0-2])/(?P<year>{YEAR})", weak=True),
    Rule("quarter", r"[{q}](?P<quarter>[1-4])(?:/(?P<yy>\d\d)|\s?[/-]?\s?{year})?"),
    Rule("quarter", r"(?P<quarter>[1-4])[{q}](?:(?P<yy>\d\d)|\s?[/-]?\s?{year})"),
    Rule("quarter", r"{year}[\s/-]?[{q}](?P<quarter>[1-4])"),
    Rule("half", r"[{h}](?P<half>[12])(?:/(?P<yy>\d\d)|\s?[/-]?\s?{year})"),
    Rule("half", r"[{h}](?P<half>[12])", weak=True),
    Rule("half", r"(?P<half>[12])[{h}](?:(?P<yy>\d\d)|\s?[/-]?\s?{year})"),
    Rule("nth_unit", r"(?:(?:{articles}) )?{nth} (?P<unit>{terms}),? (?:(?:{links}) )?{year}"),
    Rule("nth_unit", r"(?:(?:{articles}) )?{nth} (?P<unit>{terms})", weak=True),
    Rule("iso_week", rf"(?:{{weeks}})\s?(?P<week>[1-5]?\d)(?:\s?(?:{{joiners}})\s?(?P<last>[1-5]?\d))?{_OF_A_YEAR}"),
    Rule("iso_week", rf"(?P<week>[1-5]?\d)(?:{{endings}}) (?:{{weeks}}){_OF_A_YEAR}"),
    Rule("weekday", r"{weekday}", weak=True),
    Rule("year", r"(?:(?:(?:{articles}) )?(?:{years}) )?{year}", weak=True),
    Rule("month", r"{month_of}{month},? (?:(?:{links}) )?{year}"),
    Rule("month", r"{month_of}{month}", weak=True),
    Rule("season", r"{season}", weak=True),
    Rule("season", r"{season} (?:(?:{links}) )?(?:{year}|(?P<yy>\d\d)(?=\s?[/–-]))(?:\s?[/–-]\s?(?:19|20)?\d\d)?"),
)  # fmt: skip
"""Rules of every language that has words for times."""
T = TypeVar("T")
Rules = tuple[tuple[Rule, re.Pattern[str]], ...]


class Lexicon:
    """One language's words with their meanings, and its expressions. Rules match whole words, never a piece of an
    identifier or a version; the other patterns match at the end of what precedes a time, `behind` right behind it.
    """

    def __init__(self, times: Times, known: Vocabulary) -> None:
        self.fortnights = frozenset(filter(None, times.fortnights.split("|")))
        self.units = {**_meanings(times.units.items()), **dict.fromkeys(self.fortnights, "week")}
        tens, few = zip(range(20, 100, 10), times.tens, strict=False), filter(None, times.few.split("|"))
        self.numbers = {**_meanings(enumerate(times.numbers, 1)), **_meanings(tens), **times.more_numbers}
        self.numbers |= dict.fromkeys(few, FEW)
        self.ordinals = _meanings(enumerate(times.ordinals, 1))
        self.weekdays = _meanings(enumerate(times.weekdays))
        self.months = _meanings(enumerate(times.months, 1))
        self.long_names = [name for name in (*self.months, *self.weekdays) if len(name) > 5]
        self.seasons = _meanings(zip((3, 6, 9, 12), times.seasons, strict=True))  # word -> first month
        self.feasts = _meanings(times.feasts.items())  # word -> its days, as `calendar.feast` reads them
        self.decades = _meanings(zip(range(20, 100, 10), times.decades or times.tens, strict=False))
        self.verbs_as_months = frozenset(times.verbs_as_months.split())
        self.common = frozenset(known.stop_words.split())
        self.names_are_capitalised = not known.nouns_are_capitalised  # whether a capital inside a sentence marks one
        self.names_are_lower_case, self.month_first = times.names_are_lower_case, times.month_first
        self._compile(times, known)
        self._compile_asking(known.asking or Asking())

    def _compile(self, times: Times, known: Vocabulary) -> None:
        """The expressions, from the words that are known by now."""
        words = self._words_of_patterns(times)
        behind_it = rf"(?:\s+(?:{times.articles}))?" if times.articles else ""

        def before(pattern: str) -> re.Pattern[str]:
            """Matches at the end of what precedes a time."""
            found = _filled(pattern, words) or _NEVER
            return re.compile(rf"(?<![\w-])(?:{found}){behind_it}\s*$", re.IGNORECASE)

        def rules_before(rules: Iterable[Rule]) -> Rules:
            return tuple((rule, before(rule.pattern)) for rule in rules)

        rules = (*times.rules, *(_COMMON if known.times else ()), *_FIGURES)
        opens = r"(?<![\w./@#_=$])(?<!" + "".join(f"(?<!{word})" for word in times.hyphened.split()) + "-)"
        whole_words = (rf"{opens}(?:{_filled(rule.pattern, words)})(?![\w/@_]|[.\-][\w])" for rule in rules)
        self.rules: Rules = tuple(zip(rules, [re.compile(each, re.IGNORECASE) for each in whole_words], strict=True))
        self.distances, self.ordinal_days = rules_before(times.distances), rules_before(times.ordinal_days)
        self.operators = rules_before(starmap(Rule, times.operators.items()))
        self.parts = rules_before(starmap(Rule, times.parts.items()))
        self.preposition, self.between = before(times.prepositions), before(times.between)
        self.named, self.named_parts = before(times.named), before(times.named_parts)
        # Neither what lies "between the wedding and" a time nor a weekend of it that no rule reads is understood.
        halves = rf"(?:{times.between or _NEVER}) (?:[^\s,;]+ ){{1,4}}(?:{times.joiners or _NEVER})"
        self.on_days = before(times.on_days)
        self.unread = before(rf"{times.unread or _NEVER}|{halves}|{{weekend}}(?: \S+){{0,4}}")
        self.article, self.attribute_follows = before(times.articles), before(times.attributes_follow)
        self.behind = tuple(
            (name, re.compile(rf",?\s*(?:{_filled(pattern, {})})(?!\w)", re.IGNORECASE))
            for name, pattern in times.behind.items()
        )
        article = f"(?:(?:{times.articles})\\s+)?" if times.articles else ""
        joiners, links = times.joiners or _NEVER, _filled(times.links or _NEVER, {})
        self.joiner = re.compile(rf"\s*(?:{joiners})(?:\s+|(?<=['’])){article}|\s*[-–]\s*", re.IGNORECASE)
        self.link = re.compile(rf",?\s*(?:(?:{links})\s*{article})?", re.IGNORECASE)
        filler = "".join(rf"(?:(?:{each or _NEVER})\s*)?" for each in (links, times.articles, words["years"]))
        eras = _filled(times.eras or _NEVER, {})
        # A year that YEAR does not hold: `1789`, `44 BC`, `AD 800`.
        other = rf"(?!(?:19|20)\d\d)\d{{3,4}}(?!\w|[.,:/-]\d)|(?:{eras})\s\d|\d{{1,4}}\s?(?:{eras})(?!\w)"
        self.other_year = re.compile(rf",?\s*{filler}(?:{other})", re.IGNORECASE)
        self.genitive = re.compile(rf"\s+(?:{times.date_links or _NEVER})\s+(?:\w|['’])", re.IGNORECASE)

    def _compile_asking(self, words: Asking) -> None:
        def whole(alternatives: str) -> re.Pattern[str]:
            return re.compile(rf"(?<!\w)(?:{alternatives or _NEVER})(?!\w)", re.IGNORECASE)

        # Matches where a clause begins that asks; in a language without words only signs open a question.
        opens = rf"(?:\w+\s)?(?:{words.questions})|{words.verbs}" if words.questions else _NEVER
        self.opening = re.compile(rf"\s*¿|\s*(?:{opens})(?!\w)", re.IGNORECASE)
        self.past, self.present, self.duty = whole(words.past), whole(words.present), whole(words.duty)
        self.writing = whole(_with_bare_letters("|".join(map(re.escape, words.everything.split()))))
        belongs = rf"\w\s+(?:{words.genitive or _NEVER})\s*(?:{words.articles})?\s*\Z"
        self.belonging = re.compile(belongs, re.IGNORECASE)  # at the end of the text before a time
        self.possessive = re.compile(words.possessive or _NEVER)  # behind a time

    def asks_for_notes(self, text: str) -> bool:
        """Whether what stands around a time asks for notes and for nothing else: `summarise my … notes`."""
        if not self.writing.search(text) or self.past.search(text) or self.present.search(text):
            return False
        return all(word in self.common or self.writing.fullmatch(word) for word in re.findall(r"[\w'’-]+", text))

    def _words_of_patterns(self, times: Times) -> dict[str, str]:
        """Name in a pattern -> the alternatives that replace it."""
        endings = r"\." + "".join(f"|{ending}" for ending in times.day_endings.split("|") if ending)
        number = rf"[1-9]\d{{0,2}}|{_alternatives(self.numbers)}"
        units = {word: unit for word, unit in self.units.items() if unit != "day"}
        words = {
            "unit": _group("unit", self.units),
            "units": _group("unit", units),
            "terms": _alternatives({word: unit for word, unit in units.items() if unit in ("quarter", "half")}),
            **{name: rf"(?P<{name}>{number})" for name in ("n", "n2", "most")},
            "nth": rf"(?P<nth>[1-4](?:{endings})|{_alternatives(self.ordinals)})",
            "weekday": _group("weekday", self.weekdays),
            "weekend": rf"(?P<weekend>{times.weekend or _NEVER})",
            "month": _group("month", self.months),
            "month_of": rf"(?:(?:{times.units.get('month') or _NEVER}) (?:(?:{times.date_links or _NEVER}) )?)?",
            "season": _group("season", self.seasons),
            "feast": _group("feast", self.feasts),
            "names": _alternatives({**self.weekdays, **self.months, **self.seasons, **self.feasts}),
            "decade": rf"(?P<decade>(?:19|20)?[1-9]0|2000|{_alternatives(self.decades) or _NEVER})",
            "year": rf"(?P<year>{YEAR}|['’]\d\d)",
            "years": _alternatives({word: unit for word, unit in units.items() if unit == "year"}),
            "articles": times.articles or _NEVER,
            "weeks": times.weeks,
            "endings": endings,
            "links": times.links,
            "joiners": times.joiners,
            "q": times.quarter_letters,
            "h": times.half_letters,
        }
        periods = (words[name] for name in ("units", "weekday", "month", "season", "weekend"))
        return {**words, "period": f"(?:{'|'.join(periods)})"}


@cache
def lexicon(lang: str) -> Lexicon:
    """The language's lexicon, made on first use in milliseconds; without words for times it reads dates in digits."""
    known = vocabulary(lang)
    return Lexicon(known.times or Times(), known)


def correct_names(text: str, grammar: Lexicon) -> tuple[str, list[tuple[int, int]]]:
    """The text with one wrong letter in names of months and weekdays mended, in MAX_MENDED words; where each of them
    ends in it, and how many letters it has gained.
    """
    parts, gains, end, moved = [], list[tuple[int, int]](), 0, 0
    for found in re.finditer(r"(?<![\w'’-])[^\W\d_]{5,12}(?![\w-])", text):
        word = found[0].lower()
        is_known = word in grammar.months or word in grammar.weekdays or word in grammar.common
        meant = None if is_known else next((name for name in grammar.long_names if _is_misspelled(word, name)), None)
        if meant is not None and len(gains) < MAX_MENDED:
            parts += [text[end : found.start()], meant.capitalize() if found[0][0].isupper() else meant]
            end, gained = found.end(), len(meant) - len(word)
            moved += gained
            gains.append((end + moved, gained))
    return "".join([*parts, text[end:]]), gains


def _is_misspelled(word: str, name: str) -> bool:
    """Whether one letter is missing, too much, another or swapped with the next. The first and the last are right,
    or the last is missing or swapped, in a long name another consonant: `Domenico`, `Mondays`, `Freitas` are none.
    """
    if word[0] != name[0] or abs(len(word) - len(name)) > 1:
        return False
    if word[-1] != name[-1] and not name.startswith(word):
        other = len(name) > 7 and word[-1] not in "aeiou"
        if len(word) != len(name) or not (other or word[-2] == name[-1]):
            return False
    same = next((at for at, (a, b) in enumerate(zip(word, name, strict=False)) if a != b), len(name))
    rest, meant = word[same:], name[same:]
    swapped = rest[:2] == meant[1::-1] and rest[2:] == meant[2:]
    return swapped or rest[1:] == meant[1:] or rest == meant[1:] or rest[1:] == meant


def at_end(text: str, end: int, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """The match of a pattern of what precedes a time that ends with `text[:end]`, at most NEARBY characters long."""
    return pattern.search(text, max(0, end - NEARBY), end)


def longest_at_end(text: str, end: int, rules: Rules) -> Mention | None:
    """The longest match among rules of what precedes a time that ends with `text[:end]`; None: none does."""
    found = [Mention(rule, match, *match.span()) for rule, pattern in rules if (match := at_end(text, end, pattern))]
    return min(found, key=lambda mention: mention.start, default=None)


def _meanings(words: Iterable[tuple[T, str]]) -> dict[str, T]:
    """Meanings with the forms of their words -> form: meaning, longer forms without their accents, too."""
    found = {form: meaning for meaning, forms in words for form in forms.split("|") if form}
    return {**{fold(form): meaning for form, meaning in found.items() if len(form) > 3}, **found}


def _alternatives(words: Mapping[str, object]) -> str:
    forms = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    return forms.replace(r"\ ", r"\s+").replace("'", "['’]")


def _group(name: str, words: Mapping[str, object]) -> str:
    return rf"(?P<{name}>{_alternatives(words)})"


def _with_bare_letters(pattern: str) -> str:
    """The pattern, matching its words of four letters or more without their accents, too."""

    def each(word: re.Match[str]) -> str:
        return "".join(letter if letter.isascii() else f"[{letter}{fold(letter)}]" for letter in word[0])

    return re.sub(r"[^\W\d_]{4,}", each, pattern)


def _filled(pattern: str, words: Mapping[str, str]) -> str:
    pattern = _with_bare_letters(pattern)
    for name, alternatives in words.items():
        pattern = pattern.replace("{" + name + "}", alternatives)
    return pattern.replace(" ", r"\s+")


@dataclass(frozen=True, slots=True)
class Mention:
    """Something that can name a time: a rule's match, and the place of its phrase."""

    rule: Rule
    match: re.Match[str]
    start: int
    end: int
    year: int | None = None
    """The year beside it: `in March last year`."""
    week: Mention | None = None
    """The week that holds it: `Tuesday of last week`."""

    def word(self, group: str) -> str | None:
        """What a group matched, lower case, blanks and apostrophes normalised; None: the rule matched none."""
        found = self.match.groupdict().get(group)
        return None if found is None else " ".join(found.lower().replace("’", "'").split())


@dataclass(frozen=True, slots=True)
class Context:
    """From where times are seen; `today` is `now`'s day in `zone`."""

    now: datetime
    zone: ZoneInfo
    today: date
    words: Lexicon
    year: int | None = None
    """Into which a month or day without a year falls; None: the most recent."""
