"""Documents of `shared.model.documents` as rows: a table a collection, in the file of the tenant or the person.

The tables themselves say how a document lies in a row. A field has the column of its name, with JSON in it if it is no
scalar; fields without a column are in the JSON object of the column `body`. The column `token` numbers requests, and
`session_id` names the owner of messages. The last column is the checksum of the others.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from shared.adapters.embedded.documents import (
    CODEC,
    UNREADABLE,
    insert,
    new_token,
    to_datetime,
    to_micros,
)
from shared.adapters.embedded.files import Row, TenantFile, TenantFiles
from shared.adapters.embedded.sqlite import (
    UndecodableRow,
    checksum_of,
    fetch_rows,
    with_replacements,
)
from shared.errors import Conflict, InvalidArgument
from shared.model.account import Person
from shared.model.documents import (
    MESSAGES,
    SESSIONS,
    Collection,
    Conversation,
    Cursor,
    Listing,
    Owner,
    Stored,
    UnreadableDocument,
    with_changes,
)
from shared.model.sessions import Message

T = TypeVar("T")

_BODY = "body"
_CHECKSUM = "checksum"
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
        value = _load(collection, columns, row)
        token = _token(row)
        return Stored(value, token)

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
            columns = _columns(db, collection)
            value = _load(collection, columns, row)
            changed = with_changes(value, changes)
            write(db, owner, collection, changed)
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
            new_row = _row(db, owner, collection, document_id)
            return _token(new_row)

    def delete(self, owner: Owner, collection: Collection[T], document_id: str) -> bool:
        with self._file(owner).writing(creates=False) as db:
            if collection.children:
                children = collection.children
                statement = f"DELETE FROM {children} WHERE {collection.id_field} = ?"
                db.execute(statement, (document_id,))
            return _delete(db, owner, collection, document_id)

    def add_messages(
        self,
        conversation: Conversation,
        messages: Sequence[Message],
        *,
        first: str,
    ) -> bool:
        with self._file(conversation).writing(creates=False) as db:
            row = _row(db, conversation.person, SESSIONS, conversation.session_id)
            if row is None:
                return False
            columns = _columns(db, SESSIONS)
            session = _load(SESSIONS, columns, row)
            session = replace(
                session,
                message_count=session.message_count + len(messages),
                updated_at=messages[-1].created_at,
                first_question=session.first_question or first,
            )
            write(db, conversation.person, SESSIONS, session)
            for message in messages:
                write(db, conversation, MESSAGES, message)
        return True

    def listing(
        self,
        owner: Owner,
        collection: Collection[T],
        *,
        limit: int,
        after: Cursor | None = None,
    ) -> Listing[T]:
        with self._file(owner).reading() as db:
            columns = _listed_columns(db, collection)
            query, values = _listing_query(owner, collection, columns, after)
            while True:
                stored_rows = fetch_rows(db, query, (*values, limit))
                if len(stored_rows) < limit:
                    next_cursor = None
                    break
                next_cursor = _cursor(collection, columns, stored_rows[-1])
                if next_cursor is not None:
                    break
                limit *= 2  # the disk has changed the place of the last row

        items = []
        unreadable = []
        id_column = columns.index(collection.id_field)
        for row in stored_rows:
            try:
                items.append(_load(collection, columns, row))
            except InvalidArgument as bad:
                document_id = with_replacements(row)[id_column]
                _log.warning("a document of %s is left out: %s", collection.name, bad.message)
                document = UnreadableDocument(collection.name, str(document_id), bad.message)
                unreadable.append(document)
        return Listing(tuple(items), next_cursor, tuple(unreadable))

    def _file(self, owner: Owner) -> TenantFile:
        if isinstance(owner, Conversation):
            owner = owner.person
        if isinstance(owner, Person):
            owner = owner.space
        return self._files.of(owner)


def write(db: sqlite3.Connection, owner: Owner, collection: Collection[T], value: T) -> None:
    """Creates or replaces a document in a transaction."""
    columns = _columns(db, collection)
    row = _row_of(collection, columns, value)
    if isinstance(owner, Conversation):
        row["session_id"] = owner.session_id
    if "token" in columns:
        row["token"] = new_token(db)

    # The checksum is of all other columns, in their order.
    values = []
    for column in columns:
        if column != _CHECKSUM:
            values.append(row.get(column))
    row[_CHECKSUM] = checksum_of(values)
    insert(db, collection.name, row, replacing=True)


def _row_of(collection: Collection[T], columns: Sequence[str], value: T) -> dict[str, Any]:
    """Returns column -> value of the document's own fields."""
    structured = collection.structured(CODEC)
    id_field = collection.id_field
    row: dict[str, Any] = {id_field: collection.id_of(value)}

    # A field without a column goes into the body.
    body = {}
    for name, plain in collection.dump(CODEC, value).items():
        if name not in columns or name == id_field:
            body[name] = plain
        elif name in structured:
            row[name] = json.dumps(plain)
        elif isinstance(plain, array):
            row[name] = plain.tobytes()
        else:
            row[name] = plain
    if _BODY in columns:
        row[_BODY] = json.dumps(body, ensure_ascii=False)
    return row


def _listing_query(
    owner: Owner,
    collection: Collection[Any],
    columns: Sequence[str],
    after: Cursor | None,
) -> tuple[str, list[object]]:
    """Returns a query in the order of the collection, and its values but the last, which is the limit."""
    order = [collection.id_field]
    direction = "ASC"
    comparison = ">"
    if collection.newest_by:
        order = [collection.newest_by, collection.id_field]
        direction = "DESC"
        comparison = "<"

    where, values = _in_owner(owner)
    if after is not None:
        key = ", ".join(order)
        marks = ", ".join("?" * len(order))
        where += f" AND ({key}) {comparison} ({marks})"
        if after.moment is not None:
            values.append(to_micros(after.moment))
        values.append(after.document_id)

    quoted_columns = [f'"{column}"' for column in columns]
    selected = ", ".join(quoted_columns)
    directed_columns = [f"{column} {direction}" for column in order]
    directed = ", ".join(directed_columns)
    query = f"SELECT {selected} FROM {collection.name} WHERE {where} ORDER BY {directed} LIMIT ?"
    return query, values


def _cursor(collection: Collection[Any], columns: Sequence[str], row: Row) -> Cursor | None:
    """Returns the position behind a row; None if the disk has changed what tells it."""
    fields = dict(zip(columns, row, strict=True))
    document_id = fields[collection.id_field]
    if not isinstance(document_id, str):
        return None
    if not collection.newest_by:
        return Cursor(document_id)

    try:
        moment = to_datetime(fields[collection.newest_by])
    except UNREADABLE:
        return None
    return Cursor(document_id, moment)


def _load(collection: Collection[T], columns: Sequence[str], row: Row) -> T:
    """Returns the document in a row. Raises InvalidArgument naming the collection."""
    if isinstance(row, UndecodableRow):
        raise InvalidArgument(collection.name, _EXPECTED)
    fields = dict(zip(columns, row, strict=True))
    expected = fields.pop(_CHECKSUM, None)
    if expected is not None:
        checksum = checksum_of(fields.values())
        if checksum != expected:
            raise InvalidArgument(collection.name, _EXPECTED)
    try:
        fields = _decoded(collection, fields)
        return collection.load(CODEC, fields)
    except (*UNREADABLE, InvalidArgument):
        # Without the cause, whose message may hold what the row says.
        raise InvalidArgument(collection.name, _EXPECTED) from None


def _decoded(collection: Collection[Any], columns: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a document in its columns. Raises one of UNREADABLE."""
    structured = collection.structured(CODEC)
    fields: dict[str, Any] = {}
    for name, value in columns.items():
        if name == _BODY:
            continue
        if isinstance(value, bytes):
            fields[name] = array("f", value)
        elif name in structured:
            fields[name] = json.loads(value)
        else:
            fields[name] = value
    if _BODY in columns:
        body = json.loads(columns[_BODY])
        fields.update(body)
    return fields


def _columns(db: sqlite3.Connection, collection: Collection[Any]) -> list[str]:
    """Returns the columns of a collection's table."""
    query = f"SELECT * FROM {collection.name} LIMIT 0"
    reader = db.execute(query)
    return [name for name, *_ in reader.description]


def _listed_columns(db: sqlite3.Connection, collection: Collection[Any]) -> list[str]:
    """Returns the columns that a listing reads. Without all of them it cannot check the checksum."""
    columns = _columns(db, collection)
    if collection.unlisted:
        columns.remove(collection.unlisted)
        columns.remove(_CHECKSUM)
    return columns


def _row(
    db: sqlite3.Connection,
    owner: Owner,
    collection: Collection[Any],
    document_id: str,
) -> Row | None:
    """Returns all columns of a document; None if it does not exist."""
    where, values = _in_owner(owner)
    values.append(document_id)
    query = f"SELECT * FROM {collection.name} WHERE {where} AND {collection.id_field} = ?"
    stored_rows = fetch_rows(db, query, values)
    if not stored_rows:
        return None
    return stored_rows[0]


def _delete(
    db: sqlite3.Connection,
    owner: Owner,
    collection: Collection[Any],
    document_id: str,
) -> bool:
    """Deletes a document and reports whether it existed."""
    where, values = _in_owner(owner)
    values.append(document_id)
    statement = f"DELETE FROM {collection.name} WHERE {where} AND {collection.id_field} = ?"
    cursor = db.execute(statement, values)
    return cursor.rowcount > 0


def _in_owner(owner: Owner) -> tuple[str, list[object]]:
    """Returns the condition, and its values, by which the rows of a file belong to an owner."""
    if isinstance(owner, Conversation):
        return "session_id = ?", [owner.session_id]
    return "TRUE", []


def _token(row: Row | None) -> str | None:
    """Returns a digest of what a row holds; None without a row."""
    if row is None:
        return None
    content = repr(tuple(row))
    return hashlib.sha256(content.encode()).hexdigest()
