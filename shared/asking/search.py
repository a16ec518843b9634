"""A question -> passages: as many as the caller wants, or as the writer is to get; how a search saw any notes; and the
figures of a search for the request's log line.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from statistics import fmean

from shared.api.search import timings_json
from shared.app import App
from shared.errors import StoreUnavailable
from shared.folders.search import FolderScope, retrieve_from_folders
from shared.language.lengths import estimated_tokens
from shared.language.terms import stems
from shared.language.vocabulary import vocabulary
from shared.model.answers import Usage
from shared.model.index import IndexedChunk
from shared.model.notes import NoteKey
from shared.model.questions import QUOTES, Question, WhenNotInNotes
from shared.model.retrieval import RetrievalMode, Retrieved, Scored, Scores
from shared.retrieval.analysis import restrict, within
from shared.retrieval.explanation import Explanation
from shared.retrieval.explanation import explain as explain_search
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.places import inside
from shared.tracing import measure

PERIOD_CHUNKS = 300
"""Chunks read of a time where nothing else is asked for, the newest."""


def search(app: App, question: Question, *, k: int) -> Retrieved:
    """The best `k` passages, without a writer's limits on length."""
    return _retrieve(app, question, app.retriever.options.for_search(k))


def passages_for(app: App, question: Question, scope: FolderScope | None) -> tuple[Retrieved | None, Usage]:
    """What the writer is to get, and what finding it has cost; None: the question wants no notes.

    With a `scope` from the named and the best ranked folders, as many as the question wants. Raises NotFound naming a
    vault or folder.
    """
    if not question.use_notes:
        return None, Usage()
    retriever, usage = app.retriever, Usage()
    if scope is None:
        found = _retrieve(app, question, retriever.options)
    else:
        options = replace(retriever.options, max_chunks=question.top_k or app.settings.retrieval_rerank_to)
        found, usage = retrieve_from_folders(question, scope, retriever, options, app.ranker)
    asked, time = found.analysis, found.analysis.time
    names_time_alone = time and time.restricts and _everything(asked.lang).issuperset(asked.stems)
    if names_time_alone and found.range_used and not found.widened and not found.refusal:
        found = _whole_period(app, question, found)
    return found, usage


def explain(app: App, question: Question, note_ids: Sequence[str], *, k: int) -> Explanation:
    """How `search` sees these notes; without any, those it finds. Raises NotFound naming a note."""
    explanation = explain_search(question, note_ids, app.retriever, app.retriever.options.for_search(k))
    keys = [NoteKey(question.tenant_id, note.note_id) for note in explanation.notes]
    return replace(explanation, states={key.note_id: app.indexer.note_state(key) for key in keys})


def measure_search(app: App, found: Retrieved | None) -> None:
    """Figures of a search, if there was one, and the hits and misses of this instance's caches so far."""
    caches = {"questions": app.questions, "results": app.results}
    measure({"caches": {name: {"hits": each.hits, "misses": each.misses} for name, each in caches.items() if each}})
    if found is None:
        return
    texts = [each.chunk.text for each in found.selected]
    similarities = [each.scores.similarity for each in found.selected]
    measure(
        {
            "retrieval": found.mode.value,
            "candidates": found.candidate_count,
            "chunks": len(texts),
            "meanSimilarity": round(fmean(similarities), 4) if similarities else None,
            "contextCharacters": sum(map(len, texts)),
            "contextTokens": sum(map(estimated_tokens, texts)),
            "widened": found.widened is not None,
            "timingsMs": timings_json(found.timings_ms),
        }
    )


def _retrieve(app: App, question: Question, options: RetrievalOptions) -> Retrieved:
    """Searches, unless the same was found before for the same revision of the tenant's index.

    Not kept are refusals, which also speak of notes that wait to be indexed, and what was found without a model, a leg
    or a vault that usually answers.
    """
    if app.results is None:
        return app.retriever.retrieve(question, options=options).retrieved
    try:  # before searching: what is indexed meanwhile belongs to a later revision
        key = _asked(question), options, app.store.stats(question.tenant_id).revision
    except StoreUnavailable:  # the search says what it went without
        return app.retriever.retrieve(question, options=options).retrieved
    started, kept = time.perf_counter(), app.results.get(key)
    if kept is not None:
        # Only while all its notes exist as they were found: a deletion is obeyed before the index has followed it.
        revisions = {each.chunk.note_id: each.chunk.note_revision for each in (*kept.selected, *kept.nearest)}
        live = app.store.live_records(question.tenant_id, sorted(revisions))
        if all(note_id in live and live[note_id].note_revision == at for note_id, at in revisions.items()):
            return replace(kept, timings_ms={"retrieval": 1000 * (time.perf_counter() - started)})
    found = app.retriever.retrieve(question, options=options).retrieved
    with_vectors = found.mode in (RetrievalMode.WEIGHTED, RetrievalMode.RRF)
    without = found.failed_vaults or found.failed_legs or (found.reranked is not None and found.reranked.failure)
    if found.refusal is None and with_vectors and not without:
        app.results.put(key, found)
    return found


def _asked(question: Question) -> Question:
    """Without what only the writer reads, and seconds: within a minute no day begins and no score moves visibly."""
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


@cache
def _everything(lang: str) -> frozenset[str]:
    words = vocabulary(lang).asking
    return frozenset(stems(words.everything, lang)) if words else frozenset()


def _whole_period(app: App, question: Question, found: Retrieved) -> Retrieved:
    """The notes of a time, by date, each with its first passage: all, or the newest."""
    folders = partial(app.store.folders, question.tenant_id)
    allowed = within(inside(restrict(question.filters, question.now, folders), found.places), found.range_used)
    chunks = app.store.recent(question.tenant_id, limit=PERIOD_CHUNKS + 1, stems=(), restriction=allowed)
    firsts: dict[str, IndexedChunk] = {}
    for chunk in sorted(chunks[:PERIOD_CHUNKS], key=lambda each: (each.created_at, each.note_id, each.position)):
        if chunk.note_id not in question.filters.without_notes:
            firsts.setdefault(chunk.note_id, chunk)
    live = app.store.live_records(question.tenant_id, list(firsts))
    current = [
        Scored(chunk, 1.0, Scores(vector=0.0, keyword=0.0, recency=1.0, similarity=0.0))
        for note_id, chunk in firsts.items()
        if note_id in live and live[note_id].note_revision == chunk.note_revision
    ]
    if not current:
        return found
    leaves_older = len(chunks) > PERIOD_CHUNKS
    return replace(found, selected=tuple(current), notes_read=len(current), leaves_older=leaves_older)
