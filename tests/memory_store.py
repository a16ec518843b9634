"""Documents in memory, for tests of the rooms that keep documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import count
from operator import attrgetter, gt, lt
from threading import RLock
from typing import Any, TypeVar

from shared.errors import Conflict
from shared.model import documents
from shared.model.documents import Collection, Conversation, Cursor, Listing, Owner, Stored
from shared.model.sessions import Message

T = TypeVar("T")


class MemoryStore:
    """`shared.ports.documents.DocumentStore`. Safe between threads."""

    def __init__(self) -> None:
        self._stored: dict[tuple[Owner, str], dict[str, Stored[Any]]] = defaultdict(dict)
        self._tokens = count(1)
        self._lock = RLock()

    def get(self, owner: Owner, collection: Collection[T], document_id: str) -> Stored[T]:
        return self._stored[owner, collection.name].get(document_id) or Stored(None, None)

    def put(self, owner: Owner, collection: Collection[T], value: T) -> None:
        stored = Stored(value, str(next(self._tokens)))
        self._stored[owner, collection.name][collection.id_of(value)] = stored

    def change(
        self, owner: Owner, collection: Collection[T], document_id: str, changes: Mapping[str, Any]
    ) -> bool:
        with self._lock:
            value = self.get(owner, collection, document_id).value
            if value is not None:
                self.put(owner, collection, documents.with_changes(value, changes))
            return value is not None

    def swap(
        self,
        owner: Owner,
        collection: Collection[T],
        document_id: str,
        value: T | None,
        *,
        expected: str | None,
    ) -> str | None:
        with self._lock:
            if self.get(owner, collection, document_id).token != expected:
                raise Conflict("somebody else has changed the document")
            self.delete(owner, collection, document_id)
            if value is not None:
                self.put(owner, collection, value)
            return self.get(owner, collection, document_id).token

    def delete(self, owner: Owner, collection: Collection[T], document_id: str) -> bool:
        if collection.children and not isinstance(owner, (str, Conversation)):
            self._stored.pop((Conversation(owner, document_id), collection.children), None)
        return self._stored[owner, collection.name].pop(document_id, None) is not None

    def add_messages(
        self, conversation: Conversation, messages: Sequence[Message], *, first: str
    ) -> bool:
        person = conversation.person
        with self._lock:
            session = self.get(person, documents.SESSIONS, conversation.session_id).value
            if session is None:
                return False
            for message in messages:
                self.put(conversation, documents.MESSAGES, message)
            changes = {
                "message_count": session.message_count + len(messages),
                "updated_at": messages[-1].created_at,
                "first_question": session.first_question or first,
            }
            return self.change(person, documents.SESSIONS, session.session_id, changes)

    def listing(
        self, owner: Owner, collection: Collection[T], *, limit: int, after: Cursor | None = None
    ) -> Listing[T]:
        stored = self._stored[owner, collection.name].values()
        values: list[T] = [document.value for document in stored if document.value is not None]
        place = attrgetter("moment", "document_id")
        values.sort(key=lambda value: place(collection.cursor(value)))
        values = values[::-1] if collection.newest_by else values
        if after is not None:
            is_behind = lt if collection.newest_by else gt
            end = place(after)
            values = [value for value in values if is_behind(place(collection.cursor(value)), end)]
        if collection.unlisted:
            unlisted = {collection.part: {collection.unlisted: ""}}
            values = [documents.with_changes(value, unlisted) for value in values]
        last = values[limit - 1 : limit]
        return Listing(tuple(values[:limit]), collection.cursor(last[0]) if last else None)
