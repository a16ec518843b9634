"""Figures of a tenant's whole index, read once for many questions: those of BM25, and the folders of indexed notes.

BM25 needs the number of chunks, their average length, and for each stem the number of chunks that contain it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter

from shared.adapters.firestore.client import pool
from shared.adapters.firestore.connection import Connection
from shared.adapters.firestore.documents import is_indexed, posting_path
from shared.adapters.firestore.protocol import Query, token_of, values_of
from shared.model.index import folders_of
from shared.model.notes import Folder
from shared.model.retrieval import CorpusStats

FRESH_SECONDS = 2.0
"""Seconds for which cached figures are used without asking for the revision.

After another instance's write, searches here may use figures, and caches keyed by the revision, that are so old. This
instance's own writes take effect at once.
"""
LARGE = 1000
"""Number of chunks from which one more or less changes no ranking, so that figures serve later revisions too."""
LARGE_SECONDS = 600.0
"""Seconds for which they do. A count costs a read for each 1000 chunks it counts, and people ask while they write."""
MAX_TENANTS = 1000
"""Tenants whose figures are cached."""
MAX_STEMS = 10_000
"""Stems whose frequencies are cached for a tenant and revision."""


@dataclass(slots=True)
class _Figures:
    """Cached figures of one tenant at one revision.

    They are read after the revision, never before: a change that they miss belongs to a later revision.
    """

    revision: str
    until: float = 0.0
    """Time on the monotonic clock after which the revision is asked for again."""
    read_at: float = 0.0
    """Time on the monotonic clock when `stats` were read."""
    stats: CorpusStats | None = None
    frequencies: dict[str, int] = field(default_factory=dict)
    folders: tuple[Folder, ...] | None = None
    reading: threading.Lock = field(default_factory=threading.Lock)

    def at(self, revision: str) -> _Figures:
        """Returns the figures that stay valid at a later revision."""
        later = _Figures(revision)
        _, _, changes_before = self.revision.rpartition(":")
        _, _, changes = revision.rpartition(":")
        if changes == changes_before:  # no record went, no folder came or went
            later.folders = self.folders
        if self.stats is not None and self._serves_later_revisions(self.stats):
            later.stats = replace(self.stats, revision=revision)
            later.frequencies = self.frequencies
            later.read_at = self.read_at
        return later

    def _serves_later_revisions(self, stats: CorpusStats) -> bool:
        is_recent = time.monotonic() < self.read_at + LARGE_SECONDS
        return stats.chunk_count >= LARGE and is_recent


@dataclass(slots=True)
class _Writes:
    """Number of this process's completed writes."""

    count: int = 0


class Corpus:
    """Reads and caches the figures for the parts of the store that derive from this class. Safe between threads."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection
        self._lock = threading.Lock()
        self._asking: dict[str, threading.Lock] = {}
        self._cache: dict[str, _Figures] = {}
        self._writes = _Writes()

    def stats(self, tenant_id: str) -> CorpusStats:
        figures = self._figures(tenant_id)
        with figures.reading:
            if figures.stats is None:
                query = Query(collection="chunks")
                parent = self._db.parent(tenant_id)
                aggregates = self._db.aggregate(parent, query, average="length")
                # The average of nothing is null.
                average = aggregates["average"]
                average_length = average.double_value or float(average.integer_value)
                figures.stats = CorpusStats(
                    chunk_count=aggregates["count"].integer_value,
                    average_length=average_length,
                    revision=figures.revision,
                )
                figures.read_at = time.monotonic()
            return figures.stats

    def _folders_of_notes(self, tenant_id: str) -> tuple[Folder, ...]:
        """Returns the folders that hold notes themselves.

        Costs a read for each of them after a note or a folder went or a folder came.
        """
        figures = self._figures(tenant_id)
        with figures.reading:
            if figures.folders is None:
                query = Query(collection="folders", fields=("vault", "folder"))
                documents = self._db.find(tenant_id, query)
                folders = []
                for document in documents:
                    names = values_of(document)
                    folders.append(Folder(**names))
                folders.sort(key=attrgetter("vault", "folder"))
                figures.folders = tuple(folders)
            return figures.folders

    def folders(self, tenant_id: str) -> tuple[Folder, ...]:
        paths = []
        for folder in self._folders_of_notes(tenant_id):
            paths.append((folder.vault, f"{folder.folder}/"))
        return folders_of(paths)

    def document_frequencies(self, tenant_id: str, stems: Sequence[str]) -> Mapping[str, int]:
        """Counts the stems whose frequency is not cached at this revision, one request a stem, side by side."""
        cached = self._figures(tenant_id).frequencies
        frequencies = {}
        uncached = []
        for stem in dict.fromkeys(stems):
            if stem in cached:
                frequencies[stem] = cached[stem]
            else:
                uncached.append(stem)
        count = partial(self._document_frequency, tenant_id)
        counts = pool().map(count, uncached)
        counted = dict(zip(uncached, counts, strict=True))

        has_room = len(cached) + len(counted) <= MAX_STEMS
        if has_room:
            cached.update(counted)
        return frequencies | counted

    def _document_frequency(self, tenant_id: str, stem: str) -> int:
        if not is_indexed(stem):
            return 0
        # Ordering by a field leaves out documents without it.
        postings = posting_path(stem)
        query = Query(collection="chunks", order=(f"-{postings}",))
        parent = self._db.parent(tenant_id)
        return self._db.count(parent, query)

    def _forget(self, tenant_id: str) -> None:
        """Drops the figures after a write, also those that are being read."""
        with self._lock:
            self._writes.count += 1
            self._cache.pop(tenant_id, None)

    def _figures(self, tenant_id: str) -> _Figures:
        with self._lock:
            asking = self._asking.setdefault(tenant_id, threading.Lock())
        # A question asks for stats and frequencies at once: one of the two reads the revision for both.
        with asking:
            with self._lock:
                cached = self._cache.get(tenant_id)
                writes_before = self._writes.count
            if cached is not None and time.monotonic() < cached.until:
                return cached
            revision = self._revision(tenant_id)
            if cached is None:
                figures = _Figures(revision)
            elif cached.revision == revision:
                figures = cached
            else:
                figures = cached.at(revision)
            figures.until = time.monotonic() + FRESH_SECONDS
            with self._lock:
                if self._writes.count == writes_before:
                    self._store(tenant_id, figures)
            return figures

    def _store(self, tenant_id: str, figures: _Figures) -> None:
        if len(self._cache) >= MAX_TENANTS:
            self._cache.clear()
            self._asking.clear()
        self._cache[tenant_id] = figures

    def _revision(self, tenant_id: str) -> str:
        """Returns the newest `changedAt` of the records, and of removed records and changed folders. Two reads.

        Every commit of `apply` leaves its server time in one of the two collections.
        """
        read_latest = partial(self._latest_change, tenant_id)
        latest_changes = pool().map(read_latest, ("index", "changes"))
        return ":".join(latest_changes)

    def _latest_change(self, tenant_id: str, collection: str) -> str:
        """Returns the newest `changedAt` of a collection; empty if there is none."""
        query = Query(
            collection=collection,
            order=("-changedAt",),
            limit=1,
            fields=("changedAt",),
        )
        documents = self._db.find(tenant_id, query)
        if not documents:
            return ""
        return token_of(documents[0].fields["changedAt"].timestamp_value)
