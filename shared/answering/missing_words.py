"""Question and quoted passages -> the words of the question that none of the passages holds.

Whether a passage answers cannot be told without a model, but what it never says can: "Can I bring my dog to the office?"
is not answered by passages about the office without a dog. A question that is told in other words than the notes has many
such words, and then they tell nothing.

                                     of questions that the notes answer    of those that they do not answer
    handbook, three languages        0.39                                  0.77
    pages of strangers               0.32                                  0.82
    sample notes                     0.57                                  0.67
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from shared.answering.asked import AskedWord, asked_words, without_amounts
from shared.judging.quantities import Quantity, quantities
from shared.language.languages import detect
from shared.language.terms import MAX_TERM
from shared.language.vocabulary import vocabulary
from shared.language.words import common_words, fold, folded_words, stop_words
from shared.model.index import IndexedChunk
from shared.model.retrieval import Analysis

MAX_WORDS = 3
"""Most missing words that are told."""
MIN_PART = 4
"""Letters from which a word or its stem is found inside another word: `nuts` in `hazelnuts`."""
_PART = re.compile(r"\d+|[^\W\d_]+")
"""A run of digits or of letters."""


@dataclass(frozen=True, slots=True)
class _ReadPassage:
    """A quoted passage with all names and properties of its note."""

    chunk: IndexedChunk
    text: str
    """Folded words with single blanks."""
    parts: frozenset[str]
    """The runs of letters and of digits in the text, and each two neighbours as one: `email` in `e-mail`."""


def missing_words(
    question: str, analysis: Analysis, quoted: Sequence[IndexedChunk]
) -> tuple[str, ...]:
    """Returns the words that no quoted chunk holds, as the question writes them, in its order.

    Words that only ask (`how many`, `show my notes`) are left out. Empty if more than MAX_WORDS are missing, if a chunk
    is in another language and may say the same in its words, and in a language without stop words here, where nothing
    tells words that ask from others.

    question: in the person's own words, which may be fewer than those that were searched for.
    """
    lang = analysis.lang
    languages = {lang, *(detect(chunk.text) for chunk in quoted)}
    if len(languages) > 1 or not stop_words(lang):
        return ()
    passages = [_read(chunk) for chunk in quoted]
    missing: list[AskedWord] = []
    for word in asked_words(without_amounts(question, lang), analysis):
        is_readable = len(word.text) <= MAX_TERM
        if not is_readable or _only_asks(word, lang):
            continue
        if not any(_holds(passage, word) for passage in passages):
            missing.append(word)
    missing = _without_held_numbers(missing, question, lang, passages)

    words: dict[str, str] = {}
    for word in missing:
        words.setdefault(fold(word.text), word.text)
    if len(words) > MAX_WORDS:
        return ()
    return tuple(words.values())


def _only_asks(word: AskedWord, lang: str) -> bool:
    """Reports whether a word belongs to how something is asked: `show`, `notes`, `other`."""
    language = vocabulary(lang)
    if fold(word.text) in common_words(lang):
        return True
    if language.asking is not None:
        verb = re.fullmatch(language.asking.verbs, word.text, re.IGNORECASE)
        if verb is not None:
            return True
    if language.follow_ups is None:
        return False
    return word.text.lower() in language.follow_ups.empty.split()


def _read(chunk: IndexedChunk) -> _ReadPassage:
    """Reads what a chunk holds."""
    texts = (
        chunk.title,
        chunk.heading_path,
        chunk.path,
        chunk.text,
        *chunk.properties,
        *chunk.tags,
    )
    text = folded_words(" ".join(texts))
    runs = _PART.findall(text)
    neighbours = [first + second for first, second in pairwise(runs)]
    return _ReadPassage(chunk, text, frozenset([*runs, *neighbours]))


def _holds(passage: _ReadPassage, word: AskedWord) -> bool:
    """Reports whether a passage holds a word in any form, alone or as a part of another word.

    Of a compound token (`err_conn_42`) it holds all parts, joined or not.
    """
    folded_word = fold(word.text)
    if len(word.text) >= MIN_PART and folded_word in passage.text:
        return True
    as_one_word = "".join(_PART.findall(folded_word))
    if as_one_word in passage.parts:
        return True
    for stem in word.stems[1:] or word.stems:
        is_inside = len(stem) >= MIN_PART and stem in passage.text
        is_alone = stem in passage.parts or passage.chunk.terms.get(stem)
        if not is_inside and not is_alone:
            return False
    return True


def _without_held_numbers(
    words: Sequence[AskedWord],
    question: str,
    lang: str,
    passages: Sequence[_ReadPassage],
) -> list[AskedWord]:
    """Leaves out the words of numbers that a passage writes in another form: `three` where it says `3`."""
    asked_numbers, _ = quantities(question, lang)
    number_of: dict[AskedWord, Quantity] = {}
    for word in words:
        for number in asked_numbers:
            if number.start < word.end and word.start < number.end:
                number_of[word] = number
    if not number_of:  # which spares the passages the reading
        return list(words)

    held_numbers: list[Quantity] = []
    for passage in passages:
        numbers, _ = quantities(passage.chunk.text, lang)
        held_numbers.extend(numbers)
    others: list[AskedWord] = []
    for word in words:
        asked_number = number_of.get(word)
        is_held = asked_number is not None and any(map(asked_number.equals, held_numbers))
        if not is_held:
            others.append(word)
    return others
