"""Enumerations across all tenants, by collection group, for reconcile."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from shared.adapters.firestore.connection import Connection, pool
from shared.adapters.firestore.documents import shards_of
from shared.adapters.firestore.protocol import KEY, Is, Order, Query, Reference, Where, delete, put, timestamp
from shared.model.index import IndexStatus
from shared.model.notes import NoteKey
from shared.ports.pages import Page, make_token, read_token

CHUNKS_A_PAGE = 1000
"""Chunk names that one search for orphans looks at."""
CHANGED_NOTES = "notes by updatedAt"
"""Names that listing in its cursors; the others are named by their collection."""
_KEY = re.compile(r"tenants/([^/]+)/[^/]+/([^/]+)", re.DOTALL)


class Sweep:
    """`shared.ports.stores.SweepStore` on Firestore."""

    _connection: Connection

    def note_keys(
        self, *, limit: int, cursor: str | None = None, changed_since: datetime | None = None
    ) -> Page[NoteKey]:
        """Raises InvalidArgument("cursor") for a cursor of another listing."""
        if changed_since is None:
            return self._keys("notes", limit, cursor)
        after: tuple[object, ...] = ()
        if cursor is not None:
            moment, name = read_token(cursor, CHANGED_NOTES, parts=2, field="cursor")
            after = (datetime.fromisoformat(moment), Reference(self._full(name)))
        query = Query(
            collection="notes",
            everywhere=True,
            where=(Where("updatedAt", Is.AT_LEAST, changed_since),),
            order=(Order("updatedAt"), Order(KEY)),
            after=after,
            limit=limit + 1,
            fields=("updatedAt",),
        )
        documents = self._connection.query(self._connection.root, query)
        if len(documents) <= limit:
            return Page(self._note_keys(documents), None)
        last = documents[limit - 1]
        moment = timestamp(last.fields["updatedAt"].timestamp_value).isoformat()
        return Page(self._note_keys(documents[:limit]), make_token(CHANGED_NOTES, moment, self._short(last.name)))

    def record_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        return self._keys("index", limit, cursor)

    def unfinished_keys(self, *, limit: int) -> tuple[NoteKey, ...]:
        found: list[Any] = []
        for status in (IndexStatus.PENDING, IndexStatus.FAILED):
            query = Query(
                collection="index",
                everywhere=True,
                where=(Where("unfinished", Is.IN, shards_of(status)),),
                order=(Order("indexedAt"), Order(KEY)),
                limit=limit - len(found),
                fields=(),
            )
            if len(found) < limit:
                found += self._connection.query(self._connection.root, query)
        return self._note_keys(found)

    def orphan_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        """Two aggregations say whether there can be any: as many chunks as all records together claim means none.
        Only otherwise are the chunks walked through, `CHUNKS_A_PAGE` names a call, so a page may be empty and yet
        not the last.
        """
        if cursor is None:
            connection, records = self._connection, Query(collection="index", everywhere=True)
            claimed = pool().submit(connection.aggregate, connection.root, records, total="chunkCount")
            stored = connection.count(connection.root, Query(collection="chunks", everywhere=True))
            if stored == claimed.result()["total"].integer_value:
                return Page((), None)
        documents = self._page("chunks", CHUNKS_A_PAGE, cursor, ("tenantId", "noteId"))
        ends: dict[NoteKey, str] = {}  # the last chunk seen of each note, in the order of the names
        for document in documents:
            fields = document.fields
            ends[NoteKey(fields["tenantId"].string_value, fields["noteId"].string_value)] = document.name
        records_of = {key: self._connection.name(key.tenant_id, "index", key.note_id) for key in ends}
        recorded = self._connection.lookup(list(records_of.values()), ())
        orphans = [key for key, name in records_of.items() if name not in recorded]
        if len(orphans) > limit:
            return Page(tuple(orphans[:limit]), make_token("chunks", self._short(ends[orphans[limit - 1]])))
        more = len(documents) == CHUNKS_A_PAGE
        return Page(tuple(orphans), make_token("chunks", self._short(documents[-1].name)) if more else None)

    def read_bookmark(self, name: str) -> str | None:
        found = self._connection.read(self._bookmark(name))
        return None if found is None else found.fields["value"].string_value

    def write_bookmark(self, name: str, value: str | None) -> None:
        document = self._bookmark(name)
        write = delete(document) if value is None else put(document, {"value": value})
        self._connection.commit([write])

    def _bookmark(self, name: str) -> str:
        return f"{self._connection.root}/bookmarks/{name}"

    def _keys(self, collection: str, limit: int, cursor: str | None) -> Page[NoteKey]:
        documents = self._page(collection, limit + 1, cursor, ())
        if len(documents) <= limit:
            return Page(self._note_keys(documents), None)
        return Page(self._note_keys(documents[:limit]), make_token(collection, self._short(documents[limit - 1].name)))

    def _page(self, collection: str, size: int, cursor: str | None, fields: tuple[str, ...]) -> list[Any]:
        after = () if cursor is None else (Reference(self._full(read_token(cursor, collection, field="cursor")[0])),)
        query = Query(
            collection=collection, everywhere=True, order=(Order(KEY),), after=after, limit=size, fields=fields
        )
        return self._connection.query(self._connection.root, query)

    def _note_keys(self, documents: Iterable[Any]) -> tuple[NoteKey, ...]:
        """Without documents that lie elsewhere than a tenant's notes and records."""
        found = (_KEY.fullmatch(self._short(document.name)) for document in documents)
        return tuple(NoteKey(match[1], match[2]) for match in found if match)

    def _short(self, name: str) -> str:
        return name.removeprefix(f"{self._connection.root}/")

    def _full(self, name: str) -> str:
        return f"{self._connection.root}/{name}"
