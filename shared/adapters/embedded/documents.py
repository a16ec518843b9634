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
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from typing import Any, Generic, TypeVar

from shared.adapters.embedded.files import Row
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


CODEC = Codec(key=str, instant=to_micros, moment=to_datetime)
"""Entities as JSON objects."""


class Table(Generic[T]):
    """Rows that are entities of one kind."""

    def __init__(self, name: str, kind: type[T], *, renamed: Mapping[str, str] | None = None, unread: str = "") -> None:
        """`renamed`: field -> column, where names differ. `unread`: a field whose column is no JSON and stays so."""
        fields = CODEC.fields(kind)
        self.name, self._kind, self._names = name, kind, tuple(each.name for each in fields)
        self._column = {each: (renamed or {}).get(each, each) for each in self._names}
        self._converted: list[tuple[int, Callable[[Any], Any]]] = []
        """Places of the fields that are not read as they are, and how."""
        for place, each in enumerate(fields):
            if each.structured and each.name != unread:
                # Cached: the chunks of a note, and mostly of a folder, have the same tags and scopes.
                self._converted.append((place, lru_cache(4096)(partial(_unpacked, each.read))))
            elif each.read is not None:
                self._converted.append((place, each.read))
        self.columns = ", ".join(f'{name}."{each}"' for each in self._column.values())
        """What `load` reads, for a SELECT."""

    def row(self, value: T, **known: object) -> dict[str, Any]:
        """Column -> what it holds. `known`: columns that hold something else than the field says."""
        plain = CODEC.dump(value, *known)
        row = {
            self._column[name]: json.dumps(each) if isinstance(each, (list, tuple, dict)) else each
            for name, each in plain.items()
        }
        return {**row, **known}

    def get(self, db: sqlite3.Connection, key: str) -> T | None:
        """The entity whose id, the first of its fields, is `key`."""
        query = f"SELECT {self.columns} FROM {self.name} WHERE {self._names[0]} = ?"
        row = db.execute(query, (key,)).fetchone()
        return None if row is None else self.load(row)

    def load(self, row: Row) -> T:
        """The entity in a row that begins with `columns`."""
        values = list(row[: len(self._names)])
        for place, read in self._converted:
            if values[place] is not None:
                values[place] = read(values[place])
        return self._kind(*values)


def _unpacked(read: Callable[[Any], Any] | None, column: str) -> Any:  # noqa: ANN401
    return json.loads(column) if read is None else read(json.loads(column))


def delete(db: sqlite3.Connection, table: str, key: str) -> bool:
    """The row of this key, which is the table's first column without `s` at its end. Whether there was one."""
    column = f"{table.removesuffix('s')}_id"
    return db.execute(f"DELETE FROM {table} WHERE {column} = ?", (key,)).rowcount > 0


def insert(db: sqlite3.Connection, table: str, row: Mapping[str, Any], *, replacing: bool = False) -> None:
    """`replacing`: the row of the same key."""
    columns, marks = ", ".join([f'"{column}"' for column in row]), ", ".join("?" * len(row))
    verb = "INSERT OR REPLACE" if replacing else "INSERT"
    db.execute(f"{verb} INTO {table} ({columns}) VALUES ({marks})", tuple(row.values()))


NOTES = Table("notes", Note)
RECORDS = Table("records", IndexRecord)
CHUNKS = Table("chunks", IndexedChunk, unread="terms")


def chunks_of(rows: Iterable[Row], stems: Iterable[str]) -> tuple[IndexedChunk, ...]:
    """Rows that begin with the columns of CHUNKS, with the counts of these stems alone: decoding all takes longer."""
    asked = [(stem, f" {term_token(stem)}=") for stem in stems]
    found = []
    for row in rows:
        column, counts = row[TERMS], {}
        for stem, key in asked:
            at = column.find(key)
            if at >= 0:
                begin = at + len(key)
                counts[stem] = int(column[begin : column.index(" ", begin)])
        found.append(CHUNKS.load((*row[:TERMS], counts, *row[TERMS + 1 :])))
    return tuple(found)


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
