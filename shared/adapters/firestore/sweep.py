"""Enumerations across all tenants, by collection group, for reconcile."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from shared.adapters.firestore.client import pool
from shared.adapters.firestore.connection import Connection
from shared.adapters.firestore.documents import SHARDS
from shared.adapters.firestore.protocol import KEY, Query, Where, delete, put, timestamp
from shared.model.index import IndexStatus
from shared.model.notes import NoteKey
from shared.ports.pages import Page, make_token, read_token

CHUNKS_A_PAGE = 1000
"""Chunk names that one search for orphans looks at."""
CHANGED_NOTES = "notes by updatedAt"
"""Names that listing in its cursors; the others are named by their collection."""
_KEY = re.compile(r"tenants/([^/]+)/[^/]+/([^/]+)", re.DOTALL)


class Sweep:
    """What `shared.ports.stores.Store` gives a sweep, on Firestore."""

    _db: Connection

    def note_keys(
        self, *, limit: int, cursor: str | None = None, changed_since: datetime | None = None
    ) -> Page[NoteKey]:
        """Raises InvalidArgument("cursor") for a cursor of another listing."""
        return self._keys("notes", limit, cursor, changed_since)

    def record_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        return self._keys("index", limit, cursor)

    def unfinished_keys(self, *, limit: int) -> tuple[NoteKey, ...]:
        found: tuple[NoteKey, ...] = ()
        for status in (IndexStatus.PENDING, IndexStatus.FAILED):
            if len(found) < limit:
                query = Query(
                    collection="index",
                    everywhere=True,
                    where=(Where("unfinished", "in", [f"{status.value}:{shard}" for shard in SHARDS]),),
                    order=("indexedAt", KEY),
                    limit=limit - len(found),
                    fields=(),
                )
                found += self._note_keys(self._db.query(self._db.root, query))
        return found

    def orphan_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        """Two aggregations say whether there can be any: as many chunks as all records together claim means none.
        Only otherwise are the chunks walked through, `CHUNKS_A_PAGE` names a call, so a page may be empty and yet
        not the last.
        """
        if cursor is None:
            records, root = Query(collection="index", everywhere=True), self._db.root
            claimed = pool().submit(self._db.count, root, records, total="chunkCount")
            if self._db.count(root, Query(collection="chunks", everywhere=True)) == claimed.result():
                return Page((), None)
        after = () if cursor is None else (self._full(read_token(cursor, "chunks", field="cursor")[0]),)
        query = Query(
            collection="chunks",
            everywhere=True,
            order=(KEY,),
            after=after,
            limit=CHUNKS_A_PAGE,
            fields=("tenantId", "noteId"),
        )
        documents = self._db.query(self._db.root, query)
        ends: dict[NoteKey, str] = {}  # the last chunk seen of each note, in the order of the names
        for document in documents:
            fields = document.fields
            ends[NoteKey(fields["tenantId"].string_value, fields["noteId"].string_value)] = document.name
        records_of = {key: self._db.name(key.tenant_id, "index", key.note_id) for key in ends}
        recorded = self._db.lookup(list(records_of.values()), ())
        orphans = [key for key, name in records_of.items() if name not in recorded]
        if len(orphans) > limit:
            return Page(tuple(orphans[:limit]), make_token("chunks", self._short(ends[orphans[limit - 1]])))
        more = len(documents) == CHUNKS_A_PAGE
        return Page(tuple(orphans), make_token("chunks", self._short(documents[-1].name)) if more else None)

    def read_bookmark(self, name: str) -> str | None:
        return self._db.get(self._bookmark(name), lambda found: found.fields["value"].string_value)

    def write_bookmark(self, name: str, value: str | None) -> None:
        name = self._bookmark(name)
        self._db.commit([delete(name) if value is None else put(name, {"value": value})])

    def _bookmark(self, name: str) -> str:
        return f"{self._db.root}/bookmarks/{name}"

    def _keys(
        self, collection: str, limit: int, cursor: str | None, changed_since: datetime | None = None
    ) -> Page[NoteKey]:
        """By name, or from `changed_since` on by `updatedAt`. Raises InvalidArgument("cursor")."""
        dated = changed_since is not None
        listing = CHANGED_NOTES if dated else collection
        after: tuple[object, ...] = ()
        if cursor is not None:
            *moment, name = read_token(cursor, listing, parts=1 + dated, field="cursor")
            after = (*map(datetime.fromisoformat, moment), self._full(name))
        query = Query(
            collection=collection,
            everywhere=True,
            where=(Where("updatedAt", ">=", changed_since),) if dated else (),
            order=("updatedAt", KEY) if dated else (KEY,),
            after=after,
            limit=limit + 1,
            fields=("updatedAt",) if dated else (),
        )
        documents = self._db.query(self._db.root, query)
        shown, more = documents[:limit], None
        if len(documents) > limit:
            moment = [timestamp(shown[-1].fields["updatedAt"].timestamp_value).isoformat()] if dated else []
            more = make_token(listing, *moment, self._short(shown[-1].name))
        return Page(self._note_keys(shown), more)

    def _note_keys(self, documents: Iterable[Any]) -> tuple[NoteKey, ...]:
        """Without documents that lie elsewhere than a tenant's notes and records."""
        found = (_KEY.fullmatch(self._short(document.name)) for document in documents)
        return tuple(NoteKey(match[1], match[2]) for match in found if match)

    def _short(self, name: str) -> str:
        return name.removeprefix(f"{self._db.root}/")

    def _full(self, name: str) -> str:
        return f"{self._db.root}/{name}"
