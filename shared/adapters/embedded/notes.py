"""The notes and the trash, in their tenant's file; and for a sweep, keys across all files by tenant id."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import quote

from shared.adapters.embedded.documents import CODEC, NOTES, Table, delete, insert, to_micros
from shared.adapters.embedded.files import Row, TenantFiles, make_folder
from shared.errors import Conflict, StoreUnavailable
from shared.model.index import folders_of
from shared.model.notes import Folder, ListedNote, Note, NoteKey, TrashedNote, UnreadableNote, check_texts
from shared.ports.pages import Page, make_token, read_token

_LISTED = Table("notes", ListedNote)
_FAILURE = "(SELECT error FROM records WHERE records.note_id = notes.note_id AND status = 'failed')"
_LISTED_COLUMNS = _LISTED.columns.replace('notes."error"', _FAILURE).replace('notes."text"', "''")
_TRASH = CODEC.keys(TrashedNote, "note")
_TRASH_COLUMNS = ", ".join((Table("trash", Note).columns, *_TRASH))
_BY_ID = "FROM notes WHERE note_id > ? AND vault = coalesce(?, vault) ORDER BY note_id LIMIT ?"


class Notes:
    """`shared.ports.stores.NoteStore`, a transaction a call; and what `Store` gives a sweep."""

    _files: TenantFiles
    _bookmarks: Path
    """The folder of small texts, one file each, replaced whole."""
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

    # -- the sweep

    def note_keys(
        self, *, limit: int, cursor: str | None = None, changed_since: datetime | None = None
    ) -> Page[NoteKey]:
        query = (
            "SELECT note_id FROM notes WHERE note_id > :after AND updated_at >= :since ORDER BY note_id LIMIT :limit"
        )
        return self._keys("note_keys", query, limit=limit, cursor=cursor, since=changed_since)

    def record_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        query = "SELECT note_id FROM records WHERE note_id > :after ORDER BY note_id LIMIT :limit"
        return self._keys("record_keys", query, limit=limit, cursor=cursor)

    def orphan_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        query = (
            "SELECT DISTINCT note_id FROM chunks WHERE note_id > :after "
            "AND note_id NOT IN (SELECT note_id FROM records) ORDER BY note_id LIMIT :limit"
        )
        return self._keys("orphan_keys", query, limit=limit, cursor=cursor)

    def unfinished_keys(self, *, limit: int) -> tuple[NoteKey, ...]:
        """Failed ones last, oldest first, over all files."""
        found: list[tuple[bool, int, str, str]] = []
        for file in self._files.all():
            with file.reading() as db:
                rows_found = db.execute(
                    "SELECT status = 'failed', indexed_at, note_id FROM records WHERE status <> 'indexed' "
                    "ORDER BY 1, indexed_at, note_id LIMIT ?",
                    (limit,),
                )
                found += ((failed, when, file.tenant_id, note_id) for failed, when, note_id in rows_found)
        return tuple(NoteKey(tenant_id, note_id) for _, _, tenant_id, note_id in sorted(found)[:limit])

    def _keys(
        self, listing: str, query: str, *, limit: int, cursor: str | None, since: datetime | None = None
    ) -> Page[NoteKey]:
        """`query`: ids beyond `:after`, in order, at most `:limit`. The cursor is the last key: no change moves it."""
        tenant, note_id = ("", "") if cursor is None else read_token(cursor, listing, parts=2, field="cursor")
        found: list[NoteKey] = []
        for file in self._files.all():
            if file.tenant_id >= tenant and len(found) <= limit:
                values = {
                    "after": note_id if file.tenant_id == tenant else "",
                    "since": 0 if since is None else to_micros(since),
                    "limit": limit + 1 - len(found),
                }
                with file.reading() as db:
                    found += (NoteKey(file.tenant_id, row[0]) for row in db.execute(query, values))
        items = tuple(found[:limit])
        more = len(found) > limit
        return Page(items, make_token(listing, items[-1].tenant_id, items[-1].note_id) if more else None)

    def read_bookmark(self, name: str) -> str | None:
        try:
            return self._bookmark(name).read_text("utf-8")
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise StoreUnavailable(f"{self._bookmark(name)} cannot be read: {problem.strerror}") from problem

    def write_bookmark(self, name: str, value: str | None) -> None:
        make_folder(self._bookmarks)
        try:
            if value is None:
                self._bookmark(name).unlink(missing_ok=True)
                return
            with NamedTemporaryFile("w", encoding="utf-8", dir=self._bookmarks, delete=False) as file:
                file.write(value)
            os.replace(file.name, self._bookmark(name))  # noqa: PTH105 - atomic: a reader sees the old text or the new
        except OSError as problem:
            raise StoreUnavailable(f"{self._bookmark(name)} cannot be written: {problem.strerror}") from problem

    def _bookmark(self, name: str) -> Path:
        return self._bookmarks / f"{quote(name, safe='')}.txt"


def _trash_row(trashed: TrashedNote) -> dict[str, object]:
    return {**NOTES.row(trashed.note), **CODEC.dump(trashed, "note")}


def _trashed(row: Row) -> TrashedNote:
    own = dict(zip(_TRASH, row[-len(_TRASH) :], strict=True))
    return CODEC.load(TrashedNote, own, note=NOTES.load(row[1:]))
