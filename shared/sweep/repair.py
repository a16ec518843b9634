"""Keys of notes -> problems of their indexes, repaired by indexing them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

from shared.errors import (
    AuroraError,
    EmbeddingQuotaExceeded,
    IndexQuotaExceeded,
    ModelBudgetExceeded,
    ModelMisconfigured,
    ModelUnavailable,
    NoteBusy,
    Unavailable,
)
from shared.indexing.pipeline import Indexer
from shared.indexing.state import WAITING_FOR_VECTORS, IndexProblem, IndexState
from shared.language.lengths import estimated_tokens
from shared.model.notes import NoteKey

_logger = logging.getLogger(__name__)

MAX_OUTAGES = 3
"""Notes in a row for which a service was unavailable, after which the service is at fault and not the notes.

Without the store the call ends; without the model the rest of the call embeds nothing, and words find the notes. Where
only the operator can repair the model, one note is enough.
"""

FOR_SUSPECTS = timedelta(seconds=30)
"""Time after the end of a call in which work on suspects may still begin: a long backfill would leave them no time."""


@dataclass(slots=True, kw_only=True)
class Repairs:
    """The repairs of one call, and their sums.

    A suspect is a note during whose indexing a worker died. Its text may be the cause, if it takes all memory. So it
    waits until everything else is done, and is then indexed alone, where it can stop no other note.
    """

    indexer: Indexer
    threads: Executor
    """Looks at notes side by side."""
    full: bool = False
    """True if everything is looked at, and notes are tried again before they are due."""
    dry_run: bool = False
    hand_over: Callable[[NoteKey], None] | None = None
    """Takes the notes that are to be indexed, except suspects, and returns at once; if None, they are indexed here."""
    until: datetime | None = None
    """No note is begun after this moment."""
    examined: set[NoteKey] = field(default_factory=set)
    problems: Counter[IndexProblem] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    """By an outcome's action, and `postponed`, `texts`, `tokens`."""
    outages: Counter[str] = field(default_factory=Counter)
    """`store` and `model` -> the notes in a row for which it was unavailable."""
    resumes_at: dict[str, datetime | None] = field(default_factory=dict)
    """Tenants whose embedding budget was asked for -> when there will be some again; None if there is some now."""
    out_of_writes: set[str] = field(default_factory=set)
    """Tenants whose index may write nothing more today."""
    suspects: dict[NoteKey, int] = field(default_factory=dict)
    """Notes at which a worker died -> how often."""
    counting: Lock = field(default_factory=Lock)
    """Guards all of these."""

    @property
    def is_over(self) -> bool:
        """True if the call must stop: the store is unavailable, or its time is up."""
        if self.until is not None and self.indexer.clock() >= self.until:
            return True
        return self.outages["store"] >= MAX_OUTAGES

    @property
    def embeds(self) -> bool:
        """True unless this call has found the model unavailable."""
        return self.outages["model"] < MAX_OUTAGES

    def stop_embedding(self) -> None:
        """Has the rest of the call embed nothing."""
        self.outages["model"] = MAX_OUTAGES

    def is_spent(self, tenant_id: str) -> bool:
        """Reports whether the tenant's embedding budget is known to be used up."""
        return self.resumes_at.get(tenant_id) is not None

    def ask_budgets(self, tenant_ids: Iterable[str]) -> None:
        """Asks, once a call, whether these tenants have budget to embed. Raises StoreUnavailable."""
        embedding_resumes = self.indexer.embedding_resumes
        if embedding_resumes is None:
            return
        unknown = []
        for tenant_id in dict.fromkeys(tenant_ids):
            if tenant_id not in self.resumes_at:
                unknown.append(tenant_id)
        moments = list(self.threads.map(embedding_resumes, unknown))
        self.resumes_at.update(zip(unknown, moments, strict=True))

    def put_off(self, keys: Iterable[NoteKey]) -> list[NoteKey]:
        """Has notes of tenants without budget wait until there is some, so that no call reads them before.

        Returns the notes that lack their words too. They are not put off: words need no embedding budget.
        """
        if self.dry_run:
            return []
        keys = list(keys)
        lacking_words = []
        for key, is_put_off in zip(keys, self.threads.map(self._put_off, keys), strict=True):
            if not is_put_off:
                lacking_words.append(key)
        return lacking_words

    def _put_off(self, key: NoteKey) -> bool:
        """Returns False if the note lacks its words too, which its tenant's index may still write today."""
        resumes_at = self.resumes_at[key.tenant_id]
        if self.is_over or resumes_at is None:
            return True
        may_write = key.tenant_id not in self.out_of_writes
        try:
            is_put_off = self.indexer.postponing.postpone(key, resumes_at, vectors_only=may_write)
        except Unavailable as error:
            self._count_outage(error)
            return True
        if is_put_off:
            with self.counting:
                self.counts["postponed"] += 1
        return is_put_off

    def take_up(self, keys: Iterable[NoteKey], *, as_due: bool = False) -> bool:
        """Looks at each note once a call and repairs its index. One that cannot be repaired is counted and left.

        `as_due`: the store has listed them as due; one that is not tells in its record when it will be.
        Returns False if it was stopped somewhere in the middle.
        """

        def attempt(key: NoteKey) -> None:
            self._attempt(key, as_due=as_due)

        fresh = [key for key in dict.fromkeys(keys) if key not in self.examined]
        list(self.threads.map(attempt, fresh))
        return not self.is_over

    def take_suspects(self) -> None:
        """Takes up the suspects, one after the other, those with fewest deaths first. Each is logged before it begins."""
        if self.until is not None:
            self.until += FOR_SUSPECTS
        for key in sorted(self.suspects, key=self.suspects.__getitem__):
            if self.is_over:
                self.counts["postponed"] += 1
                continue
            _logger.warning(
                "taking up note %r alone: its worker has died (%d times)",
                key.note_id,
                self.suspects[key],
                extra={"fields": {"tenantId": key.tenant_id, "noteId": key.note_id}},
            )
            self._attempt(key, alone=True)

    def _attempt(self, key: NoteKey, *, as_due: bool = False, alone: bool = False) -> None:
        if self.is_over:
            return
        self.examined.add(key)
        actions = Counter(postponed=1)
        try:
            actions = Counter(self._repair(key, as_due=as_due, alone=alone))
        except NoteBusy:
            pass
        except (EmbeddingQuotaExceeded, IndexQuotaExceeded) as spent:
            self._count_budget(key.tenant_id, spent)  # no outage: other tenants' notes go on
        except Unavailable as error:
            self._count_outage(error)
        except AuroraError as error:
            _logger.warning(
                "could not mend note %r, %s: %s",
                key.note_id,
                type(error).__name__,
                error.message,
            )
            actions = Counter(failed=1)
        except Exception:  # a bug that one note brings out must not hide every note after it
            _logger.exception("could not mend note %r", key.note_id)
            actions = Counter(failed=1)
        else:
            self._forget_outages()
        with self.counting:
            self.counts += actions

    def _count_budget(
        self,
        tenant_id: str,
        spent: EmbeddingQuotaExceeded | IndexQuotaExceeded,
    ) -> None:
        wait = timedelta(seconds=spent.retry_after or 0)
        with self.counting:
            self.resumes_at[tenant_id] = self.indexer.clock() + wait
            if isinstance(spent, IndexQuotaExceeded):
                self.out_of_writes.add(tenant_id)
            is_of_model = isinstance(spent, EmbeddingQuotaExceeded)
            if is_of_model and isinstance(spent.__cause__, ModelBudgetExceeded):
                self.stop_embedding()  # it is everybody's

    def _count_outage(self, error: Unavailable) -> None:
        service = "store"
        if isinstance(error, ModelUnavailable):
            service = "model"
        outages = 1
        if isinstance(error, ModelMisconfigured):
            outages = MAX_OUTAGES
        with self.counting:
            self.outages[service] += outages

    def _forget_outages(self) -> None:
        """Counts outages from 0 again after a note that went well. A model that was unavailable too often stays given up."""
        with self.counting:
            self.outages["store"] = 0
            if self.embeds:
                self.outages["model"] = 0

    def _repair(self, key: NoteKey, *, as_due: bool, alone: bool) -> Mapping[str, int]:
        """Repairs a note's index. Returns counts as in `counts`."""
        now = self.indexer.clock()
        state = self.indexer.state(key)
        if state.problem is None:
            return {}
        is_put_off = not self.full and state.is_put_off(now)
        may_take_suspect = alone or is_put_off or self.dry_run
        if state.is_suspect(now) and not may_take_suspect:
            with self.counting:
                self.suspects[key] = state.deaths
            return {}
        with self.counting:
            self.problems[state.problem] += 1
        if self.dry_run:
            return self._price(key, state)
        is_at_fault = state.problem is IndexProblem.REJECTED
        if as_due and (is_at_fault or is_put_off):
            self.indexer.postponing.reschedule(key)  # an earlier release has listed it, due or not
        if is_at_fault:
            return {"failed": 1}
        if is_put_off or not self._is_payable(key, state):
            return {"postponed": 1}
        return self._index(key, alone=alone)

    def _is_payable(self, key: NoteKey, state: IndexState) -> bool:
        """Reports whether the note can get today what it needs: writes, and vectors if it lacks nothing else."""
        if state.note is not None and key.tenant_id in self.out_of_writes:
            return False
        if state.problem in WAITING_FOR_VECTORS:
            return self._may_embed(key.tenant_id)
        return True

    def _may_embed(self, tenant_id: str) -> bool:
        return self.embeds and not self.is_spent(tenant_id)

    def _index(self, key: NoteKey, *, alone: bool) -> Mapping[str, int]:
        # A suspect is never handed over: whoever takes notes from events refuses it.
        if self.hand_over is not None and not alone:
            self.hand_over(key)
            return {"postponed": 1}
        outcome = self.indexer.index(key, words_only=not self._may_embed(key.tenant_id))
        action: str = outcome.action
        if outcome.waiting:
            action = "postponed"
        return {action: 1, "texts": outcome.embedded}

    def _price(self, key: NoteKey, state: IndexState) -> Mapping[str, int]:
        """Counts the texts, and their tokens, that indexing the note would embed."""
        if state.note is None or state.fault is not None or self.indexer.embedder is None:
            return {"texts": 0, "tokens": 0}
        texts = self.indexer.texts_to_embed(key, state.note)
        token_count = sum(map(estimated_tokens, texts))
        return {"texts": len(texts), "tokens": token_count}
