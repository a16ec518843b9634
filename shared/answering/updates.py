"""Passages -> the later note that probably states anew what the note quoted first says.

People seldom write that a note replaces another one: `Rent: 540 a month`, and half a year later, among other news,
`The landlord settled on 585`. A later note counts as an update if it answers the question nearly as well and has
more words in common with the first one than the passages of one search usually have with each other. Minutes by one
template and chats of the same people are all alike, so that a likeness alone says little.

Nobody can tell for sure, so both notes are quoted, each with its day. A question in the past asks for what was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, time, timedelta
from itertools import combinations
from statistics import fmean
from zoneinfo import ZoneInfo

from shared.answering.missing_subject import notes_with_all_names
from shared.answering.replacement import MIN_APART, replaces
from shared.answering.written import written
from shared.language.terms import stems_as
from shared.model.questions import Question
from shared.model.retrieval import Retrieved, Scored
from shared.times.intent import asks_of_the_past

UPDATES = 1.3
"""Least product of two ratios for a later passage to be an update: its score to the first passage's, and their likeness
to the mean likeness of the passages found. Chosen on the notes of three made-up people; see evaluation/experiments.md.
"""
SMOOTHING = 0.02
"""Added to both likenesses, so that passages which have hardly a word in common are no evidence."""


def find_update(
    first: Scored,
    passages: Sequence[Scored],
    question: Question,
    retrieved: Retrieved,
) -> Scored | None:
    """Returns the passage of a later note that probably states anew what the first passage says; None without one.

    None, too, if the question names a time or asks of the past. No update is a note without the names in the question,
    which speaks of another, one that is still to come, and one that another note replaces.

    first: the passage that is quoted first. passages: those that may be quoted.
    """
    analysis = retrieved.analysis
    if analysis.time is not None or asks_of_the_past(question.text, analysis.lang):
        return None

    # 1. What was written later, and answers and reads alike enough.
    later = _later_passages(first, passages, question)
    if not later:
        return None
    words = {passage.chunk.chunk_id: _words(passage, retrieved) for passage in retrieved.selected}
    usual_likeness = _usual_likeness(retrieved.selected, words)
    first_words = words[first.chunk.chunk_id]

    def evidence(passage: Scored) -> float:
        likeness = _likeness(first_words, words[passage.chunk.chunk_id])
        relative_likeness = (likeness + SMOOTHING) / (usual_likeness + SMOOTHING)
        return relative_likeness * passage.score / first.score

    likely = [passage for passage in later if evidence(passage) >= UPDATES]
    if not likely:
        return None

    # 2. The strongest that speaks of what is asked about and still holds.
    named = notes_with_all_names(question.text, retrieved, limit=len(retrieved.selected))
    about_them = [passage for passage in likely if not named or passage.chunk.note_id in named]
    holding = [passage for passage in about_them if not _is_replaced(passage, retrieved)]
    return max(holding, key=evidence, default=None)


def _later_passages(
    first: Scored,
    passages: Iterable[Scored],
    question: Question,
) -> list[Scored]:
    """Returns the passages of other notes that were written after the first passage, until the end of today.

    A note of which only the day is known may be dated some hours after the question.
    """
    zone = ZoneInfo(question.zone)
    today = question.now.astimezone(zone).date()
    end_of_today = datetime.combine(today + timedelta(days=1), time(), zone)
    first_day = written(first.chunk)
    later: list[Scored] = []
    for passage in passages:
        day = written(passage.chunk)
        is_other_note = passage.chunk.note_id != first.chunk.note_id
        if is_other_note and day - first_day >= MIN_APART and day < end_of_today:
            later.append(passage)
    return later


def _is_replaced(passage: Scored, retrieved: Retrieved) -> bool:
    """Reports whether the properties of two notes say that another one replaces the note of a passage."""
    return any(replaces(other.chunk, passage.chunk) for other in retrieved.selected)


def _words(passage: Scored, retrieved: Retrieved) -> frozenset[str]:
    """Returns the stems of a passage, of its headings and of the title and path of its note."""
    chunk = passage.chunk
    path = chunk.path.replace("/", " ")
    text = "\n".join((chunk.title, path, chunk.heading_path, chunk.text))
    analysis = retrieved.analysis
    return frozenset(stems_as(text, analysis.lang, analysis.renamed))


def _usual_likeness(passages: Sequence[Scored], words: dict[str, frozenset[str]]) -> float:
    """Returns the mean likeness of two passages of different notes; 0 if all are of one note."""
    likenesses: list[float] = []
    for passage, other in combinations(passages, 2):
        if passage.chunk.note_id != other.chunk.note_id:
            words_of_both = (words[passage.chunk.chunk_id], words[other.chunk.chunk_id])
            likenesses.append(_likeness(*words_of_both))
    if not likenesses:
        return 0.0
    return fmean(likenesses)


def _likeness(words: frozenset[str], other_words: frozenset[str]) -> float:
    """Returns the Jaccard similarity of two sets of words: the share of all their words that both have."""
    all_words = words | other_words
    if not all_words:
        return 0.0
    return len(words & other_words) / len(all_words)
