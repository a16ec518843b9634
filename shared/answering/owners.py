"""Question -> the words in it that own something, and the words for what belongs to them.

An owner has an ending (`Marek's phone number`, `mareks phone number`) or stands behind a preposition without an article
(`phone number of Marek`). The prepositions of all languages count: a few words may not tell their language.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from shared.answering.asked import AskedWord, only_asks
from shared.language.vocabulary import vocabularies, vocabulary
from shared.language.words import fold

_OWNS = re.compile(r"['’](?:s\b|(?=\s))")
GENITIVE = "s"
"""Ending of an owner where it is written without an apostrophe. In a language in which all nouns have capitals an owner
without an article is a name.
"""
_NOUN_BEHIND = re.compile(" (.)")
"""First letter of the word that follows an owner."""


def is_capitalised(word: str) -> bool:
    """Reports whether a word begins with a capital letter and has small letters, unlike an abbreviation."""
    has_small_letter = any(map(str.islower, word))
    return has_small_letter and word[0].isupper()


def is_owner(sentence: str, word: AskedWord, lang: str) -> bool:
    """Reports whether a capitalised word is written as the owner of what follows."""
    if not is_capitalised(word.text):
        return False
    if has_apostrophe(sentence, word):
        return True

    # The genitive of a name, where all nouns have capitals: `Annas Budget`.
    language = vocabulary(lang)
    if not language.nouns_are_capitalised or not word.text.endswith(GENITIVE):
        return False
    noun_behind = _NOUN_BEHIND.match(sentence, word.end)
    if noun_behind is None or not noun_behind[1].isupper():
        return False
    owner = fold(word.text).removesuffix(GENITIVE)
    if word.stems == (owner,):
        return True

    # Otherwise the letter may be its own: `im Haus`. Other nouns have an article behind a verb.
    words_before = sentence[: word.start].split()
    if not words_before or language.asking is None:
        return False
    verb = re.fullmatch(language.asking.verbs, words_before[-1], re.IGNORECASE)
    return verb is not None


def without_endings(words: Sequence[AskedWord]) -> dict[AskedWord, str]:
    """Returns the words, directly before another one, that may have the ending of an owner: `mareks phone`.

    Each is returned folded and without the ending.
    """
    owners: dict[AskedWord, str] = {}
    for word, following in pairwise(words):
        folded_word = fold(word.text)
        if folded_word.endswith(GENITIVE) and following.start == word.end + 1:
            owners[word] = folded_word.removesuffix(GENITIVE)
    return owners


def owners_in(sentence: str, words: Sequence[AskedWord]) -> frozenset[str]:
    """Returns the folded words used as owners have names, without article: `Marek's`, `mareks phone`, `phone of marek`."""
    owners = set(without_endings(words).values())
    behind_preposition = _before_owner("genitive_of_names")
    for word in words:
        if has_apostrophe(sentence, word) or behind_preposition.search(sentence[: word.start]):
            owners.add(fold(word.text))
    return frozenset(owners)


def has_apostrophe(sentence: str, word: AskedWord) -> bool:
    """Reports whether a word has the ending of an owner behind an apostrophe."""
    return _OWNS.match(sentence, word.end) is not None


@cache
def _before_owner(attribute: str) -> re.Pattern[str]:
    """Matches a word of any language that stands between a thing and its owner, at the end of a text: ` of `.

    attribute: name of the pattern in `Asking`.
    """
    patterns: list[str] = []
    for language in vocabularies():
        if language.asking is not None:
            pattern: str = getattr(language.asking, attribute)
            patterns.append(pattern)
    alternatives = "|".join(filter(None, patterns))
    return re.compile(rf"\s(?:{alternatives})\s?\Z", re.IGNORECASE)


def owned_words(sentence: str, end: int, others: Sequence[AskedWord]) -> list[AskedWord]:
    """Returns the words directly behind an owner, which are what it owns.

    end: where the owner ends.
    """
    end = end_of_owner(sentence, end)
    owned: list[AskedWord] = []
    for word in others:
        between = sentence[end : word.start]
        if between == " ":
            owned.append(word)
            end = word.end
    return owned


def words_of_genitive(
    sentence: str,
    start: int,
    others: Sequence[AskedWord],
    lang: str,
) -> list[AskedWord]:
    """Returns the words that a name follows as a genitive: `phone number` before `of Marek`.

    start: where the name begins.
    """
    before_name = [word for word in others if word.end <= start and not only_asks(word, lang)]
    belonging: list[AskedWord] = []
    end = start
    links = _before_owner("genitive_of_names")
    for word in reversed(before_name):
        between = sentence[word.end : end]
        is_neighbour = bool(belonging) and between == " "
        if not is_neighbour and not links.fullmatch(between):
            break
        belonging.insert(0, word)
        end = word.start
        links = _before_owner("genitive")
    return belonging


def end_of_owner(sentence: str, end: int) -> int:
    """Returns where an owner ends; `end` is where its name does."""
    owns = _OWNS.match(sentence, end)
    if owns is None:
        return end
    return owns.end()
