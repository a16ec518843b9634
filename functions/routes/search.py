"""POST /search: the passages themselves, best first."""

from __future__ import annotations

from pydantic import Field

from functions._bodies import parse
from functions._calls import Call, Reply
from functions._questions import AskingBody, question_of
from shared.wire import search_json

MOST_RESULTS = 100


class SearchBody(AskingBody):
    """The request of /search."""

    query: str = Field(description="what to look for, as text")
    k: int = Field(default=10, ge=1, le=MOST_RESULTS, description=f"a whole number from 1 to {MOST_RESULTS}")


def search(call: Call) -> Reply:
    body = parse(call.body, SearchBody)
    question = question_of(call, body.query, "query", body)
    retrieved = call.app.search(question, k=body.k)
    return Reply(search_json(question, retrieved, k=body.k, request_id=call.request_id))
