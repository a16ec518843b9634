"""Question -> how its search ranks and scores any notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shared.app import App
from shared.folders.retrieve import retrieve_from_folders
from shared.folders.scope import FolderScope
from shared.indexing.coverage import read_note_state
from shared.model.notes import NoteKey
from shared.model.questions import Question
from shared.model.retrieval import WeightedFolder
from shared.retrieval.explanation import Explanation
from shared.retrieval.explanation import explain as explain_search


def explain(
    app: App,
    question: Question,
    note_ids: Sequence[str],
    *,
    k: int,
    scope: FolderScope | None = None,
) -> Explanation:
    """Explains how `search` ranks these notes; without any, those it finds. Raises NotFound naming
    a note.

    scope: vaults and folders that are weighed as for an answer from them without a model.
    """
    options = app.retriever.options.for_search(k)
    weighted_folders: tuple[WeightedFolder, ...] = ()
    if scope is not None:
        # Without the model that may rank them: an explanation costs no tokens.
        retrieved, _ = retrieve_from_folders(question, scope, app.retriever, options, None)
        weighted_folders = retrieved.weighted_folders
    explanation = explain_search(
        question,
        note_ids,
        app.retriever,
        options,
        weighted_folders=weighted_folders,
    )
    states = {}
    for note in explanation.notes:
        key = NoteKey(question.tenant_id, note.note_id)
        states[note.note_id] = read_note_state(app.indexer, key)
    return replace(explanation, states=states)
