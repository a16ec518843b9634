"""Answers as they come about: the events of a stream, and a stream told again."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict

from shared.api.answers import AnswerJson, AskJson, CitationJson, UsageJson, citation_json
from shared.api.search import QueryJson, ResultJson, query_json, result_json
from shared.api.values import ErrorJson
from shared.model.answers import Answer, AnswerEvent, Cited, Retracted, Searched, Token
from shared.model.questions import Question
from shared.model.retrieval import Retrieved


class StartJson(TypedDict):
    """The first event of a stream; it comes before anything is looked for."""

    requestId: str
    sessionId: str | None


class SourcesJson(TypedDict):
    """The passages that the writer is given; none with a refusal."""

    sources: list[ResultJson]


class TokenJson(TypedDict):
    """The next words of the answer. A marker like `[N1]` is never cut in two."""

    text: str


RetractJson = TypedDict("RetractJson", {"from": int, "reason": str})
"""The answer's text from this UTF-16 offset on is taken back, and why."""


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


SILENCE = StreamEvent("", {})
"""Nothing new; never sent."""


def started_json(request_id: str, session_id: str | None) -> StreamEvent:
    return StreamEvent("start", StartJson(requestId=request_id, sessionId=session_id))


def stream_json(question: Question, event: AnswerEvent) -> tuple[StreamEvent, ...]:
    """What happens while an answer comes about, as clients read it.

    The text of all tokens, less what was retracted (from a UTF-16 offset on), is the result's answer. While
    the writer is silent SILENCE comes, so that whoever listens can leave.
    """
    match event:
        case Searched(retrieved):
            return _found(question, retrieved)
        case Token(text) if text:
            return (StreamEvent("token", TokenJson(text=text)),)
        case Cited(citation):
            return (StreamEvent("citation", citation_json(citation)),)
        case Retracted(_, start, reason):
            taken_back: RetractJson = {"from": start, "reason": reason.value}
            return (StreamEvent("retract", taken_back),)
    return (SILENCE,)


def result_of(events: Generator[StreamEvent]) -> Mapping[str, object]:
    """The result's JSON, for callers who want nothing but it."""
    (result,) = [event.data for event in events if event.name == "result"]
    return result


def ended(result: AnswerJson | AskJson) -> tuple[StreamEvent, ...]:
    """The last events."""
    return StreamEvent("usage", result["meta"]["usage"]), StreamEvent("result", result)


def _found(question: Question, retrieved: Retrieved) -> tuple[StreamEvent, ...]:
    """What was understood, and the passages that the writer gets."""
    offered = () if retrieved.refusal else retrieved.selected
    sources = SourcesJson(sources=[result_json(each) for each in offered])
    return StreamEvent("query", query_json(question, retrieved)), StreamEvent("sources", sources)


def replayed(result: AnswerJson | AskJson) -> Iterator[StreamEvent]:
    """The events of an answer that was given before: all but `sources`, which were not kept; its text in one token."""
    meta = result["meta"]
    yield started_json(meta["requestId"], meta["sessionId"])
    if meta["query"] is not None:
        yield StreamEvent("query", meta["query"])
    yield StreamEvent("token", TokenJson(text=result["answer"]))
    yield from (StreamEvent("citation", citation) for citation in result["citations"])
    yield from ended(result)


def notes_of(answer: Answer) -> Mapping[str, str]:
    """Id -> revision of the notes whose text may stand in it: all that the writer got, those shown with a refusal."""
    found = answer.retrieved
    passages = (*found.selected, *found.nearest) if found else ()
    return {passage.chunk.note_id: passage.chunk.note_revision for passage in passages}
