"""Documents of `shared.model.documents` as rows: a table a collection, in the file of the tenant or the person.

The tables themselves say how a document lies in a row. A field has the column of its name, with JSON in it if it is no
scalar; fields without a column are in the JSON object of the column `body`. The column `token` numbers requests, and
`session_id` names the owner of messages.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from array import array
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from shared.adapters.embedded.documents import (
    CODEC,
    UNREADABLE,
    insert,
    to_datetime,
    to_micros,
)
from shared.adapters.embedded.files import Row, TenantFile, TenantFiles
from shared.adapters.embedded.sqlite import UndecodableRow, rows
from shared.errors import Conflict, InvalidArgument
from shared.model.account import Person
from shared.model.documents import (
    MESSAGES,
    Collection,
    Conversation,
    Cursor,
    Listing,
    Owner,
    Stored,
    with_changes,
)
from shared.model.sessions import Message

T = TypeVar("T")

_BODY = "body"
_EXPECTED = "what was saved, but the disk has changed a row: aurora doctor looks for more"
_log = logging.getLogger(__name__)


class EmbeddedDocuments:
    """`shared.ports.documents.DocumentStore`, a transaction a call."""

    _files: TenantFiles

    def get(self, owner: Owner, collection: Collection[T], document_id: str) -> Stored[T]:
        with self._file(owner).reading() as db:
            columns = _columns(db, collection)
            row = _row(db, owner, collection, document_id)
        if row is None:
            return Stored(None, None)
        return Stored(_load(collection, columns, row), _token(row))

    def put(self, owner: Owner, collection: Collection[T], value: T) -> None:
        with self._file(owner).writing() as db:
            write(db, owner, collection, value)

    def change(
        self,
        owner: Owner,
        collection: Collection[T],
        document_id: str,
        changes: Mapping[str, object],
    ) -> bool:
        with self._file(owner).writing(creates=False) as db:
            row = _row(db, owner, collection, document_id)
            if row is None:
                return False
            value = _load(collection, _columns(db, collection), row)
            write(db, owner, collection, with_changes(value, changes))
        return True

    def swap(
        self,
        owner: Owner,
        collection: Collection[T],
        document_id: str,
        value: T | None,
        *,
        expected: str | None,
    ) -> str | None:
        """Raises Conflict before anything is written."""
        with self._file(owner).writing(creates=expected is None) as db:
            row = _row(db, owner, collection, document_id)
            if _token(row) != expected:
                raise Conflict(f"{collection.name}: somebody else has changed {document_id!r}")
            if value is None:
                _delete(db, owner, collection, document_id)
            else:
                write(db, owner, collection, value)
            return _token(_row(db, owner, collection, document_id))

    def delete(self, owner: Owner, collection: Collection[T], document_id: str) -> bool:
        with self._file(owner).writing(creates=False) as db:
            if collection.children:
                statement = f"DELETE FROM {collection.children} WHERE {collection.id_field} = ?"
                db.execute(statement, (document_id,))
            return _delete(db, owner, collection, document_id)

    def add_messages(
        self, conversation: Conversation, messages: Sequence[Message], *, first: str
    ) -> bool:
        statement = (
            "UPDATE sessions SET message_count = message_count + ?, updated_at = ?, first_question = "
            "CASE first_question WHEN '' THEN ? ELSE first_question END WHERE session_id = ?"
        )
        updated_at = to_micros(messages[-1].created_at)
        values = (len(messages), updated_at, first, conversation.session_id)
        with self._file(conversation).writing(creates=False) as db:
            if not db.execute(statement, values).rowcount:
                return False
            for message in messages:
                write(db, conversation, MESSAGES, message)
        return True

    def listing(
        self, owner: Owner, collection: Collection[T], *, limit: int, after: Cursor | None = None
    ) -> Listing[T]:
        order = [collection.id_field]
        direction, compared = "ASC", ">"
        if collection.newest_by:
            order = [collection.newest_by, collection.id_field]
            direction, compared = "DESC", "<"
        where, values = _in_owner(owner)
        if after is not None:
            where += f" AND ({', '.join(order)}) {compared} ({', '.join('?' * len(order))})"
            if after.moment is not None:
                values.append(to_micros(after.moment))
            values.append(after.document_id)
        ordered = ", ".join(f"{column} {direction}" for column in order)
        with self._file(owner).reading() as db:
            columns = [
                column for column in _columns(db, collection) if column != collection.unlisted
            ]
            query = (
                f"SELECT {_quoted(columns)} FROM {collection.name} WHERE {where} "
                f"ORDER BY {ordered} LIMIT ?"
            )
            found = rows(db, query, (*values, limit))
        items = []
        for row in found:
            try:
                items.append(_load(collection, columns, row))
            except InvalidArgument as bad:
                _log.warning("a document of %s is left out: %s", collection.name, bad.message)
        if len(found) < limit:
            return Listing(tuple(items), None)
        last = dict(zip(columns, found[-1], strict=True))
        moment = None
        if collection.newest_by:
            moment = to_datetime(last[collection.newest_by])
        return Listing(tuple(items), Cursor(str(last[collection.id_field]), moment))

    def _file(self, owner: Owner) -> TenantFile:
        if isinstance(owner, Conversation):
            owner = owner.person
        if isinstance(owner, Person):
            owner = owner.space
        return self._files.of(owner)


def write(db: sqlite3.Connection, owner: Owner, collection: Collection[T], value: T) -> None:
    """Creates or replaces a document in a transaction."""
    columns = _columns(db, collection)
    structured = collection.structured(CODEC)
    row: dict[str, Any] = {collection.id_field: collection.id_of(value)}
    body = {}
    for name, plain in collection.dump(CODEC, value).items():
        if name not in columns or name == collection.id_field:
            body[name] = plain
        elif name in structured:
            row[name] = json.dumps(plain)
        else:
            row[name] = plain
    if _BODY in columns:
        row[_BODY] = json.dumps(body, ensure_ascii=False)
    if isinstance(owner, Conversation):
        row["session_id"] = owner.session_id
    if "token" in columns:
        statement = "UPDATE state SET token = token + 1 RETURNING token"
        (row["token"],) = db.execute(statement).fetchone()
    insert(db, collection.name, row, replacing=True)


def _load(collection: Collection[T], columns: Sequence[str], row: Row) -> T:
    """Returns the document in a row. Raises InvalidArgument naming the collection."""
    if isinstance(row, UndecodableRow):
        raise InvalidArgument(collection.name, _EXPECTED)
    structured = collection.structured(CODEC)
    fields = dict(zip(columns, row, strict=True))
    try:
        fields |= json.loads(fields.pop(_BODY, "{}"))
        for name, plain in fields.items():
            if isinstance(plain, bytes):
                fields[name] = array("f", plain)
            elif name in structured and name in columns:
                fields[name] = json.loads(plain)
        return collection.load(CODEC, fields)
    except (*UNREADABLE, InvalidArgument):
        # Without the cause, whose message may hold what the row says.
        raise InvalidArgument(collection.name, _EXPECTED) from None


def _columns(db: sqlite3.Connection, collection: Collection[Any]) -> list[str]:
    """Returns the columns of a collection's table."""
    description = db.execute(f"SELECT * FROM {collection.name} LIMIT 0").description
    return [column[0] for column in description]


def _quoted(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _row(
    db: sqlite3.Connection, owner: Owner, collection: Collection[Any], document_id: str
) -> Row | None:
    """Returns all columns of a document; None if it does not exist."""
    where, values = _in_owner(owner)
    query = f"SELECT * FROM {collection.name} WHERE {where} AND {collection.id_field} = ?"
    found = rows(db, query, (*values, document_id))
    return found[0] if found else None


def _delete(
    db: sqlite3.Connection, owner: Owner, collection: Collection[Any], document_id: str
) -> bool:
    where, values = _in_owner(owner)
    statement = f"DELETE FROM {collection.name} WHERE {where} AND {collection.id_field} = ?"
    return db.execute(statement, (*values, document_id)).rowcount > 0


def _in_owner(owner: Owner) -> tuple[str, list[object]]:
    """Returns the condition, and its values, by which the rows of a file belong to an owner."""
    if isinstance(owner, Conversation):
        return "session_id = ?", [owner.session_id]
    return "TRUE", []


def _token(row: Row | None) -> str | None:
    """Returns a digest of what a row holds; None without a row."""
    if row is None:
        return None
    return hashlib.sha256(repr(tuple(row)).encode()).hexdigest()
