"""What a store's calls cost in billed reads, counted by Firestore's published rules."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from shared.tracing import add_reads

AGGREGATION_STEP = 1000
"""An aggregation costs one read for each so many index entries it matches, at least one."""
VECTOR_STEP = 100
"""A vector search costs one read for each so many index entries it scans, beside the documents it returns."""


@dataclass(frozen=True, slots=True)
class Reads:
    """Billed reads since the store was made. Subtract two of them to get what lay between."""

    documents: int = 0
    """One for each document returned or looked up in vain, and one for a query that returns none."""
    aggregations: int = 0
    """Batches of index entries that counts, sums and averages went through."""
    vector_searches: int = 0
    """How many were made. Each scans the vector index of the tenant's chunks (those in the months and scopes asked
    for, where such a filter goes with it); the reply does not tell how many entries that were. So the price of
    one is at most `vector_reads(chunks)`.
    """

    @property
    def total(self) -> int:
        """Without the index entries of vector searches."""
        return self.documents + self.aggregations

    def __sub__(self, earlier: Reads) -> Reads:
        return Reads(
            self.documents - earlier.documents,
            self.aggregations - earlier.aggregations,
            self.vector_searches - earlier.vector_searches,
        )


def vector_reads(entries: int) -> int:
    """What scanning so many entries of a vector index costs, in reads."""
    return -(-entries // VECTOR_STEP)


class ReadCounter:
    """Counts while several threads read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.reads = Reads()

    def add(self, *, documents: int = 0, aggregated: int | None = None, vector_searches: int = 0) -> None:
        """`aggregated`: index entries that an aggregation went through; None: it was none."""
        aggregations = 0 if aggregated is None else max(1, -(-aggregated // AGGREGATION_STEP))
        add_reads(documents + aggregations)
        with self._lock:
            now = self.reads
            self.reads = Reads(
                now.documents + documents, now.aggregations + aggregations, now.vector_searches + vector_searches
            )
