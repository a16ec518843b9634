"""Budget for the index's writes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from shared.model.index import IndexWrites


class WriteBudget(Protocol):
    """The documents that the index of notes may write."""

    def check(self, tenant_id: str) -> None:
        """Raises IndexQuotaExceeded if the day's writes are used up; StoreUnavailable."""

    def reserved(self, tenant_id: str, most: IndexWrites) -> AbstractContextManager[IndexWrites]:
        """Reserves `most` documents while a note is indexed; the indexer adds to the yielded counts what it writes.

        Raises IndexQuotaExceeded, StoreUnavailable.
        """

    def add(self, tenant_id: str, made: IndexWrites) -> None:
        """Counts documents that were written without a reservation."""
