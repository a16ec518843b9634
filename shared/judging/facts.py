"""A text -> what its sentences state, comparable between texts: weighted and negated words, names, numbers, dates."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
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

Item = TypeVar("Item")

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
    numbers, days = quantities(text, lang)
    negations = [match.span() for match in _negation_patterns(lang).cue.finditer(text)]
    tokens = _content_words(text, lang, (*numbers, *days))
    token_starts = [start for start, _ in tokens]
    negated_tokens: frozenset[int] = frozenset()
    if negations:
        negated_tokens = _negated_tokens(token_starts, negations, text, _negation_patterns(lang))
    spans = sentences(text, lang=lang)
    numbers_by_sentence = _by_sentence([(number.start, number) for number in numbers], spans)
    days_by_sentence = _by_sentence([(day.start, day) for day in days], spans)
    negations_by_sentence = _by_sentence([(span[0], span) for span in negations], spans)
    facts = []
    for sentence, (start, end) in enumerate(spans):
        first = bisect_left(token_starts, start)
        past = bisect_left(token_starts, end, first)
        words = [word for _, word in tokens[first:past]]
        opening = _SENTENCE_OPENS.match(text, start)
        first_word_start = opening.end() if opening else start
        for index in range(first, past):
            if token_starts[index] > first_word_start:
                break
            words[index - first] = _word(words[index - first].raw, lang, opens=True)
        negated_stems: list[str] = []
        for index in negated_tokens.intersection(range(first, past)):
            negated_stems += words[index - first].stems
        facts.append(
            Facts(
                start=start,
                end=end,
                words=tuple(words),
                numbers=tuple(numbers_by_sentence[sentence]),
                days=tuple(days_by_sentence[sentence]),
                negations=len(negations_by_sentence[sentence]),
                stems=frozenset([stem for word in words for stem in word.stems]),
                negated=frozenset(negated_stems),
            ),
        )
    return tuple(facts)


def _content_words(
    text: str,
    lang: str,
    covered: Sequence[Quantity | Day],
) -> list[tuple[int, Word]]:
    """Returns the content words with their offsets, without those that numbers and dates cover.

    Each is read as if it did not open its sentence.
    """
    covered_offsets = {
        offset for quantity in covered for offset in range(quantity.start, quantity.end)
    }
    words = []
    for match in token_pattern(text).finditer(text):
        start = match.start()
        if start in covered_offsets:
            continue
        word = _word(match[0], lang, opens=False)
        if word.stems:
            words.append((start, word))
    return words


def _by_sentence(
    placed: Sequence[tuple[int, Item]],
    spans: Sequence[tuple[int, int]],
) -> Mapping[int, list[Item]]:
    """Groups (offset, item) by the sentence that holds the offset; the spans are in order and apart."""
    items: dict[int, list[Item]] = defaultdict(list)
    if not placed:
        return items
    starts = [start for start, _ in spans]
    for offset, item in placed:
        sentence = bisect_right(starts, offset) - 1
        if sentence >= 0 and offset < spans[sentence][1]:
            items[sentence].append(item)
    return items


@lru_cache(maxsize=20_000)
def _word(token: str, lang: str, *, opens: bool) -> Word:
    """Reads a token. `opens`: it is the first of its sentence."""
    has_capital = token[:1].isupper()
    has_inner_capital = token[1:] != token[1:].lower()
    has_digits_and_letters = any(map(str.isdigit, token)) and any(map(str.isalpha, token))
    is_identifier = "_" in token or has_digits_and_letters
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
    cue = rf"\b(?:{'|'.join(words.negations.split())})\b(?!\s+(?:{words.only})\b)"
    if words.negated_verbs:
        cue += rf"|\b(?:{words.negated_verbs})\b"
    clause_end = rf"{_CLAUSE_END}|\b(?:{words.contrasts})\b"
    return _NegationPatterns(
        cue=re.compile(cue, re.IGNORECASE),
        clause_end=re.compile(clause_end, re.IGNORECASE),
        reaches_back=words.negates_before,
    )


def _negated_tokens(
    starts: Sequence[int],
    negations: Sequence[tuple[int, int]],
    text: str,
    patterns: _NegationPatterns,
) -> frozenset[int]:
    """Returns the indices of tokens that a negation reaches: the next ones in its clause, or the last ones too.

    starts: offsets of the tokens, in order.
    """
    clause_bounds: list[int] = []
    for match in patterns.clause_end.finditer(text):
        clause_bounds += match.span()
    negated: set[int] = set()
    for start, end in negations:
        next_bound = bisect_left(clause_bounds, end)
        clause_end = clause_bounds[next_bound] if next_bound < len(clause_bounds) else len(text)
        first = bisect_left(starts, end)
        for index in range(first, min(first + SCOPE, len(starts))):
            if starts[index] < clause_end:
                negated.add(index)
        if not patterns.reaches_back:
            continue
        last_bound = bisect_right(clause_bounds, start) - 1
        clause_start = clause_bounds[last_bound] if last_bound >= 0 else 0
        after_last = bisect_left(starts, start)
        for index in range(max(0, after_last - SCOPE), after_last):
            if starts[index] >= clause_start:
                negated.add(index)
    return frozenset(negated)
