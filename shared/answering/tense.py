"""Question -> whether it asks for what holds, for what was, or for what no longer holds.

It decides which of two statements that differ is quoted first.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from itertools import pairwise

from shared.answering.answer_language import answer_lang
from shared.language.terms import stem_of
from shared.language.words import fold, stop_words
from shared.model.index import IndexedChunk
from shared.model.questions import Question
from shared.model.retrieval import Retrieved
from shared.times.intent import asks_for_the_former, asks_of_the_past
from shared.times.lexicon import lexicon

_WORD = re.compile(r"[^\W\d_]+")


class Tense(Enum):
    """Time of the statement that a question asks for."""

    PRESENT = auto()
    """The newest statement: what holds."""
    PAST = auto()
    """Any statement: what was, or was at a time."""
    FORMER = auto()
    """The last statement before the newest: what no longer holds."""


def tense_of(question: Question, retrieved: Retrieved) -> Tense:
    """Reads the tense of a question, in the language in which it is answered: `alte Miete` alone tells none.

    Words within a time name no change, `the week before 16 November`, unless all that was before is meant: `before Easter`.
    Nor does a word that most notes have in a name: `the old town market` asks for what holds.
    """
    analysis = retrieved.analysis
    lang = answer_lang(question.text, retrieved)
    time = analysis.time
    text = question.text
    if time is not None and time.range.start is not None:
        text = analysis.subject
    text = _without_name(text, lang, retrieved)
    if asks_for_the_former(text, lang):
        return Tense.FORMER
    if time is not None or asks_of_the_past(text, lang):
        return Tense.PAST
    return Tense.PRESENT


def _without_name(text: str, lang: str, retrieved: Retrieved) -> str:
    """Leaves out a word for what no longer holds if it belongs to a name: notes of a town say `old town`, old or new."""
    former = lexicon(lang).former_in(text)
    if former is None:
        return text
    word = former[0]
    text_before = text[: former.start()]
    text_behind = text[former.end() :]
    words_before = _WORD.findall(text_before)
    words_behind = _WORD.findall(text_behind)
    is_of_name = False
    if words_before:
        noun = words_before[-1]
        is_of_name = _is_name((noun, word), noun, lang, retrieved)
    if words_behind and not is_of_name:
        noun = words_behind[0]
        is_of_name = _is_name((word, noun), noun, lang, retrieved)
    if not is_of_name:
        return text
    return text_before + text_behind


def _is_name(words: tuple[str, str], noun: str, lang: str, retrieved: Retrieved) -> bool:
    """Reports whether more than half of the notes with a noun have it beside the other word, in that order."""
    if fold(noun) in stop_words(lang):
        return False
    noun_stem = stem_of(noun, lang)
    first_word, second_word = words
    pair = (stem_of(first_word, lang), stem_of(second_word, lang))
    notes_with_noun = set()
    notes_with_pair = set()
    for chunk in retrieved.chunks:
        stems = _stems_of(chunk, lang)
        if noun_stem in stems:
            notes_with_noun.add(chunk.note_id)
        if pair in pairwise(stems):
            notes_with_pair.add(chunk.note_id)
    return 2 * len(notes_with_pair) > len(notes_with_noun)


def _stems_of(chunk: IndexedChunk, lang: str) -> list[str]:
    """Returns the stems of a passage's words, and of those above it, in order."""
    texts = (chunk.title, chunk.heading_path, chunk.text)
    words = _WORD.findall("\n".join(texts))
    return [stem_of(word, lang) for word in words]
