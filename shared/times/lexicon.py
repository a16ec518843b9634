"""A language's words for times: what each word means, and its patterns as regular expressions.

A pattern marked weak is a time only behind one of the language's prepositions or operators: `March` alone is a verb, a
name or a month, `in March` is the month.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from zoneinfo import ZoneInfo

from shared.language.vocabulary import Asking, Rule, Times, Vocabulary, vocabulary
from shared.language.words import fold
from shared.times.patterns import (
    NEVER,
    accept_unaccented,
    alternatives,
    fill,
    forms_of,
    ignore_case,
    meanings,
    named_group,
    named_words,
    optional,
    required_words,
    whole_words,
)

YEAR = r"(?:19|20)\d\d"
NEARBY = 80
"""Characters before a time in which what belongs to it is looked for."""
FEW = -1
"""The number of a word such as `several`, which names no exact number."""
MIN_LONG_NAME = 6
"""Letters of the shortest month or weekday that is corrected when misspelled."""

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
_YEAR_OUTSIDE = r"(?!(?:19|20)\d\d)\d{3,4}(?!\w|[.,:/-]\d)"
"""A year that YEAR does not hold: `1789`. With an era, so is any other number: `44 BC`."""

_WORD = re.compile(r"[\w'’-]+")
_LETTERS = re.compile(r"[^\W\d_]+")
SHORT_SIGNAL = 3
"""Letters of the longest signal that is looked for as a whole word: `ago` is in `agora`."""

CompiledRules = tuple[tuple[Rule, re.Pattern[str]], ...]


class TimeWords:
    """One language's words for times with their meanings.

    `signals` are folded words and parts of words. Any text that a rule matches holds one of them, or a digit.
    """

    def __init__(self, times: Times, language: Vocabulary) -> None:
        self._read_words(times, language)
        self.names_are_capitalised = not language.nouns_are_capitalised
        """True if a capital inside a sentence marks a name."""
        self.names_are_lower_case = times.names_are_lower_case
        self.signals = self._signals(times)
        self.long_signals = []
        for signal in self.signals:
            if len(signal) > SHORT_SIGNAL:
                self.long_signals.append(signal)

    def can_name_time(self, text: str) -> bool:
        """Reports whether a rule can match in the text; most questions name no time, and compile nothing.

        A signal of up to three letters is a whole word, or nearly (`Fris`); a longer one any part (`Montagabend`).
        """
        if any(character.isdigit() for character in text):
            return True

        for run in _LETTERS.findall(text):
            # A pattern that ignores case takes a dotless i for an i.
            word = fold(run.replace("ı", "i"))
            if word in self.signals:
                return True

            may_have_ending = len(word) > SHORT_SIGNAL
            if may_have_ending and word[:-1] in self.signals:
                return True
            if any(signal in word for signal in self.long_signals):
                return True
        return False

    def _signals(self, times: Times) -> frozenset[str]:
        """Returns the longest word of each form, and what rules name besides stop words, which tell nothing."""
        signals = set()
        tables = (
            self.units,
            self.weekdays,
            self.months,
            self.seasons,
            self.feasts,
            self.decades,
        )
        for table in tables:
            for form in table:
                words = _LETTERS.findall(form)
                signals.add(max(words, key=len))

        patterns = [times.weekend]
        for rule in (*times.rules, *_COMMON):
            patterns.append(rule.pattern)
        for pattern in patterns:
            telling_words = required_words(pattern) - self.stop_words
            signals.update(telling_words)

        return frozenset(fold(signal) for signal in signals if len(signal) > 1)

    def _read_words(self, times: Times, language: Vocabulary) -> None:
        """Reads what each word means."""
        fortnights = forms_of(times.fortnights)
        self.fortnights = frozenset(fortnights)
        self.units = meanings(times.units.items())
        for fortnight in fortnights:
            self.units[fortnight] = "week"

        numbered_ordinals = enumerate(times.ordinals, 1)
        self.ordinals = meanings(numbered_ordinals)
        self._read_numbers(times)
        self._read_names(times)

        stop_words = f"{language.stop_words} {language.elided}"
        self.stop_words = frozenset(stop_words.split())
        self.month_first = times.month_first

    def _read_numbers(self, times: Times) -> None:
        """Reads the words for numbers and decades."""
        numbered_words = enumerate(times.numbers, 1)
        one_to_twelve = meanings(numbered_words)
        tens = range(20, 100, 10)
        numbered_tens = zip(tens, times.tens, strict=False)
        twenty_to_ninety = meanings(numbered_tens)
        words_for_few = forms_of(times.few)
        few = dict.fromkeys(words_for_few, FEW)
        self.numbers = {
            **one_to_twelve,
            **twenty_to_ninety,
            **times.more_numbers,
            **few,
        }

        words_for_decades = times.decades or times.tens
        numbered_decades = zip(tens, words_for_decades, strict=False)
        self.decades = meanings(numbered_decades)

    def _read_names(self, times: Times) -> None:
        """Reads the names of weekdays, months, seasons and feasts."""
        numbered_weekdays = enumerate(times.weekdays)
        self.weekdays = meanings(numbered_weekdays)
        numbered_months = enumerate(times.months, 1)
        self.months = meanings(numbered_months)
        verbs = times.verbs_as_months.split()
        self.verbs_as_months = frozenset(verbs)

        long_names = []
        for name in (*self.months, *self.weekdays):
            if len(name) >= MIN_LONG_NAME:
                long_names.append(name)
        self.long_names = tuple(long_names)

        # A season is told by its first month.
        first_months = (3, 6, 9, 12)
        numbered_seasons = zip(first_months, times.seasons, strict=True)
        self.seasons = meanings(numbered_seasons)
        """Word -> first month of the season."""
        self.feasts = meanings(times.feasts.items())
        """Word -> its days, as `calendar.feast` reads them."""


class Lexicon(TimeWords):
    """The same words with the language's regular expressions, which take 45 ms to compile.

    The patterns of `rules` match whole words, never a piece of an identifier or a version. Those of `behind` match right
    behind a time; all others at the end of what precedes one, see `at_end`.
    """

    def __init__(self, times: Times, language: Vocabulary) -> None:
        super().__init__(times, language)
        groups = self._pattern_groups(times)
        self._compile_rules(times, language, groups)
        self._compile_before(times, groups)
        self._compile_behind(times, groups)
        asking = language.asking or Asking()
        self._compile_asking(asking)
        self._compile_pronouns(language)

    def _pattern_groups(self, times: Times) -> dict[str, str]:
        """Maps the names that patterns may hold in braces to what replaces them."""
        endings = "|".join([r"\.", *forms_of(times.day_endings)])
        groups = {
            "articles": times.articles or NEVER,
            "weeks": times.weeks,
            "endings": endings,
            "links": times.links,
            "joiners": times.joiners,
            "q": times.quarter_letters,
            "h": times.half_letters,
        }
        groups |= self._groups_of_units()
        groups |= self._groups_of_numbers(endings)
        groups |= self._groups_of_names(times)

        periods = []
        for name in ("units", "weekday", "month", "season", "weekend"):
            periods.append(groups[name])
        any_period = "|".join(periods)
        groups["period"] = f"(?:{any_period})"
        return groups

    def _groups_of_units(self) -> dict[str, str]:
        """Returns the groups of the words for units: all of them, those of several days, and some alone."""
        longer_units = []
        terms = []
        years = []
        for word, unit in self.units.items():
            if unit != "day":
                longer_units.append(word)
            if unit in ("quarter", "half"):
                terms.append(word)
            if unit == "year":
                years.append(word)
        return {
            "unit": named_words("unit", self.units),
            "units": named_words("unit", longer_units),
            "terms": alternatives(terms),
            "years": alternatives(years),
        }

    def _groups_of_numbers(self, endings: str) -> dict[str, str]:
        """Returns the groups of counts, ordinals, decades and years.

        endings: a pattern of endings like that of `3rd`.
        """
        numbers = alternatives(self.numbers)
        ordinals = alternatives(self.ordinals)
        decades = alternatives(self.decades)
        number = rf"[1-9]\d{{0,2}}|{numbers}"
        nth = rf"[1-4](?:{endings})|{ordinals}"
        decade = rf"(?:19|20)?[1-9]0|2000|{decades}"
        return {
            "n": named_group("n", number),
            "n2": named_group("n2", number),
            "most": named_group("most", number),
            "nth": named_group("nth", nth),
            "decade": named_group("decade", decade),
            "year": named_group("year", rf"{YEAR}|['’]\d\d"),
        }

    def _groups_of_names(self, times: Times) -> dict[str, str]:
        """Returns the groups of the names of weekdays, months, seasons and feasts."""
        month_word = times.units.get("month") or NEVER
        date_link = times.date_links or NEVER
        names = (
            *self.weekdays,
            *self.months,
            *self.seasons,
            *self.feasts,
        )
        return {
            "weekday": named_words("weekday", self.weekdays),
            "weekend": named_group("weekend", times.weekend or NEVER),
            "month": named_words("month", self.months),
            "month_of": rf"(?:(?:{month_word}) (?:(?:{date_link}) )?)?",
            "season": named_words("season", self.seasons),
            "feast": named_words("feast", self.feasts),
            "names": alternatives(names),
        }

    def _compile_rules(self, times: Times, language: Vocabulary, groups: Mapping[str, str]) -> None:
        """Compiles what can name a time."""
        rules = list(times.rules)
        if language.times:
            rules += _COMMON
        rules += _FIGURES

        hyphened_words = ""
        for word in times.hyphened.split():
            hyphened_words += f"(?<!{word})"
        word_start = rf"(?<![\w./@#_=$])(?<!{hyphened_words}-)"
        word_end = r"(?![\w/@_]|[.\-][\w])"

        compiled_rules = []
        for rule in rules:
            pattern = fill(rule.pattern, groups)
            compiled = ignore_case(f"{word_start}(?:{pattern}){word_end}")
            compiled_rules.append((rule, compiled))
        self.rules: CompiledRules = tuple(compiled_rules)

    def _compile_before(self, times: Times, groups: Mapping[str, str]) -> None:
        """Compiles what may precede a time."""
        article = optional(times.articles, before=r"\s+")

        def before(pattern: str) -> re.Pattern[str]:
            words = fill(pattern, groups) or NEVER
            return ignore_case(rf"(?<![\w-])(?:{words}){article}\s*$")

        def rules_before(rules: Iterable[Rule]) -> CompiledRules:
            compiled_rules = []
            for rule in rules:
                compiled = before(rule.pattern)
                compiled_rules.append((rule, compiled))
            return tuple(compiled_rules)

        # What belongs to a time.
        self.distances = rules_before(times.distances)
        self.ordinal_days = rules_before(times.ordinal_days)
        operator_rules = _rules_of(times.operators)
        self.operators = rules_before(operator_rules)
        part_rules = _rules_of(times.parts)
        self.parts = rules_before(part_rules)

        # What makes a time of a mention, or something else.
        self.preposition = before(times.prepositions)
        self.between = before(times.between)
        self.named = before(times.named)
        self.named_parts = before(times.named_parts)
        self.on_days = before(times.on_days)
        self.article = before(times.articles)
        self.attribute_follows = before(times.attributes_follow)

        # Neither what lies "between the wedding and" a time nor a weekend of it that no rule reads is understood.
        unread = times.unread or NEVER
        between = times.between or NEVER
        joiners = times.joiners or NEVER
        halves = rf"(?:{between}) (?:[^\s,;]+ ){{1,4}}(?:{joiners})"
        weekend_of = r"{weekend}(?: \S+){0,4}"
        self.unread = before(rf"{unread}|{halves}|{weekend_of}")

    def _compile_behind(self, times: Times, groups: Mapping[str, str]) -> None:
        """Compiles what may follow a time, or stand between two."""
        bounds = []
        for name, pattern in times.behind.items():
            words = fill(pattern, {})
            bound = ignore_case(rf",?\s*(?:{words})(?!\w)")
            bounds.append((name, bound))
        self.behind = tuple(bounds)

        # Between the two ends of a range.
        article = optional(times.articles, behind=r"\s+")
        joiners = times.joiners or NEVER
        blank = r"(?:\s+|(?<=['’]))"
        joining_words = rf"\s*(?:{joiners}){blank}{article}"
        dash = r"\s*[-–]\s*"
        self.joiner = ignore_case(f"{joining_words}|{dash}")

        # Between two times that are one.
        links = times.links or NEVER
        links = fill(links, {})
        linking_words = rf"(?:{links})\s*{article}"
        self.link = ignore_case(rf",?\s*(?:{linking_words})?")
        self.other_year = self._other_year(times, groups, links)

        # Something of which the time is a part.
        date_links = times.date_links or NEVER
        self.genitive = ignore_case(rf"\s+(?:{date_links})\s+(?:\w|['’])")

    def _other_year(
        self,
        times: Times,
        groups: Mapping[str, str],
        links: str,
    ) -> re.Pattern[str]:
        """Compiles a year that no rule reads."""
        blanks = r"\s*"
        link = optional(links, behind=blanks)
        article = optional(times.articles, behind=blanks)
        year_word = optional(groups["years"], behind=blanks)
        eras = times.eras or NEVER
        eras = fill(eras, {})
        era_first = rf"(?:{eras})\s\d"
        era_last = rf"\d{{1,4}}\s?(?:{eras})(?!\w)"
        year = f"(?:{_YEAR_OUTSIDE}|{era_first}|{era_last})"
        return ignore_case(rf",?\s*{link}{article}{year_word}{year}")

    def _compile_asking(self, asking: Asking) -> None:
        """Compiles how clauses ask. In a language without words for it only signs open a question."""
        word_before = r"(?:\w+\s)?"
        who_or_where = asking.who_or_where or NEVER
        opens = NEVER
        if asking.questions:
            question_words = f"{who_or_where}|{asking.questions}"
            opens = f"{word_before}(?:{question_words})|{asking.verbs}"
        self.opening = ignore_case(rf"\s*¿|\s*(?:{opens})(?!\w)")
        self.asks_what = ignore_case(rf"\W*(?:{asking.questions or NEVER})(?!\w)")
        self.asks_who_or_where = ignore_case(rf"\W*{word_before}(?:{who_or_where})(?!\w)")
        amounts = f"{asking.amounts or NEVER}|{asking.moments or NEVER}"
        self.asks_amount = ignore_case(rf"\W*{word_before}(?:{amounts})(?!\w)")

        self.past = whole_words(asking.past)
        self.participles = whole_words(asking.participles)
        self.present = whole_words(asking.present)
        self.former = whole_words(asking.former)
        self.before = whole_words(asking.before)
        self.duty = whole_words(asking.duty)
        self.asker = whole_words(asking.asker)
        phrases = asking.happening_phrases or NEVER
        self.fillers = whole_words(f"{phrases}|{asking.fillers or NEVER}")
        self.writing = _any_of(asking.writing)
        self.everything = _any_of(asking.everything, phrases)

        genitive = asking.genitive or NEVER
        article = rf"(?:{asking.articles})?"
        self.belonging = ignore_case(rf"\w\s+(?:{genitive})\s*{article}\s*\Z")
        """Matches at the end of the text before a time."""
        self.possessive = re.compile(asking.possessive or NEVER)
        """Matches behind a time."""

    def _compile_pronouns(self, language: Vocabulary) -> None:
        """Compiles the words that point at a thing or a person. A language without them has none that match."""
        pronouns = language.follow_ups
        self.thing = whole_words(pronouns.things if pronouns else NEVER)
        self.person = whole_words(pronouns.people if pronouns else NEVER)

    def asks_for_notes(self, text: str) -> bool:
        """Reports whether the text around a time asks for notes and nothing else: `summarise my … notes`."""
        if not self.everything.search(text):
            return False
        if self.past.search(text) or self.present.search(text):
            return False
        return not self.subject_words(text)

    def former_in(self, text: str) -> re.Match[str] | None:
        """Finds a word for what no longer holds: `old rent`. In `Old Bank` the capital makes it part of a name.

        The first word has a capital anyway. There the second word tells: behind an adjective it has a capital only where all
        nouns have one, `Old rent` and `Alte Miete`, but not in `Old Bank` and `Alter der Kinder`.
        """
        first_word, *following = text.split(maxsplit=2) or [""]
        if following and following[0][0].isupper() != self.names_are_capitalised:
            text = text.replace(first_word, first_word.lower(), 1)
        return self.former.search(text)

    def subject_words(self, text: str) -> list[str]:
        """Returns the words of a text that name a subject: no stop words, no fillers, no words for everything of a time."""
        subject_words = []
        text_without_fillers = self.fillers.sub(" ", text)
        for word in _WORD.findall(text_without_fillers):
            if word.lower() in self.stop_words or self.everything.fullmatch(word):
                continue
            subject_words.append(word)
        return subject_words


def _rules_of(patterns: Mapping[str, str]) -> list[Rule]:
    """Makes a rule of each kind with its pattern."""
    rules = []
    for kind, pattern in patterns.items():
        rule = Rule(kind, pattern)
        rules.append(rule)
    return rules


def _any_of(words: str, phrases: str = NEVER) -> re.Pattern[str]:
    """Compiles a list of words, of which the longer ones match without their accents too, and a pattern of phrases."""
    escaped_words = map(re.escape, words.split())
    pattern = "|".join(escaped_words)
    pattern = accept_unaccented(pattern)
    return whole_words(f"{pattern or NEVER}|{phrases}")


@cache
def time_words(lang: str) -> TimeWords:
    """Returns the language's words for times, without a regular expression of them."""
    language = vocabulary(lang)
    return TimeWords(language.times or Times(), language)


@cache
def lexicon(lang: str) -> Lexicon:
    """Returns the language's lexicon, made on first use in milliseconds.

    In a language without words for times it reads dates in digits alone.
    """
    language = vocabulary(lang)
    return Lexicon(language.times or Times(), language)


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

    @property
    def kind(self) -> str:
        """The rule's kind, one of `resolvers.RESOLVERS` or, before a time, an operator, part or distance."""
        return self.rule.kind

    @property
    def is_weak(self) -> bool:
        """True if it is a time only behind a preposition or operator."""
        return self.rule.weak

    def word(self, group: str) -> str | None:
        """Returns what a group matched, in lower case with plain blanks and apostrophes; None if it matched nothing."""
        matched = self.match.groupdict().get(group)
        if matched is None:
            return None
        words = matched.lower().replace("’", "'").split()
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Context:
    """The moment and place from which times are seen."""

    now: datetime
    zone: ZoneInfo
    today: date
    """The day of `now` in `zone`."""
    words: Lexicon
    year: int | None = None
    """Year of a month or day that names no year; None for the most recent one."""


def at_end(
    text: str,
    end: int,
    pattern: re.Pattern[str],
) -> re.Match[str] | None:
    """Matches a pattern of what precedes a time at the end of `text[:end]`, at most NEARBY characters long."""
    first = max(0, end - NEARBY)
    return pattern.search(text, first, end)


def longest_at_end(text: str, end: int, rules: CompiledRules) -> Mention | None:
    """Returns the longest match of the rules at the end of `text[:end]`; None if no rule matches."""
    longest: Mention | None = None
    for rule, pattern in rules:
        match = at_end(text, end, pattern)
        if match is None:
            continue
        start = match.start()
        if longest is None or start < longest.start:
            longest = Mention(
                rule=rule,
                match=match,
                start=start,
                end=match.end(),
            )
    return longest
