"""Notes, `tenants/{tenant}/notes/{note}`, which apps read and write themselves too.

For the sweep also the keys of all tenants, by collection group, and bookmarks.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any

from shared.adapters.firestore.client import pool
from shared.adapters.firestore.collections import FirestoreDocuments
from shared.adapters.firestore.corpus import Corpus
from shared.adapters.firestore.documents import (
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
from shared.adapters.firestore.roots import BOOKMARKS
from shared.errors import Conflict, StoreRefused, StoreUnavailable, TooLarge
from shared.model.documents import TRASH
from shared.model.index import IndexStatus
from shared.model.notes import (
    DEFAULT_VAULT,
    ListedNote,
    Note,
    NoteKey,
    TrashedNote,
    UnreadableNote,
    check_texts,
)
from shared.ports.pages import Page, make_token, read_token

MAX_BYTES = 1_000_000
"""Limit of all texts of a note together: Firestore's documents end at 1 MiB."""

CHUNKS_A_PAGE = 1000
"""Chunk names that one search for orphans looks at."""
TENANTS_A_PAGE = 100
"""Tenants whose chunks one search for orphans counts."""
FIRST_ID = "\x01"
"""Sorts before all ids."""
LAST_ID = "\U0010ffff"
"""Sorts behind all ids."""
FIRST_PLACE = f"tenants/{FIRST_ID}"
CHANGED_NOTES = "notes by updatedAt"
"""Name of the listing of changed notes in its cursors; other listings are named by their collection."""
_logger = logging.getLogger(__name__)
_KEY = re.compile(r"tenants/([^/]+)/[^/]+/([^/]+)", re.DOTALL)


class FirestoreNotes(FirestoreDocuments, Corpus):
    """`NoteStore` and `SweepStore` of `shared.ports.stores` on Firestore."""

    def get_note(self, tenant_id: str, note_id: str) -> Note | None:
        document = self._db.read(self._db.name(tenant_id, "notes", note_id))
        if document is None:
            return None
        return note_of(document)

    def put_note(self, tenant_id: str, note: Note) -> None:
        """Raises InvalidArgument for text that is no UTF-8 or holds a NUL, TooLarge beyond what a document holds."""
        name = self._db.name(tenant_id, "notes", note.note_id)
        write = _note_write(name, note)
        self._db.commit([write])

    def swap_note(
        self,
        tenant_id: str,
        note_id: str,
        *,
        was: Note | None,
        now: Note | None,
        trashed: TrashedNote | None = None,
    ) -> None:
        name = self._db.name(tenant_id, "notes", note_id)
        write = delete(name)
        if now is not None:
            write = _note_write(name, now)
        token = None
        if was is not None:
            document = self._db.read(name)
            if document is None or note_of(document) != was:
                raise Conflict("somebody else has changed the note")
            token = token_of(document.update_time)
        writes = [expect(write, token)]
        if trashed is not None:
            writes.append(self.put_write(tenant_id, TRASH, trashed))
        self._db.commit(writes)

    def delete_note(self, tenant_id: str, note_id: str) -> bool:
        return self._db.delete(self._db.name(tenant_id, "notes", note_id))

    def note_at(self, tenant_id: str, vault: str, path: str) -> str | None:
        """Apps may leave out the default vault, so vaults are compared here."""
        query = Query(
            collection="notes",
            where=(Where("path", "==", path),),
            fields=("vault",),
        )
        note_ids = []
        for document in self._db.find(tenant_id, query):
            fields = values_of(document)
            note_vault = fields.get("vault") or DEFAULT_VAULT
            if note_vault == vault:
                note_ids.append(id_of(document))
        return min(note_ids, default=None)

    def list_notes(
        self,
        tenant_id: str,
        *,
        limit: int,
        token: str | None = None,
        vault: str | None = None,
    ) -> Page[ListedNote]:
        """Reads no text: the index has failed at a note whose text is missing or of a wrong type."""
        after = None
        if token is not None:
            (after,) = read_token(token, "notes")
        # 1. The notes, and beside them the first failures of the index.
        failing = pool().submit(self._failures, tenant_id, after, limit)
        documents = self._documents(tenant_id, after, limit + 1, vault)
        all_notes = map(listed_note_of, documents)
        in_vault = (note for note in all_notes if vault in (None, note.vault))
        notes = list(islice(in_vault, limit + 1))
        listed = notes[:limit]

        # 2. More failures, if the first ones are of other vaults or of deleted notes.
        some = failing.result()
        failures = dict(some)
        while listed and len(some) == limit:
            last_failure = max(some)
            if last_failure >= listed[-1].note_id:
                break
            some = self._failures(tenant_id, last_failure, limit)
            failures.update(some)

        items = []
        for note in listed:
            error = note.error or failures.get(note.note_id)
            items.append(replace(note, error=error))
        next_token = None
        has_more = len(notes) > limit
        if has_more:
            next_token = make_token("notes", items[-1].note_id)
        return Page(tuple(items), next_token)

    def _failures(self, tenant_id: str, after: str | None, limit: int) -> Mapping[str, str]:
        """Returns why the index failed at the next notes, at most `limit`. Costs one read if it failed at none."""
        position: tuple[str, ...] = ()
        if after is not None:
            position = (self._db.name(tenant_id, "index", after),)
        query = Query(
            collection="index",
            where=(Where("status", "==", IndexStatus.FAILED.value),),
            order=(KEY,),
            after=position,
            limit=limit,
            fields=("error",),
        )
        errors = {}
        for document in self._db.find(tenant_id, query):
            errors[id_of(document)] = document.fields["error"].string_value
        return errors

    def whole_notes(
        self,
        tenant_id: str,
        *,
        limit: int,
        token: str | None = None,
    ) -> Page[Note | UnreadableNote]:
        return self._db.page(
            tenant_id,
            Query(collection="notes"),
            whole_note_of,
            limit=limit,
            token=token,
        )

    def _documents(
        self,
        tenant_id: str,
        after: str | None,
        step: int,
        vault: str | None,
    ) -> Iterator[Any]:
        """Yields notes by id, without their texts, also of other vaults than the default one.

        Apps may leave out the default vault, so no query finds its notes.
        """
        where: tuple[Where, ...] = ()
        if vault not in (None, DEFAULT_VAULT):
            where = (Where("vault", "==", vault),)
        while True:
            position: tuple[str, ...] = ()
            if after is not None:
                position = (self._db.name(tenant_id, "notes", after),)
            query = Query(
                collection="notes",
                where=where,
                order=(KEY,),
                after=position,
                limit=step,
                fields=LISTED_FIELDS,
            )
            documents = self._db.find(tenant_id, query)
            yield from documents
            if len(documents) < step:
                return
            after = id_of(documents[-1])

    # -- the sweep

    def note_keys(
        self,
        *,
        limit: int,
        cursor: str | None = None,
        changed_since: datetime | None = None,
    ) -> Page[NoteKey]:
        if changed_since is None:
            return self._keys("notes", limit, cursor)
        return self._changed_keys(limit, cursor, changed_since)

    def record_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        return self._keys("index", limit, cursor)

    def due_keys(self, now: datetime, *, limit: int) -> tuple[NoteKey, ...]:
        is_due = Where("dueAt", "<=", now)
        ways_of_waiting: tuple[tuple[str, str, tuple[Where, ...]], ...] = (
            ("waiting", "dueAt", (is_due,)),
            ("unfinished", "indexedAt", ()),
        )
        keys: tuple[NoteKey, ...] = ()
        for field, order, conditions in ways_of_waiting:
            for status in (IndexStatus.PENDING, IndexStatus.FAILED):
                room = limit - len(keys)
                if room > 0:
                    keys += self._waiting_keys(field, status, order, room, *conditions)
        return keys

    def _waiting_keys(
        self,
        field: str,
        status: IndexStatus,
        order: str,
        limit: int,
        *where: Where,
    ) -> tuple[NoteKey, ...]:
        """Returns keys of records of all tenants whose `field` names this status, by the field `order`."""
        shards = [f"{status.value}:{shard}" for shard in SHARDS]
        query = Query(
            collection="index",
            everywhere=True,
            where=(Where(field, "in", shards), *where),
            order=(order, KEY),
            limit=limit,
            fields=(),
        )
        documents = self._db.query(self._db.root, query)
        return self._note_keys(documents)

    def orphan_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        """Counts the chunks of one tenant after the other: as many as its records claim cannot hold an orphan.

        If the numbers differ, or if counting takes too long, the names of the tenant's chunks are read, `CHUNKS_A_PAGE`
        in a call. A page looks at no more than `TENANTS_A_PAGE` tenants, so a page without items need not be the last.

        cursor: names the last tenant that was counted, or the last chunk whose name was read.
        """
        place = FIRST_PLACE
        if cursor is not None:
            (place,) = read_token(cursor, "chunks", field="cursor")
        for _ in range(TENANTS_A_PAGE):
            if "/chunks/" in place:
                return self._walked_orphans(place, limit)
            tenant_id = self._next_tenant(place)
            if tenant_id is None:
                return Page((), None)
            place = f"tenants/{tenant_id}"
            if not self._claims_all_chunks(tenant_id):
                before_first_chunk = f"{place}/chunks/{FIRST_ID}"
                return self._walked_orphans(before_first_chunk, limit)
        next_cursor = make_token("chunks", place)
        return Page((), next_cursor)

    def _next_tenant(self, place: str) -> str | None:
        """Returns the next tenant with chunks after the tenant of this path; None if there is no other. Takes one read."""
        after = self._full(f"{place}/chunks/{LAST_ID}")
        while True:
            query = Query(
                collection="chunks",
                everywhere=True,
                order=(KEY,),
                after=(after,),
                limit=1,
                fields=(),
            )
            documents = self._db.query(self._db.root, query)
            if not documents:
                return None
            name = documents[0].name
            if not self._short(name).startswith("tenants/"):
                return None
            keys = self._note_keys(documents)
            if keys:
                return keys[0].tenant_id
            after = name  # in a collection of this name that belongs to another app

    def _claims_all_chunks(self, tenant_id: str) -> bool:
        """Reports whether the tenant's records claim as many chunks as there are. Two aggregations."""
        parent = self._db.parent(tenant_id)
        claimed = pool().submit(
            self._db.count,
            parent,
            Query(collection="index"),
            total="chunkCount",
        )
        try:
            stored = self._db.count(parent, Query(collection="chunks"))
            return stored == claimed.result()
        except StoreRefused:
            raise
        except StoreUnavailable as error:
            _logger.warning("the chunks of tenant %r are walked, not counted: %s", tenant_id, error)
            return False

    def _walked_orphans(self, place: str, limit: int) -> Page[NoteKey]:
        """Returns the orphans among the next chunks of a tenant behind `place`."""
        tenant_path, _, _ = place.partition("/chunks/")
        tenant_id = tenant_path.removeprefix("tenants/")
        parent = self._db.parent(tenant_id)
        query = Query(
            collection="chunks",
            order=(KEY,),
            after=(self._full(place),),
            limit=CHUNKS_A_PAGE,
            fields=("noteId",),
        )
        documents = self._db.query(parent, query)
        # 1. The notes of these chunks, in the chunks' order, each with its last one.
        last_chunks: dict[str, str] = {}
        for document in documents:
            note_id = document.fields["noteId"].string_value
            last_chunks[note_id] = self._short(document.name)

        # 2. Notes without a record.
        record_names = {}
        for note_id in last_chunks:
            record_names[note_id] = self._db.name(tenant_id, "index", note_id)
        names = list(record_names.values())
        recorded = self._db.lookup(names, ())
        orphan_ids = []
        for note_id, name in record_names.items():
            if name not in recorded:
                orphan_ids.append(note_id)

        # 3. The search goes on behind the last orphan, behind the last chunk, or at the next tenant.
        if len(orphan_ids) > limit:
            orphan_ids = orphan_ids[:limit]
            next_place = last_chunks[orphan_ids[-1]]
        elif len(documents) == CHUNKS_A_PAGE:
            next_place = self._short(documents[-1].name)
        else:
            next_place = tenant_path
        orphans = [NoteKey(tenant_id, note_id) for note_id in orphan_ids]
        next_cursor = make_token("chunks", next_place)
        return Page(tuple(orphans), next_cursor)

    def read_bookmark(self, name: str) -> str | None:
        document = self._db.read(self._bookmark(name))
        if document is None:
            return None
        return str(document.fields["value"].string_value)

    def write_bookmark(self, name: str, value: str | None) -> None:
        bookmark = self._bookmark(name)
        write = delete(bookmark)
        if value is not None:
            write = put(bookmark, {"value": value})
        self._db.commit([write])

    def _bookmark(self, name: str) -> str:
        return f"{self._db.root}/{BOOKMARKS}/{name}"

    def _keys(self, collection: str, limit: int, cursor: str | None) -> Page[NoteKey]:
        """Lists keys by name. Raises InvalidArgument("cursor")."""
        query = Query(
            collection=collection,
            everywhere=True,
            order=(KEY,),
            limit=limit + 1,
            fields=(),
        )
        if cursor is not None:
            (name,) = read_token(cursor, collection, field="cursor")
            query = replace(query, after=(self._full(name),))
        documents = self._db.query(self._db.root, query)
        documents_of_page = documents[:limit]
        next_cursor = None
        has_more = len(documents) > limit
        if has_more:
            last_name = documents_of_page[-1].name
            next_cursor = make_token(collection, self._short(last_name))
        keys = self._note_keys(documents_of_page)
        return Page(keys, next_cursor)

    def _changed_keys(self, limit: int, cursor: str | None, since: datetime) -> Page[NoteKey]:
        """Lists keys of notes by `updatedAt`, from `since` on. Raises InvalidArgument("cursor")."""
        query = Query(
            collection="notes",
            everywhere=True,
            where=(Where("updatedAt", ">=", since),),
            order=("updatedAt", KEY),
            limit=limit + 1,
            fields=("updatedAt",),
        )
        if cursor is not None:
            updated_at, name = read_token(cursor, CHANGED_NOTES, parts=2, field="cursor")
            moment = datetime.fromisoformat(updated_at)
            query = replace(query, after=(moment, self._full(name)))

        documents = self._db.query(self._db.root, query)
        documents_of_page = documents[:limit]
        next_cursor = None
        has_more = len(documents) > limit
        if has_more:
            last = documents_of_page[-1]
            stamp = last.fields["updatedAt"].timestamp_value
            updated_at = timestamp(stamp).isoformat()
            next_cursor = make_token(CHANGED_NOTES, updated_at, self._short(last.name))
        keys = self._note_keys(documents_of_page)
        return Page(keys, next_cursor)

    def _note_keys(self, documents: Iterable[Any]) -> tuple[NoteKey, ...]:
        """Returns the keys of notes and records of tenants; documents elsewhere are left out."""
        keys = []
        for document in documents:
            path = self._short(document.name)
            match = _KEY.fullmatch(path)
            if match is not None:
                tenant_id, note_id = match.groups()
                keys.append(NoteKey(tenant_id, note_id))
        return tuple(keys)

    def _short(self, name: str) -> str:
        return name.removeprefix(f"{self._db.root}/")

    def _full(self, name: str) -> str:
        return f"{self._db.root}/{name}"


def _note_write(name: str, note: Note) -> Any:  # noqa: ANN401
    check_texts(note)
    texts = [
        note.title,
        note.text,
        note.vault,
        note.path,
        *note.tags,
    ]
    if note.lang is not None:
        texts.append(note.lang)
    size = 0
    for text in texts:
        size += len(text.encode())
    if size > MAX_BYTES:
        raise TooLarge(f"note: at most {MAX_BYTES} bytes, got {size}")
    return put(name, note_fields(note))
