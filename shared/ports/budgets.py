"""Budget for the index's writes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from shared.model.index import IndexWrites


class WriteBudget(Protocol):
    """The documents that the index of notes may write."""

    def check(self, tenant_id: str) -> None:
        """Raises IndexQuotaExceeded where the day's writes are used up, StoreUnavailable."""

    def reserved(self, tenant_id: str, most: IndexWrites) -> AbstractContextManager[IndexWrites]:
        """Around indexing a note, which writes `most` documents at most and adds what it has written to the result.

        Raises IndexQuotaExceeded, StoreUnavailable.
        """

    def add(self, tenant_id: str, made: IndexWrites) -> None:
        """Count what was written without a reservation."""
