"""What is known of a tenant as a whole: the figures of BM25 (how many chunks, how long, how many contain a stem), and
`folders/{id}`, the folders that indexed notes lie in.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shared.adapters.firestore.connection import Connection, pool
from shared.adapters.firestore.documents import is_kept, place_key, posting_path
from shared.adapters.firestore.protocol import Is, Order, Query, Where, change, delete, protocol, put, values_of
from shared.errors import Conflict
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
MAX_KNOWN = 10_000
"""Folders that are remembered to stand."""
MAX_STEMS = 10_000
"""Kept per tenant and revision."""


class _Figures:
    """What is known of one tenant at one revision. It may be read a little later, never earlier, than the revision:
    what it misses then belongs to the next one.
    """

    def __init__(self, revision: str) -> None:
        self.revision = revision
        self.until = 0.0
        self.reading = threading.Lock()
        self.read_at = 0.0
        self.stats: CorpusStats | None = None
        self.frequencies: dict[str, int] = {}
        self.places: tuple[Folder, ...] | None = None

    def at(self, revision: str) -> _Figures:
        """What of this still holds at a later revision."""
        later = _Figures(revision)
        if revision.rpartition(":")[2] == self.revision.rpartition(":")[2]:  # no record went, no folder came or went
            later.places = self.places
        if self.stats and self.stats.chunk_count >= LARGE and time.monotonic() < self.read_at + LARGE_SECONDS:
            later.stats, later.frequencies = replace(self.stats, revision=revision), self.frequencies
            later.read_at = self.read_at
        return later


class Corpus:
    """Reads and keeps the figures. Safe between threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._asking: dict[str, threading.Lock] = {}
        self._known: dict[str, _Figures] = {}
        self._writes = 0

    def stats(self, tenant_id: str) -> CorpusStats:
        figures = self._figures(tenant_id)
        with figures.reading:
            if figures.stats is None:
                parent = self._connection.tenant(tenant_id)
                fields = self._connection.aggregate(parent, Query(collection="chunks"), average="length")
                # The average of nothing is null.
                average = fields["average"].double_value or float(fields["average"].integer_value)
                figures.stats = CorpusStats(fields["count"].integer_value, average, figures.revision)
                figures.read_at = time.monotonic()
            return figures.stats

    def places(self, tenant_id: str) -> tuple[Folder, ...]:
        """The folders that notes lie in themselves. One read each, when a note or a folder went or a folder came."""
        figures = self._figures(tenant_id)
        with figures.reading:
            if figures.places is None:
                query = Query(collection="folders", fields=("vault", "folder"))
                documents = self._connection.query(self._connection.tenant(tenant_id), query)
                found = sorted((fields["vault"], fields["folder"]) for fields in map(values_of, documents))
                figures.places = tuple(Folder(vault, folder) for vault, folder in found)
            return figures.places

    def folders(self, tenant_id: str) -> tuple[Folder, ...]:
        """The folders of `places` and all that contain them."""
        return folders_of((place.vault, f"{place.folder}/") for place in self.places(tenant_id))

    def document_frequencies(self, tenant_id: str, stems: Sequence[str]) -> Mapping[str, int]:
        """Counts what is not yet known at this revision, one request a stem, side by side."""
        known = self._figures(tenant_id).frequencies
        unknown = [stem for stem in dict.fromkeys(stems) if stem not in known]

        def count(stem: str) -> int:
            # Ordering by a field leaves out documents without it.
            query = Query(collection="chunks", order=(Order(posting_path(stem), descending=True),))
            return self._connection.count(self._connection.tenant(tenant_id), query) if is_kept(stem) else 0

        counted = dict(zip(unknown, pool().map(count, unknown), strict=True))
        answer = {stem: known[stem] if stem in known else counted[stem] for stem in stems}
        if len(known) + len(counted) <= MAX_STEMS:
            known.update(counted)
        return answer

    def forget(self, tenant_id: str) -> None:
        """After a write, whatever was read before or during it."""
        with self._lock:
            self._writes += 1
            self._known.pop(tenant_id, None)

    def _figures(self, tenant_id: str) -> _Figures:
        with self._lock:
            asking = self._asking.setdefault(tenant_id, threading.Lock())
        with asking:  # a question asks for stats and frequencies at once: one of them reads the revision
            with self._lock:
                known, writes = self._known.get(tenant_id), self._writes
            if known is not None and time.monotonic() < known.until:
                return known
            revision = self._revision(tenant_id)
            if known is None:
                known = _Figures(revision)
            figures = known if known.revision == revision else known.at(revision)
            figures.until = time.monotonic() + FRESH_SECONDS
            with self._lock:
                if self._writes == writes:
                    if len(self._known) >= MAX_TENANTS:
                        self._known.clear()
                        self._asking.clear()
                    self._known[tenant_id] = figures
            return figures

    def _revision(self, tenant_id: str) -> str:
        """When a record was last written, and when one last went or a folder came or went: every commit of `apply`
        leaves its server time in one of the two. Two reads.
        """
        parent = self._connection.tenant(tenant_id)

        def latest(collection: str) -> str:
            """The newest `changedAt` of the collection, empty if there is none."""
            newest = (Order("changedAt", descending=True),)
            query = Query(collection=collection, order=newest, limit=1, fields=("changedAt",))
            stamps = [each.fields["changedAt"].timestamp_value for each in self._connection.query(parent, query)]
            return "".join(f"{stamp.seconds}.{stamp.nanos:09}" for stamp in stamps)

        return ":".join(pool().map(latest, ("index", "changes")))


class Places:
    """Keeps `folders/{id}`. Safe between threads.

    A folder is written when its first note comes and removed when its last has gone, so that saving notes writes
    nothing that other notes of the folder write too. Whoever brings a note looks after its commit whether the folder
    is still there; whoever takes the last one away marks the folder, looks once more whether it is empty, and removes
    it if it was not touched since the mark. So of two that meet one sees the other. Killed in between, a folder may
    stay without notes, never a note without its folder.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: set[str] = set()

    def arriving(self, tenant_id: str, place: Folder) -> None:
        """Before the commit with which a note comes to `place`. A read, the first time."""
        if self._name(tenant_id, place) not in self._known:
            self.arrived(tenant_id, place)

    def arrived(self, tenant_id: str, place: Folder) -> None:
        """After that commit. A read."""
        name = self._name(tenant_id, place)
        folder = put(name, {"vault": place.vault, "folder": place.folder})
        self._connection.ensure([folder, stamp(self._connection, tenant_id, place_key(place))], unless="leaving")
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known.add(name)

    def left(self, tenant_id: str, place: Folder) -> None:
        """After the commit with which a note left `place`. A read, and of its last note two more and two writes."""
        if not self._is_empty(tenant_id, place):
            return
        name = self._name(tenant_id, place)
        try:
            mark = self._connection.commit([change(name, {"leaving": True})]).write_results[0].update_time
            write = change(name, {"leaving": False})
            writes = [write]
            if self._is_empty(tenant_id, place):
                write = delete(name)
                writes = [write, stamp(self._connection, tenant_id, place_key(place))]
            write.current_document.update_time.CopyFrom(mark)
            self._connection.commit(writes)
        except Conflict:
            return  # somebody else has removed it, or opened it again
        self._known.discard(name)

    def forget(self) -> None:
        """After an erasure."""
        self._known.clear()

    def _is_empty(self, tenant_id: str, place: Folder) -> bool:
        where = (Where("place", Is.EQUAL, place_key(place)),)
        query = Query(collection="index", where=where, limit=1, fields=())
        return not self._connection.query(self._connection.tenant(tenant_id), query)

    def _name(self, tenant_id: str, place: Folder) -> str:
        return self._connection.name(tenant_id, "folders", place_key(place))


def stamp(connection: Connection, tenant_id: str, digest: str) -> Any:  # noqa: ANN401
    """The write that tells of what leaves no newer record behind: a record that goes, a folder that comes or goes. Each
    goes to one of 256 documents, drawn by the first digits of its digest: one document takes a write a second.
    """
    write = protocol().Write()
    write.update.name = connection.name(tenant_id, "changes", digest[:2])
    write.update_mask.SetInParent()  # an empty mask: no field but the one that is transformed
    touch(write)
    return write


def touch(write: Any) -> None:  # noqa: ANN401
    """`changedAt`: the server's time of the commit. The newest of a tenant tells whether its chunks changed."""
    write.update_transforms.add(field_path="changedAt").set_to_server_value = 1  # REQUEST_TIME
