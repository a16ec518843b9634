"""POST /chat: an answer from the caller's notes, with citations."""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field

from functions._bodies import NotBlank, parse
from functions._calls import Call, Reply
from functions._operations import operation
from functions._questions import question_of
from functions._sse import attended
from functions._turns import Asked, TurnBody, begin
from shared.domain import AUTO
from shared.errors import InvalidArgument
from shared.templates.limits import NONE, is_template_id
from shared.wire import answer_json
from shared.wire_stream import stream_json
from shared.wire_types import AnswerJson

TEMPLATE = "auto, none, or the id of a template"


class ChatBody(TurnBody):
    """The request of /chat."""

    message: NotBlank = Field(description="the question, as text")
    request_id: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$",
        description="1-128 letters, digits, . _ : or -",
    )
    template: str | None = Field(default=None, description=TEMPLATE)
    stream: bool = Field(default=False, description="true or false")


@operation(body=ChatBody, reply=AnswerJson, errors=(404,))
def ask(call: Call) -> Reply:
    """An answer from the notes, every claim with its citation."""
    body = parse(call.body, ChatBody)
    if not (body.stream if call.streams is None else call.streams):
        return Reply(answered(call, body))
    asked = _asked(call, body)
    wanted, request_id = call.app.passages_wanted(asked.question), body.request_id or call.request_id
    happening = attended(asked.events(call.app.chat_events))
    told = stream_json(asked.question, happening, k=wanted, request_id=request_id, session_id=asked.session_id)
    return Reply(None, events=asked.kept(told))


def answered(call: Call, body: ChatBody) -> AnswerJson:
    """The whole answer at once; stored if it belongs to a session."""
    asked = _asked(call, body)
    answer = asked.answer_of(call.app.chat_events)
    wanted, request_id = call.app.passages_wanted(asked.question), body.request_id or call.request_id
    reply = answer_json(asked.question, answer, k=wanted, request_id=request_id, session_id=asked.session_id)
    asked.keep(reply)
    return reply


def _asked(call: Call, body: ChatBody) -> Asked:
    question = replace(question_of(call, body.message, "message", body), template=_template(body.template))
    return begin(call.app.sessions, question, body)


def _template(named: str | None) -> str | None:
    """As `Question.template` has it."""
    if named in (None, NONE):
        return None
    if named != AUTO and not is_template_id(named):
        raise InvalidArgument("template", TEMPLATE)
    return named
