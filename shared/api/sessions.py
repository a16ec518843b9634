"""Conversations and their messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from typing_extensions import TypedDict

from shared.api.answers import AnswerMetaJson, CitationJson, ClaimJson
from shared.api.values import instant
from shared.model.sessions import SETTINGS, Message, Session, SessionSettings
from shared.ports.pages import Page

if TYPE_CHECKING:
    SessionSettingsJson: TypeAlias = Mapping[str, bool | int | float | str | None]
else:
    SessionSettingsJson = TypedDict(
        "SessionSettingsJson",
        {
            setting.field: setting.kind | None if setting.nullable else setting.kind
            for setting in SETTINGS.values()
        },
    )
    SessionSettingsJson.__doc__ = (
        "How a session's questions are answered. `model` null: the configured one."
    )


class SessionJson(TypedDict):
    """A conversation."""

    sessionId: str
    title: str
    createdAt: str
    updatedAt: str
    messageCount: int
    settings: SessionSettingsJson


class SessionsJson(TypedDict):
    """One page of sessions, last changed first. `nextPageToken` null: the last one.

    `defaults`: settings of a new session. `models`: names that `model` may be, beside null.
    """

    sessions: list[SessionJson]
    defaults: SessionSettingsJson
    models: list[str]
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


def settings_json(settings: SessionSettings) -> SessionSettingsJson:
    fields: dict[str, bool | int | float | str | None] = {}
    for name, setting in SETTINGS.items():
        value = getattr(settings, name)
        if setting.nullable and not value:
            value = None
        fields[setting.field] = value
    return fields


def session_json(session: Session) -> SessionJson:
    """Returns a session as `/sessions/{id}` gives it."""
    return {
        "sessionId": session.session_id,
        "title": session.shown_title,
        "createdAt": instant(session.created_at),
        "updatedAt": instant(session.updated_at),
        "messageCount": session.message_count,
        "settings": settings_json(session.settings),
    }


def message_json(message: Message) -> MessageJson:
    """Returns a message; citations, claims and meta are the objects that were answered."""
    return {
        "messageId": message.message_id,
        "requestId": message.request_id or None,
        "role": message.role.value,
        "text": message.text,
        "createdAt": instant(message.created_at),
        "citations": [cast("CitationJson", citation.shown) for citation in message.citations],
        "claims": [cast("ClaimJson", claim) for claim in message.claims],
        "meta": cast("AnswerMetaJson | None", message.meta),
    }


def messages_json(page: Page[Message]) -> MessagesJson:
    """Returns the body of `/sessions/{id}/messages`."""
    return {
        "messages": [message_json(message) for message in page.items],
        "nextPageToken": page.next_token,
    }
