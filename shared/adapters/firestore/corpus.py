"""Figures of a tenant as a whole, read once for many questions: those of BM25 (how many chunks, how long, how many
contain a stem), and the folders that indexed notes lie in.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from shared.adapters.firestore.client import pool
from shared.adapters.firestore.connection import Connection
from shared.adapters.firestore.documents import is_kept, posting_path
from shared.adapters.firestore.protocol import Query, token_of, values_of
from shared.model.index import folders_of
from shared.model.notes import Folder
from shared.model.retrieval import CorpusStats

FRESH_SECONDS = 2.0
"""How long figures are used again without asking. So after another instance's write, searches here may weigh stems
by figures, and answer from caches keyed by the revision, that are up to so many seconds old. Own writes show at once.
"""
LARGE = 1000
"""From so many chunks on one more or less changes no ranking: figures then serve later revisions too, ..."""
LARGE_SECONDS = 600.0
"""... for so long. A count costs a read for each 1000 chunks it counts, and people ask while they write."""
MAX_TENANTS = 1000
MAX_STEMS = 10_000
"""Kept per tenant and revision."""


@dataclass(slots=True)
class _Figures:
    """What is known of one tenant at one revision. It may be read a little later, never earlier, than the revision:
    what it misses then belongs to the next one.
    """

    revision: str
    until: float = 0.0
    """Monotonic seconds: the revision is asked for again after it."""
    read_at: float = 0.0
    """When `stats` were read."""
    stats: CorpusStats | None = None
    frequencies: dict[str, int] = field(default_factory=dict)
    places: tuple[Folder, ...] | None = None
    reading: threading.Lock = field(default_factory=threading.Lock)

    def at(self, revision: str) -> _Figures:
        """What of this still holds at a later revision."""
        later = _Figures(revision)
        if (
            revision.rpartition(":")[2] == self.revision.rpartition(":")[2]
        ):  # no record went, no folder came or went
            later.places = self.places
        if (
            self.stats
            and self.stats.chunk_count >= LARGE
            and time.monotonic() < self.read_at + LARGE_SECONDS
        ):
            later.stats, later.frequencies = (
                replace(self.stats, revision=revision),
                self.frequencies,
            )
            later.read_at = self.read_at
        return later


@dataclass(slots=True)
class _Writes:
    """How many writes of this process have ended."""

    count: int = 0


class Corpus:
    """Reads and keeps the figures, for the parts of the store that derive from it. Safe between threads."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection
        self._lock = threading.Lock()
        self._asking: dict[str, threading.Lock] = {}
        self._known: dict[str, _Figures] = {}
        self._writes = _Writes()

    def stats(self, tenant_id: str) -> CorpusStats:
        figures = self._figures(tenant_id)
        with figures.reading:
            if figures.stats is None:
                query = Query(collection="chunks")
                fields = self._db.aggregate(self._db.parent(tenant_id), query, average="length")
                # The average of nothing is null.
                average = fields["average"].double_value or float(fields["average"].integer_value)
                figures.stats = CorpusStats(
                    fields["count"].integer_value, average, figures.revision
                )
                figures.read_at = time.monotonic()
            return figures.stats

    def _places(self, tenant_id: str) -> tuple[Folder, ...]:
        """The folders that notes lie in themselves. One read each, when a note or a folder went or a folder came."""
        figures = self._figures(tenant_id)
        with figures.reading:
            if figures.places is None:
                query = Query(collection="folders", fields=("vault", "folder"))
                documents = self._db.query(self._db.parent(tenant_id), query)
                found = (Folder(**values_of(each)) for each in documents)
                figures.places = tuple(sorted(found, key=attrgetter("vault", "folder")))
            return figures.places

    def folders(self, tenant_id: str) -> tuple[Folder, ...]:
        return folders_of((place.vault, f"{place.folder}/") for place in self._places(tenant_id))

    def document_frequencies(self, tenant_id: str, stems: Sequence[str]) -> Mapping[str, int]:
        """Counts what is not yet known at this revision, one request a stem, side by side."""
        known = self._figures(tenant_id).frequencies
        unknown = [stem for stem in dict.fromkeys(stems) if stem not in known]

        def count(stem: str) -> int:
            # Ordering by a field leaves out documents without it.
            query = Query(collection="chunks", order=(f"-{posting_path(stem)}",))
            return self._db.count(self._db.parent(tenant_id), query) if is_kept(stem) else 0

        counted = dict(zip(unknown, pool().map(count, unknown), strict=True))
        answer = {stem: known[stem] if stem in known else counted[stem] for stem in stems}
        if len(known) + len(counted) <= MAX_STEMS:
            known.update(counted)
        return answer

    def _forget(self, tenant_id: str) -> None:
        """After a write, whatever was read before or during it."""
        with self._lock:
            self._writes.count += 1
            self._known.pop(tenant_id, None)

    def _figures(self, tenant_id: str) -> _Figures:
        with self._lock:
            asking = self._asking.setdefault(tenant_id, threading.Lock())
        with (
            asking
        ):  # a question asks for stats and frequencies at once: one of them reads the revision
            with self._lock:
                known, writes = self._known.get(tenant_id), self._writes.count
            if known is not None and time.monotonic() < known.until:
                return known
            revision = self._revision(tenant_id)
            if known is None:
                known = _Figures(revision)
            figures = known if known.revision == revision else known.at(revision)
            figures.until = time.monotonic() + FRESH_SECONDS
            with self._lock:
                if self._writes.count == writes:
                    if len(self._known) >= MAX_TENANTS:
                        self._known.clear()
                        self._asking.clear()
                    self._known[tenant_id] = figures
            return figures

    def _revision(self, tenant_id: str) -> str:
        """When a record was last written, and when one last went or a folder came or went: every commit of `apply`
        leaves its server time in one of the two. Two reads.
        """
        parent = self._db.parent(tenant_id)

        def latest(collection: str) -> str:
            """The newest `changedAt` of the collection, empty if there is none."""
            query = Query(
                collection=collection, order=("-changedAt",), limit=1, fields=("changedAt",)
            )
            stamps = [
                each.fields["changedAt"].timestamp_value for each in self._db.query(parent, query)
            ]
            return "".join(map(token_of, stamps))

        return ":".join(pool().map(latest, ("index", "changes")))
