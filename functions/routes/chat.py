"""POST /chat: an answer from the caller's notes, with citations."""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field

from functions._bodies import NotBlank, parse
from functions._calls import Call, Reply
from functions._operations import operation
from functions._questions import AskingBody, question_of
from functions._sse import attended
from shared.domain import AUTO
from shared.errors import InvalidArgument
from shared.templates.limits import NONE, is_template_id
from shared.wire import answer_json
from shared.wire_stream import stream_json
from shared.wire_types import AnswerJson

NOT_YET = "to be absent: not available yet"
TEMPLATE = "auto, none, or the id of a template"


class ChatBody(AskingBody):
    """The request of /chat."""

    message: NotBlank = Field(description="the question, as text")
    top_k: int | None = Field(default=None, ge=1, le=20, description="a whole number from 1 to 20")
    threshold: float = Field(default=0.0, ge=0, le=1, description="a number from 0 to 1")
    include_citations: bool = Field(default=True, description="true or false")
    use_notes: bool = Field(default=True, description="true or false")
    request_id: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$",
        description="1-128 letters, digits, . _ : or -",
    )
    session_id: str | None = Field(default=None, description="text")
    template: str | None = Field(default=None, description=TEMPLATE)
    stream: bool = Field(default=False, description="true or false")


@operation(body=ChatBody, reply=AnswerJson, errors=(404,))
def ask(call: Call) -> Reply:
    """An answer from the notes, every claim with its citation."""
    body = parse(call.body, ChatBody)
    _refuse_what_is_not_built(body)
    question = replace(
        question_of(call, body.message, "message", body),
        top_k=body.top_k,
        threshold=body.threshold,
        include_citations=body.include_citations,
        use_notes=body.use_notes,
        template=_template(body.template),
    )
    wanted, request_id = call.app.passages_wanted(question), body.request_id or call.request_id
    if body.stream if call.streams is None else call.streams:
        events = attended(call.app.chat_events(question))
        return Reply(None, events=stream_json(question, events, k=wanted, request_id=request_id))
    return Reply(answer_json(question, call.app.chat(question), k=wanted, request_id=request_id))


def _refuse_what_is_not_built(body: ChatBody) -> None:
    """A field that would be ignored is refused by its name."""
    if body.session_id is not None:
        raise InvalidArgument("sessionId", NOT_YET)


def _template(named: str | None) -> str | None:
    """As `Question.template` has it."""
    if named in (None, NONE):
        return None
    if named != AUTO and not is_template_id(named):
        raise InvalidArgument("template", TEMPLATE)
    return named
