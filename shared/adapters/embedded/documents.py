"""Entities as rows of SQLite, and back; stems and scopes as FTS5 tokens.

Columns are called as the fields of `shared.model`, by its codec; what is no scalar is a column of JSON.

FTS5's `ascii` tokenizer keeps letters, digits and everything beyond ASCII, folds capitals and splits at the rest. So
the rest, capitals and our own mark are written as the mark and four hexadecimal digits: each stem is exactly one token
whatever characters it holds, and no two stems share one.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from typing import Any, Generic, TypeAlias, TypeVar

from shared.adapters.embedded.files import Row
from shared.adapters.embedded.sqlite import UndecodableRow, checksum_of
from shared.errors import OperatorError
from shared.model.codec import Codec
from shared.model.index import IndexedChunk, IndexRecord
from shared.model.notes import Note

T = TypeVar("T")

_YEAR_1 = datetime(1, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_SECOND = 1_000_000
_ID_BITS = 24
"""Bits of a chunk's id below the second: one second may hold 16 million chunks."""
_MARK = "¤"
_SPECIAL = re.compile("[\x00-/:-`{-\x7f¤\ud800-\udfff]")
_COUNT = re.compile(r"=\d+")
_MAX_TOKEN = 500
"""Characters; FTS5 cuts tokens at 32 KB, which would make two long ones equal."""


def to_micros(when: datetime) -> int:
    """Returns the microseconds since year 1: never negative, and exact."""
    return (when - _YEAR_1) // _MICROSECOND


@lru_cache(4096)
def to_datetime(micros: int) -> datetime:
    """Returns the time of `to_micros`.

    Cached: the chunks of a note have the same times, and half of them are asked for twice.
    """
    return _YEAR_1 + timedelta(microseconds=micros)


CODEC = Codec(key=str, encode_datetime=to_micros, decode_datetime=to_datetime)
"""Entities as JSON objects."""


class DamagedRow(OperatorError):
    """A row does not hold what was written: the disk has changed it."""

    def __init__(self) -> None:
        super().__init__("the disk has changed a row of the store: aurora doctor looks for more")


UNREADABLE = (ValueError, TypeError, KeyError, OverflowError, RecursionError)
"""Errors that reading a row raises if the disk has changed it."""


class Table(Generic[T]):
    """Rows that are entities of one kind."""

    def __init__(self, name: str, kind: type[T], *, unread: str = "") -> None:
        """Describes a table whose columns are the fields of `kind`.

        unread: a field whose column is not read: `load` is given its value; empty for none.
        """
        self.name = name
        self._kind = kind
        fields = CODEC.fields(kind)
        column_names = [field.key for field in fields]
        self.column_names = tuple(column_names)
        self._unread: int | None = None
        """Index of the column that is not read; None if all are."""
        qualified_names = [f'{name}."{column}"' for column in column_names]
        self.columns = ", ".join(qualified_names)
        """Columns that `load` reads, for a SELECT."""
        self._converters: list[tuple[int, Callable[[Any], Any]]] = []
        """Index of each column that is converted, and its converter."""
        for index, field in enumerate(fields):
            if field.name == unread:
                self._unread = index
                continue
            convert = field.read
            if field.structured:
                # Cached: the chunks of a note, and mostly of a folder, have the same tags and scopes.
                cached = lru_cache(4096)
                convert = cached(partial(_read_json, convert))
            if convert is not None:
                self._converters.append((index, convert))

    def row(self, value: T, **columns: object) -> dict[str, Any]:
        """Returns column -> its value.

        columns: values of columns that hold something else than the field.
        """
        row = CODEC.dump(value, *columns)
        for column, plain in row.items():
            if isinstance(plain, (list, tuple, dict)):
                row[column] = json.dumps(plain)
        row.update(columns)
        return row

    def with_checksum(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Adds the checksum of its columns to a row, for a table that has one."""
        values = [row[column] for column in self.column_names]
        checksum = checksum_of(values)
        return {**row, "checksum": checksum}

    def load(self, row: Row, unread: object = None) -> T:
        """Returns the entity in a row that begins with `columns`. Raises DamagedRow.

        unread: value of the field whose column is not read.
        """
        if isinstance(row, UndecodableRow):
            raise DamagedRow
        count = len(self.column_names)
        values = list(row[:count])
        if self._unread is not None:
            values[self._unread] = unread
        try:
            for index, convert in self._converters:
                column = values[index]
                if column is not None:
                    values[index] = convert(column)
            return self._kind(*values)
        except UNREADABLE:
            raise DamagedRow from None  # the message might hold what the row says


def _read_json(convert: Callable[[Any], Any] | None, column: str) -> Any:  # noqa: ANN401
    """Returns the value in a column of JSON."""
    plain = json.loads(column)
    if convert is None:
        return plain
    return convert(plain)


def has_note(db: sqlite3.Connection, note_id: str) -> bool:
    """Reports whether the index of ids lists a note."""
    row = db.execute("SELECT 1 FROM notes WHERE note_id = ?", (note_id,)).fetchone()
    return row is not None


def delete(db: sqlite3.Connection, table: str, key: str) -> bool:
    """Deletes a row by its key and reports whether it existed.

    The key is the first column, which is called as the table without its last `s`.
    """
    entity = table.removesuffix("s")
    statement = f"DELETE FROM {table} WHERE {entity}_id = ?"
    cursor = db.execute(statement, (key,))
    return cursor.rowcount > 0


def insert(
    db: sqlite3.Connection,
    table: str,
    row: Mapping[str, Any],
    *,
    replacing: bool = False,
) -> None:
    """Writes a row; with `replacing` in the place of the row of the same key, if there is one."""
    quoted = [f'"{column}"' for column in row]
    columns = ", ".join(quoted)
    marks = ", ".join("?" for _ in row)
    verb = "INSERT"
    if replacing:
        verb = "INSERT OR REPLACE"
    statement = f"{verb} INTO {table} ({columns}) VALUES ({marks})"
    values = tuple(row.values())
    db.execute(statement, values)


def new_token(db: sqlite3.Connection) -> int:
    """Returns a number that no row of this tenant has had: a worker that has read a row before writes nothing any more."""
    return _incremented(db, "token")


def new_revision(db: sqlite3.Connection) -> int:
    """Returns the number of the next revision of the tenant's chunks and vectors."""
    return _incremented(db, "revision")


def _incremented(db: sqlite3.Connection, column: str) -> int:
    """Adds one to a counter of the tenant's file and returns it."""
    statement = f"UPDATE state SET {column} = {column} + 1 RETURNING {column}"
    reader = db.execute(statement)
    (number,) = reader.fetchone()
    return int(number)


@dataclass(frozen=True, slots=True)
class DamagedChunk:
    """A chunk that cannot be read: it is to be made anew."""

    row_id: int


ReadChunk: TypeAlias = IndexedChunk | DamagedChunk
"""Chunk as it is read from its row."""

NOTES = Table("notes", Note)
RECORDS = Table("records", IndexRecord)
CHUNKS = Table("chunks", IndexedChunk, unread="terms")


def chunks_of(rows: Iterable[Row], stems: Iterable[str]) -> tuple[ReadChunk, ...]:
    """Returns the chunks of rows that hold the columns of CHUNKS, then the row's id.

    Their terms are those of `stems` alone: decoding all takes longer.
    """
    prefixes = []
    for stem in stems:
        token = term_token(stem)
        prefixes.append((stem, f" {token}="))
    chunks = [_chunk_of(row, prefixes) for row in rows]
    return tuple(chunks)


def _chunk_of(row: Row, prefixes: Iterable[tuple[str, str]]) -> ReadChunk:
    """Returns the chunk in a row.

    prefixes: stem, and the text before its count in the column of terms.
    """
    row_id = row[-1]
    if isinstance(row, UndecodableRow):
        return DamagedChunk(row_id)
    terms = row[TERMS]
    counts = {}
    try:
        for stem, prefix in prefixes:
            start = terms.find(prefix)
            if start < 0:
                continue
            begin = start + len(prefix)
            end = terms.index(" ", begin)
            counts[stem] = int(terms[begin:end])
        return CHUNKS.load(row, counts)
    except (DamagedRow, AttributeError, ValueError, TypeError):
        return DamagedChunk(row_id)


TERMS = CODEC.keys(IndexedChunk).index("terms")
"""Index of the column of terms in a row of CHUNKS."""


def ids_of_second(created_at: int) -> range:
    """Returns the ids of chunks made in the second of `created_at` (microseconds).

    Ids grow from second to second.
    """
    first = (created_at // _SECOND) << _ID_BITS
    return range(first, first + (1 << _ID_BITS))


@lru_cache(maxsize=2**15)
def term_token(stem: str) -> str:
    """Returns the FTS5 token of a stem: `v1.2` -> `v1¤002e2`."""
    token = _SPECIAL.sub(_escaped, stem)
    if len(token) > _MAX_TOKEN:
        digest = hashlib.sha256(token.encode()).hexdigest()
        return f"{_MARK}h{digest}"
    return token or _MARK


def _escaped(match: re.Match[str]) -> str:
    """Returns a special character as the mark and four hexadecimal digits."""
    code_point = ord(match[0])
    return f"{_MARK}{code_point:04x}"


def scope_token(scope: str) -> str:
    """Returns the FTS5 token of a scope, marked so that no stem has the same."""
    return f"{_MARK}s{term_token(scope)}"


def terms_column(terms: Mapping[str, int]) -> str:
    """Returns `{"alpha": 2, "v1.2": 1}` as ` alpha=2 v1¤002e2=1 `: no token holds a space or `=`."""
    entries = []
    for stem, count in terms.items():
        token = term_token(stem)
        entries.append(f"{token}={count}")
    joined = " ".join(entries)
    return f" {joined} "


def posting_tokens(column: str, scopes: Iterable[str]) -> str:
    """Returns everything by which a chunk is found: the tokens of its terms column and of its scopes."""
    term_tokens = _COUNT.sub("", column)
    scope_tokens = " ".join(map(scope_token, scopes))
    return term_tokens + scope_tokens


def expression(stem: str | None, scopes: Sequence[Iterable[str]]) -> str | None:
    """Returns an FTS5 query for the stem and at least one scope of each group; None if nothing is asked for.

    No group may be empty: FTS5 has no words for "nothing".
    """
    parts = []
    if stem is not None:
        token = term_token(stem)
        parts.append(f'("{token}")')
    for group in scopes:
        quoted_tokens = []
        for scope in sorted(group):
            token = scope_token(scope)
            quoted_tokens.append(f'"{token}"')
        alternatives = " OR ".join(quoted_tokens)
        parts.append(f"({alternatives})")
    if not parts:
        return None
    return " AND ".join(parts)
