"""Sessions and their messages, in the file of `Person.space`; and the reasoning templates, in their tenant's file."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Sequence
from datetime import datetime

from shared.adapters.embedded.documents import CODEC, Table, delete, insert, to_datetime, to_micros
from shared.adapters.embedded.files import TenantFiles
from shared.errors import Conflict
from shared.model.account import Person
from shared.model.index import Vector
from shared.model.sessions import Message, Session, SettingsPatch, Spot
from shared.model.templates import StoredTemplate, Template
from shared.ports.stores import MAX_TEMPLATES

SESSIONS = Table("sessions", Session)
_TEMPLATE = "body, vector, vector_key"


class Sessions:
    """Sessions and templates of `shared.ports.stores.Store`, a transaction a call."""

    _files: TenantFiles

    def create_session(self, person: Person, session: Session) -> None:
        with self._files.of(person.space).writing() as db:
            try:
                insert(db, "sessions", SESSIONS.row(session))
            except sqlite3.IntegrityError as there:
                raise Conflict("there is a session of this id") from there

    def get_session(self, person: Person, session_id: str) -> Session | None:
        with self._files.of(person.space).reading() as db:
            return SESSIONS.get(db, session_id)

    def patch_session(
        self, person: Person, session_id: str, patch: SettingsPatch, *, updated_at: datetime, title: str | None = None
    ) -> bool:
        with self._files.of(person.space).writing() as db:
            session = SESSIONS.get(db, session_id)
            if session is None:
                return False
            db.execute(
                "UPDATE sessions SET updated_at = ?, title = coalesce(?, title), settings = ? WHERE session_id = ?",
                (to_micros(updated_at), title, json.dumps(CODEC.dump(session.settings) | dict(patch)), session_id),
            )
        return True

    def list_sessions(self, person: Person, *, limit: int, before: Spot | None = None) -> tuple[Session, ...]:
        where, values = ("", ()) if before is None else ("WHERE (updated_at, session_id) < (?, ?)", _spot(before))
        query = f"SELECT {SESSIONS.columns} FROM sessions {where} ORDER BY updated_at DESC, session_id DESC LIMIT ?"
        with self._files.of(person.space).reading() as db:
            return tuple(map(SESSIONS.load, db.execute(query, (*values, limit))))

    def delete_session(self, person: Person, session_id: str) -> bool:
        with self._files.of(person.space).writing() as db:
            db.execute("DELETE FROM messages WHERE session_id = ?", (session_id,))
            return delete(db, "sessions", session_id)

    def add_messages(self, person: Person, session_id: str, messages: Sequence[Message], *, first: str) -> bool:
        with self._files.of(person.space).writing() as db:
            counted = db.execute(
                "UPDATE sessions SET message_count = message_count + ?, updated_at = ?, "
                "first_question = CASE first_question WHEN '' THEN ? ELSE first_question END WHERE session_id = ?",
                (len(messages), to_micros(messages[-1].created_at), first, session_id),
            )
            if not counted.rowcount:
                return False
            for each in messages:
                body = json.dumps(CODEC.dump(each, "created_at", "message_id"), ensure_ascii=False)
                row = {"created_at": to_micros(each.created_at), "message_id": each.message_id, "body": body}
                insert(db, "messages", {"session_id": session_id, **row})
        return True

    def list_messages(
        self, person: Person, session_id: str, *, limit: int, before: Spot | None = None
    ) -> tuple[Message, ...]:
        where, values = ("", ()) if before is None else ("AND (created_at, message_id) < (?, ?)", _spot(before))
        query = (
            f"SELECT created_at, message_id, body FROM messages WHERE session_id = ? {where} "
            "ORDER BY created_at DESC, message_id DESC LIMIT ?"
        )
        with self._files.of(person.space).reading() as db:
            found = db.execute(query, (session_id, *values, limit)).fetchall()
        return tuple(
            CODEC.load(Message, json.loads(body), created_at=to_datetime(created_at), message_id=message_id)
            for created_at, message_id, body in found
        )

    # -- templates

    def templates(self, tenant_id: str) -> tuple[StoredTemplate, ...]:
        with self._files.of(tenant_id).reading() as db:
            found = db.execute(f"SELECT {_TEMPLATE} FROM templates ORDER BY template_id LIMIT ?", (MAX_TEMPLATES,))
            return tuple(_template(*row) for row in found)

    def get_template(self, tenant_id: str, template_id: str) -> StoredTemplate | None:
        with self._files.of(tenant_id).reading() as db:
            row = db.execute(f"SELECT {_TEMPLATE} FROM templates WHERE template_id = ?", (template_id,)).fetchone()
        return None if row is None else _template(*row)

    def put_templates(self, tenant_id: str, stored: Sequence[StoredTemplate]) -> None:
        with self._files.of(tenant_id).writing() as db:
            for each in stored:
                key, body = each.template.template_id, json.dumps(CODEC.dump(each.template))
                row = {"template_id": key, "vector": each.vector, "vector_key": each.vector_key, "body": body}
                insert(db, "templates", row, replacing=True)

    def put_template_vector(self, tenant_id: str, template_id: str, vector: Vector, vector_key: str) -> bool:
        statement = "UPDATE templates SET vector = ?, vector_key = ? WHERE template_id = ?"
        with self._files.of(tenant_id).writing() as db:
            return db.execute(statement, (vector, vector_key, template_id)).rowcount > 0

    def delete_template(self, tenant_id: str, template_id: str) -> bool:
        with self._files.of(tenant_id).writing() as db:
            return delete(db, "templates", template_id)


def _spot(spot: Spot) -> tuple[int, str]:
    return to_micros(spot.moment), spot.item_id


def _template(body: str, vector: bytes | None, vector_key: str | None) -> StoredTemplate:
    template = CODEC.load(Template, json.loads(body))
    return StoredTemplate(template, None if vector is None else array("f", vector), vector_key)
