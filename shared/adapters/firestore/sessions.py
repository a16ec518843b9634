"""The sessions: `sessions/{session}` in a person's space, and below each `messages/{message}`. The server's alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from shared.adapters.firestore.connection import Connection, last
from shared.adapters.firestore.documents import CODEC
from shared.adapters.firestore.protocol import KEY, Order, Query, Reference, change, delete, fill, put, values_of
from shared.model.account import Person
from shared.model.sessions import SETTINGS, Message, Session, SettingsPatch, Spot

BATCH = 400
"""Messages removed by one request."""
MAX_LEFT = 20
"""Sessions of broken-off deletions that one deletion finishes."""
LEFT = "deletedSessions"
"""Ids of sessions whose messages are still to be removed."""


class Sessions:
    """`shared.ports.tenants.SessionStore` on Firestore."""

    _connection: Connection

    def create_session(self, person: Person, session: Session) -> None:
        write = put(self._session(person, session.session_id), CODEC.dump(session, "session_id"))
        write.current_document.exists = False
        self._connection.commit([write])

    def get_session(self, person: Person, session_id: str) -> Session | None:
        found = self._connection.read(self._session(person, session_id))
        return None if found is None else _session_of(found)

    def patch_session(
        self, person: Person, session_id: str, patch: SettingsPatch, *, updated_at: datetime, title: str | None = None
    ) -> bool:
        fields = {"updatedAt": updated_at} if title is None else {"updatedAt": updated_at, "title": title}
        write = change(self._session(person, session_id), fields)
        for name, value in patch.items():
            field = SETTINGS[name].field
            fill(write.update.fields["settings"].map_value.fields[field], value)
            write.update_mask.field_paths.append(f"settings.{field}")
        return self._connection.try_commit([write])

    def list_sessions(self, person: Person, *, limit: int, before: Spot | None = None) -> tuple[Session, ...]:
        name = None if before is None else self._session(person, before.item_id)
        query = _newest("sessions", "updatedAt", limit, before, name)
        documents = self._connection.query(self._connection.person(person), query)
        return tuple(map(_session_of, documents))

    def delete_session(self, person: Person, session_id: str) -> bool:
        """The session's document moves to LEFT in one commit, then the messages of all that LEFT names go."""
        gone = delete(self._session(person, session_id), existing=True)
        existed = self._connection.try_commit([gone, put(self._connection.own(person, LEFT, session_id), {})])
        query = Query(collection=LEFT, order=(Order(KEY),), limit=MAX_LEFT, fields=())
        parent = self._connection.person(person)
        left = [last(each.name) for each in self._connection.query(parent, query)]
        for left_id in left:
            name, some = self._session(person, left_id), replace(query, collection="messages", limit=BATCH)
            while found := self._connection.query(name, some):
                self._connection.write_each([delete(each.name) for each in found])
            self._connection.commit([delete(self._connection.own(person, LEFT, left_id))])
        return existed

    def add_messages(self, person: Person, session_id: str, messages: Sequence[Message], *, first: str) -> bool:
        session = self._session(person, session_id)
        writes = [put(f"{session}/messages/{each.message_id}", CODEC.dump(each, "message_id")) for each in messages]
        for write in writes:
            write.current_document.exists = False
        named = self._connection.read(session, ("firstQuestion",))
        if named is None:
            return False
        if not named.fields["firstQuestion"].string_value:
            writes.append(change(session, {"firstQuestion": first}))
        counted = change(session, {"updatedAt": messages[-1].created_at})
        counted.update_transforms.add(field_path="messageCount").increment.integer_value = len(messages)
        if self._connection.try_commit([*writes, counted]):
            return True
        # The commit before this one may have gone through and its reply been lost.
        return self._connection.read(writes[0].update.name, ()) is not None

    def list_messages(
        self, person: Person, session_id: str, *, limit: int, before: Spot | None = None
    ) -> tuple[Message, ...]:
        session = self._session(person, session_id)
        name = None if before is None else f"{session}/messages/{before.item_id}"
        query = _newest("messages", "createdAt", limit, before, name)
        found = self._connection.query(session, query)
        return tuple(CODEC.load(Message, values_of(each), message_id=last(each.name)) for each in found)

    def _session(self, person: Person, session_id: str) -> str:
        return self._connection.own(person, "sessions", session_id)


def _newest(collection: str, moment: str, limit: int, before: Spot | None, name: str | None) -> Query:
    after = () if before is None or name is None else (before.moment, Reference(name))
    order = (Order(moment, descending=True), Order(KEY, descending=True))
    return Query(collection=collection, order=order, after=after, limit=limit)


def _session_of(document: Any) -> Session:  # noqa: ANN401
    return CODEC.load(Session, values_of(document), session_id=last(document.name))
