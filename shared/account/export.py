"""Everything a person or a tenant owns, item by item, with one page in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from shared.errors import NotFound
from shared.model.account import DayUsage, Feedback, Person
from shared.model.notes import Note, TrashedNote, UnreadableNote
from shared.model.sessions import Message, Session
from shared.model.templates import Template
from shared.ports.pages import Page, every
from shared.ports.stores import Store

NOTES_AT_ONCE = 20
"""Of at most 900,000 bytes each."""
ROWS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """A message and the session it belongs to."""

    session_id: str
    message: Message


Exported: TypeAlias = Note | UnreadableNote | TrashedNote | Template | Session | SessionMessage | Feedback | DayUsage


class SessionPages(Protocol):
    """A person's sessions and their messages, as they may read them now."""

    @property
    def person(self) -> Person: ...

    def page(self, *, limit: int, token: str | None = None) -> Page[Session]: ...

    def messages(self, session_id: str, *, limit: int, token: str | None = None) -> Page[Message]: ...


def export_person(store: Store, sessions: SessionPages) -> Iterator[Exported]:
    """A person's sessions, each with its messages, and their feedback. What changes meanwhile may be given as it was or
    as it is; what is quoted of deleted notes in sessions stays out, as wherever sessions are read.
    """
    for session in every(lambda token: sessions.page(limit=ROWS_AT_ONCE, token=token)):
        yield session
        yield from _messages(session.session_id, sessions)
    yield from every(lambda token: store.list_feedback(sessions.person, limit=ROWS_AT_ONCE, token=token))


def export_tenant(tenant_id: str, store: Store) -> Iterator[Exported]:
    """A tenant's notes, trash, templates and usage."""
    yield from all_notes(tenant_id, store)
    for listed in every(lambda token: store.list_trashed(tenant_id, limit=ROWS_AT_ONCE, token=token)):
        trashed = store.get_trashed(tenant_id, listed.trash_id)
        if trashed is not None:
            yield trashed
    yield from (stored.template for stored in store.templates(tenant_id))
    yield from every(lambda token: store.list_usage(tenant_id, limit=ROWS_AT_ONCE, token=token))


def all_notes(tenant_id: str, store: Store) -> Iterator[Note | UnreadableNote]:
    """By id, with their texts; what cannot be read as it is kept."""
    return every(lambda token: store.whole_notes(tenant_id, limit=NOTES_AT_ONCE, token=token))


def _messages(session_id: str, sessions: SessionPages) -> Iterator[SessionMessage]:
    """Page by page from the newest, each page in the order of time. None more of a session deleted meanwhile."""
    with suppress(NotFound):
        for message in every(lambda token: sessions.messages(session_id, limit=ROWS_AT_ONCE, token=token)):
            yield SessionMessage(session_id, message)
