"""SQLite's errors and files, for all that store something in it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

_BROKEN_SCHEMA = (
    "no such table",
    "no such column",
    "has no column",
    "malformed",
    "syntax error",
    "unsupported file format",
)
"""Parts of SQLite's messages about a schema that the disk has changed; their code stands for any error."""


def code_of(problem: sqlite3.Error) -> int:
    """Returns SQLite's primary result code; OK for errors that Python's module raises itself."""
    extended_code = int(getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_OK))
    if extended_code == sqlite3.SQLITE_IOERR_SHMSIZE:
        return sqlite3.SQLITE_FULL  # no room is left for the file by which processes share the log
    return extended_code & 0xFF


def is_undecodable(problem: sqlite3.OperationalError) -> bool:
    """Reports whether Python could not decode a text. The message quotes that text and must not be passed on."""
    return code_of(problem) == sqlite3.SQLITE_OK and "decode to UTF-8" in str(problem)


def is_broken_schema(problem: sqlite3.OperationalError) -> bool:
    """Reports whether the disk has changed names or statements of the schema."""
    return any(words in str(problem) for words in _BROKEN_SCHEMA)


def is_writable(path: Path) -> bool:
    """Reports whether the file, if it exists, and its folder, where SQLite writes its log, take writes."""
    folder = path.parent
    if os.access(folder, os.R_OK) and not os.access(folder, os.W_OK):
        return False
    # In this order, as others make and remove the file meanwhile.
    is_there = os.access(path, os.R_OK)
    takes_writes = os.access(path, os.W_OK)
    return takes_writes or not is_there or not path.exists()
