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
from shared.model.questions import Question
from shared.model.retrieval import Retrieved
from shared.times.intent import asks_for_the_former, asks_of_the_past
from shared.times.lexicon import lexicon

_WORD = re.compile(r"[^\W\d_]+")


class Tense(Enum):
    """What a question asks for."""

    PRESENT = auto()
    """What holds: the newest statement."""
    PAST = auto()
    """What was, or was at a time: any statement."""
    FORMER = auto()
    """What no longer holds: the last statement before the newest."""


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
    text_before = text[: former.start()]
    text_behind = text[former.end() :]
    for word in _WORD.findall(text_before)[-1:]:
        if _is_name((word, former[0]), word, lang, retrieved):
            return text_before + text_behind
    for word in _WORD.findall(text_behind)[:1]:
        if _is_name((former[0], word), word, lang, retrieved):
            return text_before + text_behind
    return text


def _is_name(words: tuple[str, str], noun: str, lang: str, retrieved: Retrieved) -> bool:
    """Reports whether more than half of the notes with a noun have it beside the other word, in that order."""
    if fold(noun) in stop_words(lang):
        return False
    first_word, second_word = words
    pair = (stem_of(first_word, lang), stem_of(second_word, lang))
    noun_stem = stem_of(noun, lang)
    with_noun: set[str] = set()
    with_pair: set[str] = set()
    for passage in retrieved.selected:
        chunk = passage.chunk
        text = "\n".join((chunk.title, chunk.heading_path, chunk.text))
        text_stems = [stem_of(word, lang) for word in _WORD.findall(text)]
        if noun_stem in text_stems:
            with_noun.add(chunk.note_id)
        if pair in pairwise(text_stems):
            with_pair.add(chunk.note_id)
    return 2 * len(with_pair) > len(with_noun)
