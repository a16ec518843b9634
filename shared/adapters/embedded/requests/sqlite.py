"""One SQLite file: how it is opened and removed, a transaction, and SQLite's errors as ours."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep

from shared.errors import AuroraError, InvalidArgument, OperatorError, StoreUnavailable

_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_AWAY = {
    sqlite3.SQLITE_BUSY: "another process has been writing to it for too long",
    sqlite3.SQLITE_LOCKED: "another process has been writing to it for too long",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
    sqlite3.SQLITE_NOMEM: "memory is used up",
    sqlite3.SQLITE_PERM: "permission is denied",
    sqlite3.SQLITE_READONLY: "it is read-only",
}
"""SQLite's primary result codes that waiting, or whoever runs the machine, can cure."""


def opened(path: Path, patience: float, prepare: Callable[[sqlite3.Connection], object]) -> sqlite3.Connection:
    """A connection on which `prepare` went through.

    While somebody else makes the file, or closes it as the last, SQLite answers "busy" at once: we wait.
    """
    until = monotonic() + patience
    while True:
        # Autocommit: transactions are begun by name. Threads hand connections on, one uses each at a time.
        before = _identity(path)
        db = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
        try:
            prepare(db)
            now = _identity(path)
            if now is None or before not in (None, now):
                db.close()  # removed while it was being opened
                continue
        except sqlite3.OperationalError as problem:
            db.close()
            gone = _identity(path) is None or before not in (None, _identity(path))
            if not (gone or _code(problem) == sqlite3.SQLITE_BUSY) or monotonic() > until:
                raise
            sleep(0.005)
        except BaseException:
            db.close()
            raise
        else:
            return db


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file it is, whatever its name; None: there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def removed(path: Path) -> bool:
    """Delete a file without notes that nobody else has open, its log included; False: not so."""
    if not path.exists():
        return True
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as db:
        try:
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            # Leaving the log mode needs the file for oneself: every open connection keeps a lock in it.
            db.execute("PRAGMA journal_mode = DELETE")
            db.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as problem:
            if _code(problem) == sqlite3.SQLITE_BUSY:
                return False
            raise
        (notes,) = db.execute("SELECT count(*) FROM notes").fetchone()
        if not notes:
            path.unlink()
        return not notes


@contextmanager
def transaction(db: sqlite3.Connection, begin: str) -> Iterator[None]:
    db.execute(begin)
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """SQLite's errors as ours, naming the file. Errors that are our own bugs pass as they are."""
    try:
        yield
    except sqlite3.DatabaseError as problem:
        explained = _error_of(path, problem)
        if explained is None:
            raise
        raise explained from problem
    except UnicodeEncodeError as problem:
        raise InvalidArgument("id", "text without lone surrogates") from problem


def _error_of(path: Path, problem: sqlite3.DatabaseError) -> AuroraError | None:
    code = _code(problem)
    if code in _DAMAGED:
        return OperatorError(
            f"{path} is damaged ({problem}): restore it from a backup, or move it away and index again"
        )
    if code in _AWAY:
        return StoreUnavailable(f"{path}: {_AWAY[code]}")
    return None


def _code(problem: sqlite3.Error) -> int:
    """SQLite's primary result code; OK for errors that Python's module raises itself."""
    return int(getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_OK)) & 0xFF
