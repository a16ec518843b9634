"""POST /ask: an answer from the vaults and folders in which to look for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from functions.http.bodies import Folders, Names, NotBlank, checked_body, with_example
from functions.http.calls import Call, Reply, operation
from functions.http.questions import FOLDERS, MAX_NAMES, NAMES, question_of
from functions.http.turns import TurnBody, reply_to, turn_of
from shared.api.answers import AskJson
from shared.asking.turn import TurnRequest
from shared.folders.scope import FolderScope
from shared.model.questions import WhenNotInNotes

MIN_SIMILARITY = 0.55
"""Passages less similar to the question are left out, whatever their folder's weight."""


class AskBody(TurnBody):
    """The request of /ask. `folders` come first in the search; `filters` restrict it."""

    model_config = with_example(
        question="Which database did we choose?",
        folders=["projects"],
        k=5,
    )

    question: NotBlank = Field(description="the question, as text")
    vaults: Annotated[Names, Field(max_length=MAX_NAMES)] = Field(default=(), description=NAMES)
    folders: Annotated[Folders, Field(max_length=MAX_NAMES)] = Field(
        default=(),
        description=FOLDERS,
    )
    k: int = Field(default=5, ge=1, le=20, description="a whole number from 1 to 20")
    when_not_in_notes: Literal["refuse", "general"] = Field(
        default="refuse",
        description="refuse or general",
    )


@operation(body=AskBody, reply=AskJson, errors=(404, 409))
def ask(call: Call) -> Reply:
    """An answer from the named folders first, then from those that rank best."""
    body = checked_body(call, AskBody)
    request = folder_request(call, body)
    return reply_to(call, request)


def folder_request(call: Call, body: AskBody) -> TurnRequest:
    """Returns the turn that a body asks for. Raises what is wrong with the request."""
    question = question_of(call, body.question, "question", body)
    question = replace(
        question,
        top_k=body.k,
        threshold=MIN_SIMILARITY,
        when_not_in_notes=WhenNotInNotes(body.when_not_in_notes),
    )
    scope = FolderScope(body.vaults, body.folders)
    return turn_of(call, body, question, scope=scope)
