"""Tenant -> its file: how it is made, connections, transactions, and SQLite's errors as ours."""

from __future__ import annotations

import hashlib
import logging
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Condition, Lock
from time import monotonic, sleep, time_ns
from typing import Any, TypeAlias, TypeVar

from shared.adapters.embedded.sqlite import (
    ADDED,
    APPLICATION_ID,
    CHECKSUM_VERSION,
    SCHEMA_VERSION,
    TABLES,
    fetch_rows,
    fill_checksums,
    opened,
    removed,
)
from shared.adapters.private import make_private_folder
from shared.adapters.sqlite_files import (
    code_of,
    is_broken_schema,
    is_undecodable,
    is_writable,
)
from shared.errors import InvalidArgument, OperatorError, StoreUnavailable
from shared.ports.pages import Page, make_token, read_token

_log = logging.getLogger(__name__)

T = TypeVar("T")
Row: TypeAlias = tuple[Any, ...]

_MAPPED = 2**26
"""Bytes of a file that are read where the system keeps them, not copied page by page: those of about 14,000 chunks.
Connections share them, and the system takes them back when memory is short."""

_REMOVAL_SECONDS = 1.0
"""Seconds for which the removal of a file waits. Threads of ours are done with it in that time."""

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
"""SQLite's primary result codes that waiting, or the machine's operator, can cure."""


class DamagedFile(OperatorError):
    """A file that SQLite cannot read any more, or not all of it."""

    def __init__(self, path: Path, part: str) -> None:
        super().__init__(
            f"{path} is damaged ({part}): restore it from a backup, or move it away and index again",
        )


class TenantFile:
    """One tenant's database. Connections are reused and made as threads need them; writers take turns."""

    def __init__(self, path: Path, tenant_id: str, *, patience: float) -> None:
        self.path = path
        self.tenant_id = tenant_id
        self._patience = patience
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._writer = Lock()
        self._open_ones = Condition()
        """Guards the two below."""
        self._in_use = 0
        self._removing = False

    @property
    def is_writable(self) -> bool:
        """Reports whether medium and folder of the file take writes."""
        return is_writable(self.path)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yields one snapshot: everything read inside belongs together, whatever is committed meanwhile.

        Reading makes no file: if there is none, an empty one in memory is read.
        """
        with (
            explained(self.path),
            self._connection(creates=False) as db,
            transaction(db, "DEFERRED"),
        ):
            yield db

    @contextmanager
    def writing(self, *, creates: bool = True) -> Iterator[sqlite3.Connection]:
        """Makes one commit, or none if the block raises.

        Raises StoreUnavailable if others write for too long, or if the file is read-only.

        creates: True to make a file that is not there; otherwise an empty one in memory is written, and lost.
        """
        if not self.is_writable:
            raise StoreUnavailable(f"{self.path}: {_AWAY[sqlite3.SQLITE_READONLY]}")
        with (
            self._writer,
            explained(self.path),
            self._connection(creates=creates) as db,
            transaction(db, "IMMEDIATE"),
        ):
            yield db

    def page(
        self,
        query: str,
        load: Callable[[Row], T],
        *values: object,
        listing: str,
        limit: int,
        token: str | None,
    ) -> Page[T]:
        """Returns a page of a listing, without items whose key is damaged. Raises InvalidArgument("pageToken").

        query: as in `rows_after`.
        load: row -> item.
        """
        after = ""
        if token is not None:
            (after,) = read_token(token, listing)
        with self.reading() as db:
            stored_rows, last = rows_after(db, query, after, *values, limit=limit)
        items = tuple(load(row) for row in stored_rows if isinstance(row[0], str))
        next_token = None
        if last is not None:
            next_token = make_token(listing, last)
        return Page(items, next_token)

    def close(self) -> None:
        """Closes the connections; those in use when their thread is done with them."""
        self._closed = True
        self._close_idle()

    def _close_idle(self) -> None:
        with suppress(IndexError):  # another thread may take the last one
            while True:
                self._idle.pop().close()

    def remove(self) -> bool:
        """Deletes the file if it is empty. Returns False if it stays: it is not, or another process has it open."""
        until = monotonic() + _REMOVAL_SECONDS
        with self._writer, explained(self.path), self._alone(_REMOVAL_SECONDS) as is_alone:
            while is_alone and not removed(self.path):
                if monotonic() > until:
                    return False
                sleep(0.01)
            return is_alone

    def discard(self) -> None:
        """Deletes the file, whatever it holds. Raises StoreUnavailable while other threads use it.

        A process that has it open sees what it held until it closes it.
        """
        with self._writer, explained(self.path), self._alone(self._patience) as is_alone:
            if not is_alone:
                raise StoreUnavailable(f"{self.path} is in use: try again")
            for ending in ("", "-wal", "-shm"):
                part = self.path.with_name(f"{self.path.name}{ending}")
                part.unlink(missing_ok=True)

    @contextmanager
    def _alone(self, seconds: float) -> Iterator[bool]:
        """Closes all connections of this process and lets it open none. Yields False if some are still in use."""
        with self._open_ones:
            self._removing = True
            is_alone = self._open_ones.wait_for(lambda: not self._in_use, max(0.0, seconds))
        try:
            if is_alone:
                self._close_idle()
            yield is_alone
        finally:
            with self._open_ones:
                self._removing = False
                self._open_ones.notify_all()

    @contextmanager
    def _connection(self, *, creates: bool) -> Iterator[sqlite3.Connection]:
        with self._open_ones:
            self._open_ones.wait_for(lambda: not self._removing)
            self._in_use += 1
        try:
            if not (creates or self._idle or self.path.exists()):
                memory = sqlite3.connect(":memory:", isolation_level=None)
                with closing(memory) as db:
                    self._prepare(db, writes=True)
                    yield db
                return
            try:
                db = self._idle.pop()
            except IndexError:
                prepare = partial(self._prepare, writes=self.is_writable)
                db = opened(self.path, self._patience, prepare)
            try:
                yield db
            finally:
                self._idle.append(db)
                if self._closed:
                    self._close_idle()
        finally:
            with self._open_ones:
                self._in_use -= 1
                if self._removing:
                    self._open_ones.notify_all()

    def _prepare(self, db: sqlite3.Connection, *, writes: bool) -> None:
        version = version_of(db, self.path)
        if writes:
            self._prepare_to_write(db, version)
        elif version != SCHEMA_VERSION:
            raise OperatorError(
                f"{self.path} is of an earlier version and read-only: open it once where it can be written",
            )
        db.execute(f"PRAGMA mmap_size = {_MAPPED}")
        state = db.execute("SELECT tenant_id FROM state").fetchone()
        if state is None:
            raise DamagedFile(self.path, "its state")
        (owner,) = state
        if owner != self.tenant_id:
            raise OperatorError(
                f"{self.path} belongs to another tenant: it has been renamed or copied",
            )

    def _prepare_to_write(self, db: sqlite3.Connection, version: int) -> None:
        """Makes missing tables and sets how the file is written. `version`: that of its tables."""
        if version != SCHEMA_VERSION:
            self._make_tables(db)
        # Nothing to do but after a removal that was given up.
        db.execute("PRAGMA journal_mode = WAL")
        # A killed process loses nothing; a machine that loses power may lose its last moments, never consistency.
        db.execute("PRAGMA synchronous = NORMAL")

    def _make_tables(self, db: sqlite3.Connection) -> None:
        """Makes all tables, or those of later versions, unless another process was faster."""
        # Of a new file: reads 100,000 vectors in half the time that 4096 takes.
        db.execute("PRAGMA page_size = 16384")
        db.execute("PRAGMA journal_mode = WAL")
        with transaction(db, "IMMEDIATE"):
            version = version_of(db, self.path)
            if version == 0:
                self._make_all_tables(db)
            else:
                _add_tables(db, version)
            db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def _make_all_tables(self, db: sqlite3.Connection) -> None:
        """Makes the tables of a new file."""
        for statement in TABLES:
            db.execute(statement)
        # Not from 0: after an erasure no number comes again that a cache of the old file may still know.
        first = time_ns() // 1000
        values = (self.tenant_id, first, first)
        db.execute("INSERT INTO state VALUES (?, ?, ?, 0, 0)", values)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _add_tables(db: sqlite3.Connection, version: int) -> None:
    """Brings the tables of an earlier version up to date."""
    for later_version in range(version + 1, SCHEMA_VERSION + 1):
        for statement in ADDED[later_version]:
            db.execute(statement)
    if version < CHECKSUM_VERSION:
        fill_checksums(db)


class TenantFiles:
    """Every tenant's file in one folder. Nothing is made before it is used."""

    def __init__(self, folder: Path, *, patience: float) -> None:
        self._folder = folder
        self._patience = patience
        self._files: dict[str, TenantFile] = {}
        self._lock = Lock()

    def of(self, tenant_id: str) -> TenantFile:
        """Returns the file of a tenant, or of a person in one. Raises OperatorError if the folder cannot be made.

        tenant_id: may be a `Person.space`.
        """
        with self._lock:
            if tenant_id not in self._files:
                make_folder(self._folder)
                path = self._folder / file_name(tenant_id)
                self._files[tenant_id] = TenantFile(path, tenant_id, patience=self._patience)
            return self._files[tenant_id]

    def all(self, *, with_people: bool = False) -> list[TenantFile]:
        """Returns every tenant's file, also those that other processes made, by tenant id.

        with_people: True for the files of people in a tenant too.
        """
        files = []
        for owner in self._owners():
            is_person = "/" in owner
            if with_people or not is_person:
                files.append(self.of(owner))
        return files

    def people(self, tenant_id: str) -> list[TenantFile]:
        """Returns the files of the people of a tenant who are not the tenant.

        One that is so damaged that nobody can tell whose it is counts as another's, with a warning in the log.
        """
        files = []
        for owner in self._owners(skips_damaged=True):
            if owner.startswith(f"{tenant_id}/"):
                files.append(self.of(owner))
        return files

    def _owners(self, *, skips_damaged: bool = False) -> list[str]:
        with self._lock:
            owner_by_path = {file.path: owner for owner, file in self._files.items()}
        for path in self._folder.glob("*.sqlite3"):
            if path in owner_by_path:
                continue
            try:
                owner = owner_of(path, patience=self._patience)
            except DamagedFile as damage:
                if not skips_damaged:
                    raise
                _log.warning("whose file it is cannot be told: %s", damage.message)
                continue
            if owner:
                owner_by_path[path] = owner
        owners = [owner for path, owner in owner_by_path.items() if path.exists()]
        return sorted(owners)

    def close(self) -> None:
        with self._lock:
            for file in self._files.values():
                file.close()


def owner_of(path: Path, *, patience: float = 10.0) -> str:
    """Returns the tenant that owns the file; empty if another process is still making it.

    Raises OperatorError, StoreUnavailable.
    """
    prepare = partial(version_of, path=path)
    with explained(path), closing(opened(path, patience, prepare)) as db:
        if version_of(db, path) == 0:
            return ""
        row = db.execute("SELECT tenant_id FROM state").fetchone()
        if row is None:
            raise DamagedFile(path, "its state")
        (owner,) = row
        return str(owner)


def rows_after(
    db: sqlite3.Connection,
    query: str,
    after: str,
    *values: object,
    limit: int,
) -> tuple[list[Row], str | None]:
    """Returns the rows behind the key `after`, and the key behind which to go on: None after the last row.

    They are more than `limit` where the disk has changed the key of the last one.
    query: returns the key first; its parameters are the key after which to go on, `values` and a limit.
    """
    while True:
        stored_rows = fetch_rows(db, query, (after, *values, limit + 1))
        if len(stored_rows) <= limit:
            return stored_rows, None
        page = stored_rows[:limit]
        last, *_ = page[-1]
        if isinstance(last, str):
            return page, last
        limit *= 2


@contextmanager
def transaction(db: sqlite3.Connection, kind: str) -> Iterator[None]:
    db.execute(f"BEGIN {kind}")
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raises SQLite's errors as ours, naming the file. Errors that are our own bugs pass as they are."""
    try:
        yield
    except sqlite3.DatabaseError as problem:
        code = code_of(problem)
        if isinstance(problem, sqlite3.OperationalError) and is_undecodable(problem):
            raise DamagedFile(path, "a text") from None
        if isinstance(problem, sqlite3.OperationalError) and is_broken_schema(problem):
            raise DamagedFile(path, "its schema") from problem
        if code in _DAMAGED:
            raise DamagedFile(path, str(problem)) from problem
        if code in _AWAY:
            raise StoreUnavailable(f"{path}: {_AWAY[code]}") from problem
        raise
    except UnicodeDecodeError:  # in a message of SQLite's own, of a damaged schema
        raise DamagedFile(path, "its schema") from None
    except UnicodeEncodeError as problem:
        raise InvalidArgument("id", "text without lone surrogates") from problem


def version_of(db: sqlite3.Connection, path: Path) -> int:
    """Returns the version of its tables; 0 for a new file. Raises OperatorError for a file that is not ours."""
    # In this order, so that tables which another connection makes between two reads never look like a stranger's.
    (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (application,) = db.execute("PRAGMA application_id").fetchone()
    if version == 0 and application == 0 and tables == 0:
        return 0
    if application != APPLICATION_ID:
        raise OperatorError(f"{path} is not a store of Aurora Notes: move it away")
    if version > SCHEMA_VERSION:
        raise OperatorError(
            f"{path} was written by a newer Aurora Notes (schema {version}, this one knows {SCHEMA_VERSION}): upgrade",
        )
    return int(version)


def file_name(tenant_id: str) -> str:
    """Returns a name that is safe on every file system and no other tenant's, recognisable where the id is plain."""
    words = re.sub(r"[^a-z0-9]+", "-", tenant_id.lower())
    readable = words[:40].strip("-")
    content = tenant_id.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(content).hexdigest()
    name = digest[:20]
    if readable:
        name = f"{readable}.{name}"
    return f"{name}.sqlite3"


def make_folder(folder: Path) -> None:
    """Makes a folder that its owner alone can read. Raises OperatorError."""
    try:
        make_private_folder(folder)
    except OSError as problem:
        raise OperatorError(f"{folder} cannot be made: {problem.strerror}") from problem
