"""Answers as they come about: the events of a stream, and the replay of a stored answer."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict

from shared.api.answers import (
    AnswerJson,
    CitationJson,
    ClaimJson,
    UsageJson,
    citation_json,
    claim_json,
    reply_json,
)
from shared.api.search import QueryJson, ResultJson, query_json, result_json
from shared.api.values import ErrorJson
from shared.model.answers import (
    CheckedPiece,
    Retracted,
    Searched,
    StoredAnswer,
    TurnEnded,
    TurnEvent,
    TurnStarted,
)
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


def turn_json(question: Question, events: Generator[TurnEvent]) -> Generator[StreamEvent]:
    """Yields the events of a turn as clients read them. Closing it closes `events`."""
    with closing(events):
        for event in events:
            yield from stream_json(question, event)


def stream_json(question: Question, event: TurnEvent) -> Iterator[StreamEvent]:
    """Yields one event of a turn as clients read it. The text of the answer is that of all tokens after the last
    `retract`.
    """
    match event:
        case TurnStarted(request_id, session_id):
            yield StreamEvent("start", StartJson(requestId=request_id, sessionId=session_id))
        case Searched(retrieved):
            yield StreamEvent("query", query_json(question, retrieved))
            sources = []
            if retrieved.refusal is None:
                sources = [result_json(passage) for passage in retrieved.selected]
            yield StreamEvent("sources", SourcesJson(sources=sources))
        case CheckedPiece(text, claim, cited):
            for citation in cited:
                yield StreamEvent("citation", citation_json(citation))
            token = TokenJson(text=text, claim=None)
            if claim is not None:
                token["claim"] = claim_json(claim)
            yield StreamEvent("token", token)
        case Retracted(reason):
            retract: RetractJson = {"from": 0, "reason": reason.value}
            yield StreamEvent("retract", retract)
        case TurnEnded(answer, is_repeat):
            if is_repeat:
                yield from _replay(answer)
            yield StreamEvent("usage", answer.meta["usage"])
            yield StreamEvent("result", reply_json(answer))


def _replay(answer: StoredAnswer) -> Iterator[StreamEvent]:
    """Yields the events before the end of an answer that was given before: its text in one token, without claim; no
    `sources`, which are not kept.
    """
    meta = answer.meta
    yield StreamEvent("start", StartJson(requestId=meta["requestId"], sessionId=meta["sessionId"]))
    if meta["query"] is not None:
        yield StreamEvent("query", meta["query"])
    for citation in answer.citations:
        yield StreamEvent("citation", citation.shown)
    yield StreamEvent("token", TokenJson(text=answer.text, claim=None))
