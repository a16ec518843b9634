"""Reads of Firestore as they are billed: a store that counts its own."""

from __future__ import annotations

import threading
from operator import add, sub
from typing import Any, NamedTuple

from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.connection import DEFAULT_DATABASE, Connection

VECTOR_STEP = 100
"""A vector search costs one read for each so many index entries it scans, beside the documents it returns."""


class Reads(NamedTuple):
    """Billed reads since the store was made. Subtract two of them to get what lay between."""

    documents: int = 0
    """One for each document returned or looked up in vain, and one for a query that returns none."""
    aggregations: int = 0
    """Batches of index entries that counts, sums and averages went through."""
    vector_searches: int = 0
    """Vector searches made. The reads of one are not reported: at most `vector_reads` of the tenant's chunks."""

    @property
    def total(self) -> int:
        """Without the index entries of vector searches."""
        return self.documents + self.aggregations

    def __sub__(self, earlier: Reads) -> Reads:
        return Reads(*map(sub, self, earlier))


def vector_reads(entries: int) -> int:
    """Returns the reads that scanning so many entries of a vector index costs."""
    return -(-entries // VECTOR_STEP)


class _Connection(Connection):
    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - those of a Connection
        super().__init__(*args, **options)
        self.reads = Reads()
        self._counting = threading.Lock()

    def bill(self, *, documents: int = 0, aggregations: int = 0, vector_searches: int = 0) -> None:
        super().bill(documents=documents, aggregations=aggregations)
        with self._counting:
            self.reads = Reads(
                *map(
                    add,
                    self.reads,
                    (documents, aggregations, vector_searches),
                ),
            )


class CountedStore(FirestoreStore):
    """Counts what its calls are billed, by Firestore's published rules."""

    def __init__(
        self,
        project: str,
        *,
        database: str = DEFAULT_DATABASE,
        read_seconds: float = 10.0,
        write_seconds: float = 30.0,
        deployment: str = "",
    ) -> None:
        super().__init__(
            project,
            database=database,
            deployment=deployment,
        )
        self._db = self._counted = _Connection(
            project,
            database=database,
            read_seconds=read_seconds,
            write_seconds=write_seconds,
        )

    @property
    def reads(self) -> Reads:
        """Since it was made."""
        return self._counted.reads
