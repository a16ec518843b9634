"""Keys of notes -> what was the matter with their indexes, mended by indexing them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import TypeVar

from shared.errors import AuroraError, EmbeddingQuotaExceeded, ModelUnavailable, NoteBusy, Unavailable
from shared.indexing.pipeline import Indexer
from shared.indexing.state import WAITING_FOR_VECTORS, IndexProblem, IndexState, is_due, read_state
from shared.language.lengths import estimated_tokens
from shared.model.index import IndexRecord
from shared.model.notes import NoteKey

T = TypeVar("T")

_logger = logging.getLogger(__name__)

MAX_OUTAGES = 3
"""After so many notes in a row for which the store was away, it is not the notes: the call ends. For which the model
was away: the rest of the call embeds nothing, and words find the notes.
"""


@dataclass(slots=True, kw_only=True)
class Repairs:
    """The repairs of one call, and their sums."""

    indexer: Indexer
    full: bool = False
    """Whether everything is looked at, and failed notes are tried again before they are due."""
    dry_run: bool = False
    hand_over: Callable[[NoteKey], None] | None = None
    """Takes the notes that are to be indexed, and returns at once; None: that is done here."""
    threads: Executor | None = None
    """Look at notes side by side; None: one after the other."""
    until: datetime | None = None
    """No note is begun after this moment."""
    seen: set[NoteKey] = field(default_factory=set)
    found: Counter[IndexProblem] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    """By an outcome's action, and `postponed`, `texts`, `tokens`."""
    outages: int = 0
    """Of the store."""
    model_outages: int = 0
    spent: set[str] = field(default_factory=set)
    """Tenants whose embedding budget turned out to be used up."""
    counting: Lock = field(default_factory=Lock)

    @property
    def is_over(self) -> bool:
        """Whether the call must stop: the store is away, or its time is up."""
        is_late = self.until is not None and self.indexer.clock() >= self.until
        return is_late or self.outages >= MAX_OUTAGES

    @property
    def embeds(self) -> bool:
        """Whether the model is there, as far as this call knows."""
        return self.model_outages < MAX_OUTAGES

    def take_up(self, keys: Iterable[NoteKey]) -> bool:
        """Look at each note once a call and mend what is found. One that cannot be mended is counted and left.

        False: stopped somewhere in the middle.
        """
        fresh = [key for key in dict.fromkeys(keys) if key not in self.seen]
        for _ in self.each(self._attempt, fresh):
            pass
        return not self.is_over

    def each(self, call: Callable[[NoteKey], T], keys: Iterable[NoteKey]) -> Iterator[T]:
        """The results of the calls, in order."""
        return map(call, keys) if self.threads is None else self.threads.map(call, keys)

    def is_due(self, record: IndexRecord | None) -> bool:
        """Whether an unfinished record should be taken up by this call."""
        return record is not None and (self.full or is_due(record, self.indexer.clock()))

    def _attempt(self, key: NoteKey) -> None:
        if self.is_over:
            return
        self.seen.add(key)
        try:
            self._mend(key, read_state(key, store=self.indexer.store, index_version=self.indexer.version))
        except NoteBusy:
            self._count(postponed=1)
        except EmbeddingQuotaExceeded:  # no outage: other tenants' notes can be embedded
            self._count(postponed=1)
            self.spent.add(key.tenant_id)
        except ModelUnavailable:
            with self.counting:
                self.model_outages += 1
            self._count(postponed=1)
        except Unavailable:
            self._count(outages=1, postponed=1)
        except AuroraError as error:
            _logger.warning("could not mend note %r, %s: %s", key.note_id, type(error).__name__, error.message)
            self._count(failed=1)
        except Exception:  # a bug that one note brings out must not hide every note after it
            _logger.exception("could not mend note %r", key.note_id)
            self._count(failed=1)
        else:
            self.outages, self.model_outages = 0, self.model_outages if not self.embeds else 0

    def _mend(self, key: NoteKey, state: IndexState) -> None:
        problem = state.problem
        if problem is None:
            return
        with self.counting:
            self.found[problem] += 1
        if self.dry_run:
            if self.indexer.embedder is not None and state.note is not None and state.fault is None:
                texts = self.indexer.texts_to_embed(key, state.note)
                self._count(texts=len(texts), tokens=sum(map(estimated_tokens, texts)))
        elif problem is IndexProblem.REJECTED:
            self._count(failed=1)
        elif (problem is IndexProblem.FAILED and not self.is_due(state.held.record)) or (
            problem in WAITING_FOR_VECTORS and (key.tenant_id in self.spent or not self.embeds)
        ):
            self._count(postponed=1)
        elif self.hand_over is not None:
            self._count(postponed=1)
            self.hand_over(key)
        else:
            outcome = self.indexer.index(key, words_only=not self.embeds)
            self._count(**{"postponed" if outcome.waiting else outcome.action: 1, "texts": outcome.embedded})

    def _count(self, *, outages: int = 0, **done: int) -> None:
        with self.counting:
            self.outages += outages
            self.done.update(done)
