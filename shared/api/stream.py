"""Answers as they come about: the events of a stream, and a stream told again."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import TypedDict

from shared.api.answers import AnswerJson, CitationJson, UsageJson, citation_json
from shared.api.errors import ErrorJson
from shared.api.search import QueryJson, ResultJson, query_json, result_json
from shared.language.offsets import Utf16Offsets
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
    notes: Mapping[str, str] = field(default_factory=dict)
    """Id -> revision of the notes whose text it may hold; never sent."""


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
    """The first event: it comes before anything is looked for."""
    return StreamEvent("start", StartJson(requestId=request_id, sessionId=session_id))


def stream_json(
    question: Question, events: Generator[AnswerEvent], *, result: Callable[[Answer], AnswerJson]
) -> Generator[StreamEvent]:
    """What happens while an answer comes about, as clients read it. `result`: the whole answer's JSON.

    The text of all tokens, less what was retracted (from a UTF-16 offset on), is the result's answer. While
    the writer is silent SILENCE comes, so that whoever listens can leave.
    """
    shown = ""
    with closing(events):
        for event in events:
            match event:
                case Searched(retrieved):
                    yield from _found(question, retrieved)
                case Token(text) if text:
                    shown += text
                    yield StreamEvent("token", TokenJson(text=text))
                case Cited(citation):
                    yield StreamEvent("citation", citation_json(citation))
                case Retracted(start, reason):
                    taken_back: RetractJson = {"from": Utf16Offsets(shown).at(start), "reason": reason.value}
                    yield StreamEvent("retract", taken_back)
                    shown = shown[:start]
                case Answer():
                    yield from _ended(result(event), notes_of(event))
                case _:
                    yield SILENCE


def result_of(events: Generator[StreamEvent]) -> Mapping[str, object]:
    """The result's JSON, for callers who want nothing but it."""
    (result,) = [event.data for event in events if event.name == "result"]
    return result


def _ended(result: AnswerJson | Mapping[str, Any], notes: Mapping[str, str]) -> Generator[StreamEvent]:
    yield StreamEvent("usage", result["meta"]["usage"])
    yield StreamEvent("result", result, notes)


def _found(question: Question, retrieved: Retrieved) -> Generator[StreamEvent]:
    """What was understood, and the passages that the writer gets."""
    yield StreamEvent("query", query_json(question, retrieved))
    offered = () if retrieved.refusal else retrieved.selected
    yield StreamEvent("sources", SourcesJson(sources=[result_json(each) for each in offered]), _read(retrieved))


def replayed(result: Mapping[str, Any]) -> Iterator[StreamEvent]:
    """The events of an answer that was given before: all but `sources`, which were not kept; its text in one token."""
    meta = result["meta"]
    yield started_json(meta["requestId"], meta["sessionId"])
    if meta["query"] is not None:
        yield StreamEvent("query", meta["query"])
    yield StreamEvent("token", TokenJson(text=result["answer"]))
    yield from (StreamEvent("citation", citation) for citation in result["citations"])
    yield from _ended(result, {})


def notes_of(answer: Answer) -> Mapping[str, str]:
    """Id -> revision of the notes whose text may stand in it: all that the writer got, those shown with a refusal."""
    return _read(answer.retrieved) if answer.retrieved else {}


def _read(retrieved: Retrieved) -> Mapping[str, str]:
    passages = (*retrieved.selected, *retrieved.nearest)
    return {passage.chunk.note_id: passage.chunk.note_revision for passage in passages}
