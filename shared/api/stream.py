"""Answers as they come about: the events of a stream, and the replay of a stored answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict

from shared.api.answers import AnswerJson, AskJson, CitationJson, ClaimJson, UsageJson, citation_json, claim_json
from shared.api.search import QueryJson, ResultJson, query_json, result_json
from shared.api.values import ErrorJson
from shared.model.answers import Answer, AnswerEvent, CheckedPiece, Retracted, Searched
from shared.model.questions import Question


class StartJson(TypedDict):
    """The first event of a stream; it comes before anything is looked for."""

    requestId: str
    sessionId: str | None


class SourcesJson(TypedDict):
    """The passages that the writer is given; none with a refusal."""

    sources: list[ResultJson]


class TokenJson(TypedDict):
    """The next whole piece of the answer, checked: a sentence, a list item, a table row, a block of code, with its
    markers. `claim` null: it states nothing. The sources that it cites first have come before, as `citation` events.
    """

    text: str
    claim: ClaimJson | None


RetractJson = TypedDict("RetractJson", {"from": int, "reason": str})
"""All of the answer's text is taken back (`from` is 0), and why."""


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """`name`: start, query, sources, token, citation, retract, usage, then result or error."""

    name: str
    data: Mapping[str, object]


EVENTS: Mapping[str, Any] = {
    "start": StartJson,
    "query": QueryJson,
    "sources": SourcesJson,
    "token": TokenJson,
    "citation": CitationJson,
    "retract": RetractJson,
    "usage": UsageJson,
    "result": AnswerJson,
    "error": ErrorJson,
}
"""Name -> what its data is."""


def stream_json(question: Question, event: AnswerEvent) -> tuple[StreamEvent, ...]:
    """What happens while an answer comes about, as clients read it, but for the answer itself: the text of all tokens
    behind the last `retract`.
    """
    match event:
        case Searched(retrieved):
            offered = () if retrieved.refusal else retrieved.selected
            sources = SourcesJson(sources=[result_json(each) for each in offered])
            return StreamEvent("query", query_json(question, retrieved)), StreamEvent("sources", sources)
        case CheckedPiece(text, claim, cited):
            token = TokenJson(text=text, claim=claim_json(claim) if claim else None)
            return *[StreamEvent("citation", citation_json(each)) for each in cited], StreamEvent("token", token)
        case Retracted(reason):
            taken_back: RetractJson = {"from": 0, "reason": reason.value}
            return (StreamEvent("retract", taken_back),)
        case Answer():
            return ()


def replayed(result: AnswerJson | AskJson) -> Iterator[StreamEvent]:
    """Events of an answer given before: without `sources`, which are not kept; its text in one token, without claim."""
    meta = result["meta"]
    yield StreamEvent("start", StartJson(requestId=meta["requestId"], sessionId=meta["sessionId"]))
    if meta["query"] is not None:
        yield StreamEvent("query", meta["query"])
    yield from (StreamEvent("citation", citation) for citation in result["citations"])
    yield StreamEvent("token", TokenJson(text=result["answer"], claim=None))
    yield StreamEvent("usage", meta["usage"])
    yield StreamEvent("result", result)
