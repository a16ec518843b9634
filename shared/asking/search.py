"""A question -> passages: as many as the caller wants, or as the writer is to get; and how a search saw any notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shared.account.results import SearchResults
from shared.app import App
from shared.folders.search import Wish, retrieve_from_folders
from shared.model.answers import Usage
from shared.model.questions import Question
from shared.model.retrieval import Retrieved
from shared.retrieval.explanation import Explained
from shared.retrieval.explanation import explain as explain_search
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.pipeline import retrieve


def search(app: App, question: Question, *, k: int) -> Retrieved:
    """The best `k` passages, without a writer's limits on length."""
    return _retrieve(app, question, _search_options(app, k))


def passages_wanted(app: App, question: Question) -> int:
    """How many passages the writer is to get for this question."""
    return question.top_k or app.settings.retrieval_rerank_to


def passages_for(app: App, question: Question, wish: Wish | None) -> tuple[Retrieved | None, Usage]:
    """What the writer is to get, and what finding it has cost; None: the question wants no notes.

    With a `wish` from the named and the best ranked folders, as many as the question wants. Raises NotFound naming a
    vault or folder.
    """
    if not question.use_notes:
        return None, Usage()
    if wish is None:
        return _retrieve(app, question, _options(app)), Usage()
    found = retrieve_from_folders(
        question,
        wish,
        store=app.store,
        embedder=app.embedder_of(question.tenant_id),
        options=replace(_options(app), max_chunks=passages_wanted(app, question)),
        pool=app.pool,
        ranker=app.ranker,
        reranker=app.reranker,
    )
    return found.retrieved, found.usage


def explain(app: App, question: Question, note_ids: Sequence[str], *, k: int) -> Explained:
    """How `search` sees these notes; without any, those it finds. Raises NotFound naming a note."""
    explanation = explain_search(
        question,
        note_ids,
        store=app.store,
        embedder=app.embedder_of(question.tenant_id),
        options=_search_options(app, k),
        pool=app.pool,
        reranker=app.reranker,
    )
    ids = [note.note_id for note in explanation.notes]
    return Explained(explanation, {note_id: app.index_state(question.tenant_id, note_id) for note_id in ids})


def _search_options(app: App, k: int) -> RetrievalOptions:
    return replace(_options(app), rerank_to=k, max_chunks=k, max_characters=None)


def _options(app: App) -> RetrievalOptions:
    return RetrievalOptions.from_settings(app.settings, index_version=app.index_version, billed=app.store.bills_reads)


def _retrieve(app: App, question: Question, options: RetrievalOptions) -> Retrieved:
    def found() -> Retrieved:
        return retrieve(
            question,
            store=app.store,
            embedder=app.embedder_of(question.tenant_id),
            options=options,
            pool=app.pool,
            reranker=app.reranker,
        ).retrieved

    return found() if app.results is None else SearchResults(app.store, app.results).of(question, options, found)
