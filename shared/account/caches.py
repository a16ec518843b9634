"""Results kept in this process for a while: the least recently used go first, and one caller computes for all.

`SearchResults` keeps what searches found, good while the tenant's index stays as it was.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from threading import Lock
from typing import Generic, Protocol, TypeVar

from shared.errors import StoreUnavailable
from shared.model.index import IndexRecord
from shared.model.questions import QUOTES, Question
from shared.model.retrieval import CorpusStats, RetrievalMode, Retrieved

T = TypeVar("T")

ENTRIES = 100
SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Hits:
    """How often a cache has and has not had the answer since the process began. Waiting for another caller is a hit."""

    hits: int
    misses: int


class Cache(Generic[T]):
    """At most `entries` results, each for `seconds`. Safe between threads."""

    def __init__(
        self, *, entries: int = ENTRIES, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._entries, self._seconds, self._clock = entries, seconds, clock
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, tuple[float, Future[T]]] = OrderedDict()
        """Key -> (until when, the result or the promise of it)."""
        self._hits = self._misses = 0

    @property
    def hits(self) -> Hits:
        return Hits(self._hits, self._misses)

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The kept result, or `compute()`, which runs once however many ask for the key meanwhile.

        What it raises is raised to all who wait for it, and is not kept.
        """
        with self._lock:
            found = self._find(key)
            if found is None:
                promise: Future[T] = Future()
                self._put(key, promise)
        if found is not None:
            return found.result()
        try:
            result = compute()
        except BaseException as error:
            self._drop(key, promise)
            promise.set_exception(error)
            raise
        promise.set_result(result)
        return result

    def peek(self, key: Hashable) -> T | None:
        """The kept result; None: there is none yet, or no longer."""
        with self._lock:
            found = self._find(key)
        return found.result() if found is not None and found.done() else None

    def put(self, key: Hashable, result: T) -> None:
        promise: Future[T] = Future()
        promise.set_result(result)
        with self._lock:
            self._put(key, promise)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()

    def _find(self, key: Hashable) -> Future[T] | None:
        until, found = self._kept.get(key, (0.0, None))
        if found is None or self._clock() >= until:
            self._misses += 1
            return None
        self._hits += 1
        self._kept.move_to_end(key)
        return found

    def _put(self, key: Hashable, promise: Future[T]) -> None:
        self._kept[key] = (self._clock() + self._seconds, promise)
        self._kept.move_to_end(key)
        while len(self._kept) > self._entries:
            self._kept.popitem(last=False)

    def _drop(self, key: Hashable, promise: Future[T]) -> None:
        with self._lock:
            if self._kept.get(key, (0.0, None))[1] is promise:
                del self._kept[key]


# -- search results


class ResultStore(Protocol):
    """Store of the index."""

    def stats(self, tenant_id: str) -> CorpusStats: ...

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]: ...


@dataclass(frozen=True, slots=True)
class SearchResults:
    """By tenant, question, settings and the revision of the tenant's index, so that any change of a note counts.

    A deletion is obeyed before the index has followed it: what was found is given again only while all its notes
    exist at the revisions that were found. Refusals are not kept, for they also speak of notes that wait to be
    indexed; nor is what was found without a model, a leg or a vault that usually answers.
    """

    store: ResultStore
    kept: Cache[Retrieved]

    def key(self, question: Question, settings: Hashable) -> Hashable | None:
        """Taken before searching: what is indexed meanwhile belongs to a later revision. None: the store is away, and
        the search says what it went without.
        """
        try:
            return _asked(question), settings, self.store.stats(question.tenant_id).revision
        except StoreUnavailable:
            return None

    def find(self, tenant_id: str, key: Hashable) -> Retrieved | None:
        """The kept result for the key of the same minute."""
        started = time.perf_counter()
        kept = self.kept.peek(key)
        if kept is None:
            return None
        revisions = {each.chunk.note_id: each.chunk.note_revision for each in (*kept.selected, *kept.nearest)}
        live = self.store.live_records(tenant_id, sorted(revisions))
        if not all(note_id in live and live[note_id].note_revision == at for note_id, at in revisions.items()):
            return None
        return replace(kept, timings_ms={"retrieval": 1000 * (time.perf_counter() - started)})

    def keep(self, key: Hashable, found: Retrieved) -> None:
        with_vectors = found.mode in (RetrievalMode.WEIGHTED, RetrievalMode.RRF)
        without = found.failed_vaults or found.failed_legs or (found.reranked is not None and found.reranked.failure)
        if found.refusal is None and with_vectors and not without:
            self.kept.put(key, found)


def _asked(question: Question) -> Question:
    """Without what does not change what is found: what only the writer reads, and seconds: within a minute no day
    begins and no score moves visibly.
    """
    return replace(
        question,
        now=question.now.replace(second=0, microsecond=0),
        include_citations=True,
        template=None,
        asked=None,
        history=(),
        system_prompt="",
        model=None,
        max_context_tokens=None,
        quotes=QUOTES,
    )
