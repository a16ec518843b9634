"""Keys across all tenants' files, each file one after the other by tenant id."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import quote

from shared.adapters.embedded.documents import to_micros
from shared.adapters.embedded.files import TenantFiles, make_folder
from shared.errors import StoreUnavailable
from shared.model.notes import NoteKey
from shared.ports.pages import Page, make_token, read_token


class Sweep:
    """What `shared.ports.stores.Store` gives a sweep, over all files."""

    _files: TenantFiles
    _bookmarks: Path
    """The folder of small texts, one file each, replaced whole."""

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
