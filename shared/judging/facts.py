"""A text -> what its sentences state, comparable between texts: weighted and negated words, names, numbers, dates."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeVar

from shared.judging.quantities import Quantity, quantities
from shared.language.sentences import sentences
from shared.language.terms import stems
from shared.language.vocabulary import vocabulary
from shared.language.words import token_pattern
from shared.times.dates import Day

Found = TypeVar("Found", Quantity, Day)

NAME_WEIGHT = 1.5
IDENTIFIER_WEIGHT = 3.0
QUANTITY_WEIGHT = 1.5
"""Weight of a number or date; every word that is no name weighs 1."""
SCOPE = 4
"""Content words after a negation that it turns around; as many before it where the verb may come first."""

_CLAUSE_END = r"[,;:.!?()]"
_SENTENCE_OPENS = re.compile(r"[\s\"'“„«*_`(\[-]*")
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Word:
    """One content word, comparable with others."""

    stems: tuple[str, ...]
    """Any of them repeats the word; a compound's first is the whole."""
    weight: float
    is_name: bool
    is_identifier: bool
    opens: bool
    """True for a capital letter that says nothing: the first word of its sentence."""
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


def facts_of(text: str, lang: str) -> tuple[Facts, ...]:
    """Reads the facts of each sentence, in order; none where the text has no sentence.

    `lang` is the language in which stems and negations are read.
    """
    # 1. What the whole text holds.
    numbers, days = quantities(text, lang)
    word_starts, words = _content_words(text, lang, (*numbers, *days))
    patterns = _negation_patterns(lang)
    negations = [match.span() for match in patterns.cue.finditer(text)]
    negation_starts = [start for start, _ in negations]
    negated_words: frozenset[int] = frozenset()
    if negations:
        negated_words = _negated_words(word_starts, negations, text, patterns)

    # 2. What of it each sentence holds.
    spans = sentences(text, lang=lang)
    numbers_by_sentence = _by_sentence(numbers, spans)
    days_by_sentence = _by_sentence(days, spans)
    facts: list[Facts] = []
    past_word = 0
    for index, (start, end) in enumerate(spans):
        first_word = bisect_left(word_starts, start, past_word)
        past_word = bisect_left(word_starts, end, first_word)
        has_words = first_word < past_word
        if has_words and _opens_sentence(text, start, word_starts[first_word]):
            opening_word = words[first_word].raw
            words[first_word] = _word(opening_word, lang, opens=True)

        words_of_sentence = words[first_word:past_word]
        negated_indexes = negated_words.intersection(range(first_word, past_word))
        negated_words_of_sentence = [words[word] for word in negated_indexes]
        first_negation = bisect_left(negation_starts, start)
        past_negation = bisect_left(negation_starts, end)
        facts_of_sentence = Facts(
            start=start,
            end=end,
            words=tuple(words_of_sentence),
            numbers=tuple(numbers_by_sentence.get(index, ())),
            days=tuple(days_by_sentence.get(index, ())),
            negations=past_negation - first_negation,
            stems=_stems_of(words_of_sentence),
            negated=_stems_of(negated_words_of_sentence),
        )
        facts.append(facts_of_sentence)
    return tuple(facts)


def _stems_of(words: Sequence[Word]) -> frozenset[str]:
    all_stems: list[str] = []
    for word in words:
        all_stems += word.stems
    return frozenset(all_stems)


def _opens_sentence(text: str, sentence_start: int, word_start: int) -> bool:
    """Reports whether nothing but quotation marks, brackets and emphasis stands before a word of a sentence."""
    opening = _SENTENCE_OPENS.match(text, sentence_start)
    return opening is not None and word_start <= opening.end()


def _content_words(
    text: str,
    lang: str,
    quantities_and_days: Sequence[Quantity | Day],
) -> tuple[list[int], list[Word]]:
    """Returns the offsets of the content words and the words, without those that numbers and dates cover.

    Each is read as if it did not open its sentence.
    """
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


def _by_sentence(
    found: Sequence[Found],
    spans: Sequence[tuple[int, int]],
) -> Mapping[int, list[Found]]:
    """Groups numbers or dates by the sentence in which they begin; the spans are in order and apart."""
    by_sentence: dict[int, list[Found]] = {}
    if not found:
        return by_sentence

    sentence_starts = [start for start, _ in spans]
    for quantity in found:
        sentence = bisect_right(sentence_starts, quantity.start) - 1
        if sentence < 0:
            continue
        _, sentence_end = spans[sentence]
        if quantity.start < sentence_end:
            by_sentence.setdefault(sentence, []).append(quantity)
    return by_sentence


@lru_cache(maxsize=20_000)
def _word(token: str, lang: str, *, opens: bool) -> Word:
    """Reads a token. `opens`: it is the first of its sentence."""
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
    """A language's negations as expressions."""

    cue: re.Pattern[str]
    clause_end: re.Pattern[str]
    reaches_back: bool
    """True if a negation denies the words before it too."""


@cache
def _negation_patterns(lang: str) -> _NegationPatterns:
    """Compiles a language's negations; without words for them there are none."""
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
    starts: Sequence[int],
    negations: Sequence[tuple[int, int]],
    text: str,
    patterns: _NegationPatterns,
) -> frozenset[int]:
    """Returns the indices of words that a negation reaches: the next ones in its clause, or the last ones too.

    starts: offsets of the words, in order.
    """
    clause_bounds: list[int] = []
    for match in patterns.clause_end.finditer(text):
        clause_bounds += match.span()

    negated: set[int] = set()
    for start, end in negations:
        next_bound = bisect_left(clause_bounds, end)
        clause_end = len(text)
        if next_bound < len(clause_bounds):
            clause_end = clause_bounds[next_bound]
        first = bisect_left(starts, end)
        past = bisect_left(starts, clause_end, first)
        negated.update(range(first, min(past, first + SCOPE)))

        if patterns.reaches_back:
            previous_bound = bisect_right(clause_bounds, start) - 1
            clause_start = 0
            if previous_bound >= 0:
                clause_start = clause_bounds[previous_bound]
            first = bisect_left(starts, clause_start)
            past = bisect_left(starts, start, first)
            negated.update(range(max(first, past - SCOPE), past))
    return frozenset(negated)
