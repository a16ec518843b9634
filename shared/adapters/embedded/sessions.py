"""Sessions and their messages, in their person's file: the tenant's own where the person is the tenant."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from shared.adapters.embedded.requests.files import TenantFiles
from shared.adapters.embedded.rows import to_datetime, to_micros
from shared.errors import Conflict
from shared.model.account import Person
from shared.model.sessions import Message, Role, Session, SessionSettings, SettingsPatch, Spot, StoredCitation

_COLUMNS = "session_id, updated_at, created_at, message_count, title, first_question, settings"


class Sessions:
    """`shared.ports.tenants.SessionStore`, a transaction a call."""

    _files: TenantFiles

    def create_session(self, person: Person, session: Session) -> None:
        row = (
            session.session_id,
            to_micros(session.updated_at),
            to_micros(session.created_at),
            session.message_count,
            session.title,
            session.first_question,
            json.dumps(asdict(session.settings)),
        )
        with self._files.of(person.space).writing() as db:
            try:
                db.execute(f"INSERT INTO sessions ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            except sqlite3.IntegrityError as there:
                raise Conflict("there is a session of this id") from there

    def get_session(self, person: Person, session_id: str) -> Session | None:
        with self._files.of(person.space).reading() as db:
            return _get(db, session_id)

    def patch_session(
        self, person: Person, session_id: str, patch: SettingsPatch, *, updated_at: datetime, title: str | None = None
    ) -> bool:
        with self._files.of(person.space).writing() as db:
            session = _get(db, session_id)
            if session is None:
                return False
            db.execute(
                "UPDATE sessions SET updated_at = ?, title = coalesce(?, title), settings = ? WHERE session_id = ?",
                (to_micros(updated_at), title, json.dumps(asdict(session.settings) | dict(patch)), session_id),
            )
        return True

    def list_sessions(self, person: Person, *, limit: int, before: Spot | None = None) -> tuple[Session, ...]:
        where, values = ("", ()) if before is None else ("WHERE (updated_at, session_id) < (?, ?)", _spot(before))
        query = f"SELECT {_COLUMNS} FROM sessions {where} ORDER BY updated_at DESC, session_id DESC LIMIT ?"
        with self._files.of(person.space).reading() as db:
            return tuple(map(_session, db.execute(query, (*values, limit))))

    def delete_session(self, person: Person, session_id: str) -> bool:
        with self._files.of(person.space).writing() as db:
            db.execute("DELETE FROM messages WHERE session_id = ?", (session_id,))
            return db.execute("DELETE FROM sessions WHERE session_id = ?", (session_id,)).rowcount > 0

    def add_messages(self, person: Person, session_id: str, messages: Sequence[Message], *, first: str) -> bool:
        with self._files.of(person.space).writing() as db:
            counted = db.execute(
                "UPDATE sessions SET message_count = message_count + ?, updated_at = ?, "
                "first_question = CASE first_question WHEN '' THEN ? ELSE first_question END WHERE session_id = ?",
                (len(messages), to_micros(messages[-1].created_at), first, session_id),
            )
            if not counted.rowcount:
                return False
            db.executemany(
                "INSERT INTO messages (session_id, created_at, message_id, body) VALUES (?, ?, ?, ?)",
                [(session_id, to_micros(each.created_at), each.message_id, _body(each)) for each in messages],
            )
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
            return tuple(_message(*row) for row in db.execute(query, (session_id, *values, limit)))


def _get(db: sqlite3.Connection, session_id: str) -> Session | None:
    row = db.execute(f"SELECT {_COLUMNS} FROM sessions WHERE session_id = ?", (session_id,)).fetchone()
    return None if row is None else _session(row)


def _spot(spot: Spot) -> tuple[int, str]:
    return to_micros(spot.moment), spot.item_id


def _session(row: tuple[Any, ...]) -> Session:
    session_id, updated_at, created_at, count, title, first_question, settings = row
    return Session(
        session_id=session_id,
        created_at=to_datetime(created_at),
        updated_at=to_datetime(updated_at),
        title=title,
        first_question=first_question,
        message_count=count,
        settings=SessionSettings(**json.loads(settings)),
    )


def _body(message: Message) -> str:
    return json.dumps(
        {
            "role": message.role,
            "text": message.text,
            "request_id": message.request_id,
            "standalone": message.standalone,
            "as_of": message.as_of and to_micros(message.as_of),
            "citations": [[each.note_id, each.note_revision, each.shown] for each in message.citations],
            "meta": message.meta,
        },
        ensure_ascii=False,
    )


def _message(created_at: int, message_id: str, body: str) -> Message:
    fields = json.loads(body)
    return Message(
        message_id=message_id,
        role=Role(fields["role"]),
        text=fields["text"],
        created_at=to_datetime(created_at),
        request_id=fields["request_id"],
        standalone=fields["standalone"],
        as_of=None if fields["as_of"] is None else to_datetime(fields["as_of"]),
        citations=tuple(StoredCitation(*each) for each in fields["citations"]),
        meta=fields["meta"],
    )
