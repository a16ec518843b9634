"""Passages -> the later note that probably states anew what the note quoted first says.

People seldom write that a note replaces another one: `Rent: 540 a month`, and half a year later, among other news,
`The landlord settled on 585`. A later note counts as an update if it answers the question nearly as well and has
more words in common with the first one than the passages of one search usually have with each other. Minutes by one
template and chats of the same people are all alike, so that a likeness alone says little.

Nobody can tell for sure, so both notes are quoted, each with its day. A question in the past asks for what was.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

from shared.answering.missing_subject import notes_with_all_names
from shared.answering.replacement import MIN_APART
from shared.language.terms import stems_as
from shared.model.retrieval import Retrieved, Scored
from shared.times.intent import asks_of_the_past

UPDATES = 1.3
"""Least product of two ratios for a later passage to be an update: its score to the first passage's, and their likeness
to the mean likeness of the passages found. Chosen on the notes of three made-up people; see evaluation/experiments.md.
"""
SMOOTHING = 0.02
"""Added to both likenesses, so that passages which have hardly a word in common are no evidence."""


def find_update(first: Scored, question: str, retrieved: Retrieved) -> Scored | None:
    """Returns the passage of a later note that probably states anew what the first passage says; None without one.

    None, too, if the question names a time or asks of the past. A note without the names in the question speaks of
    another and is no update.

    first: the passage that is quoted first.
    """
    analysis = retrieved.analysis
    if analysis.time is not None or asks_of_the_past(question, analysis.lang):
        return None
    earliest = first.chunk.created_at + MIN_APART
    named = notes_with_all_names(question, retrieved, limit=len(retrieved.selected))
    later: list[Scored] = []
    for passage in retrieved.selected:
        is_about_them = not named or passage.chunk.note_id in named
        if is_about_them and passage.chunk.created_at >= earliest:
            later.append(passage)
    if not later:
        return None

    words = {passage.chunk.chunk_id: _words(passage, retrieved) for passage in retrieved.selected}
    usual_likeness = _usual_likeness(retrieved.selected, words)
    first_words = words[first.chunk.chunk_id]

    def evidence(passage: Scored) -> float:
        likeness = _likeness(first_words, words[passage.chunk.chunk_id])
        relative_likeness = (likeness + SMOOTHING) / (usual_likeness + SMOOTHING)
        return relative_likeness * passage.score / first.score

    strongest = max(later, key=evidence)
    if evidence(strongest) < UPDATES:
        return None
    return strongest


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
