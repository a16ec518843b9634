"""Decides from the words around a mention whether it means a time: it does in `in March`, but not in `the long march`."""

from __future__ import annotations

import re
from enum import Enum, auto

from shared.times.lexicon import NEARBY, Lexicon, Mention, at_end
from shared.times.mentions import OF_A_YEAR

_LOWER_CASE_BEHIND = re.compile(r"\s+[a-z]")
_PLURAL_BEHIND = re.compile(r"\s+[a-z]+s\b")
_WORD_BEHIND = re.compile(r"\s+([^\W\d]+)")
_ONLY_END_A_RANGE = ("now", "current")
"""Kinds that by themselves are no time: `from January to now`, `the start of the year`."""
_MAY_BE_OF_SOMETHING = ("iso_week", "nth_unit", "season", "slashes", "weekend")
"""Kinds that a genitive makes part of something else: `week 3 of the course`, `the first quarter of the game`."""


class _NumberRole(Enum):
    """Role of a number that can be a year for the word behind it."""

    YEAR = auto()
    """It stands for itself."""
    COUNT = auto()
    """It says how many: `2000 words`."""
    UNCLEAR = auto()
    """It may belong to the word behind it: `2023 edition`."""


def is_time(text: str, mention: Mention, grammar: Lexicon, *, after_operator: bool) -> bool:
    """Reports whether a mention without a part (`the end of`) means a time.

    after_operator: True if a word like `since` stands before it.
    """
    kind = mention.kind
    if kind in _ONLY_END_A_RANGE:
        return False
    if kind in _MAY_BE_OF_SOMETHING and grammar.genitive.match(text, mention.end):
        return False
    if kind == "year":
        role = _number_role(text, mention, grammar)
        if role is _NumberRole.COUNT:
            return False

    if after_operator or not mention.is_weak:
        return True
    if kind == "slashes":
        preposition_of_day = at_end(text, mention.start, grammar.on_days)
        return preposition_of_day is not None
    return is_introduced(text, mention, grammar)


def is_introduced(text: str, mention: Mention, grammar: Lexicon) -> bool:
    """Reports whether a weak mention has a preposition before it, or is a weekday that stands by itself."""
    start = mention.start
    if at_end(text, start, grammar.preposition):
        return not _is_attribute_behind_article(text, mention, grammar)
    if _is_all_asked_for(text, mention, grammar):
        return True
    if _is_abbreviated(mention, grammar):
        return False
    if at_end(text, start, grammar.attribute_follows):
        return False

    # A capital before it makes a name of it, punctuation begins a sentence: "Black Friday", "See: Friday".
    first = max(0, start - NEARBY)
    nearby = text[first:start]
    if not nearby[-1:].isspace():
        return False
    _, _, word_before = nearby.rstrip().rpartition(" ")
    word_before = word_before.removesuffix(",")
    if not word_before:
        return False
    starts_small = word_before[0].islower()
    ends_in_letter = word_before[-1].isalnum()
    return starts_small and ends_in_letter


def _is_all_asked_for(text: str, mention: Mention, grammar: Lexicon) -> bool:
    """Reports whether a short text asks for notes of the mention and nothing else: `Summarise August`."""
    is_verb = mention.word("month") in grammar.verbs_as_months
    if is_verb:
        return False
    text_before = text[: mention.start]
    text_behind = text[mention.end :]
    surroundings = f"{text_before} {text_behind}".lower()
    if len(surroundings) >= NEARBY:
        return False
    return grammar.asks_for_notes(surroundings)


def _is_abbreviated(mention: Mention, grammar: Lexicon) -> bool:
    """Reports whether a mention names no weekday, or one by its first letters: `Fri`."""
    weekday = mention.word("weekday") or ""
    for name in grammar.weekdays:
        if name != weekday and name.startswith(weekday):
            return True
    return False


def _is_attribute_behind_article(text: str, mention: Mention, grammar: Lexicon) -> bool:
    """Reports whether an article makes an attribute or a common noun of it: `the Friday report`, `the march`."""
    if mention.kind not in ("weekday", "month"):
        return False
    if not at_end(text, mention.start, grammar.article):
        return False
    is_verb = mention.word("month") in grammar.verbs_as_months
    if is_verb:
        return True
    return _LOWER_CASE_BEHIND.match(text, mention.end) is not None


def describes_plural(text: str, mention: Mention, grammar: Lexicon) -> bool:
    """Reports whether a month says from when several things are: `the October releases`."""
    if mention.kind != "month":
        return False
    is_verb = mention.word("month") in grammar.verbs_as_months
    if is_verb or not _PLURAL_BEHIND.match(text, mention.end):
        return False
    article = at_end(text, mention.start, grammar.article)
    return article is not None


def means_a_time_only(text: str, mention: Mention, grammar: Lexicon) -> bool:
    """Reports whether a year describes nothing (`the 2023 edition`) and a weekday or month is no name or title.

    `Domingo de Ramos` is a name, `Domingo` with a capital inside a Spanish sentence a person's.
    """
    kind = mention.kind
    if kind == "year":
        role = _number_role(text, mention, grammar)
        if role is not _NumberRole.UNCLEAR:
            return True
        return not at_end(text, mention.start, grammar.article)

    if kind not in ("weekday", "month") or mention.week is not None:
        return True
    name_start = mention.match.start(kind)
    if grammar.names_are_lower_case and text[name_start].isupper():
        first = max(0, name_start - NEARBY)
        text_before = text[first:name_start]
        is_inside_text = text_before.strip() != ""
        if is_inside_text:
            return False

    if kind == "month":
        return True
    return not grammar.genitive.match(text, mention.end)


def is_time_as_first(text: str, first: Mention, second: Mention, grammar: Lexicon) -> bool:
    """Reports whether the second mention is a time because the first is one: `in May and June`."""
    if first.kind != second.kind:
        both_weekdays = first.word("weekday") and second.word("weekday")
        if not both_weekdays:
            return False
    second_is_verb = second.match[0] in grammar.verbs_as_months
    if second_is_verb:
        return False
    if not first.is_weak or first.kind == "dots":
        return True
    return is_introduced(text, first, grammar)


def has_other_year(text: str, mention: Mention, grammar: Lexicon) -> bool:
    """Reports whether a year that no rule reads follows: `14 July 1789` means no recent day."""
    if mention.kind not in (*OF_A_YEAR, "half", "iso_week"):
        return False
    if mention.year or mention.word("year") or mention.word("yy"):
        return False
    other_year = grammar.other_year.match(text, mention.end)
    return other_year is not None


def _number_role(text: str, year: Mention, grammar: Lexicon) -> _NumberRole:
    """Reads from the word behind a number whether it is a year."""
    behind = _WORD_BEHIND.match(text, year.end)
    if behind is None:
        return _NumberRole.YEAR
    word = behind[1]
    if word.lower() in grammar.stop_words:
        return _NumberRole.YEAR

    # Where nouns have capitals, one may be what is counted; elsewhere a plural.
    if not grammar.names_are_capitalised:
        if word.istitle():
            return _NumberRole.COUNT
        return _NumberRole.YEAR
    looks_plural = word.islower() and word.endswith("s")
    if looks_plural:
        return _NumberRole.COUNT
    return _NumberRole.UNCLEAR
