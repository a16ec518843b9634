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
from typing import Any, Generic, TypeVar

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
_PLACES = 24
"""Bits of a chunk's id below the second: how many chunks one second may hold (16 million)."""
_MARK = "¤"
_SPECIAL = re.compile("[\x00-/:-`{-\x7f¤\ud800-\udfff]")
_COUNT = re.compile(r"=\d+")
_MAX_TOKEN = 500
"""Characters; FTS5 cuts tokens at 32 KB, which would make two long ones equal."""


def to_micros(when: datetime) -> int:
    """Microseconds since year 1: never negative, and exact."""
    return (when - _YEAR_1) // _MICROSECOND


@lru_cache(4096)
def to_datetime(micros: int) -> datetime:
    """Cached: the chunks of a note have the same, and half of them are asked for twice."""
    return _YEAR_1 + timedelta(microseconds=micros)


CODEC = Codec(key=str, encode_datetime=to_micros, decode_datetime=to_datetime)
"""Entities as JSON objects."""


class DamagedRow(OperatorError):
    """A row does not hold what was written: the disk has changed it."""

    def __init__(self) -> None:
        super().__init__("the disk has changed a row of the store: aurora doctor looks for more")


UNREADABLE = (ValueError, TypeError, KeyError, OverflowError, RecursionError)
"""Errors of reading a row that the disk has changed."""


class Table(Generic[T]):
    """Rows that are entities of one kind."""

    def __init__(self, name: str, kind: type[T], *, unread: str = "") -> None:
        """Describes a table whose columns are the fields of `kind`.

        unread: a field whose column holds no JSON and is returned as it is; empty for none.
        """
        self.name = name
        self._kind = kind
        fields = CODEC.fields(kind)
        self._converted: list[tuple[int, Callable[[Any], Any]]] = []
        """Places of the fields that are converted, and their converters."""
        for place, field in enumerate(fields):
            if field.structured and field.name != unread:
                # Cached: the chunks of a note, and mostly of a folder, have the same tags and scopes.
                self._converted.append((place, lru_cache(4096)(partial(_unpacked, field.read))))
            elif field.read is not None:
                self._converted.append((place, field.read))
        self.column_names = tuple(field.key for field in fields)
        self.columns = ", ".join(f'{name}."{column}"' for column in self.column_names)
        """Columns that `load` reads, for a SELECT."""

    def row(self, value: T, **known: object) -> dict[str, Any]:
        """Returns column -> its value.

        known: columns that hold something else than the field.
        """
        row = CODEC.dump(value, *known)
        for column, plain in row.items():
            if isinstance(plain, (list, tuple, dict)):
                row[column] = json.dumps(plain)
        return {**row, **known}

    def with_checksum(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Adds the checksum of its columns to a row, for a table that has one."""
        return {**row, "checksum": checksum_of([row[name] for name in self.column_names])}

    def load(self, row: Row) -> T:
        """Returns the entity in a row that begins with `columns`. Raises DamagedRow."""
        if isinstance(row, UndecodableRow):
            raise DamagedRow
        values = list(row[: len(self.column_names)])
        try:
            for place, read in self._converted:
                if values[place] is not None:
                    values[place] = read(values[place])
            return self._kind(*values)
        except UNREADABLE:
            raise DamagedRow from None  # the message might hold what the row says


def _unpacked(read: Callable[[Any], Any] | None, column: str) -> Any:  # noqa: ANN401
    return json.loads(column) if read is None else read(json.loads(column))


def delete(db: sqlite3.Connection, table: str, key: str) -> bool:
    """The row of this key, which is the table's first column without `s` at its end. Whether there was one."""
    column = f"{table.removesuffix('s')}_id"
    return db.execute(f"DELETE FROM {table} WHERE {column} = ?", (key,)).rowcount > 0


def insert(
    db: sqlite3.Connection, table: str, row: Mapping[str, Any], *, replacing: bool = False
) -> None:
    """`replacing`: the row of the same key."""
    columns, marks = ", ".join([f'"{column}"' for column in row]), ", ".join("?" * len(row))
    verb = "INSERT OR REPLACE" if replacing else "INSERT"
    db.execute(f"{verb} INTO {table} ({columns}) VALUES ({marks})", tuple(row.values()))


@dataclass(frozen=True, slots=True)
class DamagedChunk:
    """A chunk that cannot be read: it is to be made anew."""

    row_id: int


NOTES = Table("notes", Note)
RECORDS = Table("records", IndexRecord)
CHUNKS = Table("chunks", IndexedChunk, unread="terms")


def chunks_of(rows: Iterable[Row], stems: Iterable[str]) -> tuple[IndexedChunk | DamagedChunk, ...]:
    """Chunks of rows that hold the columns of CHUNKS, then the row's id.

    Terms are those of `stems` alone: decoding all takes longer.
    """
    keys = [(stem, f" {term_token(stem)}=") for stem in stems]
    return tuple([_chunk_of(row, keys) for row in rows])


def _chunk_of(row: Row, keys: Iterable[tuple[str, str]]) -> IndexedChunk | DamagedChunk:
    """`keys`: each stem, and what stands before its count in the column of terms."""
    if isinstance(row, UndecodableRow):
        return DamagedChunk(row[-1])
    column, counts = row[TERMS], {}
    try:
        for stem, key in keys:
            at = column.find(key)
            if at >= 0:
                begin = at + len(key)
                counts[stem] = int(column[begin : column.index(" ", begin)])
        return CHUNKS.load((*row[:TERMS], counts, *row[TERMS + 1 :]))
    except (DamagedRow, AttributeError, ValueError, TypeError):
        return DamagedChunk(row[-1])


TERMS = CODEC.keys(IndexedChunk).index("terms")
"""Place in a row of CHUNKS."""


def ids_at(created_at: int) -> range:
    """The ids of chunks made in the second of `created_at` (microseconds): ids grow from second to second."""
    first = (created_at // _SECOND) << _PLACES
    return range(first, first + (1 << _PLACES))


@lru_cache(maxsize=2**15)
def term_token(stem: str) -> str:
    """`v1.2` -> `v1¤002e2`."""
    token = _SPECIAL.sub(lambda found: f"{_MARK}{ord(found[0]):04x}", stem)
    if len(token) > _MAX_TOKEN:
        return f"{_MARK}h{hashlib.sha256(token.encode()).hexdigest()}"
    return token or _MARK


def scope_token(scope: str) -> str:
    """Marked so that no stem has the same token."""
    return f"{_MARK}s{term_token(scope)}"


def terms_column(terms: Mapping[str, int]) -> str:
    """`{"alpha": 2, "v1.2": 1}` -> ` alpha=2 v1¤002e2=1 `: no token holds a space or `=`."""
    return f" {' '.join([f'{term_token(stem)}={count}' for stem, count in terms.items()])} "


def posting_tokens(column: str, scopes: Iterable[str]) -> str:
    """Everything a chunk is found by: the tokens of its terms column and of its scopes."""
    return _COUNT.sub("", column) + " ".join(map(scope_token, scopes))


def expression(stem: str | None, scopes: Sequence[Iterable[str]]) -> str | None:
    """An FTS5 query: the stem and, of each group of scopes, at least one. None: nothing is asked for.

    No group may be empty: FTS5 has no words for "nothing".
    """
    parts = [] if stem is None else [f'"{term_token(stem)}"']
    parts += [" OR ".join(f'"{scope_token(scope)}"' for scope in sorted(group)) for group in scopes]
    return " AND ".join(f"({part})" for part in parts) or None
