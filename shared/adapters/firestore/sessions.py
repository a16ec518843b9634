"""The sessions: `sessions/{session}` in a person's space, and below each `messages/{message}`. The server's alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from shared.adapters.firestore import names
from shared.adapters.firestore.requests.connection import Connection
from shared.adapters.firestore.requests.protocol import change, fill, plain, protocol, put, timestamp
from shared.adapters.firestore.requests.queries import KEY, Order, Query, Reference
from shared.model.account import Person
from shared.model.sessions import (
    SETTINGS,
    Message,
    Role,
    Session,
    SessionSettings,
    SettingsPatch,
    Spot,
    StoredCitation,
)

BATCH = 400
"""Messages removed by one request."""
MOST_LEFT = 20
"""Sessions of broken-off deletions that one deletion finishes."""
LEFT = "deletedSessions"
"""Ids of sessions whose messages are still to be removed."""


class Sessions:
    """`shared.ports.tenants.SessionStore` on Firestore."""

    _connection: Connection

    def create_session(self, person: Person, session: Session) -> None:
        write = put(self._session(person, session.session_id), _session_fields(session))
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
        return self._connection.holds([write])

    def list_sessions(self, person: Person, *, limit: int, before: Spot | None = None) -> tuple[Session, ...]:
        name = None if before is None else self._session(person, before.item_id)
        query = _newest("sessions", "updatedAt", limit, before, name)
        documents = self._connection.query(self._connection.person(person), query)
        return tuple(map(_session_of, documents))

    def delete_session(self, person: Person, session_id: str) -> bool:
        """The session's document moves to LEFT in one commit, its messages go, then what stands in LEFT."""
        gone = protocol().Write(delete=self._session(person, session_id))
        gone.current_document.exists = True
        existed = self._connection.holds([gone, put(self._connection.own(person, LEFT, session_id), {})])
        query = Query(collection=LEFT, order=(Order(KEY),), limit=MOST_LEFT, fields=())
        parent = self._connection.person(person)
        left = [names.last(each.name) for each in self._connection.query(parent, query)]
        for each in left:
            self._delete_messages(person, each)
        return existed

    def add_messages(self, person: Person, session_id: str, messages: Sequence[Message], *, first: str) -> bool:
        session = self._session(person, session_id)
        writes = [put(f"{session}/messages/{each.message_id}", _message_fields(each)) for each in messages]
        for write in writes:
            write.current_document.exists = False
        named = self._connection.read(session, ("firstQuestion",))
        if named is None:
            return False
        if not named.fields["firstQuestion"].string_value:
            writes.append(change(session, {"firstQuestion": first}))
        counted = change(session, {"updatedAt": messages[-1].created_at})
        counted.update_transforms.add(field_path="messageCount").increment.integer_value = len(messages)
        if self._connection.holds([*writes, counted]):
            return True
        # The commit before this one may have gone through and its reply been lost.
        return self._connection.read(writes[0].update.name, ()) is not None

    def list_messages(
        self, person: Person, session_id: str, *, limit: int, before: Spot | None = None
    ) -> tuple[Message, ...]:
        session = self._session(person, session_id)
        name = None if before is None else f"{session}/messages/{before.item_id}"
        query = _newest("messages", "createdAt", limit, before, name)
        return tuple(map(_message_of, self._connection.query(session, query)))

    def _delete_messages(self, person: Person, session_id: str) -> None:
        session = self._session(person, session_id)
        query = Query(collection="messages", order=(Order(KEY),), limit=BATCH, fields=())
        while found := self._connection.query(session, query):
            self._connection.write_each([protocol().Write(delete=each.name) for each in found])
        self._connection.commit([protocol().Write(delete=self._connection.own(person, LEFT, session_id))])

    def _session(self, person: Person, session_id: str) -> str:
        return self._connection.own(person, "sessions", session_id)


def _newest(collection: str, moment: str, limit: int, before: Spot | None, name: str | None) -> Query:
    after = () if before is None or name is None else (before.moment, Reference(name))
    order = (Order(moment, descending=True), Order(KEY, descending=True))
    return Query(collection=collection, order=order, after=after, limit=limit)


def _session_fields(session: Session) -> dict[str, object]:
    return {
        "title": session.title,
        "firstQuestion": session.first_question,
        "createdAt": session.created_at,
        "updatedAt": session.updated_at,
        "messageCount": session.message_count,
        "settings": {each.field: getattr(session.settings, name) for name, each in SETTINGS.items()},
    }


def _session_of(document: Any) -> Session:  # noqa: ANN401
    fields = document.fields
    settings = fields["settings"].map_value.fields
    return Session(
        session_id=names.last(document.name),
        created_at=timestamp(fields["createdAt"].timestamp_value),
        updated_at=timestamp(fields["updatedAt"].timestamp_value),
        title=fields["title"].string_value,
        first_question=fields["firstQuestion"].string_value,
        message_count=fields["messageCount"].integer_value,
        # A setting that came later is missing in older documents.
        settings=SessionSettings(
            **{name: plain(settings[each.field]) for name, each in SETTINGS.items() if each.field in settings}  # type: ignore[arg-type]
        ),
    )


def _message_fields(message: Message) -> dict[str, object]:
    """What the caller got goes in as JSON text: Firestore's maps keep no order."""
    return {
        "role": message.role.value,
        "text": message.text,
        "createdAt": message.created_at,
        "requestId": message.request_id,
        "standalone": message.standalone,
        "asOf": message.as_of,
        "citations": [
            {"noteId": each.note_id, "noteRevision": each.note_revision, "shown": _json(each.shown)}
            for each in message.citations
        ],
        "meta": None if message.meta is None else _json(message.meta),
    }


def _message_of(document: Any) -> Message:  # noqa: ANN401
    fields = document.fields
    as_of, meta = fields["asOf"], fields["meta"]
    cited = (each.map_value.fields for each in fields["citations"].array_value.values)
    return Message(
        message_id=names.last(document.name),
        role=Role(fields["role"].string_value),
        text=fields["text"].string_value,
        created_at=timestamp(fields["createdAt"].timestamp_value),
        request_id=fields["requestId"].string_value,
        standalone=fields["standalone"].string_value,
        as_of=timestamp(as_of.timestamp_value) if as_of.HasField("timestamp_value") else None,
        citations=tuple(
            StoredCitation(
                each["noteId"].string_value, each["noteRevision"].string_value, json.loads(each["shown"].string_value)
            )
            for each in cited
        ),
        meta=json.loads(meta.string_value) if meta.HasField("string_value") else None,
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
