"""Documents of tenants and people beside the notes: the collections, and the types that reads of them return.

A collection is declared here once, for every store. A store keeps a document as the fields of its dataclass, by the
codec of `shared.model.codec`, and finds it by owner, collection and id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, TypeAlias, TypeVar

from shared.model.account import AnsweredRequest, Feedback, Person
from shared.model.codec import Codec
from shared.model.notes import Note, TrashedNote
from shared.model.sessions import Message, Session
from shared.model.templates import StoredTemplate, Template

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session of a person, as the owner of its messages."""

    person: Person
    session_id: str


Owner: TypeAlias = str | Person | Conversation
"""A tenant's id, a person, or a session."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """Position in a listing: that of the last document that was looked at."""

    document_id: str
    moment: datetime | None = None
    """Value of the collection's `newest_by`; None in a collection that is listed by id."""


@dataclass(frozen=True, slots=True)
class Stored(Generic[T]):
    """A document and its opaque token for compare-and-set. Both are None if the document does not exist."""

    value: T | None
    token: str | None


@dataclass(frozen=True, slots=True)
class UnreadableDocument:
    """A document that cannot be read: an app wrote a field badly, or the disk has changed it."""

    collection: str
    """Name of its collection."""
    document_id: str
    """Document id, with U+FFFD for what cannot be read."""
    reason: str
    """Why it cannot be read; without its text."""


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """Some documents of a collection in its order."""

    items: tuple[T, ...]
    """The documents that can be read."""
    next: Cursor | None
    """Position at which the listing continues; None if there are no more documents."""
    unreadable: tuple[UnreadableDocument, ...] = ()
    """The documents that cannot be read, which are left out with a warning in the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection(Generic[T]):
    """A kind of document."""

    name: str
    kind: type[T]
    id_field: str
    newest_by: str = ""
    """Field with the time by which the collection is listed, from the newest to the oldest, equal times by descending
    id. Empty: the collection is listed by ascending id.
    """
    part: str = ""
    """Field that holds a dataclass whose fields are stored beside the others. Empty if there is no such field."""
    part_kind: type | None = None
    """Dataclass of `part`."""
    absent: Callable[[str], Mapping[str, str]] | None = None
    """Returns values for fields that a document may lack, by the document's id, with keys of one word. If None, the
    defaults of the dataclass apply.
    """
    unlisted: str = ""
    """Field that a listing does not read; its value comes from `absent`. Empty if a listing reads all fields."""
    children: str = ""
    """Collection below each document, which is deleted with it. Empty if there is no such collection."""

    def id_of(self, value: T) -> str:
        """Returns the id of a document."""
        owner = value
        if not hasattr(value, self.id_field):
            owner = self._part_of(value)

        document_id = getattr(owner, self.id_field)
        return str(document_id)

    def cursor(self, value: T) -> Cursor:
        """Returns the position behind a document."""
        moment = None
        if self.newest_by:
            moment = getattr(value, self.newest_by)
        return Cursor(self.id_of(value), moment)

    def dump(self, codec: Codec, value: T) -> dict[str, Any]:
        """Returns the document's fields, its id included, as plain values by the keys of the codec."""
        if not self.part:
            return codec.dump(value)

        part = self._part_of(value)
        dumped = codec.dump(part)
        dumped.update(codec.dump(value, self.part))
        return dumped

    def load(self, codec: Codec, fields: Mapping[str, Any]) -> T:
        """Returns the document with these fields. Raises InvalidArgument naming a field that cannot be read."""
        all_fields = dict(fields)
        if self.absent is not None:
            id_key = codec.key(self.id_field)
            absent = self.absent(fields[id_key])
            all_fields = {**absent, **fields}

        if self.part:
            # A nested object takes its own fields from all.
            all_fields[self.part] = all_fields
        return codec.load(self.kind, all_fields)

    def keys(self, codec: Codec) -> tuple[str, ...]:
        """Returns the keys of all fields in the order in which `dump` gives them."""
        if self.part_kind is None:
            return codec.keys(self.kind)

        keys_of_part = codec.keys(self.part_kind)
        return keys_of_part + codec.keys(self.kind, self.part)

    def structured(self, codec: Codec) -> frozenset[str]:
        """Returns the keys of fields that are no scalars."""
        declared = list(codec.fields(self.kind))
        if self.part_kind is not None:
            declared += codec.fields(self.part_kind)

        keys = [field.key for field in declared if field.structured]
        return frozenset(keys)

    def _part_of(self, value: T) -> Any:  # noqa: ANN401 - a dataclass
        return getattr(value, self.part)


def with_changes(value: T, changes: Mapping[str, object]) -> T:
    """Returns the dataclass with other values of some fields; a mapping changes fields of a nested dataclass."""
    values = dict(changes)
    for name, change in changes.items():
        if isinstance(change, Mapping):
            nested: Any = getattr(value, name)
            values[name] = replace(nested, **change)
    changed: T = replace(value, **values)  # type: ignore[type-var]
    return changed


SESSIONS = Collection(
    name="sessions",
    kind=Session,
    id_field="session_id",
    newest_by="updated_at",
    children="messages",
)
"""Sessions of a person."""

MESSAGES = Collection(name="messages", kind=Message, id_field="message_id", newest_by="created_at")
"""Messages of a session, whose owner is a `Conversation`."""

FEEDBACK = Collection(name="feedback", kind=Feedback, id_field="feedback_id")
"""Ratings of answers by a person."""

REQUESTS = Collection(name="requests", kind=AnsweredRequest, id_field="request_id")
"""Answers to a person's requests. They expire, and a store may drop them then."""

TEMPLATES = Collection(
    name="templates",
    kind=StoredTemplate,
    id_field="template_id",
    part="template",
    part_kind=Template,
    absent=lambda template_id: {"name": template_id, "content": ""},
)
"""Reasoning templates of a tenant. Apps write them too, and may leave out all but the id."""

TRASH = Collection(
    name="trash",
    kind=TrashedNote,
    id_field="trash_id",
    part="note",
    part_kind=Note,
    absent=lambda _: {"text": ""},
    unlisted="text",
)
"""Notes of a tenant as they were before they were edited, replaced or deleted. They expire like REQUESTS."""
