"""The sessions: `sessions/{session}` in a person's space, and below each `messages/{message}`, the server's alone; and
the reasoning templates, `tenants/{tenant}/templates/{template}`, which apps also read and write themselves.
"""

from __future__ import annotations

import logging
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from shared.adapters.firestore.connection import Connection, last
from shared.adapters.firestore.documents import CODEC
from shared.adapters.firestore.protocol import KEY, Order, Query, Reference, change, delete, fill, put, values_of
from shared.errors import InvalidArgument
from shared.model.account import Person
from shared.model.index import Vector
from shared.model.sessions import SETTINGS, Message, Session, SettingsPatch, Spot
from shared.model.templates import StoredTemplate, Template
from shared.ports.tenants import MAX_TEMPLATES

BATCH = 400
"""Messages removed by one request."""
MAX_LEFT = 20
"""Sessions of broken-off deletions that one deletion finishes."""
TEMPLATES_AT_ONCE = 50
"""Templates written by one commit: the longest, with its vector, weighs 50 KB, and none has index entries."""
LEFT = "deletedSessions"
"""Ids of sessions whose messages are still to be removed."""

_log = logging.getLogger(__name__)


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


class Templates:
    """`shared.ports.tenants.TemplateStore` on Firestore."""

    _connection: Connection

    def templates(self, tenant_id: str) -> tuple[StoredTemplate, ...]:
        """One that an app wrote with a wrong type is left out, with a warning in the log."""
        query = Query(collection="templates", order=(Order(KEY),), limit=MAX_TEMPLATES)
        documents = self._connection.query(self._connection.tenant(tenant_id), query)
        found = []
        for document in documents:
            try:
                found.append(stored_of(document))
            except InvalidArgument as bad:
                _log.warning("a template of tenant %s left out: %s", tenant_id, bad.message)
        return tuple(found)

    def get_template(self, tenant_id: str, template_id: str) -> StoredTemplate | None:
        found = self._connection.read(self._connection.name(tenant_id, "templates", template_id))
        return None if found is None else stored_of(found)

    def put_templates(self, tenant_id: str, templates: Sequence[StoredTemplate]) -> None:
        for start in range(0, len(templates), TEMPLATES_AT_ONCE):
            batch = templates[start : start + TEMPLATES_AT_ONCE]
            names = (self._connection.name(tenant_id, "templates", each.template.template_id) for each in batch)
            self._connection.commit(
                [put(name, _template_fields(each)) for name, each in zip(names, batch, strict=True)]
            )

    def put_template_vector(self, tenant_id: str, template_id: str, vector: Vector, vector_key: str) -> bool:
        name = self._connection.name(tenant_id, "templates", template_id)
        return self._connection.try_commit([change(name, {"embedding": vector, "vectorKey": vector_key})])

    def delete_template(self, tenant_id: str, template_id: str) -> bool:
        name = self._connection.name(tenant_id, "templates", template_id)
        return self._connection.try_commit([delete(name, existing=True)])


def stored_of(document: Any) -> StoredTemplate:  # noqa: ANN401
    """Apps write templates too: what they left out gets its default, an embedding that is no vector counts as none.

    Raises InvalidArgument naming the field that has a wrong type.
    """
    template_id, fields = last(document.name), values_of(document)
    held = {name: value for name, value in fields.items() if value is not None}
    template = CODEC.load(Template, {"name": template_id, "content": "", **held}, template_id=template_id)
    vector, key = fields.get("embedding"), fields.get("vectorKey")
    return StoredTemplate(
        template, vector if isinstance(vector, array) else None, key if isinstance(key, str) else None
    )


def _template_fields(stored: StoredTemplate) -> Mapping[str, object]:
    fields = CODEC.dump(stored.template, "template_id")
    if stored.vector is None or stored.vector_key is None:
        return fields
    return {**fields, "embedding": stored.vector, "vectorKey": stored.vector_key}
