"""Question -> language, where a few words are too little for `languages.detect`. No word of it may be English.

`question_language` tells it from how the question opens, `language_by_letters` from letters that English lacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from shared.language.languages import detect, telling_words
from shared.language.vocabulary import Asking, languages, vocabulary
from shared.language.words import fold

UNSURE = "en"
"""What `detect` returns for a text that is too short to tell."""
_WORD = re.compile(r"[^\W\d_]+")
_MARKS = ("?", "？")
_CLOSING = " \t\r\n\"'”’»)"
"""What may stand behind a question mark."""


def question_language(text: str) -> str:
    """Returns the ISO 639-1 code of the language that a question is in; English when unsure.

    A question that is too short to tell is in the only language in which it opens with a question word, if it ends with a
    question mark: `Comment utiliser Slack ?`
    """
    lang = detect(text)
    is_question = text.rstrip(_CLOSING).endswith(_MARKS)
    if lang != UNSURE or not is_question or _opening(UNSURE).match(text):
        return lang
    opened = [other for other, _ in _possible(text) if _opening(other).match(text)]
    if len(opened) != 1:
        return UNSURE
    return opened[0]


def language_by_letters(text: str) -> str:
    """Returns the language of a text that `detect` takes for English, by a letter that English lacks.

    Beside it a common word of the language is needed, and the letter may not be in a name: `accessibilité des documents`.
    Of several languages it is the one with most common words, then with most of such letters; English if that leaves
    several: `autorités de recrutement` may as well be Spanish.
    """
    letters = _foreign_letters(_WORD.findall(text))
    if not letters:
        return UNSURE
    evidence_for: dict[str, tuple[int, int, bool]] = {}
    for other, common_words in _possible(text):
        if common_words:
            own_letters = letters & _letters(other)
            is_whole = not vocabulary(other).has_words_alone
            evidence_for[other] = (len(common_words), len(own_letters), is_whole)
    most = max(evidence_for.values(), default=None)
    best = [other for other, evidence in evidence_for.items() if evidence == most]
    if len(best) != 1:
        return UNSURE
    return best[0]


def _possible(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yields the languages that a text may be in because no word is English alone, each with its common words in the text.

    Single letters are left out: they may be names.
    """
    words = frozenset(map(fold, _WORD.findall(text)))
    english_words = telling_words(UNSURE)
    for lang in languages():
        common_words = telling_words(lang)
        if lang != UNSURE and words.isdisjoint(english_words - common_words):
            yield lang, frozenset([word for word in words & common_words if len(word) > 1])


def _foreign_letters(words: Sequence[str]) -> set[str]:
    """Returns the letters that English lacks in words that are no names: those in small letters, and the first one."""
    letters: set[str] = set()
    for index, word in enumerate(words):
        if index == 0 or word[0].islower():
            letters.update(_not_english(word.lower()))
    return letters


@cache
def _letters(lang: str) -> frozenset[str]:
    """Returns the letters that English lacks in a language's common words and spellings."""
    language = vocabulary(lang)
    texts = (language.stop_words, language.elided, *language.spellings)
    return frozenset(_not_english("".join(texts)))


def _not_english(text: str) -> list[str]:
    return [letter for letter in text if letter.isalpha() and not letter.isascii()]


@cache
def _opening(lang: str) -> re.Pattern[str]:
    """Compiles how questions of a language open: with a question word; in English also with a verb."""
    asking = vocabulary(lang).asking or Asking()
    patterns = [asking.who_or_where, asking.questions]
    if lang == UNSURE:
        patterns.append(asking.verbs)
    alternatives = "|".join(filter(None, patterns)) or "(?!)"
    return re.compile(rf"\W*(?:{alternatives})(?!\w)", re.IGNORECASE)
