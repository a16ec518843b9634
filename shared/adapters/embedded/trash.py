"""Notes as they were before they were edited, replaced or deleted, in their tenant's file."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from shared.adapters.embedded import rows
from shared.adapters.embedded.requests.files import TenantFiles
from shared.model.notes import TrashedNote, TrashReason
from shared.ports.pages import Page, make_token, read_token

_COLUMNS = f"trash_id, trashed_at, expires_at, reason, {rows.NOTE_COLUMNS}"
_LISTED_COLUMNS = _COLUMNS.removesuffix("text") + "''"


class Trash:
    """`shared.ports.notes.TrashStore`, a transaction a call."""

    _files: TenantFiles

    def put_trashed(self, tenant_id: str, trashed: TrashedNote) -> None:
        with self._files.of(tenant_id).writing() as db:
            put_trashed(db, trashed)

    def get_trashed(self, tenant_id: str, trash_id: str) -> TrashedNote | None:
        with self._files.of(tenant_id).reading() as db:
            row = db.execute(f"SELECT {_COLUMNS} FROM trash WHERE trash_id = ?", (trash_id,)).fetchone()
        return None if row is None else _trashed(row)

    def list_trashed(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[TrashedNote]:
        """Raises InvalidArgument("pageToken")."""
        after = "" if token is None else read_token(token, "trash")[0]
        query = f"SELECT {_LISTED_COLUMNS} FROM trash WHERE trash_id > ? ORDER BY trash_id LIMIT ?"
        with self._files.of(tenant_id).reading() as db:
            found = db.execute(query, (after, limit + 1)).fetchall()
        items = tuple(map(_trashed, found[:limit]))
        return Page(items, make_token("trash", items[-1].trash_id) if len(found) > limit else None)

    def delete_trashed(self, tenant_id: str, trash_id: str) -> bool:
        with self._files.of(tenant_id).writing() as db:
            return db.execute("DELETE FROM trash WHERE trash_id = ?", (trash_id,)).rowcount > 0

    def expire_trashed(self, now: datetime) -> None:
        for file in self._files.all():
            with file.reading() as db:
                expired = db.execute("SELECT 1 FROM trash WHERE expires_at <= ?", (rows.to_micros(now),)).fetchone()
            if expired:
                with file.writing() as db:
                    db.execute("DELETE FROM trash WHERE expires_at <= ?", (rows.to_micros(now),))


def put_trashed(db: sqlite3.Connection, trashed: TrashedNote) -> None:
    """Within a transaction that replaces or deletes the note."""
    when = (rows.to_micros(trashed.trashed_at), rows.to_micros(trashed.expires_at))
    row = (trashed.trash_id, *when, trashed.reason.value, *rows.note_row(trashed.note))
    db.execute(f"INSERT OR REPLACE INTO trash ({_COLUMNS}) VALUES ({', '.join('?' * len(row))})", row)


def _trashed(row: rows.Row) -> TrashedNote:
    trash_id, trashed_at, expires_at, reason, *note = row
    return TrashedNote(
        trash_id=trash_id,
        note=rows.to_note(tuple(note)),
        trashed_at=rows.to_datetime(trashed_at),
        expires_at=rows.to_datetime(expires_at),
        reason=TrashReason(reason),
    )
