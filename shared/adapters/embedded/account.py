"""Feedback, usage and answered requests, in the file of their person or tenant; and the end of one."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime
from time import sleep

from shared.adapters.embedded.documents import CODEC, Table, insert, to_micros
from shared.adapters.embedded.files import TenantFile, TenantFiles
from shared.adapters.embedded.vectors import KEPT_REMOVALS, VECTORS, VectorSpace
from shared.errors import Conflict
from shared.model.account import AnsweredRequest, DayUsage, Feedback, Person, Spending, StoredRequest
from shared.ports.pages import Page

_COLUMN: Mapping[Spending, str] = {kind: kind.name.lower() for kind in Spending}

REQUESTS = Table("requests", AnsweredRequest, renamed={"notes": "note_ids"})
SETTLING_SECONDS = 0.2
"""After which it is looked once more: a worker that had read a note before it went may write what it made of it."""

_KINDS = {"records": "index"}
"""Tables whose rows are called otherwise in a receipt; others are called as they are."""
_UNCOUNTED = (*VECTORS, "removed_vectors")
"""Parts of chunks."""


class Account:
    """Feedback, usage, kept answers and erasure of `shared.ports.stores.Store`, a transaction a call."""

    _files: TenantFiles
    _spaces: dict[str, VectorSpace]

    def put_feedback(self, person: Person, feedback: Feedback) -> None:
        row = {"feedback_id": feedback.feedback_id, "body": json.dumps(CODEC.dump(feedback))}
        with self._files.of(person.space).writing() as db:
            insert(db, "feedback", row, replacing=True)

    def get_feedback(self, person: Person, feedback_id: str) -> Feedback | None:
        with self._files.of(person.space).reading() as db:
            row = db.execute("SELECT body FROM feedback WHERE feedback_id = ?", (feedback_id,)).fetchone()
        return None if row is None else _feedback(row[0])

    def list_feedback(self, person: Person, *, limit: int, token: str | None = None) -> Page[Feedback]:
        query = "SELECT feedback_id, body FROM feedback WHERE feedback_id > ? ORDER BY feedback_id LIMIT ?"
        file = self._files.of(person.space)
        return file.page(query, lambda row: _feedback(row[1]), listing="feedback", limit=limit, token=token)

    def spend(self, tenant_id: str, day: date, kind: Spending, amount: int, *, limit: int | None = None) -> bool:
        """No other worker's spending comes between reading and writing."""
        column = _COLUMN[kind]
        with self._files.of(tenant_id).writing() as db:
            if limit is not None and _spent(db, day, column) + amount > limit:
                return False
            db.execute(
                f"INSERT INTO usage (day, {column}) VALUES (:day, :amount) "
                f"ON CONFLICT (day) DO UPDATE SET {column} = {column} + :amount",
                {"day": day.isoformat(), "amount": amount},
            )
        return True

    def spent(self, tenant_id: str, day: date, kind: Spending) -> int:
        with self._files.of(tenant_id).reading() as db:
            return _spent(db, day, _COLUMN[kind])

    def list_usage(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[DayUsage]:
        query = "SELECT day, answers, searches, embedded_tokens FROM usage WHERE day > ? ORDER BY day LIMIT ?"
        file = self._files.of(tenant_id)
        return file.page(
            query, lambda row: DayUsage(date.fromisoformat(row[0]), *row[1:]), listing="usage", limit=limit, token=token
        )

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
            db.execute("DELETE FROM requests WHERE expires_at < ? OR request_id = ?", (to_micros(now), request_id))
            if record is None:
                return None
            (token,) = db.execute("UPDATE state SET token = token + 1 RETURNING token").fetchone()
            insert(db, "requests", {"request_id": request_id, "token": token, **REQUESTS.row(record)})
        return str(token)

    def erase(self, tenant_id: str, *, keep_usage_of: date | None = None) -> Mapping[str, int]:
        """Kind -> how many. Emptied in one commit, so that processes which have the file open find nothing; then it is
        removed, unless another process has it open.
        """
        self._spaces.pop(tenant_id, None)
        erased = Counter(self._clear(self._files.of(tenant_id), keep_usage_of))
        for file in self._files.people(tenant_id):
            erased.update(self._clear(file))
        return dict(erased)

    def erase_person(self, person: Person) -> Mapping[str, int]:
        return self._clear(self._files.of(person.space))

    def forget_erased(self, before: date) -> None:
        """Where nothing is left of a tenant but numbers of days before, the file goes."""
        for file in self._files.all():
            with file.reading() as db:
                tables = {table for table in _tables(db) if db.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone()}
                (newest,) = db.execute("SELECT max(day) FROM usage").fetchone()
            if tables == {"usage"} and newest < before.isoformat():
                self._clear(file)

    def _clear(self, file: TenantFile, keep_usage_of: date | None = None) -> Mapping[str, int]:
        erased: Counter[str] = Counter()
        kept = "" if keep_usage_of is None else keep_usage_of.isoformat()
        while file.path.exists():
            with file.writing() as db:
                emptied = _empty(db, kept)
                is_kept = db.execute("SELECT 1 FROM usage").fetchone() is not None
            erased.update(emptied)
            if not emptied if is_kept else not file.remove():
                break
            sleep(SETTLING_SECONDS)
        return dict(erased)


def _feedback(body: str) -> Feedback:
    return CODEC.load(Feedback, json.loads(body))


def _spent(db: sqlite3.Connection, day: date, column: str) -> int:
    row = db.execute(f"SELECT {column} FROM usage WHERE day = ?", (day.isoformat(),)).fetchone()
    return row[0] if row else 0


def _request(db: sqlite3.Connection, request_id: str) -> StoredRequest:
    query = f"SELECT {REQUESTS.columns}, token FROM requests WHERE request_id = ?"
    row = db.execute(query, (request_id,)).fetchone()
    return StoredRequest(None, None) if row is None else StoredRequest(REQUESTS.load(row), str(row[-1]))


def _empty(db: sqlite3.Connection, kept_day: str) -> Mapping[str, int]:
    db.execute("PRAGMA secure_delete = ON")  # overwritten, should the file stay
    counts = {table: db.execute(f'DELETE FROM "{table}"').rowcount for table in _tables(db) if table != "usage"}
    counts["usage"] = db.execute("DELETE FROM usage WHERE day <> ?", (kept_day,)).rowcount
    db.execute("INSERT INTO postings (postings) VALUES ('delete-all')")
    # By so much that a reader that follows the file by its revision reads it anew.
    db.execute("UPDATE state SET chunk_count = 0, total_length = 0, revision = revision + ?", (KEPT_REMOVALS + 1,))
    return {_KINDS.get(table, table): count for table, count in counts.items() if count and table not in _UNCOUNTED}


def _tables(db: sqlite3.Connection) -> list[str]:
    """Every table that holds a tenant's own, also those that are added to the schema later."""
    found = db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('state', 'vocabulary') "
        "AND name NOT LIKE 'postings%' AND name NOT LIKE 'sqlite%' ORDER BY name"
    )
    return [name for (name,) in found]
