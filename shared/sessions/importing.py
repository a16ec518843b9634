"""A conversation of an export -> the same here, by its ids: what is missing is added, what is there stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from shared.errors import Conflict, NoteUnreadable
from shared.indexing.state import note_revision
from shared.model.account import Person
from shared.model.sessions import Message, Role, Session, Spot, StoredCitation
from shared.ports.stores import Store
from shared.sessions.limits import title_of

MAX_IMPORTED = 20
"""Messages brought at once: what a store adds in one commit."""
_LISTED = 100
_PRECISION = timedelta(milliseconds=1)
"""Precision of the times in an export."""


def import_session(person: Person, session: Session, messages: Sequence[Message], *, store: Store) -> Session:
    """The session as it is here now. `messages`: at most `MAX_IMPORTED` of its messages that follow each other, in the
    order of time; those that bring a session here begin with its first.
    """
    first = next((title_of(each.text) for each in messages if each.role is Role.USER), "")
    unnamed = replace(session, title="") if session.title == first else session
    try:
        store.create_session(person, replace(unnamed, first_question=first, message_count=0))
    except Conflict:  # it is there
        held = store.get_session(person, session.session_id)
    else:
        held = session
    known = _known(person, session.session_id, messages, store) if messages else frozenset()
    missing = [
        replace(each, citations=tuple(_as_answered(person.tenant_id, citation, store) for citation in each.citations))
        for each in messages
        if each.message_id not in known
    ]
    if missing and held:
        store.add_messages(person, session.session_id, missing, first=first)
        last = max(held.updated_at, session.updated_at, missing[-1].created_at)
        store.patch_session(person, session.session_id, {}, updated_at=last)
    return store.get_session(person, session.session_id) or session


def _as_answered(tenant_id: str, citation: StoredCitation, store: Store) -> StoredCitation:
    """With its note's revision, which is empty where the note does not hold the quote any more."""
    try:
        note = store.get_note(tenant_id, citation.note_id)
    except NoteUnreadable:
        note = None
    holds = note is not None and citation.shown["quote"] in note.text
    return replace(citation, note_revision=note_revision(note) if note and holds else "")


def _known(person: Person, session_id: str, messages: Sequence[Message], store: Store) -> frozenset[str]:
    """Ids of the messages that are there from the first of these to the last."""
    found: set[str] = set()
    before = Spot(messages[-1].created_at + _PRECISION, "0")
    while True:
        page = store.list_messages(person, session_id, limit=_LISTED, before=before)
        found.update(each.message_id for each in page)
        if len(page) < _LISTED or page[-1].created_at < messages[0].created_at:
            return frozenset(found)
        before = Spot(page[-1].created_at, page[-1].message_id)
