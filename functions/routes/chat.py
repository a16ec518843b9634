"""POST /chat: an answer from the caller's notes, with citations; at once, or as it comes about."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import Field

from functions.http.bodies import NotBlank, parse
from functions.http.calls import Call, Reply
from functions.http.measures import measured
from functions.http.once import REQUEST_ID, RequestId, streamed_once
from functions.http.operations import operation
from functions.http.questions import question_of
from functions.http.sse import attended, begun
from functions.http.turns import TurnBody
from shared.api.answers import AnswerJson, answer_json
from shared.api.stream import StreamEvent, result_of, started_json, stream_json
from shared.app import App
from shared.errors import InvalidArgument
from shared.model.answers import Answer
from shared.model.questions import Question
from shared.model.templates import AUTO
from shared.sessions.service import Turn
from shared.templates.limits import NONE, is_template_id

TEMPLATE = "auto, none, or the id of a template"


class ChatBody(TurnBody):
    """The request of /chat."""

    message: NotBlank = Field(description="the question, as text")
    request_id: RequestId | None = Field(default=None, description=REQUEST_ID)
    template: str | None = Field(default=None, description=TEMPLATE)
    stream: bool = Field(default=False, description="true or false")


@operation(body=ChatBody, reply=AnswerJson, errors=(404, 409), media_types=("text/event-stream",), callable=True)
def ask(call: Call) -> Reply:
    """An answer from the notes, every claim with its citation."""
    body = parse(call.body, ChatBody)
    events = _events(call, body)
    if body.stream if call.streams is None else call.streams:
        return Reply(None, events=attended(events))
    return Reply(result_of(events))


def answered(call: Call, body: ChatBody) -> Mapping[str, Any]:
    """The JSON of the whole answer, for who asks by another route."""
    return result_of(_events(call, body))


def _events(call: Call, body: ChatBody) -> Generator[StreamEvent]:
    """Raises what is wrong with the request."""
    question = replace(question_of(call, body.message, "message", body), template=_template(body.template))
    return begun(streamed_once(call, body, body.request_id, _answered(call, body, question)))


def _answered(call: Call, body: ChatBody, question: Question) -> Generator[StreamEvent]:
    """The turn from its start to its result."""
    app, request_id = call.app, body.request_id or call.request_id
    with app.sessions.turn(question, body.session_id, body.patch()) as begun_turn:
        yield started_json(request_id, begun_turn.session_id)
        with app.budgets.answering(call.tenant_id):
            turn = app.sessions.whole(begun_turn)
            events = measured(app.chat_events(turn.question))
            yield from stream_json(turn.question, events, result=partial(_result, app, turn, request_id))


def _result(app: App, turn: Turn, request_id: str, answered: Answer) -> AnswerJson:
    """The turn's reply, kept in its session."""
    answer = app.sessions.counted(turn, answered)
    wanted = app.passages_wanted(turn.question)
    reply = answer_json(turn.question, answer, k=wanted, request_id=request_id, session_id=turn.session_id)
    app.sessions.record(turn, answer, reply)
    return reply


def _template(named: str | None) -> str | None:
    """As `Question.template` has it."""
    if named in (None, NONE):
        return None
    if named != AUTO and not is_template_id(named):
        raise InvalidArgument("template", TEMPLATE)
    return named
