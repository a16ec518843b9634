"""Question and passages -> the language of an answer's fixed texts: its heading, its dates, why it refuses.

It is that of the question. A question of few words may not tell its language (`Telefonnummer Marek`), and then counts as
English. Without a common word of English, it is in the language of the nearest passage in these cases:

1. It has a common word or a letter of that language. Words for what no longer holds are common: `alte Miete`, `old rent`.
2. The passages of that language hold all its words: `hotel Gijón`.
3. All nouns have capitals in that language, and so have all words that no passage holds: `Marek Handy`, but not `Marek phone`.
   A word that opens the question does not count, and one word must be held.

A short passage may not tell its language either: then it is that of all passages together.
"""

from __future__ import annotations

import re

from shared.answering.asked import is_part_of
from shared.answering.owners import GENITIVE, is_capitalised
from shared.language.languages import detect
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
    if asked_lang != UNSURE or not retrieved.selected:
        return asked_lang
    notes_lang = _notes_lang([passage.chunk.text for passage in retrieved.selected])
    if notes_lang == UNSURE:
        return UNSURE

    words = _LETTERS.findall(question)
    folded_question = set(map(fold, words))
    common_words = stop_words(notes_lang)
    if folded_question & (stop_words(UNSURE) - common_words):
        return UNSURE
    if lexicon(UNSURE).former.search(question):
        return UNSURE
    if folded_question & (common_words - stop_words(UNSURE)):
        return notes_lang
    if lexicon(notes_lang).former.search(question):
        return notes_lang
    if any(letter in question.lower() for letter in vocabulary(notes_lang).spellings):
        return notes_lang

    content_words = [word for word in words if fold(word) not in common_words]
    unknown_words = _not_held(content_words, retrieved, notes_lang)
    if len(unknown_words) == len(content_words):
        return UNSURE
    if not unknown_words or _are_nouns(unknown_words, words[0], notes_lang):
        return notes_lang
    return UNSURE


def _notes_lang(texts: list[str]) -> str:
    """Returns the language of the nearest passage, or of all together if it tells none other than UNSURE."""
    nearest_lang = detect(texts[0])
    if nearest_lang != UNSURE:
        return nearest_lang
    return detect(" ".join(texts))


def _may_be_in(lang: str, text: str) -> bool:
    """Reports whether a passage may be in a language: it tells that one, or none and has no word that only English has."""
    detected_lang = detect(text)
    if detected_lang != UNSURE:
        return detected_lang == lang
    folded_text = set(map(fold, _LETTERS.findall(text)))
    return folded_text.isdisjoint(stop_words(UNSURE) - stop_words(lang))


def _not_held(words: list[str], retrieved: Retrieved, lang: str) -> list[str]:
    """Returns the words that no passage of a language holds, those of owners also without their ending.

    Where all nouns have capitals, a passage may hold them within another word, as compounds are written there.
    """
    texts: list[str] = []
    for passage in retrieved.selected:
        chunk = passage.chunk
        if not _may_be_in(lang, chunk.text):
            continue
        texts.extend([chunk.title, chunk.heading_path, chunk.path, chunk.text])
    text = folded_words(" ".join(texts))
    held_words = set(_LETTERS.findall(text))
    has_compounds = vocabulary(lang).nouns_are_capitalised
    unknown_words: list[str] = []
    for word in words:
        folded_word = fold(word)
        spellings = {folded_word, folded_word.removesuffix(GENITIVE)}
        is_part = has_compounds and is_part_of(folded_word, text)
        if held_words.isdisjoint(spellings) and not is_part:
            unknown_words.append(word)
    return unknown_words


def _are_nouns(words: list[str], opening: str, lang: str) -> bool:
    """Reports whether a language writes nouns with a capital, and all words have one. A word that opens never tells."""
    if not vocabulary(lang).nouns_are_capitalised or opening in words:
        return False
    return all(map(is_capitalised, words))
