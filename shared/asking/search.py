"""A question -> passages: as many as the caller wants, or as the writer is to get; and how a search saw any notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shared.account.results import SearchResults
from shared.app import App
from shared.folders.search import FolderScope, retrieve_from_folders
from shared.model.answers import Usage
from shared.model.notes import NoteKey
from shared.model.questions import Question
from shared.model.retrieval import Retrieved
from shared.retrieval.explanation import Explained
from shared.retrieval.explanation import explain as explain_search
from shared.retrieval.options import RetrievalOptions


def search(app: App, question: Question, *, k: int) -> Retrieved:
    """The best `k` passages, without a writer's limits on length."""
    return _retrieve(app, question, app.retriever.options.for_search(k))


def passages_wanted(app: App, question: Question) -> int:
    """How many passages the writer is to get for this question."""
    return question.top_k or app.settings.retrieval_rerank_to


def passages_for(app: App, question: Question, scope: FolderScope | None) -> tuple[Retrieved | None, Usage]:
    """What the writer is to get, and what finding it has cost; None: the question wants no notes.

    With a `scope` from the named and the best ranked folders, as many as the question wants. Raises NotFound naming a
    vault or folder.
    """
    if not question.use_notes:
        return None, Usage()
    retriever = app.retriever
    if scope is None:
        return _retrieve(app, question, retriever.options), Usage()
    options = replace(retriever.options, max_chunks=passages_wanted(app, question))
    found = retrieve_from_folders(question, scope, retriever, options, app.ranker)
    return found.retrieved, found.usage


def explain(app: App, question: Question, note_ids: Sequence[str], *, k: int) -> Explained:
    """How `search` sees these notes; without any, those it finds. Raises NotFound naming a note."""
    explanation = explain_search(question, note_ids, app.retriever, app.retriever.options.for_search(k))
    ids = [note.note_id for note in explanation.notes]
    return Explained(
        explanation, {note_id: app.indexer.note_state(NoteKey(question.tenant_id, note_id)) for note_id in ids}
    )


def _retrieve(app: App, question: Question, options: RetrievalOptions) -> Retrieved:
    if app.results is None:
        return app.retriever.retrieve(question, options=options).retrieved
    kept = SearchResults(app.store, app.results)
    return kept.of(question, options, lambda: app.retriever.retrieve(question, options=options).retrieved)
