"""POST /search:explain: ranks and scores of any notes."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from functions.http.bodies import Folders, Names, checked_body, with_example
from functions.http.calls import Call, Reply, operation
from functions.http.questions import FOLDERS, MAX_NAMES, NAMES, question_of
from functions.routes.notes import check_note_id
from functions.routes.search import SearchBody
from shared.api.explain import ExplainJson, explain_json
from shared.asking.explanations import explain as explain_search
from shared.folders.scope import FolderScope
from shared.model.account import Spending

MAX_EXPLAINED = 20

NOTE_IDS = f"a list of at most {MAX_EXPLAINED} note ids"


class ExplainBody(SearchBody):
    """The request of /search:explain. `noteIds` empty: the notes that are found. With `vaults` or `folders` folders are
    weighed as by /ask without a model: those named, then those that match best.
    """

    model_config = with_example(
        query="backups",
        noteIds=["boat"],
        threshold=0.5,
    )

    threshold: float = Field(default=0.0, ge=0, le=1, description="a number from 0 to 1")
    note_ids: Annotated[Names, Field(max_length=MAX_EXPLAINED)] = Field(
        default=(),
        description=NOTE_IDS,
    )
    vaults: Annotated[Names, Field(max_length=MAX_NAMES)] = Field(default=(), description=NAMES)
    folders: Annotated[Folders, Field(max_length=MAX_NAMES)] = Field(
        default=(),
        description=FOLDERS,
    )


@operation(body=ExplainBody, reply=ExplainJson, errors=(404,))
def explain(call: Call) -> Reply:
    """Explain how a search ranked and scored any notes, and why one is missing."""
    body = checked_body(call, ExplainBody)
    question = question_of(call, body.query, "query", body)
    question = replace(question, threshold=body.threshold)
    for position, note_id in enumerate(body.note_ids):
        check_note_id(note_id, f"noteIds[{position}]")

    scope = None
    names_folders = body.vaults or body.folders
    if names_folders:
        scope = FolderScope(body.vaults, body.folders)

    app = call.app
    with app.budgets.asking(call.tenant_id, Spending.SEARCHES):
        explained = explain_search(
            app,
            question,
            body.note_ids,
            k=body.k,
            scope=scope,
        )

    reply = explain_json(question, explained, k=body.k, request_id=call.request_id)
    return Reply(reply)
