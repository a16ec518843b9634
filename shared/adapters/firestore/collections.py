"""Documents of `shared.model.documents` in Firestore: a tenant's collections, a person's, and those below a session.

Apps write templates too. What they left out gets its default, and null counts as left out.
"""

from __future__ import annotations

import json
import logging
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from shared.adapters.firestore.connection import Connection, checked
from shared.adapters.firestore.documents import CODEC
from shared.adapters.firestore.protocol import (
    KEY,
    Query,
    change,
    delete,
    expect,
    fill,
    id_of,
    put,
    timestamp,
    token_of,
    values_of,
)
from shared.adapters.firestore.roots import DELETED_SESSIONS, REQUESTS, TRASH
from shared.errors import InvalidArgument, TooLarge
from shared.model.account import AnsweredRequest
from shared.model.codec import camel
from shared.model.documents import (
    MESSAGES,
    Collection,
    Conversation,
    Cursor,
    Listing,
    Owner,
    Stored,
    UnreadableDocument,
)
from shared.model.sessions import Message

T = TypeVar("T")

BATCH = 400
"""Documents below a deleted one that are removed by one request."""
MAX_LEFT = 20
"""Interrupted deletions that one deletion completes."""
MAX_BYTES = 1_040_000
"""Limit of a document, as it is sent: Firestore's documents end at 1 MiB. The longest note fits, as an entry of the trash."""

_NAMES = {"requests": REQUESTS, "trash": TRASH}
"""Collections that are called otherwise in the database."""
_KEYS = {"vector": "embedding"}
"""Fields that are called otherwise in a document."""
_DERIVED = {"vector": array, "vectorKey": str}
"""Fields that the product adds to documents of apps; of another type they count as null."""
_log = logging.getLogger(__name__)


class FirestoreDocuments:
    """`shared.ports.documents.DocumentStore` on Firestore."""

    _db: Connection

    def get(self, owner: Owner, collection: Collection[T], document_id: str) -> Stored[T]:
        name = self._name(owner, collection, document_id)
        document = self._db.read(name)
        if document is None:
            return Stored(None, None)
        value = _load(collection, document)
        token = token_of(document.update_time)
        return Stored(value, token)

    def put(self, owner: Owner, collection: Collection[T], value: T) -> None:
        write = self.put_write(owner, collection, value)
        self._db.commit([write])

    def change(
        self,
        owner: Owner,
        collection: Collection[T],
        document_id: str,
        changes: Mapping[str, object],
    ) -> bool:
        """Makes one write, of these fields alone."""
        write = change(self._name(owner, collection, document_id), {})
        for name, value in changes.items():
            _set(write, name, value)
        return self._db.try_commit([write])

    def swap(
        self,
        owner: Owner,
        collection: Collection[T],
        document_id: str,
        value: T | None,
        *,
        expected: str | None,
    ) -> str | None:
        """Makes one write."""
        write = delete(self._name(owner, collection, document_id))
        if value is not None:
            write = self.put_write(owner, collection, value)
        reply = self._db.commit([expect(write, expected)])
        if value is None:
            return None
        return token_of(reply.write_results[0].update_time)

    def delete(self, owner: Owner, collection: Collection[T], document_id: str) -> bool:
        name = self._name(owner, collection, document_id)
        if not collection.children:
            return self._db.delete(name)
        # 1. The commit that deletes the document adds a marker, by which a later deletion finds what this one leaves.
        parent = self._parent(owner)
        marker = put(f"{parent}/{DELETED_SESSIONS}/{document_id}", {})
        deletion = delete(name, existing=True)
        existed = self._db.try_commit([deletion, marker])

        # 2. What lies below the documents of all markers goes, and then the marker.
        markers = Query(
            collection=DELETED_SESSIONS,
            order=(KEY,),
            limit=MAX_LEFT,
            fields=(),
        )
        below = replace(markers, collection=collection.children, limit=BATCH)
        for marked in self._db.query(parent, markers):
            deleted_name = self._name(owner, collection, id_of(marked))
            while children := self._db.query(deleted_name, below):
                self._db.write_each([delete(child.name) for child in children])
            marker_removal = delete(marked.name)
            self._db.commit([marker_removal])
        return existed

    def add_messages(
        self,
        conversation: Conversation,
        messages: Sequence[Message],
        *,
        first: str,
    ) -> bool:
        """Costs a read and the commit."""
        session = self._parent(conversation)
        writes = []
        for message in messages:
            write = self.put_write(conversation, MESSAGES, message)
            expect(write, None)
            writes.append(write)
        stored = self._db.read(session, ("firstQuestion",))
        if stored is None:
            return False
        if not stored.fields["firstQuestion"].string_value:
            writes.append(change(session, {"firstQuestion": first}))
        counted = change(session, {"updatedAt": messages[-1].created_at})
        counts = counted.update_transforms.add(field_path="messageCount")
        counts.increment.integer_value = len(messages)
        if self._db.try_commit([*writes, counted]):
            return True
        # The commit before this one may have gone through and its reply been lost.
        first_name = writes[0].update.name
        first_message = self._db.read(first_name, ())
        return first_message is not None

    def listing(
        self,
        owner: Owner,
        collection: Collection[T],
        *,
        limit: int,
        after: Cursor | None = None,
    ) -> Listing[T]:
        order: tuple[str, ...] = (KEY,)
        if collection.newest_by:
            time_key = camel(collection.newest_by)
            order = (f"-{time_key}", f"-{KEY}")
        position: tuple[object, ...] = ()
        if after is not None:
            name = self._name(owner, collection, after.document_id, field="pageToken")
            position = (name,)
            if after.moment is not None:
                position = (after.moment, name)
        fields = None
        if collection.unlisted:
            unlisted_key = camel(collection.unlisted)
            fields = tuple(key for key in collection.keys(CODEC) if key != unlisted_key)
        query = Query(
            collection=_NAMES.get(collection.name, collection.name),
            order=order,
            after=position,
            limit=limit,
            fields=fields,
        )
        documents = self._db.query(self._parent(owner), query)
        items = []
        unreadable = []
        for document in documents:
            try:
                item = _load(collection, document)
            except InvalidArgument as bad:
                _log.warning("a document of %s is left out: %s", collection.name, bad.message)
                document_id = id_of(document)
                unreadable.append(UnreadableDocument(collection.name, document_id, bad.message))
            else:
                items.append(item)
        next_cursor = None
        if len(documents) == limit:
            next_cursor = _cursor(collection, documents[-1])
        return Listing(tuple(items), next_cursor, tuple(unreadable))

    def _parent(self, owner: Owner) -> str:
        if isinstance(owner, Conversation):
            return self._db.name(owner.person, "sessions", owner.session_id)
        return self._db.parent(owner)

    def _name(
        self,
        owner: Owner,
        collection: Collection[Any],
        document_id: str,
        *,
        field: str = "id",
    ) -> str:
        """Raises InvalidArgument(field) for an id that Firestore cannot hold."""
        name = _NAMES.get(collection.name, collection.name)
        return f"{self._parent(owner)}/{name}/{checked(document_id, field)}"

    def put_write(self, owner: Owner, collection: Collection[T], value: T) -> Any:  # noqa: ANN401
        """Returns the write after which the document exists with this value alone. Raises TooLarge."""
        document_id = collection.id_of(value)
        name = self._name(owner, collection, document_id)
        fields = _fields_of(collection, value)
        write = put(name, fields)
        if write.ByteSize() > MAX_BYTES:
            raise TooLarge(f"{collection.name}: at most {MAX_BYTES} bytes can be kept")
        return write


def _set(write: Any, name: str, value: object) -> None:  # noqa: ANN401
    """Adds a field to a write that changes some; of a mapping its entries alone."""
    key = _KEYS.get(name, camel(name))
    fields = write.update.fields
    changed_paths = write.update_mask.field_paths
    if not isinstance(value, Mapping):
        fill(fields[key], value)
        changed_paths.append(key)
        return
    for entry, entry_value in value.items():
        entry_key = camel(entry)
        # Looked up for each entry: to look up `key` without an entry would leave a value without a type.
        entry_field = fields[key].map_value.fields[entry_key]
        fill(entry_field, entry_value)
        changed_paths.append(f"{key}.{entry_key}")


def _fields_of(collection: Collection[T], value: T) -> dict[str, Any]:
    """Returns the document's fields without its id; those that are null are left out."""
    plain_by_key = collection.dump(CODEC, value)
    del plain_by_key[camel(collection.id_field)]
    if isinstance(value, AnsweredRequest):
        # The keys of a map may not be what ids of notes may be.
        plain_by_key["noteIds"] = tuple(value.notes)
        plain_by_key["noteRevisions"] = tuple(value.notes.values())
    fields = {}
    for key, plain in plain_by_key.items():
        if plain is not None:
            fields[_KEYS.get(key, key)] = plain
    return fields


def _load(collection: Collection[T], document: Any) -> T:  # noqa: ANN401
    """Returns the value of a document. Raises InvalidArgument naming the field that has a wrong type."""
    stored = values_of(document)
    if collection.kind is AnsweredRequest:
        revisions = zip(stored["noteIds"], stored["noteRevisions"], strict=True)
        stored["noteIds"] = json.dumps(dict(revisions))

    nullable_keys = set()
    for field in CODEC.fields(collection.kind):
        if field.nullable:
            nullable_keys.add(field.key)

    id_key = camel(collection.id_field)
    fields: dict[str, Any] = {id_key: id_of(document)}
    for key in collection.keys(CODEC):
        stored_key = _KEYS.get(key, key)
        plain = stored.get(stored_key)
        kind = _DERIVED.get(key, object)
        if plain is None or not isinstance(plain, kind):
            continue
        stands_for_null = plain == "" and key in nullable_keys  # in earlier releases
        if not stands_for_null:
            fields[key] = plain
    return collection.load(CODEC, fields)


def _cursor(collection: Collection[Any], document: Any) -> Cursor:  # noqa: ANN401
    moment = None
    if collection.newest_by:
        time_key = camel(collection.newest_by)
        stamp = document.fields[time_key].timestamp_value
        moment = timestamp(stamp)
    document_id = id_of(document)
    return Cursor(document_id, moment)
