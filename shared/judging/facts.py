"""A text -> the facts of its sentences, which can be compared: weighted and negated words, names, numbers, dates."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import attrgetter
from typing import TypeVar

from shared.judging.quantities import Quantity, quantities
from shared.language.sentences import sentences
from shared.language.terms import stems
from shared.language.vocabulary import vocabulary
from shared.language.words import token_pattern
from shared.times.dates import Day

NAME_WEIGHT = 1.5
IDENTIFIER_WEIGHT = 3.0
QUANTITY_WEIGHT = 1.5
"""Weight of a number or a date. A word that is not a name weighs 1."""
SCOPE = 4
"""Content words that a negation reaches after it, and before it in languages in which the verb may come first."""

_CLAUSE_END = r"[,;:.!?()]"
_SENTENCE_OPENS = re.compile(r"[\s\"'“„«*_`(\[-]*")
_NEVER = re.compile(r"(?!)")
_START = attrgetter("start")
_Part = TypeVar("_Part", Quantity, Day)


@dataclass(frozen=True, slots=True)
class Word:
    """One content word, comparable with others."""

    stems: tuple[str, ...]
    """Stems of the word. A compound has several: first that of the whole, then those of its parts."""
    weight: float
    is_name: bool
    is_identifier: bool
    opens: bool
    """True if it has its capital letter because it is the first word of its sentence."""
    raw: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that one sentence states, at `[start, end)` of its text."""

    start: int
    end: int
    words: tuple[Word, ...]
    numbers: tuple[Quantity, ...]
    days: tuple[Day, ...]
    negations: int
    stems: frozenset[str]
    negated: frozenset[str]
    """Stems inside the reach of a negation."""


@dataclass(frozen=True, slots=True)
class _Contents:
    """Everything that a whole text holds, before it is divided among its sentences."""

    word_starts: Sequence[int]
    """Offset of each content word, in order."""
    words: Sequence[Word]
    """The content words, each read as if it did not open its sentence."""
    numbers: Sequence[Quantity]
    """In order."""
    days: Sequence[Day]
    """In order."""
    negation_starts: Sequence[int]
    """Offset of each negation, in order."""
    negated_words: frozenset[int]
    """Indexes of the words that a negation reaches."""


def facts_of(text: str, lang: str) -> tuple[Facts, ...]:
    """Reads the facts of each sentence, in order; none where the text has no sentence.

    `lang` is the language in which stems and negations are read.
    """
    contents = _contents(text, lang)
    facts = []
    for start, end in sentences(text, lang=lang):
        facts_of_sentence = _facts_of_sentence(contents, start, end, text, lang)
        facts.append(facts_of_sentence)
    return tuple(facts)


def _contents(text: str, lang: str) -> _Contents:
    """Reads the words, numbers, dates and negations of a text."""
    numbers, days = quantities(text, lang)
    word_starts, words = _content_words(text, lang, (*numbers, *days))

    patterns = _negation_patterns(lang)
    negations = [match.span() for match in patterns.cue.finditer(text)]
    negated_words: frozenset[int] = frozenset()
    if negations:
        negated_words = _negated_words(word_starts, negations, text, patterns)

    return _Contents(
        word_starts=word_starts,
        words=words,
        numbers=sorted(numbers, key=_START),
        days=sorted(days, key=_START),
        negation_starts=[start for start, _ in negations],
        negated_words=negated_words,
    )


def _facts_of_sentence(
    contents: _Contents,
    start: int,
    end: int,
    text: str,
    lang: str,
) -> Facts:
    """Selects from the contents of a text what stands in its sentence at `[start, end)`."""
    first_word = bisect_left(contents.word_starts, start)
    past_word = bisect_left(contents.word_starts, end)
    word_indexes = range(first_word, past_word)
    words = [contents.words[index] for index in word_indexes]

    negated_indexes = contents.negated_words.intersection(word_indexes)
    negated_words = [contents.words[index] for index in negated_indexes]
    if words and _opens_sentence(text, start, contents.word_starts[first_word]):
        words[0] = _word(words[0].raw, lang, opens=True)

    first_negation = bisect_left(contents.negation_starts, start)
    past_negation = bisect_left(contents.negation_starts, end)
    return Facts(
        start=start,
        end=end,
        words=tuple(words),
        numbers=_that_begin_in(contents.numbers, start, end),
        days=_that_begin_in(contents.days, start, end),
        negations=past_negation - first_negation,
        stems=_stems_of(words),
        negated=_stems_of(negated_words),
    )


def _that_begin_in(parts: Sequence[_Part], start: int, end: int) -> tuple[_Part, ...]:
    """Returns those numbers or days that begin in `[start, end)`.

    parts: in the order of the text.
    """
    first = bisect_left(parts, start, key=_START)
    past = bisect_left(parts, end, key=_START)
    return tuple(parts[first:past])


def _stems_of(words: Sequence[Word]) -> frozenset[str]:
    all_stems: list[str] = []
    for word in words:
        all_stems += word.stems
    return frozenset(all_stems)


def _opens_sentence(text: str, sentence_start: int, word_start: int) -> bool:
    """Reports whether nothing but quotation marks, brackets and emphasis stands before a word of a sentence."""
    opening = _SENTENCE_OPENS.match(text, sentence_start)
    if opening is None:
        return False
    return word_start <= opening.end()


def _content_words(
    text: str,
    lang: str,
    quantities_and_days: Sequence[Quantity | Day],
) -> tuple[list[int], list[Word]]:
    """Returns the offsets of the content words, and the words; what numbers and dates cover is left out."""
    covered_offsets: set[int] = set()
    for covering in quantities_and_days:
        covered_offsets.update(range(covering.start, covering.end))

    starts = []
    words = []
    for match in token_pattern(text).finditer(text):
        start = match.start()
        if start in covered_offsets:
            continue
        word = _word(match[0], lang, opens=False)
        if word.stems:
            starts.append(start)
            words.append(word)
    return starts, words


@lru_cache(maxsize=20_000)
def _word(token: str, lang: str, *, opens: bool) -> Word:
    """Reads a token. `opens`: True if it is the first word of its sentence."""
    has_capital = token[:1].isupper()
    rest = token[1:]
    has_inner_capital = rest != rest.lower()
    has_digit = any(map(str.isdigit, token))
    has_letter = any(map(str.isalpha, token))
    mixes_digits_and_letters = has_digit and has_letter
    is_identifier = "_" in token or mixes_digits_and_letters

    is_name = is_identifier or has_inner_capital
    if has_capital and not opens and not vocabulary(lang).nouns_are_capitalised:
        is_name = True

    weight = 1.0
    if is_identifier:
        weight = IDENTIFIER_WEIGHT
    elif is_name:
        weight = NAME_WEIGHT

    return Word(
        stems=tuple(stems(token, lang)),
        weight=weight,
        is_name=is_name,
        is_identifier=is_identifier,
        opens=opens and has_capital,
        raw=token,
    )


@dataclass(frozen=True, slots=True)
class _NegationPatterns:
    """Regular expressions of a language's negations."""

    cue: re.Pattern[str]
    clause_end: re.Pattern[str]
    reaches_back: bool
    """True if a negation denies the words before it too."""


@cache
def _negation_patterns(lang: str) -> _NegationPatterns:
    """Compiles a language's negations. A language without words for them has patterns that never match."""
    words = vocabulary(lang).facts
    if words is None:
        return _NegationPatterns(_NEVER, re.compile(_CLAUSE_END), reaches_back=True)

    any_negation = "|".join(words.negations.split())
    cue = rf"\b(?:{any_negation})\b(?!\s+(?:{words.only})\b)"
    if words.negated_verbs:
        cue += rf"|\b(?:{words.negated_verbs})\b"
    clause_end = rf"{_CLAUSE_END}|\b(?:{words.contrasts})\b"
    return _NegationPatterns(
        cue=re.compile(cue, re.IGNORECASE),
        clause_end=re.compile(clause_end, re.IGNORECASE),
        reaches_back=words.negates_before,
    )


def _negated_words(
    word_starts: Sequence[int],
    negations: Sequence[tuple[int, int]],
    text: str,
    patterns: _NegationPatterns,
) -> frozenset[int]:
    """Returns the indexes of the words that a negation reaches.

    It reaches the next words in its clause and, in some languages, the words before it too, SCOPE of them at most.

    word_starts: offsets of the words, in order.
    """
    clause_bounds = [0]
    for match in patterns.clause_end.finditer(text):
        clause_bounds += match.span()
    clause_bounds.append(len(text))

    negated: set[int] = set()
    for start, end in negations:
        clause_end = clause_bounds[bisect_left(clause_bounds, end)]
        first_behind = bisect_left(word_starts, end)
        past_clause = bisect_left(word_starts, clause_end)
        past_reached = min(past_clause, first_behind + SCOPE)
        negated.update(range(first_behind, past_reached))

        if patterns.reaches_back:
            clause_start = clause_bounds[bisect_right(clause_bounds, start) - 1]
            first_in_clause = bisect_left(word_starts, clause_start)
            past_before = bisect_left(word_starts, start)
            first_reached = max(first_in_clause, past_before - SCOPE)
            negated.update(range(first_reached, past_before))
    return frozenset(negated)
