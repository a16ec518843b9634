"""POST /chat: an answer from the caller's notes, with citations, whole or as a stream."""

from __future__ import annotations

from pydantic import Field

from functions.http.bodies import NotBlank, checked_body, with_example
from functions.http.calls import Call, Reply, operation
from functions.http.questions import question_of
from functions.http.streams import EVENT_STREAM
from functions.http.turns import SettingsBody, TurnBody, reply_to, turn_of
from shared.api.answers import AnswerJson
from shared.asking.turn import TurnRequest


class ChatBody(TurnBody, SettingsBody):
    """The request of /chat."""

    model_config = with_example(
        message="What did we decide last week about the API?",
        sessionId="new",
        timeZone="Europe/Berlin",
        requestId="3f0e9c1a",
    )

    message: NotBlank = Field(description="the question, as text")
    session_id: str | None = Field(
        default=None,
        description='the id of a session, or "new" to begin one',
    )
    stream: bool = Field(default=False, description="true or false")


@operation(body=ChatBody, reply=AnswerJson, errors=(404, 409), media_types=(EVENT_STREAM,))
def ask(call: Call) -> Reply:
    """An answer from the notes, every claim with its citation."""
    body = checked_body(call, ChatBody)
    streams = call.streams
    if streams is None:
        streams = body.stream
    request = turn_request(call, body)
    return reply_to(call, request, streams=streams)


def turn_request(call: Call, body: ChatBody) -> TurnRequest:
    """Returns the turn that a body asks for. Raises what is wrong with the request."""
    question = question_of(call, body.message, "message", body)
    return turn_of(
        call,
        body,
        question,
        session_id=body.session_id,
        patch=body.patch(),
    )
