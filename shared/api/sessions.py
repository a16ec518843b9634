"""Conversations and their messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal, TypeAlias

from typing_extensions import TypedDict

from shared.api.answers import AnswerMetaJson, CitationJson, ClaimJson
from shared.api.values import shown
from shared.model.sessions import SETTINGS, Message, Session
from shared.ports.pages import Page

if TYPE_CHECKING:
    SessionSettingsJson: TypeAlias = Mapping[str, bool | int | float | str | None]
else:
    SessionSettingsJson = TypedDict(
        "SessionSettingsJson",
        {each.field: each.kind | None if each.nullable else each.kind for each in SETTINGS.values()},
    )
    SessionSettingsJson.__doc__ = "How a session's questions are answered. `model` null: the configured one."


class SessionJson(TypedDict):
    """A conversation."""

    sessionId: str
    title: str
    createdAt: str
    updatedAt: str
    messageCount: int
    settings: SessionSettingsJson


class SessionsJson(TypedDict):
    """One page of sessions, last changed first. `nextPageToken` null: the last one."""

    sessions: list[SessionJson]
    nextPageToken: str | None


class MessageJson(TypedDict):
    """One message. `citations`, `claims` and `meta` are those of the answer; `meta` null: it is a question. No `claims`
    where a cited note was deleted.

    A question and its answer have one `requestId`, for turns of two clients may mingle; null: an older message.
    """

    messageId: str
    requestId: str | None
    role: Literal["user", "assistant"]
    text: str
    createdAt: str
    citations: list[CitationJson]
    claims: list[ClaimJson]
    meta: AnswerMetaJson | None


class MessagesJson(TypedDict):
    """One page of messages in the order of time; the first page holds the newest."""

    messages: list[MessageJson]
    nextPageToken: str | None


def session_json(session: Session) -> SessionJson:
    """A session as `/sessions/{id}` gives it."""
    values = asdict(session.settings)
    settings = {each.field: values[name] or None if each.nullable else values[name] for name, each in SETTINGS.items()}
    return shown(SessionJson, session, title=session.shown_title, settings=settings)


def message_json(message: Message) -> MessageJson:
    """A message; citations and meta are the objects that were answered."""
    answered = {"citations": [each.shown for each in message.citations], "claims": list(message.claims)}
    return shown(MessageJson, message, requestId=message.request_id or None, meta=message.meta, **answered)


def messages_json(page: Page[Message]) -> MessagesJson:
    """The body of `/sessions/{id}/messages`."""
    return {"messages": [message_json(each) for each in page.items], "nextPageToken": page.next_token}
