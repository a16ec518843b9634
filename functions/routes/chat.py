"""POST /chat: an answer from the caller's notes, with citations."""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field

from functions._bodies import NotBlank, parse
from functions._calls import Call, Reply
from functions._operations import operation
from functions._questions import question_of
from functions._turns import TurnBody, begin
from shared.domain import AUTO
from shared.errors import InvalidArgument
from shared.templates.limits import NONE, is_template_id
from shared.wire import answer_json
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
    _refuse_what_is_not_built(body)
    question = replace(question_of(call, body.message, "message", body), template=_template(body.template))
    asked = begin(call.app.sessions, question, body)
    answer = asked.answered(call.app.chat)
    wanted, request_id = call.app.passages_wanted(asked.question), body.request_id or call.request_id
    reply = answer_json(asked.question, answer, k=wanted, request_id=request_id, session_id=asked.session_id)
    asked.keep(reply)
    return Reply(reply)


def _refuse_what_is_not_built(body: ChatBody) -> None:
    """A field that would be ignored is refused by its name."""
    if body.stream:
        raise InvalidArgument("stream", "false: streaming is not available yet")


def _template(named: str | None) -> str | None:
    """As `Question.template` has it."""
    if named in (None, NONE):
        return None
    if named != AUTO and not is_template_id(named):
        raise InvalidArgument("template", TEMPLATE)
    return named
