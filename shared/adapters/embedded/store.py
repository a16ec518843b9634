"""Everything of one folder as one `shared.ports.stores.Store`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from shared.adapters.embedded.account import Account
from shared.adapters.embedded.erasure import Erasure
from shared.adapters.embedded.index import Index
from shared.adapters.embedded.notes import Notes
from shared.adapters.embedded.requests.files import TenantFiles
from shared.adapters.embedded.searching.search import Search
from shared.adapters.embedded.sessions import Sessions
from shared.adapters.embedded.sweep import Bookmarks, Sweep
from shared.adapters.embedded.templates import Templates
from shared.adapters.embedded.trash import Trash
from shared.model.notes import NoteKey


class EmbeddedStore(Notes, Trash, Index, Sweep, Search, Templates, Sessions, Account, Erasure):
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
        self._bookmarks = Bookmarks(home / "bookmarks")
        self._spaces = {}
        self._on_write = on_write

    def close(self) -> None:
        """Closes files and gives memory back."""
        self._spaces.clear()
        self._files.close()
