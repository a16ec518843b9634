"""The events of an answer -> the events clients read, the same for server-sent events, callables and the command."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import closing
from dataclasses import dataclass

from shared.domain import Answer, AnswerEvent, Cited, Question, Retracted, Retrieved, Searched, Token
from shared.text.offsets import Utf16Offsets
from shared.wire import answer_json, citation_json, query_json, result_json


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """`name`: start, query, sources, token, citation, retract, usage, then result or error."""

    name: str
    data: Mapping[str, object]


def stream_json(
    question: Question,
    events: Generator[AnswerEvent | None],
    *,
    k: int,
    request_id: str,
    session_id: str | None = None,
) -> Generator[StreamEvent | None]:
    """What happens while an answer comes about, as clients read it. None: nothing new.

    `start` comes before anything is asked of `events`. The text of all tokens, less what was retracted (from a UTF-16
    offset on), is the result's answer.
    """
    yield StreamEvent("start", {"requestId": request_id, "sessionId": session_id})
    shown = ""
    with closing(events):
        for event in events:
            match event:
                case Searched(retrieved):
                    yield from _found(question, retrieved)
                case Token(text) if text:
                    shown += text
                    yield StreamEvent("token", {"text": text})
                case Cited(citation):
                    yield StreamEvent("citation", citation_json(citation))
                case Retracted(start, reason):
                    yield StreamEvent("retract", {"from": Utf16Offsets(shown).at(start), "reason": reason.value})
                    shown = shown[:start]
                case Answer():
                    result = answer_json(question, event, k=k, request_id=request_id)
                    yield StreamEvent("usage", result["meta"]["usage"])
                    yield StreamEvent("result", result)
                case _:
                    yield None


def _found(question: Question, retrieved: Retrieved) -> Generator[StreamEvent]:
    """What was understood, and the passages that the writer gets."""
    yield StreamEvent("query", query_json(question, retrieved))
    offered = () if retrieved.refusal else retrieved.selected
    yield StreamEvent("sources", {"sources": [result_json(passage) for passage in offered]})
