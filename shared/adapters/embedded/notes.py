"""The notes themselves, in their tenant's file."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable

from shared.adapters.embedded import rows
from shared.adapters.embedded.requests.files import TenantFiles
from shared.adapters.embedded.trash import put_trashed
from shared.errors import Conflict, InvalidArgument
from shared.model.notes import Folder, ListedNote, Note, NoteKey, TrashedNote, UnreadableNote
from shared.model.scopes import ancestors
from shared.ports.pages import Page, make_token, read_token

_LISTED_COLUMNS = (
    rows.NOTE_COLUMNS.removesuffix("text")
    + """'',
    (SELECT error FROM records WHERE records.note_id = notes.note_id AND status = 'failed')"""
)
_UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")


class Notes:
    """`shared.ports.notes.NoteStore`, a transaction a call."""

    _files: TenantFiles
    _on_write: Callable[[NoteKey], None] | None

    def get_note(self, tenant_id: str, note_id: str) -> Note | None:
        with self._files.of(tenant_id).reading() as db:
            return _get(db, note_id)

    def put_note(self, tenant_id: str, note: Note) -> None:
        """Raises InvalidArgument naming a field with NUL characters or lone surrogates."""
        _check(note)
        with self._files.of(tenant_id).writing() as db:
            _put(db, note)
        self._written(tenant_id, note.note_id)

    def swap_note(
        self, tenant_id: str, note_id: str, *, was: Note | None, now: Note | None, trashed: TrashedNote | None = None
    ) -> None:
        """Raises Conflict, and InvalidArgument as `put_note` does."""
        if now is not None:
            _check(now)
        with self._files.of(tenant_id).writing() as db:
            if _get(db, note_id) != was:
                raise Conflict("somebody else has changed the note")
            if trashed is not None:
                put_trashed(db, trashed)
            if now is None:
                _delete(db, note_id)
            else:
                _put(db, now)
        self._written(tenant_id, note_id)

    def delete_note(self, tenant_id: str, note_id: str) -> bool:
        with self._files.of(tenant_id).writing() as db:
            existed = _delete(db, note_id)
        if existed:
            self._written(tenant_id, note_id)
        return existed

    def note_at(self, tenant_id: str, vault: str, path: str) -> str | None:
        query = "SELECT note_id FROM notes WHERE vault = ? AND path = ? ORDER BY note_id LIMIT 1"
        with self._files.of(tenant_id).reading() as db:
            found = db.execute(query, (vault, path)).fetchone()
        return None if found is None else str(found[0])

    def list_notes(
        self, tenant_id: str, *, limit: int, token: str | None = None, vault: str | None = None
    ) -> Page[ListedNote]:
        """Raises InvalidArgument("pageToken")."""
        found, next_token = self._page(tenant_id, _LISTED_COLUMNS, limit=limit, token=token, vault=vault)
        return Page(tuple(ListedNote.of(rows.to_note(row[:-1]), row[-1]) for row in found), next_token)

    def whole_notes(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[Note | UnreadableNote]:
        """All of them can be read: nobody else writes here. Raises InvalidArgument("pageToken")."""
        found, next_token = self._page(tenant_id, rows.NOTE_COLUMNS, limit=limit, token=token, vault=None)
        return Page(tuple(map(rows.to_note, found)), next_token)

    def folders(self, tenant_id: str) -> tuple[Folder, ...]:
        """Read from the chunks, so a folder goes with the last chunk in it."""
        found = set()
        with self._files.of(tenant_id).reading() as db:
            for vault, path in db.execute("SELECT DISTINCT vault, path FROM chunks"):
                found.add((vault, ""))
                found.update((vault, folder) for folder in ancestors(path))
        return tuple(Folder(*each) for each in sorted(found))

    def _page(
        self, tenant_id: str, columns: str, *, limit: int, token: str | None, vault: str | None
    ) -> tuple[list[rows.Row], str | None]:
        after = "" if token is None else read_token(token, "notes")[0]
        query = f"SELECT {columns} FROM notes WHERE note_id > ? AND vault = coalesce(?, vault) ORDER BY note_id LIMIT ?"
        with self._files.of(tenant_id).reading() as db:
            found = db.execute(query, (after, vault, limit + 1)).fetchall()
        return found[:limit], make_token("notes", found[limit - 1][0]) if len(found) > limit else None

    def _written(self, tenant_id: str, note_id: str) -> None:
        if self._on_write is not None:
            self._on_write(NoteKey(tenant_id, note_id))


def _check(note: Note) -> None:
    """Raises InvalidArgument naming the field whose text no store can keep or give back over JSON."""
    fields = {"id": note.note_id, "title": note.title, "text": note.text, "vault": note.vault, "path": note.path}
    fields |= {f"tags[{place}]": tag for place, tag in enumerate(note.tags)}
    for name, value in fields.items():
        if _UNKEEPABLE.search(value):
            raise InvalidArgument(name, "text without NUL characters and lone surrogates")


def _get(db: sqlite3.Connection, note_id: str) -> Note | None:
    row = db.execute(f"SELECT {rows.NOTE_COLUMNS} FROM notes WHERE note_id = ?", (note_id,)).fetchone()
    return None if row is None else rows.to_note(row)


def _put(db: sqlite3.Connection, note: Note) -> None:
    statement = f"INSERT OR REPLACE INTO notes ({rows.NOTE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
    db.execute(statement, rows.note_row(note))


def _delete(db: sqlite3.Connection, note_id: str) -> bool:
    return db.execute("DELETE FROM notes WHERE note_id = ?", (note_id,)).rowcount > 0
