"""Passages -> the later note that probably states anew what the note quoted first says.

People seldom write that a note replaces another one: `Rent: 540 a month`, and half a year later, among other news,
`The landlord settled on 585`. A later note counts as an update if it answers the question nearly as well and has
more words in common with the first one than the passages of one search usually have with each other. Minutes by one
template and chats of the same people are all alike, so that a likeness alone says little. A note about another thing of the
kind that is asked for (the attic flat, not the cellar flat) is none.

Nobody can tell for sure, so both notes are quoted, each with its day. Where there is less evidence their order stays, and
the days alone let the reader judge.

A question in the past asks for what was: no later note stands before it. Where it asks for what no longer holds (`the old
rent`), the note quoted first may be the one that changed it, and the passage of an earlier note stands before it, unless
the first one is more like a later note, and so is itself what was changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from itertools import combinations
from math import inf
from operator import attrgetter
from statistics import fmean
from zoneinfo import ZoneInfo

from shared.answering.asked_statement import AskedStatement
from shared.answering.replacement import replaces
from shared.answering.tense import Tense
from shared.answering.written import MIN_APART, written_at
from shared.language.terms import stems_as
from shared.model.index import IndexedChunk
from shared.model.questions import Question
from shared.model.retrieval import Retrieved, Scored

UPDATES = 1.3
"""Least product of two ratios for a later passage to be an update: its score to the first passage's, and their likeness
to the mean likeness of the passages found. Chosen on the notes of three made-up people; see evaluation/experiments.md.
"""
MAY_UPDATE = 0.9
"""Least product for which the days of both are shown. Of these people's replaced facts that stand above the new ones half
get their days by it, and three in ten of the other questions for which an earlier note stands above a later one.
"""
FORMER = 1.0
"""Least product for an earlier passage to stand before the first one, if the question asks for what no longer holds: the
person knows that something has changed. Chosen on the notes of two made-up people, see evaluation/experiments.md.
"""
NEVER = inf
"""Least product for a later passage to stand before the first one, if the question asks for what no longer holds: that is the
first one, and both are dated.
"""
MOST_LIKENESS = 2.0
"""A likeness counts as at most this many times the usual one: where few notes are found that have nothing in common, the
usual one is next to nothing.
"""
SMOOTHING = 0.02
"""Added to both likenesses, so that passages which have hardly a word in common are no evidence."""


@dataclass(frozen=True, slots=True)
class Update:
    """A passage of a later note that may state anew what the first passage says, or of an earlier one that this one may
    state anew.
    """

    passage: Scored
    evidence: float
    """Product of its score and of its likeness to the first passage, both as shares; at least MAY_UPDATE."""
    least: float = UPDATES
    """Evidence from which on it is to stand before the first passage."""

    @property
    def is_probable(self) -> bool:
        """True if it is to stand before the first passage."""
        return self.evidence >= self.least


def find_update(
    first: Scored,
    passages: Sequence[Scored],
    question: Question,
    retrieved: Retrieved,
    asked: AskedStatement,
) -> Update | None:
    """Returns the passage of a later note that most probably states anew what the first passage says; None without one.

    If the question asks for what no longer holds, the passage may also be of an earlier note; one of a later note then does
    not stand before the first passage, which is what was. None, too, if the question names a time or otherwise asks of the
    past. Left out are notes without the names in the question (they speak of another), notes about another thing of the kind
    that is asked for, notes still to come, and, unless what no longer holds is asked for, notes that another one replaces.

    first: the passage that is quoted first. passages: those that may be quoted.
    """
    if asked.tense is Tense.PAST:
        return None
    later = _later_passages(first, passages, question)
    earlier = _earlier_passages(first, passages)
    if not later and not earlier:
        return None  # nothing to compare, which takes a while

    compared = _ComparedWithFirst(first, retrieved, asked)
    if asked.tense is Tense.FORMER:
        updates = compared.updates(earlier, FORMER)
        updates += compared.updates(later, NEVER)
    else:
        standing = [passage for passage in later if not _is_replaced(passage, retrieved)]
        updates = compared.updates(standing, UPDATES)
    return max(updates, key=attrgetter("evidence"), default=None)


class _ComparedWithFirst:
    """Compares passages with the first one: do they speak of the same, and how much are they alike?"""

    def __init__(self, first: Scored, retrieved: Retrieved, asked: AskedStatement) -> None:
        self._first = first
        self._asked = asked
        self._words: dict[str, frozenset[str]] = {}
        for chunk in retrieved.chunks:
            self._words[chunk.chunk_id] = _words(chunk, retrieved)
        self._usual_likeness = _usual_likeness(retrieved.chunks, self._words)

    def updates(self, others: Iterable[Scored], least: float) -> list[Update]:
        """Returns those of the other passages that may be updates, see `Update`."""
        updates = []
        for passage in others:
            if not self._asked.may_be_in(passage.chunk, self._first.chunk):
                continue
            evidence = self._evidence(passage)
            if evidence >= MAY_UPDATE:
                updates.append(Update(passage, evidence, least))
        return updates

    def _evidence(self, passage: Scored) -> float:
        """Returns the product of a passage's score and of its likeness to the first one, both as shares."""
        first = self._first
        words_of_first = self._words[first.chunk.chunk_id]
        words = self._words[passage.chunk.chunk_id]
        likeness = _likeness(words_of_first, words) + SMOOTHING
        usual_likeness = self._usual_likeness + SMOOTHING
        relative_likeness = min(MOST_LIKENESS, likeness / usual_likeness)
        return relative_likeness * passage.score / first.score


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
    first_written_at = written_at(first.chunk)
    later = []
    for passage in passages:
        chunk = passage.chunk
        if chunk.note_id == first.chunk.note_id:
            continue
        passage_written_at = written_at(chunk)
        is_later = passage_written_at - first_written_at >= MIN_APART
        if is_later and passage_written_at < end_of_today:
            later.append(passage)
    return later


def _earlier_passages(first: Scored, passages: Iterable[Scored]) -> list[Scored]:
    """Returns the passages of other notes that were written before the first passage."""
    first_written_at = written_at(first.chunk)
    earlier = []
    for passage in passages:
        chunk = passage.chunk
        if chunk.note_id == first.chunk.note_id:
            continue
        days_before = first_written_at - written_at(chunk)
        if days_before >= MIN_APART:
            earlier.append(passage)
    return earlier


def _is_replaced(passage: Scored, retrieved: Retrieved) -> bool:
    """Reports whether the properties of two notes say that another one replaces the note of a passage."""
    return any(replaces(chunk, passage.chunk) for chunk in retrieved.chunks)


def _words(chunk: IndexedChunk, retrieved: Retrieved) -> frozenset[str]:
    """Returns the stems of a passage, of its headings and of the title and path of its note."""
    path = chunk.path.replace("/", " ")
    texts = (chunk.title, path, chunk.heading_path, chunk.text)
    text = "\n".join(texts)
    return frozenset(stems_as(text, retrieved.analysis))


def _usual_likeness(chunks: Sequence[IndexedChunk], words: dict[str, frozenset[str]]) -> float:
    """Returns the mean likeness of two passages of different notes; 0 if all are of one note."""
    likenesses: list[float] = []
    for chunk, other in combinations(chunks, 2):
        if chunk.note_id == other.note_id:
            continue
        own_words = words[chunk.chunk_id]
        other_words = words[other.chunk_id]
        likeness = _likeness(own_words, other_words)
        likenesses.append(likeness)
    if not likenesses:
        return 0.0
    return fmean(likenesses)


def _likeness(words: frozenset[str], other_words: frozenset[str]) -> float:
    """Returns the Jaccard similarity of two sets of words: the share of all their words that both have."""
    all_words = words | other_words
    if not all_words:
        return 0.0
    common_words = words & other_words
    return len(common_words) / len(all_words)
