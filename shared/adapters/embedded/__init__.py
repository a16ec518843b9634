"""Everything on one machine: one SQLite file a tenant, keywords in FTS5, vectors searched with numpy.

Read in this order: `documents` (how entities lie), `index` (how a note's index moves), `search` with `vectors` (how a
question is asked); then what else a tenant owns. `files` and `sqlite` carry it all.

The file is the truth: what is in memory is read from it and follows every commit of any process.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from shared.adapters.embedded.account import Account
from shared.adapters.embedded.files import TenantFiles
from shared.adapters.embedded.index import Index
from shared.adapters.embedded.notes import Notes
from shared.adapters.embedded.search import Search
from shared.adapters.embedded.sessions import Sessions
from shared.model.notes import NoteKey

__all__ = ["EmbeddedStore"]


class EmbeddedStore(Notes, Index, Search, Sessions, Account):
    """`shared.ports.stores.Store` in a folder. Safe for threads, and for several processes on the same folder.

    A write that waits for other processes longer than `patience` (seconds) raises StoreUnavailable.
    A damaged file, one of a newer version or one that is not ours raises OperatorError naming it; none is ever deleted.
    """

    bills_reads = False

    def __init__(
        self, home: Path, *, on_write: Callable[[NoteKey], None] | None = None, patience: float = 10.0
    ) -> None:
        """`on_write` is called after the commit that created, replaced or deleted a note: the local trigger."""
        self._files = TenantFiles(home / "tenants", patience=patience)
        self._bookmarks = home / "bookmarks"
        self._spaces = {}
        self._on_write = on_write

    def close(self) -> None:
        """Closes files and gives memory back."""
        self._spaces.clear()
        self._files.close()
