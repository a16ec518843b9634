"""Sessions and their messages -> the JSON objects clients read."""

from __future__ import annotations

from typing import cast

from shared.model.sessions import Message, Session
from shared.ports.stores import Page
from shared.wire import instant
from shared.wire_types import AnswerMetaJson, CitationJson, MessageJson, MessagesJson, SessionJson, SessionsJson


def session_json(session: Session) -> SessionJson:
    """A session as `/sessions/{id}` gives it."""
    settings = session.settings
    return {
        "sessionId": session.session_id,
        "title": session.shown_title,
        "createdAt": instant(session.created_at),
        "updatedAt": instant(session.updated_at),
        "messageCount": session.message_count,
        "settings": {
            "useNotes": settings.use_notes,
            "topK": settings.top_k,
            "threshold": settings.threshold,
            "includeCitations": settings.include_citations,
            "systemPrompt": settings.system_prompt,
            "model": settings.model or None,
            "maxContextTokens": settings.max_context_tokens,
            "maxHistory": settings.max_history,
        },
    }


def message_json(message: Message) -> MessageJson:
    """A message; citations and meta are the objects that were answered."""
    return {
        "messageId": message.message_id,
        "requestId": message.request_id or None,
        "role": message.role.value,
        "text": message.text,
        "createdAt": instant(message.created_at),
        "citations": [cast("CitationJson", each.shown) for each in message.citations],
        "meta": cast("AnswerMetaJson | None", message.meta),
    }


def sessions_json(page: Page[Session]) -> SessionsJson:
    """The body of `/sessions`."""
    return {"sessions": [session_json(each) for each in page.items], "nextPageToken": page.next_token}


def messages_json(page: Page[Message]) -> MessagesJson:
    """The body of `/sessions/{id}/messages`."""
    return {"messages": [message_json(each) for each in page.items], "nextPageToken": page.next_token}
