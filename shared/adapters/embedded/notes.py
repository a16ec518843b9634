"""Notes in their tenant's file; and for the sweep, keys from all files by tenant id, and bookmarks."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import quote

from shared.adapters.embedded.collections import write as write_document
from shared.adapters.embedded.damage import EXPECTED, mend_derived, read_note, whole_note
from shared.adapters.embedded.documents import (
    NOTES,
    DamagedRow,
    Table,
    delete,
    insert,
    to_micros,
)
from shared.adapters.embedded.files import Row, TenantFiles, make_folder, rows_after
from shared.adapters.embedded.sqlite import UndecodableRow, fetch_rows
from shared.errors import Conflict, NoteUnreadable, StoreUnavailable
from shared.model.documents import TRASH
from shared.model.index import folders_of
from shared.model.notes import (
    Folder,
    ListedNote,
    Note,
    NoteKey,
    TrashedNote,
    UnreadableNote,
    check_texts,
)
from shared.ports.pages import Page, make_token, read_token

_LISTED = Table("notes", ListedNote)
_FAILURE = "(SELECT error FROM records WHERE records.note_id = notes.note_id AND status = 'failed')"
_LISTED_COLUMNS = _LISTED.columns.replace('notes."error"', _FAILURE).replace('notes."text"', "''")
_UNKNOWN = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands for the times of a note that cannot be read."""
_BY_ID = "FROM notes WHERE note_id > ? AND vault = coalesce(?, vault) ORDER BY note_id LIMIT ?"


class EmbeddedNotes:
    """`NoteStore` and `SweepStore` of `shared.ports.stores`, a transaction a call."""

    _files: TenantFiles
    _bookmarks: Path
    """Folder with a file for each bookmark, which is replaced whole."""
    _on_write: Callable[[NoteKey], None] | None

    def get_note(self, tenant_id: str, note_id: str) -> Note | None:
        with self._files.of(tenant_id).reading() as db:
            return read_note(db, note_id)

    def put_note(self, tenant_id: str, note: Note) -> None:
        """Raises InvalidArgument naming a field with NUL characters or lone surrogates."""
        check_texts(note)
        with self._files.of(tenant_id).writing() as db:
            _write(db, note)
        self._written(tenant_id, note.note_id)

    def swap_note(
        self,
        tenant_id: str,
        note_id: str,
        *,
        was: Note | None,
        now: Note | None,
        trashed: TrashedNote | None = None,
    ) -> None:
        if now is not None:
            check_texts(now)
        with self._files.of(tenant_id).writing() as db:
            if read_note(db, note_id) != was:
                raise Conflict("somebody else has changed the note")
            if trashed is not None:
                write_document(db, tenant_id, TRASH, trashed)
            if now is None:
                delete(db, "notes", note_id)
            else:
                _write(db, now)
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
            row = db.execute(query, (vault, path)).fetchone()
        if row is None:
            return None
        return str(row[0])

    def list_notes(
        self,
        tenant_id: str,
        *,
        limit: int,
        token: str | None = None,
        vault: str | None = None,
    ) -> Page[ListedNote]:
        query = f"SELECT {_LISTED_COLUMNS} {_BY_ID}"
        return self._files.of(tenant_id).page(
            query,
            _listed,
            vault,
            listing="notes",
            limit=limit,
            token=token,
        )

    def whole_notes(
        self,
        tenant_id: str,
        *,
        limit: int,
        token: str | None = None,
    ) -> Page[Note | UnreadableNote]:
        """Returns notes, and as UnreadableNote those that the disk has changed: no app writes here."""
        after = ""
        if token is not None:
            (after,) = read_token(token, "notes")
        with self._files.of(tenant_id).reading() as db:
            query = f"SELECT note_id {_BY_ID}"
            note_ids, last = rows_after(db, query, after, None, limit=limit)
            notes = tuple(whole_note(db, note_id) for (note_id,) in note_ids)
        next_token = None
        if last is not None:
            next_token = make_token("notes", last)
        return Page(notes, next_token)

    def folders(self, tenant_id: str) -> tuple[Folder, ...]:
        """Reads the folders of chunks, so a folder goes with the last chunk in it."""
        with self._files.of(tenant_id).reading() as db:
            paths = db.execute("SELECT DISTINCT vault, path FROM chunks")
            return folders_of(paths)

    def _written(self, tenant_id: str, note_id: str) -> None:
        if self._on_write is not None:
            self._on_write(NoteKey(tenant_id, note_id))

    # -- the sweep

    def mark_damaged(self) -> None:
        for file in self._files.all():
            mend_derived(file)

    def note_keys(
        self,
        *,
        limit: int,
        cursor: str | None = None,
        changed_since: datetime | None = None,
    ) -> Page[NoteKey]:
        query = (
            "SELECT note_id FROM notes WHERE note_id > :after AND updated_at >= :since "
            "ORDER BY note_id LIMIT :limit"
        )
        return self._keys(
            "note_keys",
            query,
            limit=limit,
            cursor=cursor,
            since=changed_since,
        )

    def record_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        query = "SELECT note_id FROM records WHERE note_id > :after ORDER BY note_id LIMIT :limit"
        return self._keys("record_keys", query, limit=limit, cursor=cursor)

    def orphan_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        query = (
            "SELECT DISTINCT note_id FROM chunks WHERE note_id > :after "
            "AND note_id NOT IN (SELECT note_id FROM records) ORDER BY note_id LIMIT :limit"
        )
        return self._keys("orphan_keys", query, limit=limit, cursor=cursor)

    def due_keys(self, now: datetime, *, limit: int) -> tuple[NoteKey, ...]:
        """Sorts the keys of all files: failed records last, each group by `due_at`."""
        due: list[tuple[bool, int, NoteKey]] = []
        query = (
            "SELECT status = 'failed', due_at, note_id FROM records WHERE due_at <= ? "
            "ORDER BY 1, due_at, note_id LIMIT ?"
        )
        values = (to_micros(now), limit)
        for file in self._files.all():
            with file.reading() as db:
                for failed, due_at, note_id in db.execute(query, values):
                    key = NoteKey(file.tenant_id, note_id)
                    due.append((failed, due_at, key))
        due.sort(key=_due_order)
        keys = [key for _, _, key in due]
        return tuple(keys[:limit])

    def _keys(
        self,
        listing: str,
        query: str,
        *,
        limit: int,
        cursor: str | None,
        since: datetime | None = None,
    ) -> Page[NoteKey]:
        """Lists keys by tenant and note id. The cursor is the last key, so no change moves it.

        query: returns at most `:limit` ids behind `:after`, in order.
        """
        last = NoteKey("", "")
        if cursor is not None:
            tenant_id, note_id = read_token(cursor, listing, parts=2, field="cursor")
            last = NoteKey(tenant_id, note_id)
        values: dict[str, object] = {"since": 0}
        if since is not None:
            values["since"] = to_micros(since)
        keys: list[NoteKey] = []
        for file in self._files.all():
            tenant_id = file.tenant_id
            if tenant_id < last.tenant_id or len(keys) > limit:
                continue
            values["after"] = ""
            if tenant_id == last.tenant_id:
                values["after"] = last.note_id
            values["limit"] = limit + 1 - len(keys)
            with file.reading() as db:
                for (note_id,) in fetch_rows(db, query, values):
                    keys.append(NoteKey(tenant_id, note_id))

        # No note can be found by a damaged id.
        items = tuple(key for key in keys[:limit] if isinstance(key.note_id, str))
        has_more = len(keys) > limit
        next_token = None
        if has_more and items:
            last = items[-1]
            next_token = make_token(listing, last.tenant_id, last.note_id)
        return Page(items, next_token)

    def read_bookmark(self, name: str) -> str | None:
        path = self._bookmark(name)
        try:
            return path.read_text("utf-8")
        except (FileNotFoundError, UnicodeDecodeError):
            return None  # the work whose place a damaged file held begins again
        except OSError as problem:
            raise StoreUnavailable(f"{path} cannot be read: {problem.strerror}") from problem

    def write_bookmark(self, name: str, value: str | None) -> None:
        make_folder(self._bookmarks)
        path = self._bookmark(name)
        try:
            if value is None:
                path.unlink(missing_ok=True)
                return
            with NamedTemporaryFile(
                "w",
                encoding="utf-8",
                dir=self._bookmarks,
                delete=False,
            ) as file:
                file.write(value)
            os.replace(file.name, path)  # noqa: PTH105 - atomic: a reader sees the old text or the new
        except OSError as problem:
            raise StoreUnavailable(f"{path} cannot be written: {problem.strerror}") from problem

    def _bookmark(self, name: str) -> Path:
        return self._bookmarks / f"{quote(name, safe='')}.txt"


def _due_order(entry: tuple[bool, int, NoteKey]) -> tuple[bool, int, str, str]:
    """Returns the key by which due notes are in order: failed ones last, then by the time at which they were due."""
    failed, due_at, key = entry
    return failed, due_at, key.tenant_id, key.note_id


def _write(db: sqlite3.Connection, note: Note) -> None:
    row = NOTES.with_checksum(NOTES.row(note))
    insert(db, "notes", row, replacing=True)


def _listed(row: Row) -> ListedNote:
    if not isinstance(row, UndecodableRow):
        with suppress(DamagedRow):
            return _LISTED.load(row)
    error = NoteUnreadable("note", EXPECTED).message
    return ListedNote(
        row[0],
        "",
        "",
        created_at=_UNKNOWN,
        updated_at=_UNKNOWN,
        error=error,
    )
