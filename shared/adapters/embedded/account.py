"""Usage of a tenant; erasure and expiry of the documents and the file of a tenant or a person."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, date, datetime

from shared.adapters.embedded.documents import to_micros
from shared.adapters.embedded.erasures import Erasures
from shared.adapters.embedded.files import DamagedFile, Row, TenantFile, TenantFiles
from shared.adapters.embedded.sqlite import own_tables, used_tables
from shared.adapters.embedded.vector_rows import KEPT_REMOVALS, VECTORS
from shared.adapters.embedded.vectors import VectorSpace
from shared.model.account import DayUsage, Person, Spending
from shared.ports.pages import Page

_COLUMN: Mapping[Spending, str] = {kind: kind.name.lower() for kind in Spending}

_EXPIRING = ("trash", "requests")
"""Tables with a column `expires_at`."""
_KINDS = {"records": "index"}
"""Names in a receipt for the rows of tables; those of other tables are the tables' names."""
_UNCOUNTED = (*VECTORS, "removed_vectors")
"""Tables with parts of chunks, which a receipt does not count."""


class EmbeddedAccount:
    """Usage, erasure and expiry of `shared.ports.stores.Store`, a transaction a call."""

    _files: TenantFiles
    _erasures: Erasures
    _spaces: dict[str, VectorSpace]

    def spend(
        self,
        tenant_id: str,
        day: date,
        kind: Spending,
        amount: int,
        *,
        limit: int | None = None,
    ) -> bool:
        """Reads and writes in one transaction, so that no other worker's spending comes between."""
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
        query = (
            "SELECT day, answers, searches, embedded_tokens, index_writes FROM usage "
            "WHERE day > ? ORDER BY day LIMIT ?"
        )
        file = self._files.of(tenant_id)
        return file.page(
            query,
            _day_usage,
            listing="usage",
            limit=limit,
            token=token,
        )

    def last_erasure(self, tenant_id: str) -> str:
        return self._erasures.last(tenant_id)

    def erase(self, owner: str | Person, *, keep_usage_of: date | None = None) -> Mapping[str, int]:
        """Empties a file in one commit, so that processes which have it open find nothing; then removes it, unless
        another process has it open or writes to it again. A damaged file is removed as it is.
        """
        if isinstance(owner, Person):
            file = self._files.of(owner.space)
            return self._clear(file)
        self._erasures.add(owner)
        self._spaces.pop(owner, None)
        file = self._files.of(owner)
        erased = Counter(self._clear(file, keep_usage_of, numbers_erasure=True))
        for file in self._files.people(owner):
            erased.update(self._clear(file))
        return dict(erased)

    def expire(self, now: datetime) -> None:
        """Removes the file of a tenant of which nothing is left but usage of earlier days."""
        today = now.astimezone(UTC).date()
        moment = to_micros(now)
        for file in self._files.all(with_people=True):
            _expire_documents(file, moment)
            with file.reading() as db:
                tables = used_tables(db)
                (newest,) = db.execute("SELECT max(day) FROM usage").fetchone()
            if tables == {"usage"} and newest < today.isoformat():
                self._clear(file)

    def _clear(
        self,
        file: TenantFile,
        keep_usage_of: date | None = None,
        *,
        numbers_erasure: bool = False,
    ) -> Mapping[str, int]:
        """Returns kind -> number of rows that were removed, without zeros; of a damaged file those that can be counted.

        numbers_erasure: number another erasure of the file's tenant. Work that began since the last number was taken,
            and before the file is empty, has lost what it had saved; behind this number it is told so.
        """
        if not file.path.exists():
            return {}
        kept_day = ""
        if keep_usage_of is not None:
            kept_day = keep_usage_of.isoformat()
        try:
            with file.writing() as db:
                if numbers_erasure:
                    self._erasures.add(file.tenant_id)
                erased = _empty(db, kept_day)
                is_used = bool(used_tables(db))
        except DamagedFile:
            counts = _count_readable(file)
            file.discard()
            return counts
        if not is_used:
            file.remove()
        return erased


def _count_readable(file: TenantFile) -> Mapping[str, int]:
    """Returns kind -> number of rows in those tables of a damaged file that can still be counted."""
    counts = {}
    with suppress(DamagedFile), file.reading() as db:
        for table in own_tables(db):
            if table in _UNCOUNTED:
                continue
            with suppress(sqlite3.DatabaseError):
                reader = db.execute(f'SELECT count(*) FROM "{table}"')
                (number,) = reader.fetchone()
                if number:
                    kind = _KINDS.get(table, table)
                    counts[kind] = number
    return counts


def _expire_documents(file: TenantFile, moment: int) -> None:
    """Deletes what has expired by a moment in microseconds; a file in which nothing has is only read."""
    for table in _EXPIRING:
        query = f"SELECT 1 FROM {table} WHERE expires_at <= ? LIMIT 1"
        with file.reading() as db:
            reader = db.execute(query, (moment,))
            expired = reader.fetchone()
        if expired is not None:
            statement = f"DELETE FROM {table} WHERE expires_at <= ?"
            with file.writing() as db:
                db.execute(statement, (moment,))


def _spent(db: sqlite3.Connection, day: date, column: str) -> int:
    query = f"SELECT {column} FROM usage WHERE day = ?"
    reader = db.execute(query, (day.isoformat(),))
    row = reader.fetchone()
    if row is None:
        return 0
    (amount,) = row
    return int(amount)


def _day_usage(row: Row) -> DayUsage:
    day, *counts = row
    return DayUsage(date.fromisoformat(day), *counts)


def _empty(db: sqlite3.Connection, kept_day: str) -> Mapping[str, int]:
    """Deletes all rows but the usage of `kept_day`; returns kind -> number of rows, without zeros."""
    # The content is overwritten, in case that the file stays.
    db.execute("PRAGMA secure_delete = ON")
    erased = {}
    for table in own_tables(db):
        if table == "usage":
            cursor = db.execute("DELETE FROM usage WHERE day <> ?", (kept_day,))
        else:
            cursor = db.execute(f'DELETE FROM "{table}"')
        if cursor.rowcount and table not in _UNCOUNTED:
            kind = _KINDS.get(table, table)
            erased[kind] = cursor.rowcount
    db.execute("INSERT INTO postings (postings) VALUES ('delete-all')")
    # The revision grows by so much that a reader which follows it reads the whole file again.
    statement = "UPDATE state SET chunk_count = 0, total_length = 0, revision = revision + ?"
    db.execute(statement, (KEPT_REMOVALS + 1,))
    return erased
