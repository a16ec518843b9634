"""/sessions and /sessions/{id}: conversations, their settings and messages. Questions are asked by POST /chat."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import Annotated, Literal

from pydantic import Field

from functions.http.bodies import (
    Body,
    Instant,
    PageQuery,
    RequestId,
    SavingBody,
    TenantBody,
    checked,
    checked_body,
    parse_query,
    with_example,
)
from functions.http.calls import Call, Reply, operation
from functions.http.turns import SettingsBody
from shared.api.answers import AnswerMetaJson, CitationJson, ClaimJson
from shared.api.sessions import (
    MessagesJson,
    SessionJson,
    SessionsJson,
    messages_json,
    session_json,
    settings_json,
)
from shared.errors import InvalidArgument
from shared.model.sessions import Message, Role, Session, SessionSettings, StoredCitation
from shared.sessions.limits import MAX_TITLE, TITLE
from shared.sessions.service import MAX_IMPORTED
from shared.times.dates import INSTANT, parse_instant

MAX_MESSAGE = 200_000
SessionId = Annotated[
    str,
    Field(pattern="^[0-9A-Za-z]{1,64}$", description="1-64 letters and digits"),
]


class SessionBody(TenantBody):
    """The request of POST /sessions and PATCH /sessions/{id}."""

    model_config = with_example(
        title="API",
        settings={"topK": 8, "whenNotInNotes": "general"},
    )

    title: str | None = Field(
        default=None,
        description=TITLE,
        json_schema_extra={"maxLength": MAX_TITLE},
    )
    settings: SettingsBody = Field(default=SettingsBody(), description="an object of settings")


class SessionRow(Body):
    """A conversation in the form of an export."""

    session_id: SessionId
    title: str = Field(max_length=MAX_TITLE, description=TITLE)
    created_at: Instant = Field(description=INSTANT)
    updated_at: Instant = Field(description=INSTANT)
    message_count: int = Field(default=0, description="read-only; ignored on write")
    settings: SettingsBody = Field(default=SettingsBody(), description="an object of settings")


class MessageRow(Body):
    """A message in the form of an export."""

    message_id: SessionId
    request_id: RequestId | None = Field(default=None, description="the requestId of its turn")
    role: Literal["user", "assistant"] = Field(description="user or assistant")
    text: str = Field(
        max_length=MAX_MESSAGE,
        description=f"text of at most {MAX_MESSAGE} characters",
    )
    created_at: Instant = Field(description=INSTANT)
    citations: list[CitationJson] = Field(default=[], description="citations as they were answered")
    claims: list[ClaimJson] = Field(default=[], description="claims as they were answered")
    meta: AnswerMetaJson | None = Field(
        default=None,
        description="the meta of an answer, null for a question",
    )


class SessionImportBody(SavingBody):
    """The request of POST /sessions:import: a conversation of an export, and some of its messages."""

    model_config = with_example(
        session={
            "sessionId": "4bT1",
            "title": "API",
            "createdAt": "2026-01-15T10:30:00Z",
            "updatedAt": "2026-01-15T10:31:00Z",
        },
        messages=[
            {
                "messageId": "4bT2",
                "role": "user",
                "text": "Where does the API run?",
                "createdAt": "2026-01-15T10:30:00Z",
            },
        ],
    )

    session: SessionRow = Field(description="a session in the form of an export")
    messages: Annotated[list[MessageRow], Field(max_length=MAX_IMPORTED)] = Field(
        default=[],
        description=f"at most {MAX_IMPORTED} messages that follow each other, the oldest first",
    )


class SessionsQuery(PageQuery):
    """The parameters of GET /sessions."""

    query: str = Field(default="", description="words of the title")
    text: bool = Field(default=False, description="true or false")


@operation(body=SessionBody, reply=SessionJson)
def create(call: Call) -> Reply:
    """A session without messages."""
    body = checked_body(call, SessionBody, optional=True)
    session = call.sessions.create(
        title=body.title or "",
        patch=body.settings.patch(),
    )
    return Reply(session_json(session))


@operation(body=SessionImportBody, reply=SessionJson, errors=(409,))
def import_session(call: Call) -> Reply:
    """Import a conversation of an export, in one request or in several from its first message on. What is missing is
    added under its own ids, what exists stays unchanged. The reply is the session as it is now.
    """
    body = checked_body(call, SessionImportBody)
    longest_question = call.app.settings.chat_max_query_length
    messages = []
    for position, message_row in enumerate(body.messages):
        path = f"messages[{position}]"
        message = _message(message_row, path, longest_question)
        messages.append(message)
    messages.sort(key=attrgetter("created_at", "message_id"))

    row = body.session
    patch = row.settings.patch()
    settings = replace(SessionSettings(), **patch)  # type: ignore[arg-type]
    session = Session(
        session_id=row.session_id,
        created_at=checked("session.createdAt", parse_instant, row.created_at),
        updated_at=checked("session.updatedAt", parse_instant, row.updated_at),
        title=row.title,
        settings=settings,
    )

    app = call.app_unless_erased(body.erasure)
    sessions = app.sessions(call.caller.person)
    imported = sessions.import_session(session, messages)
    return Reply(session_json(imported))


def _message(row: MessageRow, path: str, longest_question: int) -> Message:
    """Returns the message of a row at `path` of the body. Raises InvalidArgument."""
    is_question = row.role == "user"
    if is_question and len(row.text) > longest_question:
        expected = f"a question of at most {longest_question} characters"
        raise InvalidArgument(f"{path}.text", expected)

    citations = []
    for citation in row.citations:
        note_id = citation["noteId"]
        citations.append(StoredCitation(note_id, "", citation))

    return Message(
        message_id=row.message_id,
        role=Role(row.role),
        text=row.text,
        created_at=checked(f"{path}.createdAt", parse_instant, row.created_at),
        request_id=row.request_id or "",
        citations=tuple(citations),
        claims=tuple(row.claims),
        meta=row.meta,
    )


@operation(query=SessionsQuery, reply=SessionsJson)
def list_all(call: Call) -> Reply:
    """Lists sessions, last changed first; with `query` those whose title holds its words, with `text` also those whose
    newest messages do. A page of a search may be shorter than `pageSize`. Beside it: the settings of a new session, and
    the models that one may choose.
    """
    query = parse_query(call.query, SessionsQuery)
    page = call.sessions.page(
        limit=query.page_size,
        token=query.page_token,
        query=query.query.strip(),
        in_text=query.text,
    )
    reply = SessionsJson(
        sessions=[session_json(session) for session in page.items],
        defaults=settings_json(call.sessions.defaults),
        models=sorted(call.sessions.models),
        nextPageToken=page.next_token,
    )
    return Reply(reply)


@operation(reply=SessionJson, errors=(404,))
def get(call: Call, session_id: str) -> Reply:
    """The session with its settings."""
    session = call.sessions.get(session_id)
    return Reply(session_json(session))


@operation(body=SessionBody, reply=SessionJson, errors=(404,))
def patch(call: Call, session_id: str) -> Reply:
    """Change the fields that the body names."""
    body = checked_body(call, SessionBody, optional=True)
    session = call.sessions.change(
        session_id,
        title=body.title,
        patch=body.settings.patch(),
    )
    return Reply(session_json(session))


@operation(errors=(404,))
def delete(call: Call, session_id: str) -> Reply:
    """Delete the session and its messages."""
    call.sessions.delete(session_id)
    return Reply(None, 204)


@operation(query=PageQuery, reply=MessagesJson, errors=(404,))
def messages(call: Call, session_id: str) -> Reply:
    """Lists messages: the newest page first, each page oldest first."""
    query = parse_query(call.query, PageQuery)
    page = call.sessions.messages(
        session_id,
        limit=query.page_size,
        token=query.page_token,
    )
    return Reply(messages_json(page))
