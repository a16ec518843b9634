"""Keys of notes -> what was the matter with their indexes, mended by indexing them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

from shared.errors import AuroraError, EmbeddingQuotaExceeded, ModelUnavailable, NoteBusy, Unavailable
from shared.indexing.pipeline import Indexer
from shared.indexing.state import WAITING_FOR_VECTORS, IndexProblem, IndexState, is_due
from shared.language.lengths import estimated_tokens
from shared.model.index import IndexRecord
from shared.model.notes import NoteKey

_logger = logging.getLogger(__name__)

MAX_OUTAGES = 3
"""After so many notes in a row for which the store was away, it is not the notes: the call ends. For which the model
was away: the rest of the call embeds nothing, and words find the notes.
"""


@dataclass(slots=True, kw_only=True)
class Repairs:
    """The repairs of one call, and their sums."""

    indexer: Indexer
    threads: Executor
    """Looks at notes side by side."""
    full: bool = False
    """Whether everything is looked at, and failed notes are tried again before they are due."""
    dry_run: bool = False
    hand_over: Callable[[NoteKey], None] | None = None
    """Takes the notes that are to be indexed, and returns at once; None: that is done here."""
    until: datetime | None = None
    """No note is begun after this moment."""
    seen: set[NoteKey] = field(default_factory=set)
    found: Counter[IndexProblem] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    """By an outcome's action, and `postponed`, `texts`, `tokens`."""
    outages: Counter[str] = field(default_factory=Counter)
    """`store` and `model` -> the notes in a row for which it was away."""
    spent: set[str] = field(default_factory=set)
    """Tenants whose embedding budget turned out to be used up."""
    counting: Lock = field(default_factory=Lock)
    """Guards all sums."""

    @property
    def is_over(self) -> bool:
        """Whether the call must stop: the store is away, or its time is up."""
        is_late = self.until is not None and self.indexer.clock() >= self.until
        return is_late or self.outages["store"] >= MAX_OUTAGES

    @property
    def embeds(self) -> bool:
        """Whether the model is there, as far as this call knows."""
        return self.outages["model"] < MAX_OUTAGES

    def take_up(self, keys: Iterable[NoteKey]) -> bool:
        """Look at each note once a call and mend what is found. One that cannot be mended is counted and left.

        False: stopped somewhere in the middle.
        """
        fresh = [key for key in dict.fromkeys(keys) if key not in self.seen]
        list(self.threads.map(self._attempt, fresh))
        return not self.is_over

    def is_due(self, record: IndexRecord | None) -> bool:
        """Whether an unfinished record should be taken up by this call."""
        return record is not None and (self.full or is_due(record, self.indexer.clock()))

    def _attempt(self, key: NoteKey) -> None:
        if self.is_over:
            return
        self.seen.add(key)
        done, away, is_well = Counter(postponed=1), "", False
        try:
            done = Counter(self._mend(key, self.indexer.state(key)))
            is_well = True
        except NoteBusy:
            pass
        except EmbeddingQuotaExceeded:  # no outage: other tenants' notes can be embedded
            self.spent.add(key.tenant_id)
        except Unavailable as error:
            away = "model" if isinstance(error, ModelUnavailable) else "store"
        except AuroraError as error:
            _logger.warning("could not mend note %r, %s: %s", key.note_id, type(error).__name__, error.message)
            done = Counter(failed=1)
        except Exception:  # a bug that one note brings out must not hide every note after it
            _logger.exception("could not mend note %r", key.note_id)
            done = Counter(failed=1)
        with self.counting:
            self.done += done
            if away:
                self.outages[away] += 1
            elif is_well:
                # A model that was away too often stays given up for this call.
                self.outages = Counter(model=0 if self.embeds else MAX_OUTAGES)

    def _mend(self, key: NoteKey, state: IndexState) -> Mapping[str, int]:
        """What was done, as in `done`."""
        problem = state.problem
        if problem is None:
            return {}
        with self.counting:
            self.found[problem] += 1
        if self.dry_run:
            is_sound = self.indexer.embedder is not None and state.fault is None
            texts = self.indexer.texts_to_embed(key, state.note) if state.note and is_sound else ()
            return {"texts": len(texts), "tokens": sum(map(estimated_tokens, texts))}
        if problem is IndexProblem.REJECTED:
            return {"failed": 1}
        if (problem is IndexProblem.FAILED and not self.is_due(state.held.record)) or (
            problem in WAITING_FOR_VECTORS and (key.tenant_id in self.spent or not self.embeds)
        ):
            return {"postponed": 1}
        if self.hand_over is not None:
            self.hand_over(key)
            return {"postponed": 1}
        outcome = self.indexer.index(key, words_only=not self.embeds)
        return {"postponed" if outcome.waiting else outcome.action: 1, "texts": outcome.embedded}
