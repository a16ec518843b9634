"""The notes: `tenants/{tenant}/notes/{note}`, which apps also read and write themselves; and `auroraTrash/{trashId}`,
notes as they were before they were edited, replaced or deleted; and for a sweep, keys of all tenants by collection
group.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any

from shared.adapters.firestore.client import pool
from shared.adapters.firestore.corpus import Corpus
from shared.adapters.firestore.documents import (
    CODEC,
    LISTED_FIELDS,
    SHARDS,
    listed_note_of,
    note_fields,
    note_of,
    whole_note_of,
)
from shared.adapters.firestore.protocol import (
    KEY,
    Query,
    Where,
    delete,
    expect,
    id_of,
    put,
    timestamp,
    token_of,
    values_of,
)
from shared.errors import Conflict, TooLarge
from shared.model.index import IndexStatus
from shared.model.notes import DEFAULT_VAULT, ListedNote, Note, NoteKey, TrashedNote, UnreadableNote, check_texts
from shared.ports.pages import Page, make_token, read_token

MAX_BYTES = 1_000_000
"""Limit of all texts of a note together: Firestore's documents end at 1 MiB."""

TRASH = "auroraTrash"
"""A name that no app beside this one uses: time-to-live policies count for every collection of a name."""
TRASH_FIELDS = (*LISTED_FIELDS, "noteId", *CODEC.keys(TrashedNote, "trash_id", "note"))
CHUNKS_A_PAGE = 1000
"""Chunk names that one search for orphans looks at."""
CHANGED_NOTES = "notes by updatedAt"
"""Names that listing in its cursors; the others are named by their collection."""
_KEY = re.compile(r"tenants/([^/]+)/[^/]+/([^/]+)", re.DOTALL)


class Notes(Corpus):
    """`shared.ports.stores.NoteStore` on Firestore; and what `Store` gives a sweep."""

    def get_note(self, tenant_id: str, note_id: str) -> Note | None:
        return self._db.get(self._db.name(tenant_id, "notes", note_id), note_of)

    def put_note(self, tenant_id: str, note: Note) -> None:
        """Raises InvalidArgument for text that is no UTF-8 or holds a NUL, TooLarge beyond what a document holds."""
        self._db.commit([_note_write(self._db.name(tenant_id, "notes", note.note_id), note)])

    def swap_note(
        self, tenant_id: str, note_id: str, *, was: Note | None, now: Note | None, trashed: TrashedNote | None = None
    ) -> None:
        name = self._db.name(tenant_id, "notes", note_id)
        write = delete(name) if now is None else _note_write(name, now)
        token = None
        if was is not None:
            found = self._db.read(name)
            if found is None or note_of(found) != was:
                raise Conflict("somebody else has changed the note")
            token = token_of(found.update_time)
        self._db.commit([expect(write, token), *([] if trashed is None else [self._trash_write(tenant_id, trashed)])])

    def delete_note(self, tenant_id: str, note_id: str) -> bool:
        return self._db.delete(self._db.name(tenant_id, "notes", note_id))

    def note_at(self, tenant_id: str, vault: str, path: str) -> str | None:
        """Apps may leave out the default vault, so vaults are compared here."""
        query = Query(collection="notes", where=(Where("path", "==", path),), fields=("vault",))
        documents = self._db.query(self._db.parent(tenant_id), query)
        vaults = {id_of(each): values_of(each).get("vault") or DEFAULT_VAULT for each in documents}
        return next((note_id for note_id in sorted(vaults) if vaults[note_id] == vault), None)

    def list_notes(
        self, tenant_id: str, *, limit: int, token: str | None = None, vault: str | None = None
    ) -> Page[ListedNote]:
        """A text that is missing or of a wrong type is known as soon as the index has failed at it: none is read."""
        after = None if token is None else read_token(token, "notes")[0]
        failing = pool().submit(self._failures, tenant_id, after, limit)
        documents = self._documents(tenant_id, after, limit + 1, vault)
        wanted = (note for note in map(listed_note_of, documents) if vault in (None, note.vault))
        found = list(islice(wanted, limit + 1))
        failures = step = failing.result()
        shown = found[:limit]
        while shown and len(step) == limit and max(step) < shown[-1].note_id:  # of other vaults, or of no note any more
            step = self._failures(tenant_id, max(step), limit)
            failures = {**failures, **step}
        items = tuple(replace(note, error=note.error or failures.get(note.note_id)) for note in shown)
        return Page(items, make_token("notes", items[-1].note_id) if len(found) > limit else None)

    def _failures(self, tenant_id: str, after: str | None, limit: int) -> Mapping[str, str]:
        """Why the index could not take in the next so many notes: costs one read where none has failed."""
        query = Query(
            collection="index",
            where=(Where("status", "==", IndexStatus.FAILED.value),),
            order=(KEY,),
            after=() if after is None else (self._db.name(tenant_id, "index", after),),
            limit=limit,
            fields=("error",),
        )
        documents = self._db.query(self._db.parent(tenant_id), query)
        return {id_of(each): each.fields["error"].string_value for each in documents}

    def whole_notes(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[Note | UnreadableNote]:
        return self._db.page(tenant_id, Query(collection="notes"), whole_note_of, limit=limit, token=token)

    def _documents(self, tenant_id: str, after: str | None, step: int, vault: str | None) -> Iterator[Any]:
        """Notes by id, without their texts. The caller filters by the default vault: apps may leave the field out."""
        where = () if vault in (None, DEFAULT_VAULT) else (Where("vault", "==", vault),)
        while True:
            place = () if after is None else (self._db.name(tenant_id, "notes", after),)
            query = Query(collection="notes", where=where, order=(KEY,), after=place, limit=step, fields=LISTED_FIELDS)
            documents = self._db.query(self._db.parent(tenant_id), query)
            yield from documents
            if len(documents) < step:
                return
            after = id_of(documents[-1])

    # -- the trash

    def put_trashed(self, tenant_id: str, trashed: TrashedNote) -> None:
        self._db.commit([self._trash_write(tenant_id, trashed)])

    def get_trashed(self, tenant_id: str, trash_id: str) -> TrashedNote | None:
        return self._db.get(self._db.name(tenant_id, TRASH, trash_id), _trashed)

    def list_trashed(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[TrashedNote]:
        query = Query(collection=TRASH, fields=TRASH_FIELDS)
        return self._db.page(tenant_id, query, _trashed, limit=limit, token=token)

    def delete_trashed(self, tenant_id: str, trash_id: str) -> bool:
        return self._db.delete(self._db.name(tenant_id, TRASH, trash_id))

    def expire_trashed(self, now: datetime) -> None:
        """Nothing: a time-to-live policy on `expiresAt` removes what has expired."""

    def _trash_write(self, tenant_id: str, trashed: TrashedNote) -> Any:  # noqa: ANN401
        note, fields = trashed.note, CODEC.dump(trashed, "trash_id", "note")
        name = self._db.name(tenant_id, TRASH, trashed.trash_id)
        return put(name, {**note_fields(note), "noteId": note.note_id, **fields})

    # -- the sweep

    def note_keys(
        self, *, limit: int, cursor: str | None = None, changed_since: datetime | None = None
    ) -> Page[NoteKey]:
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


def _trashed(document: Any) -> TrashedNote:  # noqa: ANN401
    fields = values_of(document)
    note = CODEC.load(Note, {"text": "", **fields})
    return CODEC.load(TrashedNote, fields, trash_id=id_of(document), note=note)


def _note_write(name: str, note: Note) -> Any:  # noqa: ANN401
    check_texts(note)
    texts = (note.title, note.text, note.vault, note.path, note.lang or "", *note.tags)
    size = sum(len(text.encode()) for text in texts)
    if size > MAX_BYTES:
        raise TooLarge(f"note: at most {MAX_BYTES} bytes, got {size}")
    return put(name, note_fields(note))
