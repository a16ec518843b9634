"""Everything on one machine: one SQLite file a tenant, keywords in FTS5, vectors searched with numpy.

Read in this order: `documents` (how entities lie), `index` (how a note's index moves), `search` with `vectors` (how a
question is asked); then `collections` (sessions and all other documents). `files` and `sqlite` carry it all.

The file is the truth: what is in memory is read from it and follows every commit of any process.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Self

from shared.adapters.embedded.account import EmbeddedAccount
from shared.adapters.embedded.collections import EmbeddedDocuments
from shared.adapters.embedded.erasures import Erasures, UnerasedFile, UnerasedFiles
from shared.adapters.embedded.files import TenantFiles
from shared.adapters.embedded.index import Index
from shared.adapters.embedded.notes import EmbeddedNotes
from shared.adapters.embedded.search import EmbeddedSearch
from shared.model.notes import NoteKey

__all__ = ["EmbeddedStore"]


class EmbeddedStore(EmbeddedNotes, Index, EmbeddedSearch, EmbeddedAccount, EmbeddedDocuments):
    """`shared.ports.stores.Store` in a folder. Safe for threads, and for several processes on the same folder.

    A write that waits for other processes longer than `patience` (seconds) raises StoreUnavailable.
    A damaged file, one of a newer version or one that is not ours raises OperatorError naming it. None is ever deleted,
    but a damaged one by the erasure of its tenant.
    """

    bills_reads = False

    def __init__(
        self,
        home: Path,
        *,
        on_write: Callable[[NoteKey], None] | None = None,
        patience: float = 10.0,
    ) -> None:
        """Makes the store of a folder.

        on_write: called after the commit that created, replaced or deleted a note, as the local trigger.
        """
        self._files = TenantFiles(home / "tenants", patience=patience)
        self._erasures = Erasures(home / "erasures")
        self._bookmarks = home / "bookmarks"
        self._spaces = {}
        self._on_write = on_write

    def unless_erased(self, tenant_id: str, last_erasure: str) -> Self:
        conditional = copy.copy(self)
        file = UnerasedFile(self._files.of(tenant_id), self._erasures, last_erasure)
        conditional._files = UnerasedFiles(self._files, file)  # noqa: SLF001 - a copy of itself
        return conditional

    def check_owner(self) -> None:
        """Does nothing: no deployment writes to a folder of this machine."""

    def close(self) -> None:
        """Closes files and gives memory back."""
        self._spaces.clear()
        self._files.close()
