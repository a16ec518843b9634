"""Question -> passages, as many as the caller or the writer gets; and the figures of a search."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from statistics import fmean

from shared.api.search import timings_json
from shared.app import App
from shared.asking.periods import asks_for_a_period, whole_period
from shared.errors import StoreUnavailable
from shared.folders.retrieve import retrieve_from_folders
from shared.folders.scope import FolderScope, offered_folders
from shared.language.lengths import estimated_tokens
from shared.model.answers import Usage
from shared.model.questions import QUOTES, Question, WhenNotInNotes
from shared.model.retrieval import RetrievalMode, Retrieved
from shared.ports.freshness import current_chunks
from shared.retrieval.analysis import restrict
from shared.retrieval.options import RetrievalOptions
from shared.tracing import measure


def search(app: App, question: Question, *, k: int) -> Retrieved:
    """Returns the best `k` passages, without a writer's limits on length."""
    return _retrieve(app, question, app.retriever.options.for_search(k))


def passages_for(
    app: App,
    question: Question,
    scope: FolderScope | None,
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
        max_chunks = question.top_k or app.settings.rerank_to
        options = replace(options, max_chunks=max_chunks)
        retrieved, usage = retrieve_from_folders(
            question,
            scope,
            app.retriever,
            options,
            app.ranker,
        )
    if asks_for_a_period(question, retrieved):
        retrieved = whole_period(app.store, question, retrieved)
    return retrieved, usage


def check_folders(app: App, question: Question, scope: FolderScope | None) -> None:
    """Raises NotFound for an unknown vault or folder, InvalidArgument for dates the wrong way
    round.

    Reads the tenant's folders only where a vault or folder is named.
    """
    folders = partial(app.store.folders, question.tenant_id)
    restrict(question.filters, question.now, folders)
    if scope is None:
        return
    if scope.vaults or scope.folders:
        offered_folders(scope, folders())


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

    texts = [chunk.text for chunk in retrieved.chunks]
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
        },
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
    if cached is not None and _is_unchanged(app, question.tenant_id, cached):
        seconds = time.perf_counter() - started
        return replace(cached, timings_ms={"retrieval": 1000 * seconds})

    retrieved = app.retriever.retrieve(question, options=options).retrieved
    if _may_be_cached(retrieved):
        app.results.put(key, retrieved)
    return retrieved


def _is_unchanged(app: App, tenant_id: str, retrieved: Retrieved) -> bool:
    """Reports whether all notes of a result exist as they were found.

    A deletion is obeyed before the index has followed it.
    """
    passages = (*retrieved.selected, *retrieved.nearest)
    chunks = [passage.chunk for passage in passages]
    unchanged_chunks = current_chunks(app.store, tenant_id, chunks)
    return len(unchanged_chunks) == len(chunks)


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
