"""Fixed texts of an answer: refusals, notices and small talk; and the words by which a writer admits not to know."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from shared.language.vocabulary import Answers, SmallTalk, vocabularies, vocabulary
from shared.model.answers import Source
from shared.model.questions import Question
from shared.model.retrieval import WIDENING, RefusalReason, Retrieved

OPENING = "I don't have enough information"
"""The beginning of every refusal, in any language. Clients rely on it."""

SENTENCE = f"{OPENING} in your notes to answer this question."
"""The beginning of every refusal, which a model may also write."""

NO_MODEL = f"{OPENING} to answer this: no writing model is available, and these are not your notes."

_MAX_SMALL_TALK = 80

_WHY = {
    RefusalReason.NO_NOTES: "there are no notes to search.",
    RefusalReason.NO_CANDIDATES: "nothing in them speaks of it; ask about a person, a project, a place or a day.",
    RefusalReason.BELOW_THRESHOLD: "the nearest notes do not hold the answer.",
    RefusalReason.TIME_RANGE_EMPTY: "none was written in the time it names.",
    RefusalReason.UNSUPPORTED_CLAIMS: "no passage backs what could be said.",
    RefusalReason.INDEX_PENDING: "some of them are still being indexed, please ask again in a moment.",
}


@cache
def _admission() -> re.Pattern[str]:
    """Compiles the pattern of a denial near a word for the notes or for knowing, in one sentence, in any language.

    A model may answer in another language than that of the notes. The pattern also matches a few claims ("the notes say
    not to"), which does no harm: without a citation those are refused as well.
    """
    words_for_knowing = []
    words_for_denial = []
    for language in vocabularies():
        if language.answers:
            words_for_knowing.append(language.answers.knowing)
            words_for_denial.append(language.answers.denials)
    any_knowing = "|".join(words_for_knowing)
    any_denial = "|".join(words_for_denial)
    knowing = f"(?:{any_knowing})"
    denial = f"(?:{any_denial})"
    same_sentence = r"\b[^.!?\n]{0,80}\b"
    denial_first = denial + same_sentence + knowing
    knowing_first = knowing + same_sentence + denial
    pattern = rf"\b(?:{denial_first}|{knowing_first})\b"
    return re.compile(pattern, re.IGNORECASE)


def refusal_text(reason: RefusalReason) -> str:
    """Returns the whole answer for a reason: one sentence that begins with `OPENING`."""
    beginning = SENTENCE.removesuffix(".")
    return f"{beginning}: {_WHY[reason]}"


def localized_reason(reason: RefusalReason, lang: str) -> str:
    """Returns the reason in the language `lang`, or in English if that has no words for it."""
    words = answer_words(lang)
    return words.refusals[reason.value]


def reason_lang(lang: str) -> str:
    """Returns the language of `localized_reason` for people who asked in `lang`."""
    if vocabulary(lang).answers is None:
        return "en"
    return lang


def general_notice(lang: str) -> str:
    """Returns the line above an answer from general knowledge, in English if the language has no words for it."""
    words = answer_words(lang)
    return f"{words.general}\n\n"


def answer_words(lang: str) -> Answers:
    """Returns the words of answers in a language, in English if it has none."""
    words = vocabulary(lang).answers or vocabulary("en").answers
    assert words is not None  # noqa: S101 - English has them
    return words


def admits_not_knowing(text: str) -> bool:
    """Reports whether a text says that the notes do not hold the answer, in any language with words for it."""
    with_plain_apostrophes = text.replace("’", "'")
    if OPENING in with_plain_apostrophes:
        return True
    return _admission().search(text) is not None


def reason_to_refuse(text: str, *, cites: bool) -> RefusalReason | None:
    """Returns why a checked draft cannot stand as the answer; None if it can.

    A draft without a citation is never shown: it either admits that the notes do not hold the answer
    (`below_threshold`: passages were found, but none of them answers) or makes claims that nothing backs. A draft with
    a citation stands, even with "the notes do not say when" in it, unless it begins as a refusal does.

    cites: True if the draft holds a valid citation.
    """
    if cites:
        beginning = text.lstrip().replace("’", "'")
        refusal = SENTENCE.removesuffix(".")
        if beginning.startswith(refusal):
            return RefusalReason.BELOW_THRESHOLD
        return None
    if admits_not_knowing(text):
        return RefusalReason.BELOW_THRESHOLD
    return RefusalReason.UNSUPPORTED_CLAIMS


def reach_notice(retrieved: Retrieved, lang: str) -> str:
    """Says, in a language, that more than the named time was searched, or less of it.

    Empty if neither is so; otherwise it ends in a blank.
    """
    words = answer_words(lang)
    time = retrieved.analysis.time
    if retrieved.leaves_older:
        notice = words.newest.format(count=retrieved.notes_read)
        return f"{notice} "
    if retrieved.widened is None or time is None:
        return ""

    around, any_time = words.widened
    days = WIDENING[retrieved.widened]
    if days is None:
        notice = any_time.format(time=time.phrase)
    else:
        notice = around.format(time=time.phrase, days=days)
    return f"{notice} "


def linkable(question: Question, sources: Sequence[Source]) -> tuple[str, ...]:
    """Returns the texts whose web addresses an answer may link to: the passages, and the person's own words as typed."""
    earlier_questions = [turn.question for turn in question.history]
    texts = [source.passage.chunk.text for source in sources]
    return (question.own_words, *earlier_questions, *texts)


@cache
def _small_talk() -> tuple[tuple[SmallTalk, re.Pattern[str]], ...]:
    """Compiles the small talk of every language, English first: several languages share its greetings."""
    patterns = []
    for language in (vocabulary("en"), *vocabularies()):
        talk = language.small_talk
        if talk is None:
            continue
        product = f"(?P<product>{talk.product})"
        thanks = f"(?P<thanks>{talk.thanks})"
        phrase = f"{product}|{thanks}|{talk.greetings}"
        message = re.compile(rf"(?:\b(?:{phrase})\b ?)+")
        patterns.append((talk, message))
    return tuple(patterns)


def small_talk(message: str) -> str:
    """Replies to a greeting, to thanks or to a question about the product, in its language; empty for anything else."""
    if len(message) >= _MAX_SMALL_TALK:
        return ""
    words = re.findall(r"\w+", message.lower())
    if not words:
        return ""
    text = " ".join(words)
    for talk, pattern in _small_talk():
        match = pattern.fullmatch(text)
        if match is None:
            continue
        if match["product"]:
            return talk.help
        if match["thanks"]:
            return talk.welcome
        return talk.hello
    return ""
