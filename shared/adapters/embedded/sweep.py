"""Keys across all tenants' files, each file one after the other by tenant id."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import quote

from shared.adapters.embedded.documents import to_micros
from shared.adapters.embedded.files import TenantFiles, make_folder
from shared.errors import StoreUnavailable
from shared.model.notes import NoteKey
from shared.ports.pages import Page, make_token, read_token


@dataclass(frozen=True, slots=True)
class Listing:
    """One kind of keys: its name, and a query of note ids beyond `:after`, in order, at most `:limit`."""

    name: str
    query: str


NOTES = Listing(
    "note_keys",
    "SELECT note_id FROM notes WHERE note_id > :after AND updated_at >= :since ORDER BY note_id LIMIT :limit",
)
RECORDS = Listing("record_keys", "SELECT note_id FROM records WHERE note_id > :after ORDER BY note_id LIMIT :limit")
ORPHANS = Listing(
    "orphan_keys",
    "SELECT DISTINCT note_id FROM chunks WHERE note_id > :after AND note_id NOT IN (SELECT note_id FROM records) "
    "ORDER BY note_id LIMIT :limit",
)


class Sweep:
    """`shared.ports.stores.SweepStore` over all files."""

    _files: TenantFiles
    _bookmarks: Bookmarks

    def note_keys(
        self, *, limit: int, cursor: str | None = None, changed_since: datetime | None = None
    ) -> Page[NoteKey]:
        return self._keys(NOTES, limit=limit, cursor=cursor, since=changed_since)

    def record_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        return self._keys(RECORDS, limit=limit, cursor=cursor)

    def orphan_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        return self._keys(ORPHANS, limit=limit, cursor=cursor)

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

    def read_bookmark(self, name: str) -> str | None:
        return self._bookmarks.read(name)

    def write_bookmark(self, name: str, value: str | None) -> None:
        self._bookmarks.write(name, value)

    def _keys(
        self, listing: Listing, *, limit: int, cursor: str | None, since: datetime | None = None
    ) -> Page[NoteKey]:
        """The cursor is the last key given: what comes and goes around it does not move it."""
        tenant, note_id = ("", "") if cursor is None else read_token(cursor, listing.name, parts=2, field="cursor")
        found: list[NoteKey] = []
        for file in self._files.all():
            if file.tenant_id >= tenant and len(found) <= limit:
                values = {
                    "after": note_id if file.tenant_id == tenant else "",
                    "since": 0 if since is None else to_micros(since),
                    "limit": limit + 1 - len(found),
                }
                with file.reading() as db:
                    found += (NoteKey(file.tenant_id, row[0]) for row in db.execute(listing.query, values))
        items = tuple(found[:limit])
        more = len(found) > limit
        return Page(items, make_token(listing.name, items[-1].tenant_id, items[-1].note_id) if more else None)


class Bookmarks:
    """Small texts, one file each, replaced whole."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, name: str) -> str | None:
        try:
            return self._path(name).read_text("utf-8")
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise StoreUnavailable(f"{self._path(name)} cannot be read: {problem.strerror}") from problem

    def write(self, name: str, value: str | None) -> None:
        make_folder(self._folder)
        try:
            if value is None:
                self._path(name).unlink(missing_ok=True)
                return
            with NamedTemporaryFile("w", encoding="utf-8", dir=self._folder, delete=False) as file:
                file.write(value)
            os.replace(file.name, self._path(name))  # noqa: PTH105 - atomic: a reader sees the old text or the new
        except OSError as problem:
            raise StoreUnavailable(f"{self._path(name)} cannot be written: {problem.strerror}") from problem

    def _path(self, name: str) -> Path:
        return self._folder / f"{quote(name, safe='')}.txt"
