"""The last erasure of each tenant, in a small file that outlives the tenant's own; and a tenant's file for work that
the next erasure ends.

A writer looks at the number inside its transaction. An erasure takes a new number first and then its turn to write: so
it finds everything that was written under the old number, and nothing is written under that number afterwards.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TypeVar

from shared.adapters.embedded.files import Row, TenantFile, TenantFiles, make_folder
from shared.errors import Erased, StoreUnavailable
from shared.ports.pages import Page

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Erasures:
    """The numbers of all tenants' last erasures."""

    folder: Path

    def last(self, tenant_id: str) -> str:
        """Returns the number of the tenant's last erasure; empty if there was none."""
        file = self._file(tenant_id)
        try:
            return file.read_text("ascii", "replace").strip()
        except FileNotFoundError:
            return ""
        except OSError as problem:
            raise StoreUnavailable(f"{file} cannot be read: {problem.strerror}") from problem

    def add(self, tenant_id: str) -> None:
        """Numbers an erasure at random, so that two at once never share a number, whatever was there before."""
        number = secrets.randbits(64)
        file = self._file(tenant_id)
        make_folder(self.folder)
        try:
            with NamedTemporaryFile(
                "w",
                encoding="ascii",
                dir=self.folder,
                delete=False,
            ) as fresh:
                fresh.write(str(number))
            os.replace(fresh.name, file)  # noqa: PTH105 - atomic: a reader sees the old number or the new
        except OSError as problem:
            raise StoreUnavailable(f"{file} cannot be written: {problem.strerror}") from problem

    def _file(self, tenant_id: str) -> Path:
        digest = hashlib.sha256(tenant_id.encode("utf-8", "surrogatepass")).hexdigest()
        return self.folder / f"{digest}.txt"


class UnerasedFile(TenantFile):
    """A tenant's file that takes no write any more once the tenant has been erased."""

    def __init__(self, file: TenantFile, erasures: Erasures, last_erasure: str) -> None:
        """Wraps a file. `last_erasure`: number of the tenant's last erasure when the work began."""
        self.path = file.path
        self.tenant_id = file.tenant_id
        self._file = file
        self._erasures = erasures
        self._last_erasure = last_erasure

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self._file.reading() as db:
            yield db

    @contextmanager
    def writing(self, *, creates: bool = True) -> Iterator[sqlite3.Connection]:
        """Raises Erased."""
        self._check()  # before the transaction too, which would make the file again
        try:
            with self._file.writing(creates=creates) as db:
                self._check()
                yield db
        except Erased:
            self._file.remove()  # if it is empty: made again while the tenant was erased
            raise

    def page(
        self,
        query: str,
        load: Callable[[Row], T],
        *values: object,
        listing: str,
        limit: int,
        token: str | None,
    ) -> Page[T]:
        return self._file.page(
            query,
            load,
            *values,
            listing=listing,
            limit=limit,
            token=token,
        )

    def close(self) -> None:
        """Does nothing: the store that made the file closes it."""

    def remove(self) -> bool:
        return self._file.remove()

    def discard(self) -> None:
        self._file.discard()

    def _check(self) -> None:
        if self._erasures.last(self.tenant_id) != self._last_erasure:
            raise Erased


class UnerasedFiles(TenantFiles):
    """The files of all tenants, one of which takes no write any more once that tenant has been erased."""

    def __init__(self, files: TenantFiles, file: UnerasedFile) -> None:
        self._all = files
        self._conditional = file

    def of(self, tenant_id: str) -> TenantFile:
        if tenant_id == self._conditional.tenant_id:
            return self._conditional
        return self._all.of(tenant_id)

    def all(self, *, with_people: bool = False) -> list[TenantFile]:
        return self._all.all(with_people=with_people)

    def people(self, tenant_id: str) -> list[TenantFile]:
        return self._all.people(tenant_id)

    def close(self) -> None:
        """Does nothing: the store that made the files closes them."""
