"""The sessions: `sessions/{session}` in a person's space, and below each `messages/{message}`, the server's alone; and
the reasoning templates, `tenants/{tenant}/templates/{template}`, which apps also read and write themselves.
"""

from __future__ import annotations

import logging
from array import array
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from shared.adapters.firestore.connection import Connection
from shared.adapters.firestore.documents import CODEC, entity
from shared.adapters.firestore.protocol import KEY, Query, change, delete, expect, fill, id_of, put, values_of
from shared.errors import InvalidArgument
from shared.model.account import Person
from shared.model.index import Vector
from shared.model.sessions import SETTINGS, Message, Session, SettingsPatch, Spot
from shared.model.templates import StoredTemplate, Template
from shared.ports.stores import MAX_TEMPLATES

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
    """Sessions and templates of `shared.ports.stores.Store` on Firestore."""

    _db: Connection

    def create_session(self, person: Person, session: Session) -> None:
        write = put(self._session(person, session.session_id), CODEC.dump(session, "session_id"))
        self._db.commit([expect(write, None)])

    def get_session(self, person: Person, session_id: str) -> Session | None:
        return self._db.get(self._session(person, session_id), partial(entity, Session))

    def patch_session(
        self, person: Person, session_id: str, patch: SettingsPatch, *, updated_at: datetime, title: str | None = None
    ) -> bool:
        titled = {} if title is None else {"title": title}
        write = change(self._session(person, session_id), {"updatedAt": updated_at, **titled})
        for name, value in patch.items():
            field = SETTINGS[name].field
            fill(write.update.fields["settings"].map_value.fields[field], value)
            write.update_mask.field_paths.append(f"settings.{field}")
        return self._db.try_commit([write])

    def list_sessions(self, person: Person, *, limit: int, before: Spot | None = None) -> tuple[Session, ...]:
        name = "" if before is None else self._session(person, before.item_id)
        query = _newest("sessions", "updatedAt", limit, before, name)
        return tuple(entity(Session, each) for each in self._db.query(self._db.parent(person), query))

    def delete_session(self, person: Person, session_id: str) -> bool:
        """The session's document moves to LEFT in one commit, then the messages of all that LEFT names go."""
        gone = delete(self._session(person, session_id), existing=True)
        existed = self._db.try_commit([gone, put(self._db.name(person, LEFT, session_id), {})])
        left = Query(collection=LEFT, order=(KEY,), limit=MAX_LEFT, fields=())
        messages = replace(left, collection="messages", limit=BATCH)
        for each in self._db.query(self._db.parent(person), left):
            while found := self._db.query(self._session(person, id_of(each)), messages):
                self._db.write_each([delete(message.name) for message in found])
            self._db.commit([delete(each.name)])
        return existed

    def add_messages(self, person: Person, session_id: str, messages: Sequence[Message], *, first: str) -> bool:
        session = self._session(person, session_id)
        writes = [
            expect(put(f"{session}/messages/{each.message_id}", CODEC.dump(each, "message_id")), None)
            for each in messages
        ]
        named = self._db.read(session, ("firstQuestion",))
        if named is None:
            return False
        if not named.fields["firstQuestion"].string_value:
            writes.append(change(session, {"firstQuestion": first}))
        counted = change(session, {"updatedAt": messages[-1].created_at})
        counted.update_transforms.add(field_path="messageCount").increment.integer_value = len(messages)
        if self._db.try_commit([*writes, counted]):
            return True
        # The commit before this one may have gone through and its reply been lost.
        return self._db.read(writes[0].update.name, ()) is not None

    def list_messages(
        self, person: Person, session_id: str, *, limit: int, before: Spot | None = None
    ) -> tuple[Message, ...]:
        session = self._session(person, session_id)
        name = "" if before is None else f"{session}/messages/{before.item_id}"
        query = _newest("messages", "createdAt", limit, before, name)
        return tuple(entity(Message, each) for each in self._db.query(session, query))

    def _session(self, person: Person, session_id: str) -> str:
        return self._db.name(person, "sessions", session_id)

    # -- templates

    def templates(self, tenant_id: str) -> tuple[StoredTemplate, ...]:
        """One that an app wrote with a wrong type is left out, with a warning in the log."""
        query = Query(collection="templates", order=(KEY,), limit=MAX_TEMPLATES)
        found = []
        for document in self._db.query(self._db.parent(tenant_id), query):
            try:
                found.append(stored_of(document))
            except InvalidArgument as bad:
                _log.warning("a template of tenant %s left out: %s", tenant_id, bad.message)
        return tuple(found)

    def get_template(self, tenant_id: str, template_id: str) -> StoredTemplate | None:
        return self._db.get(self._db.name(tenant_id, "templates", template_id), stored_of)

    def put_templates(self, tenant_id: str, templates: Sequence[StoredTemplate]) -> None:
        for start in range(0, len(templates), TEMPLATES_AT_ONCE):
            writes = []
            for each in templates[start : start + TEMPLATES_AT_ONCE]:
                fields = CODEC.dump(each.template, "template_id")
                if each.vector is not None and each.vector_key is not None:
                    fields |= {"embedding": each.vector, "vectorKey": each.vector_key}
                writes.append(put(self._db.name(tenant_id, "templates", each.template.template_id), fields))
            self._db.commit(writes)

    def put_template_vector(self, tenant_id: str, template_id: str, vector: Vector, vector_key: str) -> bool:
        name = self._db.name(tenant_id, "templates", template_id)
        return self._db.try_commit([change(name, {"embedding": vector, "vectorKey": vector_key})])

    def delete_template(self, tenant_id: str, template_id: str) -> bool:
        return self._db.delete(self._db.name(tenant_id, "templates", template_id))


def _newest(collection: str, moment: str, limit: int, before: Spot | None, name: str) -> Query:
    """Documents by `moment`, newest first, behind the one of this name."""
    after = () if before is None else (before.moment, name)
    return Query(collection=collection, order=(f"-{moment}", f"-{KEY}"), after=after, limit=limit)


def stored_of(document: Any) -> StoredTemplate:  # noqa: ANN401
    """Apps write templates too: what they left out gets its default, an embedding that is no vector counts as none.

    Raises InvalidArgument naming the field that has a wrong type.
    """
    template_id, fields = id_of(document), values_of(document)
    held = {name: value for name, value in fields.items() if value is not None}
    template = CODEC.load(Template, {"name": template_id, "content": "", **held}, template_id=template_id)
    vector, key = fields.get("embedding"), fields.get("vectorKey")
    return StoredTemplate(
        template, vector if isinstance(vector, array) else None, key if isinstance(key, str) else None
    )
