"""POST /search: the passages themselves, best first."""

from __future__ import annotations

from pydantic import Field

from functions.http.bodies import NotBlank, checked_body, with_example
from functions.http.calls import Call, Reply, operation
from functions.http.questions import AskingBody, question_of
from shared.api.search import SearchJson, search_json
from shared.asking import passages
from shared.model.account import Spending

MAX_RESULTS = 100


class SearchBody(AskingBody):
    """The request of /search."""

    model_config = with_example(
        query="backups",
        k=10,
        filters={"tags": ["api"], "createdAfter": "2026-01-01"},
    )

    query: NotBlank = Field(description="what to look for, as text")
    k: int = Field(
        default=10,
        ge=1,
        le=MAX_RESULTS,
        description=f"a whole number from 1 to {MAX_RESULTS}",
    )


@operation(body=SearchBody, reply=SearchJson, errors=(404,))
def search(call: Call) -> Reply:
    """The passages themselves, best first."""
    body = checked_body(call, SearchBody)
    question = question_of(call, body.query, "query", body)
    app = call.app

    with app.budgets.asking(call.tenant_id, Spending.SEARCHES):
        retrieved = passages.search(app, question, k=body.k)

    passages.measure_search(app, retrieved)
    reply = search_json(
        question,
        retrieved,
        k=body.k,
        request_id=call.request_id,
    )
    return Reply(reply)
