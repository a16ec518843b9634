"""Question -> whether it asks for what holds, for what was, or for what no longer holds.

It decides which of two statements that differ is quoted first.
"""

from __future__ import annotations

from enum import Enum, auto

from shared.answering.answer_language import answer_lang
from shared.model.questions import Question
from shared.model.retrieval import Retrieved
from shared.times.intent import asks_for_the_former, asks_of_the_past


class Tense(Enum):
    """What a question asks for."""

    PRESENT = auto()
    """What holds: the newest statement."""
    PAST = auto()
    """What was, or was at a time: any statement."""
    FORMER = auto()
    """What no longer holds: the oldest statement."""


def tense_of(question: Question, retrieved: Retrieved) -> Tense:
    """Reads the tense of a question, in the language in which it is answered: `alte Miete` alone tells none.

    Words within a time name no change, `the week before 16 November`, unless all that was before is meant: `before Easter`.
    """
    analysis = retrieved.analysis
    lang = answer_lang(question.text, retrieved)
    time = analysis.time
    if time is None:
        if asks_for_the_former(question.text, lang):
            return Tense.FORMER
        if asks_of_the_past(question.text, lang):
            return Tense.PAST
        return Tense.PRESENT

    has_no_start = time.range.start is None
    text = question.text if has_no_start else analysis.subject
    if asks_for_the_former(text, lang):
        return Tense.FORMER
    return Tense.PAST
