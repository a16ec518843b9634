"""Question -> passages: as many as the caller wants, or as the writer is to get; explanations and
figures of a search.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache, partial
from statistics import fmean

from shared.api.search import timings_json
from shared.app import App
from shared.errors import StoreUnavailable
from shared.folders.retrieve import retrieve_from_folders
from shared.folders.scope import FolderScope, offered_folders
from shared.indexing.coverage import read_note_state
from shared.language.lengths import estimated_tokens
from shared.language.terms import stems
from shared.language.vocabulary import vocabulary
from shared.model.answers import Usage
from shared.model.index import IndexedChunk
from shared.model.notes import NoteKey
from shared.model.questions import QUOTES, Question, WhenNotInNotes
from shared.model.retrieval import RetrievalMode, Retrieved, Scored, Scores
from shared.ports.freshness import current_chunks
from shared.retrieval.analysis import restrict, within
from shared.retrieval.explanation import Explanation
from shared.retrieval.explanation import explain as explain_search
from shared.retrieval.folder_weights import inside
from shared.retrieval.options import RetrievalOptions
from shared.tracing import measure

PERIOD_CHUNKS = 300
"""Chunks read of a period where nothing else is asked for, the newest."""


def search(app: App, question: Question, *, k: int) -> Retrieved:
    """Returns the best `k` passages, without a writer's limits on length."""
    return _retrieve(app, question, app.retriever.options.for_search(k))


def passages_for(
    app: App, question: Question, scope: FolderScope | None
) -> tuple[Retrieved | None, Usage]:
    """Returns the passages for the writer, and the cost of finding them; None if the question wants
    no notes.

    Raises NotFound naming a vault or folder.

    scope: looks in the named and the best ranked folders, for as many passages as the question
        wants.
    """
    if not question.use_notes:
        return None, Usage()
    options = app.retriever.options
    usage = Usage()
    if scope is None:
        retrieved = _retrieve(app, question, options)
    else:
        max_chunks = question.top_k or app.settings.retrieval_rerank_to
        options = replace(options, max_chunks=max_chunks)
        retrieved, usage = retrieve_from_folders(
            question, scope, app.retriever, options, app.ranker
        )
    if _asks_for_a_period(question, retrieved):
        retrieved = _whole_period(app, question, retrieved)
    return retrieved, usage


def check_folders(app: App, question: Question, scope: FolderScope | None) -> None:
    """Raises NotFound for an unknown vault or folder, InvalidArgument for dates the wrong way
    round.

    Reads the tenant's folders only where a vault or folder is named.
    """
    folders = partial(app.store.folders, question.tenant_id)
    restrict(question.filters, question.now, folders)
    if scope is not None and (scope.vaults or scope.folders):
        offered_folders(scope, folders())


def explain(app: App, question: Question, note_ids: Sequence[str], *, k: int) -> Explanation:
    """Explains how `search` ranks these notes; without any, those it finds. Raises NotFound naming
    a note.
    """
    options = app.retriever.options.for_search(k)
    explanation = explain_search(question, note_ids, app.retriever, options)
    states = {}
    for note in explanation.notes:
        key = NoteKey(question.tenant_id, note.note_id)
        states[note.note_id] = read_note_state(app.indexer, key)
    return replace(explanation, states=states)


def measure_search(app: App, retrieved: Retrieved | None) -> None:
    """Adds figures of a search to the request's log line, with the hits and misses of this
    process's caches so far.

    retrieved: None if nothing was searched.
    """
    hits_and_misses = {"questions": {"hits": app.questions.hits, "misses": app.questions.misses}}
    if app.results is not None:
        hits_and_misses["results"] = {"hits": app.results.hits, "misses": app.results.misses}
    measure({"caches": hits_and_misses})
    if retrieved is None:
        return
    texts = [passage.chunk.text for passage in retrieved.selected]
    mean_similarity = None
    if retrieved.selected:
        similarities = [passage.scores.similarity for passage in retrieved.selected]
        mean_similarity = round(fmean(similarities), 4)
    measure(
        {
            "retrieval": retrieved.mode.value,
            "candidates": retrieved.candidate_count,
            "chunks": len(texts),
            "meanSimilarity": mean_similarity,
            "contextCharacters": sum(map(len, texts)),
            "contextTokens": sum(map(estimated_tokens, texts)),
            "widened": retrieved.widened is not None,
            "timingsMs": timings_json(retrieved.timings_ms),
        }
    )


def _retrieve(app: App, question: Question, options: RetrievalOptions) -> Retrieved:
    """Searches, unless an equal search is cached for the same revision of the tenant's index.

    Only a result with nothing missing is cached (`_may_be_cached`).
    """
    if app.results is None:
        return app.retriever.retrieve(question, options=options).retrieved
    try:  # before searching: what is indexed meanwhile belongs to a later revision
        index_revision = app.store.stats(question.tenant_id).revision
    except StoreUnavailable:  # the search says what it went without
        return app.retriever.retrieve(question, options=options).retrieved
    key = (_as_cached(question), options, index_revision)

    started = time.perf_counter()
    cached = app.results.get(key)
    if cached is not None and _is_current(app, question.tenant_id, cached):
        seconds = time.perf_counter() - started
        return replace(cached, timings_ms={"retrieval": 1000 * seconds})

    retrieved = app.retriever.retrieve(question, options=options).retrieved
    if _may_be_cached(retrieved):
        app.results.put(key, retrieved)
    return retrieved


def _is_current(app: App, tenant_id: str, retrieved: Retrieved) -> bool:
    """Reports whether all notes of a result exist as they were found.

    A deletion is obeyed before the index has followed it.
    """
    chunks = [passage.chunk for passage in (*retrieved.selected, *retrieved.nearest)]
    return len(current_chunks(app.store, tenant_id, chunks)) == len(chunks)


def _may_be_cached(retrieved: Retrieved) -> bool:
    """Reports whether a result is the same if it is searched for again.

    A refusal is not, since it also speaks of notes that wait to be indexed, nor is a result without
    a model, a leg or a vault that usually answers.
    """
    if retrieved.refusal is not None:
        return False
    if retrieved.mode not in (RetrievalMode.WEIGHTED, RetrievalMode.RRF):  # without vectors
        return False
    if retrieved.failed_vaults or retrieved.failed_legs:
        return False
    return retrieved.reranked is None or not retrieved.reranked.failure


def _as_cached(question: Question) -> Question:
    """Returns the question without what only the writer reads, and without seconds.

    Within a minute no day begins and no score moves visibly.
    """
    return replace(
        question,
        now=question.now.replace(second=0, microsecond=0),
        include_citations=True,
        template=None,
        asked=None,
        history=(),
        system_prompt="",
        model=None,
        max_context_tokens=None,
        quotes=QUOTES,
        when_not_in_notes=WhenNotInNotes.REFUSE,
    )


def _asks_for_a_period(question: Question, retrieved: Retrieved) -> bool:
    """Reports whether the question names a time alone, and notes of that time were found.

    One word beside the time (`what was released in May`) asks for all notes of then that hold it, if they are more than
    can be quoted.
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
    holding = {
        passage.chunk.note_id for passage in retrieved.selected if _holds(passage.chunk, words)
    }
    return len(words) == 1 and len(holding) > question.quotes


def _words_beside_time(retrieved: Retrieved) -> frozenset[str]:
    """Returns the stems of the question that do not just ask for all notes of a time."""
    analysis = retrieved.analysis
    return frozenset(analysis.stems) - _everything(analysis.lang)


def _holds(chunk: IndexedChunk, words: frozenset[str]) -> bool:
    """Reports whether a chunk holds each of these stems of the question."""
    return all(chunk.terms.get(word) for word in words)


@cache
def _everything(lang: str) -> frozenset[str]:
    """Returns the stems of words that ask for all notes of a time: `what happened`."""
    words = vocabulary(lang).asking
    if words is None:
        return frozenset()
    return frozenset(stems(words.everything, lang))


def _whole_period(app: App, question: Question, retrieved: Retrieved) -> Retrieved:
    """Returns the notes of a period, by date, each with its first passage: all, or the newest."""
    # 1. The newest chunks of the period.
    folders = partial(app.store.folders, question.tenant_id)
    restriction = restrict(question.filters, question.now, folders)
    restriction = inside(restriction, retrieved.weighted_folders)
    restriction = within(restriction, retrieved.range_used)
    newest = app.store.recent(
        question.tenant_id,
        limit=PERIOD_CHUNKS + 1,  # one more tells whether there are older ones
        stems=retrieved.analysis.stems,
        restriction=restriction,
    )

    # 2. The first chunk of each note that holds the word beside the time, if there is one, by date.
    words = _words_beside_time(retrieved)
    holding = {chunk.note_id for chunk in newest if _holds(chunk, words)}
    note_ids = holding.difference(question.filters.without_notes)
    first_chunks: dict[str, IndexedChunk] = {}
    for chunk in sorted(newest[:PERIOD_CHUNKS], key=_by_date):
        if chunk.note_id in note_ids:
            first_chunks.setdefault(chunk.note_id, chunk)

    # 3. Those of notes that still are as they were indexed.
    scores = Scores(vector=0.0, keyword=0.0, recency=1.0, similarity=0.0)
    readable_chunks = current_chunks(app.store, question.tenant_id, first_chunks.values())
    passages = [Scored(chunk, 1.0, scores) for chunk in readable_chunks]
    if not passages:
        return retrieved
    return replace(
        retrieved,
        selected=tuple(passages),
        notes_read=len(passages),
        leaves_older=len(newest) > PERIOD_CHUNKS,
    )


def _by_date(chunk: IndexedChunk) -> tuple[datetime, str, int]:
    return (chunk.created_at, chunk.note_id, chunk.position)
