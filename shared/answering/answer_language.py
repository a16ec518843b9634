"""Question and passages -> the language of an answer's fixed texts: its heading, its dates, why it refuses.

It is that of the question. A question of few words may be in one language as likely as in another (`le code de la porte`):
then it is in that of the nearest passage, if that is one of them. Or it tells none (`Telefonnummer Marek`), and then counts
as English. Without a common word of English, it is in the language of the nearest passage in these cases:

1. It has a common word or a letter of that language. Words for what no longer holds are common: `alte Miete`, `old rent`.
2. The passages of that language hold all its words: `hotel Gijón`.
3. All nouns have capitals in that language, and so have all words that no passage holds: `Marek Handy`, but not `Marek phone`.
   A word that opens the question does not count, and one word must be held.

A short passage may not tell its language either: then it is that of all passages together.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from shared.answering.asked import MIN_PART, is_part_of
from shared.answering.owners import GENITIVE, is_capitalised
from shared.language.languages import detect, likely_languages, telling_letters, telling_words
from shared.language.questions import language_by_letters
from shared.language.vocabulary import vocabulary
from shared.language.words import fold, folded_words, stop_words
from shared.model.retrieval import Retrieved
from shared.times.lexicon import lexicon

UNSURE = "en"
"""Language of a text that tells none."""
_LETTERS = re.compile(r"[^\W\d_]+")


def answer_lang(question: str, retrieved: Retrieved) -> str:
    """Returns the ISO 639-1 code of the language to answer in.

    question: in the person's own words.
    """
    asked_lang = retrieved.analysis.lang
    texts = [chunk.text for chunk in retrieved.chunks]
    if asked_lang == UNSURE:
        told_lang = _told_by_notes(question, retrieved, texts)
        if told_lang is None:
            return language_by_letters(question)
        return told_lang
    if not texts:
        return asked_lang

    likely = likely_languages(question)
    if len(likely) == 1 or asked_lang not in likely:
        return asked_lang
    notes_lang = _notes_lang(texts)
    if notes_lang in likely:
        return notes_lang
    return asked_lang


def _told_by_notes(question: str, retrieved: Retrieved, texts: list[str]) -> str | None:
    """Returns the language of a question that tells none by itself; None if the notes do not tell it either."""
    if not texts:
        return None
    notes_lang = _notes_lang(texts)
    if notes_lang == UNSURE:
        return None
    told_lang = _told_by_common_words(question, notes_lang)
    if told_lang is not None:
        return told_lang
    if _has_words_of_notes(question, retrieved, notes_lang):
        return notes_lang
    return None


def _notes_lang(texts: list[str]) -> str:
    """Returns the language of the nearest passage; that of all together if it may be in several, or tells none."""
    likely = likely_languages(texts[0])
    is_unsure = likely == (UNSURE,)
    if len(likely) == 1 and not is_unsure:
        return likely[0]
    lang_together = detect(" ".join(texts))
    if is_unsure or lang_together in likely:
        return lang_together
    return likely[0]


def _told_by_common_words(question: str, notes_lang: str) -> str | None:
    """Returns which of English and the notes' language only has a word or a letter of the question; None if neither has."""
    words = _different_words(question)
    english_words = telling_words(UNSURE)
    words_of_notes = telling_words(notes_lang)

    # 1. English.
    only_english = english_words - words_of_notes
    if words & only_english or lexicon(UNSURE).former_in(question):
        return UNSURE

    # 2. The notes' language.
    only_of_notes = words_of_notes - english_words
    if words & only_of_notes or lexicon(notes_lang).former_in(question):
        return notes_lang
    in_small_letters = f" {question.lower()}"  # some letters tell behind a blank
    for letters in telling_letters(notes_lang):
        if letters in in_small_letters:
            return notes_lang
    return None


def _has_words_of_notes(question: str, retrieved: Retrieved, lang: str) -> bool:
    """Reports whether passages of a language hold all words of a question, or one and the others may be its nouns."""
    words = _LETTERS.findall(question)
    common_words = telling_words(lang)
    content_words = [word for word in words if fold(word) not in common_words]
    unknown_words = _not_held(content_words, retrieved, lang)
    if len(unknown_words) == len(content_words):
        return False
    if not unknown_words:
        return True
    opening = words[0]
    return _are_nouns(unknown_words, opening, lang)


def _may_be_in(lang: str, text: str) -> bool:
    """Reports whether a passage may be in a language: it is as likely as any, or none is and no word is English alone."""
    likely = likely_languages(text)
    if likely != (UNSURE,):
        return lang in likely
    only_english = telling_words(UNSURE) - stop_words(lang)
    return only_english.isdisjoint(_different_words(text))


def _different_words(text: str) -> set[str]:
    words = _LETTERS.findall(text)
    return set(map(fold, words))


def _not_held(words: list[str], retrieved: Retrieved, lang: str) -> list[str]:
    """Returns the words that no passage of a language holds, those of owners also without their ending.

    Where all nouns have capitals, a passage may hold them within another word, or their parts, as compounds are written
    there.
    """
    # 1. What the passages hold.
    texts: list[str] = []
    for chunk in retrieved.chunks:
        if _may_be_in(lang, chunk.text):
            texts += [chunk.title, chunk.heading_path, chunk.path, chunk.text]
    text = folded_words(" ".join(texts))
    held_words = set(_LETTERS.findall(text))

    # 2. Which words they do not.
    has_compounds = vocabulary(lang).nouns_are_capitalised
    unknown_words = []
    for word in words:
        folded_word = fold(word)
        without_ending = folded_word.removesuffix(GENITIVE)
        is_held = folded_word in held_words or without_ending in held_words
        if not is_held and has_compounds:
            is_held = is_part_of(folded_word, text) or _is_compound(folded_word, held_words)
        if not is_held:
            unknown_words.append(word)
    return unknown_words


def _is_compound(word: str, parts: Collection[str]) -> bool:
    """Reports whether a word begins or ends with one of some words, as `Telefonnummer` with `Nummer`."""
    last_cut = len(word) - MIN_PART
    for cut in range(MIN_PART, last_cut + 1):
        beginning = word[:cut]
        end = word[cut:]
        if beginning in parts or end in parts:
            return True
    return False


def _are_nouns(words: list[str], opening: str, lang: str) -> bool:
    """Reports whether a language writes nouns with a capital, and all words have one. A word that opens never tells."""
    if not vocabulary(lang).nouns_are_capitalised or opening in words:
        return False
    return all(map(is_capitalised, words))
