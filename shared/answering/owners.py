"""Question -> the words in it that own something, and the words for what belongs to them.

An owner has an ending (`Marek's phone number`, `mareks phone number`) or stands behind a preposition without an article
(`phone number of Marek`). The prepositions of all languages count: a few words may not tell their language.

What it owns may in turn own what is asked: `Marek's wife's phone`, `the phone of Marek's wife`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise

from shared.answering.asked import AskedWord, only_asks
from shared.language.vocabulary import Asking, vocabularies, vocabulary
from shared.language.words import common_words, fold

_OWNS = re.compile(r"['’](?:s\b|(?=\s))")
GENITIVE = "s"
"""Ending of an owner that is written without an apostrophe: `Annas Budget`, `mareks phone`."""
_OWNER_BEHIND = re.compile(r"(?: [^\W\d_]+){1,2}['’](?:s\b|(?=\s))")
"""Another owner, directly behind one or with a word between them: `younger brother's`."""
_BARE_OWNER_BEHIND = re.compile(r" [^\W\d_]*[^\W\d_s]s(?= \w)")
"""Another owner, without an apostrophe, directly behind one that has none either: `mareks brothers phone`."""
REACH = 40
"""Characters before a word in which a verb or a preposition that belongs to it is looked for."""
_WORD_BEHIND = re.compile(" (.)")
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
    word_behind = _WORD_BEHIND.match(sentence, word.end)
    if word_behind is None:
        return False
    first_letter = word_behind[1]
    if not first_letter.isupper():
        return False
    owner = word.folded.removesuffix(GENITIVE)
    if word.stems == (owner,):
        return True

    # Otherwise the letter may be its own: `im Haus`. Other nouns have an article behind a verb.
    words_before = _text_before(sentence, word.start).split()
    asking = language.asking
    if not words_before or asking is None:
        return False
    last_word = words_before[-1]
    verb = re.fullmatch(asking.verbs, last_word, re.IGNORECASE)
    return verb is not None


def without_endings(words: Sequence[AskedWord]) -> dict[AskedWord, str]:
    """Returns the words, directly before another one, that may have the ending of an owner: `mareks phone`.

    Each is returned folded and without the ending.
    """
    owners = {}
    for word, following in pairwise(words):
        has_ending = word.folded.endswith(GENITIVE)
        stands_before = following.start == word.end + 1
        if has_ending and stands_before:
            owners[word] = word.folded.removesuffix(GENITIVE)
    return owners


def owners_in(sentence: str, words: Sequence[AskedWord]) -> frozenset[str]:
    """Returns the folded words used as owners have names, without article: `Marek's`, `mareks phone`, `phone of marek`."""
    owners_without_ending = without_endings(words)
    owners = set(owners_without_ending.values())
    for word in words:
        text_before = _text_before(sentence, word.start)
        is_behind_preposition = _before_owner().search(text_before) is not None
        if is_behind_preposition or has_apostrophe(sentence, word):
            owners.add(word.folded)
    return frozenset(owners)


def _text_before(sentence: str, position: int) -> str:
    """Returns what stands directly before a position, as far as REACH."""
    first = max(0, position - REACH)
    return sentence[first:position]


def has_apostrophe(sentence: str, word: AskedWord) -> bool:
    """Reports whether a word has the ending of an owner behind an apostrophe."""
    return _OWNS.match(sentence, word.end) is not None


def links_owner(word: str) -> bool:
    """Reports whether a word of any language stands between a thing and the name of its owner: `of`."""
    return _before_owner().fullmatch(f" {word} ") is not None


@cache
def _before_owner() -> re.Pattern[str]:
    """Compiles a word of any language between a thing and the name of its owner, at the end of a text: ` of `."""
    genitives = [asking.genitive_of_names for asking in _asking_words()]
    links = _any_of(genitives)
    return re.compile(rf"\s(?:{links})\s?\Z", re.IGNORECASE)


@cache
def _before_possession() -> re.Pattern[str]:
    """Compiles a thing and what makes the next word its owner, maybe with an article, at the end of a text: `phone of the `.

    Where all nouns have capitals an article alone does it: `die Nummer der Mutter`.
    """
    genitives = [asking.genitive for asking in _asking_words()]
    articles: list[str] = []
    for language in vocabularies():
        asking = language.asking
        if asking is not None and language.nouns_are_capitalised:
            articles.append(asking.articles)
    links = _any_of([*genitives, *articles])
    return re.compile(
        rf"(?P<thing>[^\W\d_]+)\s(?:{links})(?:\s[^\W\d_]+['’]?)?\s?\Z",
        re.IGNORECASE,
    )


@cache
def _word_for_name() -> re.Pattern[str]:
    """Compiles the words of every language for a name."""
    names = [asking.names for asking in _asking_words()]
    any_name = _any_of(names)
    return re.compile(any_name, re.IGNORECASE)


def _follows_asker(text_before: str, lang: str) -> bool:
    """Reports whether a text ends with a form of the first person: `j'ai` before `besoin du`."""
    words = text_before.split()
    asking = vocabulary(lang).asking
    if not words or asking is None:
        return False
    last_word = words[-1]
    asker = re.fullmatch(asking.asker, last_word, re.IGNORECASE)
    return asker is not None


def _asking_words() -> list[Asking]:
    """Returns the words of every language; a few words of a question may not tell its language."""
    asking_words = []
    for language in vocabularies():
        if language.asking is not None:
            asking_words.append(language.asking)
    return asking_words


def _any_of(patterns: Iterable[str]) -> str:
    return "|".join(filter(None, patterns))


def owns_an_owner(
    sentence: str,
    start: int,
    end: int,
    owned: Sequence[AskedWord],
    lang: str,
) -> bool:
    """Reports whether what an owner owns is itself the owner of what is asked: `Marek's wife's phone`.

    Notes may call it otherwise: the wife by her name. A question for the name of the wife asks for her.

    start, end: where the owner stands.
    owned: words for what it owns, if any was searched for.
    """
    behind = end_of_owner(sentence, end)
    owner_behind = _OWNER_BEHIND
    is_bare = behind == end
    if is_bare and sentence[:end].endswith(GENITIVE):
        owner_behind = _BARE_OWNER_BEHIND
    if owner_behind.match(sentence, behind):
        return True
    starts_of_owned = [word.start for word in owned]
    first = min([start, *starts_of_owned])
    text_before = _text_before(sentence, first)
    possession = _before_possession().search(text_before)
    if possession is None:
        return False
    thing = possession["thing"]
    if fold(thing) in common_words(lang):
        return False
    text_before_thing = text_before[: possession.start()]
    if _follows_asker(text_before_thing, lang):
        return False
    return _word_for_name().fullmatch(thing) is None


def owned_words(sentence: str, end: int, others: Sequence[AskedWord]) -> list[AskedWord]:
    """Returns the words directly behind an owner, which are what it owns.

    end: where the owner ends.
    """
    end = end_of_owner(sentence, end)
    owned = []
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
    before_name: list[AskedWord] = []
    for word in others:
        stands_before = word.end <= start
        if stands_before and not only_asks(word, lang):
            before_name.append(word)

    belonging: list[AskedWord] = []
    end = start
    for word in reversed(before_name):
        between = sentence[word.end : end]
        is_neighbour = bool(belonging) and between == " "
        if not is_neighbour and not _before_owner().fullmatch(between):
            break
        belonging.insert(0, word)
        end = word.start
    return belonging


def end_of_owner(sentence: str, end: int) -> int:
    """Returns where an owner ends; `end` is where its name does."""
    owns = _OWNS.match(sentence, end)
    if owns is None:
        return end
    return owns.end()
