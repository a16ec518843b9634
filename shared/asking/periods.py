"""Question about a time and little else -> the notes of that time, by date, each with the passage that says most."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache, partial

from shared.language.telling import Telling
from shared.language.terms import stems, stems_as
from shared.language.vocabulary import vocabulary
from shared.model.index import IndexedChunk
from shared.model.questions import Question
from shared.model.retrieval import Analysis, Retrieved, Scored, Scores
from shared.ports.freshness import current_chunks
from shared.ports.stores import Store
from shared.retrieval.analysis import restrict, within
from shared.retrieval.folder_weights import inside
from shared.times.intent import fillers, kind_asked

PERIOD_CHUNKS = 300
"""Newest chunks that are read for a question about a period and nothing else."""


def asks_for_a_period(question: Question, retrieved: Retrieved) -> bool:
    """Reports whether the question names a time and nothing else, and notes of that time were found.

    With one word beside the time (`what was released in May`), all notes of that time that hold the word are asked for,
    if they are more than can be quoted. A kind of things may stand beside that word (`versions released in May`).
    """
    analysis = retrieved.analysis
    if analysis.time is None or not analysis.time.restricts:
        return False
    was_applied = retrieved.range_used is not None and not retrieved.widened
    if not was_applied or retrieved.refusal:
        return False

    words = _words_beside_time(retrieved)
    if not words:
        return True
    if len(words - _kind(retrieved)) > 1:
        return False

    notes_with_word = {
        chunk.note_id for chunk in retrieved.chunks if _holds(chunk, words, analysis)
    }
    return len(notes_with_word) > question.quotes


def _words_beside_time(retrieved: Retrieved) -> frozenset[str]:
    """Returns the stems of the question that do not just ask for all notes of a time.

    A word for a kind of things that no note of the time holds only says what all these notes are about.
    """
    analysis = retrieved.analysis
    fillers_asked = " ".join(fillers(analysis.subject, analysis.lang))
    words = frozenset(analysis.stems) - _everything(analysis.lang)
    words -= frozenset(stems(fillers_asked, analysis.lang))
    kind = _kind(retrieved)
    if kind >= words:
        return words
    chunks = retrieved.chunks
    unknown = {
        word for word in kind if not any(_holds(chunk, [word], analysis) for chunk in chunks)
    }
    return words - unknown


def _kind(retrieved: Retrieved) -> frozenset[str]:
    """Returns the stems of the words for a kind of things, if all notes of what became of them are asked for."""
    analysis = retrieved.analysis
    kind = kind_asked(analysis.subject, analysis.lang)
    return frozenset(stems(" ".join(kind), analysis.lang))


def _holds(chunk: IndexedChunk, words: Collection[str], analysis: Analysis) -> bool:
    """Reports whether a chunk holds each of these stems of the question.

    A short note may have been indexed in another language: its text is read in that of the question, too.
    """
    missing = {word for word in words if not chunk.terms.get(word)}
    if not missing:
        return True
    return missing <= stems_as(chunk.text, analysis)


@cache
def _everything(lang: str) -> frozenset[str]:
    """Returns the stems of words that ask for all notes of a time: `what happened`."""
    words = vocabulary(lang).asking
    if words is None:
        return frozenset()
    return frozenset(stems(words.everything, lang))


def whole_period(store: Store, question: Question, retrieved: Retrieved) -> Retrieved:
    """Returns the notes of a period, by date, each with its best passage: all, or the newest."""
    # 1. The newest chunks of the period.
    folders = partial(store.folders, question.tenant_id)
    restriction = restrict(question.filters, question.now, folders)
    restriction = inside(restriction, retrieved.weighted_folders)
    restriction = within(restriction, retrieved.range_used)
    newest = store.recent(
        question.tenant_id,
        limit=PERIOD_CHUNKS + 1,  # one more tells whether there are older ones
        stems=retrieved.analysis.stems,
        restriction=restriction,
    )

    # 2. The chunks of each note that holds the word beside the time, if there is one, by date.
    words = _words_beside_time(retrieved)
    analysis = retrieved.analysis
    notes_with_word = {chunk.note_id for chunk in newest if _holds(chunk, words, analysis)}
    note_ids = notes_with_word.difference(question.filters.without_notes)
    chunks_of: dict[str, list[IndexedChunk]] = {}
    for chunk in sorted(newest[:PERIOD_CHUNKS], key=_by_date):
        if chunk.note_id in note_ids:
            chunks_of.setdefault(chunk.note_id, []).append(chunk)

    # 3. The best chunk of each note that still is as it was indexed.
    best_chunks = _best_chunks(list(chunks_of.values()), retrieved, words)
    scores = Scores(
        vector=0.0,
        keyword=0.0,
        recency=1.0,
        similarity=0.0,
    )
    readable_chunks = current_chunks(store, question.tenant_id, best_chunks)
    passages = [Scored(chunk, 1.0, scores) for chunk in readable_chunks]
    if not passages:
        return retrieved
    return replace(
        retrieved,
        selected=tuple(passages),
        notes_read=len(passages),
        leaves_older=len(newest) > PERIOD_CHUNKS,
    )


def _best_chunks(
    notes: Sequence[Sequence[IndexedChunk]],
    retrieved: Retrieved,
    words: frozenset[str],
) -> list[IndexedChunk]:
    """Returns the best chunk of each note: with the word that is asked for, best in the search; without a word that one
    which says most of what its note is about.
    """
    ranks: dict[str, int] = {}
    if words:  # without any the search orders by accident
        for rank, passage in enumerate(retrieved.selected):
            ranks[passage.chunk.chunk_id] = -rank
    lowest_rank = -len(ranks)

    texts_of_notes = [[chunk.text for chunk in chunks] for chunks in notes]
    whole_texts = map("\n".join, texts_of_notes)
    telling = Telling(whole_texts, retrieved.analysis.lang)

    best = []
    for chunks, texts in zip(notes, texts_of_notes, strict=True):
        scores = telling.scores(texts)
        values = []
        for chunk, score in zip(chunks, scores, strict=True):
            holds_words = _holds(chunk, words, retrieved.analysis)
            rank = ranks.get(chunk.chunk_id, lowest_rank)
            values.append((holds_words, rank, score))

        place = values.index(max(values))
        best.append(chunks[place])
    return best


def _by_date(chunk: IndexedChunk) -> tuple[datetime, str, int]:
    return (chunk.created_at, chunk.note_id, chunk.position)
