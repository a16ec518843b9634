"""What we say ourselves beside what a writer wrote: refusals and notices; and how a writer admits not to know."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from shared.language.vocabulary import Answers, SmallTalk, vocabularies, vocabulary
from shared.model.answers import Source
from shared.model.questions import Question
from shared.model.retrieval import WIDENING, RefusalReason, Retrieved

OPENING = "I don't have enough information"
"""Every refusal begins with this, in whatever language the question was: clients rely on it."""

SENTENCE = f"{OPENING} in your notes to answer this question."
"""What every refusal goes on from, and what a model may say of itself."""

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
    """A denial near a word for the notes or for knowing, in one sentence, in any language: a model may answer in
    another one than the notes. That also takes in a few claims ("the notes say not to"), which costs nothing: without a
    citation those are refused as well.
    """
    known = [words.answers for words in vocabularies() if words.answers]
    knowing, denial = "|".join(each.knowing for each in known), "|".join(each.denials for each in known)
    return re.compile(
        rf"\b(?:(?:{denial})\b[^.!?\n]{{0,80}}\b(?:{knowing})|(?:{knowing})\b[^.!?\n]{{0,80}}\b(?:{denial}))\b",
        re.IGNORECASE,
    )


def refusal_text(reason: RefusalReason) -> str:
    """The whole answer that a caller gets for `reason`: one sentence that begins with `OPENING`."""
    return f"{SENTENCE.removesuffix('.')}: {_WHY[reason]}"


def refusal_told(reason: RefusalReason, lang: str) -> str:
    """The reason for people who asked in that language; in English where it has no words for it."""
    return _answers(lang).refusals[reason.value]


def general_notice(lang: str) -> str:
    """The line above an answer from general knowledge, in that language; in English where it has no words for it."""
    return f"{_answers(lang).general}\n\n"


def _answers(lang: str) -> Answers:
    return next(words for words in (vocabulary(lang).answers, vocabulary("en").answers) if words)


def admits_not_knowing(text: str) -> bool:
    """Whether a sentence (or a text) says that the notes do not hold the answer, in any language with words for it."""
    return OPENING in text.replace("’", "'") or _admission().search(text) is not None


def reason_to_refuse(text: str, *, cites: bool) -> RefusalReason | None:
    """Why a checked draft cannot stand as the answer; None: it can. `cites`: it holds a valid citation.

    A draft without citation is never shown: it either admits that the notes do not hold the answer
    (`below_threshold`: passages were found, none of them answers) or claims what nothing backs. One that
    cites stands, also with "the notes do not say when" in it, unless it opens as a refusal does.
    """
    if cites:
        declines = text.lstrip().replace("’", "'").startswith(SENTENCE.removesuffix("."))
        return RefusalReason.BELOW_THRESHOLD if declines else None
    return RefusalReason.BELOW_THRESHOLD if admits_not_knowing(text) else RefusalReason.UNSUPPORTED_CLAIMS


def reach_notice(retrieved: Retrieved) -> str:
    """Says that more than the named time was searched, or less of it, in the language of the question. Empty, or ends
    in a blank.
    """
    time, words = retrieved.analysis.time, _answers(retrieved.analysis.lang)
    if retrieved.leaves_older:
        return f"{words.newest.format(count=retrieved.notes_read)} "
    if not (retrieved.widened and time):
        return ""
    days, (around, ever) = WIDENING[retrieved.widened], words.widened
    return f"{(ever if days is None else around).format(time=time.phrase, days=days)} "


def linkable(question: Question, sources: Sequence[Source]) -> tuple[str, ...]:
    """The texts whose addresses an answer may hold: the passages and the person's own words, as they were typed."""
    asked = [question.asked or question.text, *[turn.question for turn in question.history]]
    return (*asked, *[source.passage.chunk.text for source in sources])


@cache
def _small_talk() -> tuple[tuple[SmallTalk, re.Pattern[str]], ...]:
    """English first: greetings that several languages have are answered in it."""
    known = [words.small_talk for words in (vocabulary("en"), *vocabularies()) if words.small_talk]
    return tuple(
        (talk, re.compile(rf"(?:\b(?:(?P<product>{talk.product})|(?P<thanks>{talk.thanks})|{talk.greetings})\b ?)+"))
        for talk in known
    )


def small_talk(message: str) -> str:
    """The reply to a greeting, to thanks or to a question about the product, in its language; empty: it is none."""
    said = " ".join(re.findall(r"\w+", message.lower())) if len(message) < _MAX_SMALL_TALK else ""
    for talk, pattern in _small_talk():
        if said and (found := pattern.fullmatch(said)):
            return talk.help if found["product"] else talk.welcome if found["thanks"] else talk.hello
    return ""
