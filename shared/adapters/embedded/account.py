"""Feedback, what was used, and requests that were answered, in the file of their person or tenant."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date, datetime

from shared.adapters.embedded import rows
from shared.adapters.embedded.requests.files import TenantFiles
from shared.errors import Conflict
from shared.model.account import AnsweredRequest, DayUsage, Feedback, Person, Rating, Spending, StoredRequest
from shared.ports.pages import Page, make_token, read_token

_COLUMN: Mapping[Spending, str] = {Spending.ANSWERS: "answers", Spending.EMBEDDED_TOKENS: "embedded_tokens"}


class Account:
    """`FeedbackStore`, `UsageStore` and `RequestStore` of `shared.ports.tenants`, a transaction a call."""

    _files: TenantFiles

    def put_feedback(self, person: Person, feedback: Feedback) -> None:
        body = json.dumps({**asdict(feedback), "created_at": rows.to_micros(feedback.created_at)})
        with self._files.of(person.space).writing() as db:
            statement = "INSERT OR REPLACE INTO feedback (feedback_id, body) VALUES (?, ?)"
            db.execute(statement, (feedback.feedback_id, body))

    def get_feedback(self, person: Person, feedback_id: str) -> Feedback | None:
        with self._files.of(person.space).reading() as db:
            row = db.execute("SELECT body FROM feedback WHERE feedback_id = ?", (feedback_id,)).fetchone()
        return None if row is None else _feedback(row[0])

    def list_feedback(self, person: Person, *, limit: int, token: str | None = None) -> Page[Feedback]:
        """Raises InvalidArgument("pageToken")."""
        after = "" if token is None else read_token(token, "feedback")[0]
        query = "SELECT body FROM feedback WHERE feedback_id > ? ORDER BY feedback_id LIMIT ?"
        with self._files.of(person.space).reading() as db:
            found = db.execute(query, (after, limit + 1)).fetchall()
        items = tuple(_feedback(body) for (body,) in found[:limit])
        return Page(items, make_token("feedback", items[-1].feedback_id) if len(found) > limit else None)

    def spend(self, tenant_id: str, day: date, kind: Spending, amount: int, *, limit: int | None = None) -> bool:
        """No other worker's spending comes between reading and writing."""
        column = _COLUMN[kind]
        with self._files.of(tenant_id).writing() as db:
            row = db.execute(f"SELECT {column} FROM usage WHERE day = ?", (day.isoformat(),)).fetchone()
            if limit is not None and (row[0] if row else 0) + amount > limit:
                return False
            db.execute(
                f"INSERT INTO usage (day, {column}) VALUES (:day, :amount) "
                f"ON CONFLICT (day) DO UPDATE SET {column} = {column} + :amount",
                {"day": day.isoformat(), "amount": amount},
            )
        return True

    def list_usage(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[DayUsage]:
        """Raises InvalidArgument("pageToken")."""
        after = "" if token is None else read_token(token, "usage")[0]
        query = "SELECT day, answers, embedded_tokens FROM usage WHERE day > ? ORDER BY day LIMIT ?"
        with self._files.of(tenant_id).reading() as db:
            found = db.execute(query, (after, limit + 1)).fetchall()
        items = tuple(DayUsage(date.fromisoformat(day), answers, tokens) for day, answers, tokens in found[:limit])
        return Page(items, make_token("usage", items[-1].day.isoformat()) if len(found) > limit else None)

    def read_request(self, person: Person, request_id: str) -> StoredRequest:
        with self._files.of(person.space).reading() as db:
            return _request(db, request_id)

    def write_request(
        self, person: Person, request_id: str, record: AnsweredRequest | None, *, expected: str | None, now: datetime
    ) -> str | None:
        """Raises Conflict before anything is written."""
        with self._files.of(person.space).writing() as db:
            if _request(db, request_id).token != expected:
                raise Conflict("the request has moved")
            db.execute("DELETE FROM requests WHERE expires_at < ? OR request_id = ?", (rows.to_micros(now), request_id))
            return None if record is None else _written(db, request_id, record)


def _feedback(body: str) -> Feedback:
    fields = json.loads(body)
    rating = fields["rating"]
    return Feedback(
        **{
            **fields,
            "created_at": rows.to_datetime(fields["created_at"]),
            "rating": None if rating is None else Rating(rating),
        }
    )


def _request(db: sqlite3.Connection, request_id: str) -> StoredRequest:
    row = db.execute(
        "SELECT fingerprint, expires_at, lease_until, answer, note_ids, token FROM requests WHERE request_id = ?",
        (request_id,),
    ).fetchone()
    if row is None:
        return StoredRequest(None, None)
    fingerprint, expires_at, lease_until, answer, note_ids, token = row
    lease = None if lease_until is None else rows.to_datetime(lease_until)
    record = AnsweredRequest(
        fingerprint=fingerprint,
        expires_at=rows.to_datetime(expires_at),
        lease_until=lease,
        answer=answer,
        notes=json.loads(note_ids),
    )
    return StoredRequest(record, str(token))


def _written(db: sqlite3.Connection, request_id: str, record: AnsweredRequest) -> str:
    """Its token."""
    (token,) = db.execute("UPDATE state SET token = token + 1 RETURNING token").fetchone()
    lease = None if record.lease_until is None else rows.to_micros(record.lease_until)
    expires, notes = rows.to_micros(record.expires_at), json.dumps(dict(record.notes))
    db.execute(
        "INSERT INTO requests (request_id, token, expires_at, lease_until, fingerprint, note_ids, answer) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (request_id, token, expires, lease, record.fingerprint, notes, record.answer),
    )
    return str(token)
