"""The notes and the trash, in their tenant's file."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from shared.adapters.embedded.documents import CODEC, NOTES, Table, delete, insert, to_micros
from shared.adapters.embedded.files import Row, TenantFiles
from shared.errors import Conflict
from shared.model.index import folders_of
from shared.model.notes import Folder, ListedNote, Note, NoteKey, TrashedNote, UnreadableNote, check_texts
from shared.ports.pages import Page

_LISTED = Table("notes", ListedNote)
_FAILURE = "(SELECT error FROM records WHERE records.note_id = notes.note_id AND status = 'failed')"
_LISTED_COLUMNS = _LISTED.columns.replace('notes."error"', _FAILURE).replace('notes."text"', "''")
_TRASH = CODEC.keys(TrashedNote, "note")
_TRASH_COLUMNS = ", ".join((Table("trash", Note).columns, *_TRASH))
_BY_ID = "FROM notes WHERE note_id > ? AND vault = coalesce(?, vault) ORDER BY note_id LIMIT ?"


class Notes:
    """`shared.ports.stores.NoteStore`, a transaction a call."""

    _files: TenantFiles
    _on_write: Callable[[NoteKey], None] | None

    def get_note(self, tenant_id: str, note_id: str) -> Note | None:
        with self._files.of(tenant_id).reading() as db:
            return NOTES.get(db, note_id)

    def put_note(self, tenant_id: str, note: Note) -> None:
        """Raises InvalidArgument naming a field with NUL characters or lone surrogates."""
        check_texts(note)
        with self._files.of(tenant_id).writing() as db:
            insert(db, "notes", NOTES.row(note), replacing=True)
        self._written(tenant_id, note.note_id)

    def swap_note(
        self, tenant_id: str, note_id: str, *, was: Note | None, now: Note | None, trashed: TrashedNote | None = None
    ) -> None:
        """Raises Conflict, and InvalidArgument as `put_note` does."""
        if now is not None:
            check_texts(now)
        with self._files.of(tenant_id).writing() as db:
            if NOTES.get(db, note_id) != was:
                raise Conflict("somebody else has changed the note")
            if trashed is not None:
                insert(db, "trash", _trash_row(trashed), replacing=True)
            if now is None:
                delete(db, "notes", note_id)
            else:
                insert(db, "notes", NOTES.row(now), replacing=True)
        self._written(tenant_id, note_id)

    def delete_note(self, tenant_id: str, note_id: str) -> bool:
        with self._files.of(tenant_id).writing() as db:
            existed = delete(db, "notes", note_id)
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
        query = f"SELECT {_LISTED_COLUMNS} {_BY_ID}"
        return self._files.of(tenant_id).page(query, _LISTED.load, vault, listing="notes", limit=limit, token=token)

    def whole_notes(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[Note | UnreadableNote]:
        """Never an UnreadableNote: no app writes here."""
        query = f"SELECT {NOTES.columns} {_BY_ID}"
        return self._files.of(tenant_id).page(query, NOTES.load, None, listing="notes", limit=limit, token=token)

    def folders(self, tenant_id: str) -> tuple[Folder, ...]:
        """Read from the chunks, so a folder goes with the last chunk in it."""
        with self._files.of(tenant_id).reading() as db:
            return folders_of(db.execute("SELECT DISTINCT vault, path FROM chunks"))

    # -- the trash

    def put_trashed(self, tenant_id: str, trashed: TrashedNote) -> None:
        with self._files.of(tenant_id).writing() as db:
            insert(db, "trash", _trash_row(trashed), replacing=True)

    def get_trashed(self, tenant_id: str, trash_id: str) -> TrashedNote | None:
        with self._files.of(tenant_id).reading() as db:
            row = db.execute(f"SELECT trash_id, {_TRASH_COLUMNS} FROM trash WHERE trash_id = ?", (trash_id,)).fetchone()
        return None if row is None else _trashed(row)

    def list_trashed(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[TrashedNote]:
        columns = _TRASH_COLUMNS.replace('trash."text"', "''")
        query = f"SELECT trash_id, {columns} FROM trash WHERE trash_id > ? ORDER BY trash_id LIMIT ?"
        return self._files.of(tenant_id).page(query, _trashed, listing="trash", limit=limit, token=token)

    def delete_trashed(self, tenant_id: str, trash_id: str) -> bool:
        with self._files.of(tenant_id).writing() as db:
            return delete(db, "trash", trash_id)

    def expire_trashed(self, now: datetime) -> None:
        for file in self._files.all():
            with file.reading() as db:
                expired = db.execute("SELECT 1 FROM trash WHERE expires_at <= ?", (to_micros(now),)).fetchone()
            if expired:
                with file.writing() as db:
                    db.execute("DELETE FROM trash WHERE expires_at <= ?", (to_micros(now),))

    def _written(self, tenant_id: str, note_id: str) -> None:
        if self._on_write is not None:
            self._on_write(NoteKey(tenant_id, note_id))


def _trash_row(trashed: TrashedNote) -> dict[str, object]:
    return {**NOTES.row(trashed.note), **CODEC.dump(trashed, "note")}


def _trashed(row: Row) -> TrashedNote:
    own = dict(zip(_TRASH, row[-len(_TRASH) :], strict=True))
    return CODEC.load(TrashedNote, own, note=NOTES.load(row[1:]))
