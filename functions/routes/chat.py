"""POST /chat: an answer from the caller's notes, with citations; at once, or as it comes about."""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field

from functions.http.bodies import NotBlank, parse
from functions.http.calls import Call, Reply, operation
from functions.http.pump import reply_to
from functions.http.questions import REQUEST_ID, RequestId, TurnBody, question_of, request_key
from functions.http.sse import EVENT_STREAM
from shared.api.answers import AnswerJson
from shared.asking.turn import TurnRequest
from shared.errors import InvalidArgument
from shared.model.templates import AUTO
from shared.templates.files import NONE, is_template_id

TEMPLATE = "auto, none, or the id of a template"


class ChatBody(TurnBody):
    """The request of /chat."""

    message: NotBlank = Field(description="the question, as text")
    request_id: RequestId | None = Field(default=None, description=REQUEST_ID)
    template: str | None = Field(default=None, description=TEMPLATE)
    stream: bool = Field(default=False, description="true or false")


@operation(body=ChatBody, reply=AnswerJson, errors=(404, 409), media_types=(EVENT_STREAM,), callable=True)
def ask(call: Call) -> Reply:
    """An answer from the notes, every claim with its citation."""
    body = parse(call.body, ChatBody)
    return reply_to(call, turn_request(call, body), streams=body.stream if call.streams is None else call.streams)


def turn_request(call: Call, body: ChatBody) -> TurnRequest:
    """Raises what is wrong with the request."""
    question = replace(
        question_of(call, body.message, "message", body), template=_template(body.template), quotes=body.quotes
    )
    return TurnRequest(
        person=call.person,
        question=question,
        request_id=body.request_id or call.request_id,
        repeat=request_key(call, body, body.request_id),
        session_id=body.session_id,
        patch=body.patch(),
    )


def _template(named: str | None) -> str | None:
    """The value of `Question.template`. Raises InvalidArgument."""
    if named in (None, NONE):
        return None
    if named != AUTO and not is_template_id(named):
        raise InvalidArgument("template", TEMPLATE)
    return named
