"""Keys of notes -> what was the matter with their indexes, mended by indexing them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from shared.errors import AuroraError, EmbeddingsSpent, NoteBusy, Unavailable
from shared.indexing.chunking import MARKDOWN, Chunker
from shared.indexing.pipeline import index_note, index_version, texts_to_embed
from shared.indexing.records import is_due
from shared.indexing.standing import WAITING_FOR_VECTORS, Finding, Standing, read_standing
from shared.language.estimates import estimated_tokens
from shared.model.index import IndexRecord
from shared.model.notes import NoteKey
from shared.ports.models import Embedder
from shared.ports.stores import Store

_logger = logging.getLogger(__name__)

MAX_OUTAGES = 3
"""After so many notes in a row for which a model or the store was away, it is not the notes: the work stops."""


@dataclass(slots=True, kw_only=True)
class Repairs:
    """The repairs of one call, and their sums."""

    store: Store
    embedder: Embedder | None
    embedder_of: Callable[[str], Embedder | None]
    """Tenant -> the same embedder at this tenant's expense."""
    clock: Callable[[], datetime]
    chunker: Chunker = MARKDOWN
    full: bool = False
    """Whether everything is looked at, and failed notes are tried again before they are due."""
    dry_run: bool = False
    hand_over: Callable[[NoteKey], None] | None = None
    """Takes the notes that are to be indexed, and returns at once; None: that is done here."""
    seen: set[NoteKey] = field(default_factory=set)
    found: Counter[Finding] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    """By an outcome's action, and `postponed`, `texts`, `tokens`."""
    outages: int = 0
    spent: set[str] = field(default_factory=set)
    """Tenants whose embedding budget turned out to be used up."""

    @property
    def index_version(self) -> str:
        """Of what this call's embedder and chunker make."""
        return index_version(self.embedder, self.chunker)

    def take_up(self, keys: Iterable[NoteKey]) -> bool:
        """Look at each note once a call and mend what is found. One that cannot be mended is counted and left.

        False: stopped by outages, somewhere in the middle.
        """
        for key in keys:
            if self.outages == MAX_OUTAGES:
                return False
            if key not in self.seen:
                self.seen.add(key)
                self._attempt(key)
        return self.outages < MAX_OUTAGES

    def is_due(self, record: IndexRecord | None) -> bool:
        """Whether an unfinished record should be taken up by this call."""
        return record is not None and (self.full or is_due(record, self.clock()))

    def _attempt(self, key: NoteKey) -> None:
        try:
            self._mend(key, read_standing(key, store=self.store, index_version=self.index_version))
        except NoteBusy:
            self.done["postponed"] += 1
        except EmbeddingsSpent:  # no outage: other tenants' notes can be embedded
            self.done["postponed"] += 1
            self.spent.add(key.tenant_id)
        except Unavailable:
            self.done["postponed"] += 1
            self.outages += 1
        except AuroraError as error:
            _logger.warning("could not mend note %r, %s: %s", key.note_id, type(error).__name__, error.message)
            self.done["failed"] += 1
        except Exception:  # a bug that one note brings out must not hide every note after it
            _logger.exception("could not mend note %r", key.note_id)
            self.done["failed"] += 1
        else:
            self.outages = 0

    def _mend(self, key: NoteKey, standing: Standing) -> None:
        finding = standing.finding
        if finding is None:
            return
        self.found[finding] += 1
        if self.dry_run:
            self._estimate(key, standing)
        elif finding is Finding.REJECTED:
            self.done["failed"] += 1
        elif self._must_wait(key, standing):
            self.done["postponed"] += 1
        elif self.hand_over is not None:
            self.done["postponed"] += 1
            self.hand_over(key)
        else:
            embedder = self.embedder_of(key.tenant_id)
            outcome = index_note(key, store=self.store, embedder=embedder, clock=self.clock, chunker=self.chunker)
            self.done.update({outcome.action: 1, "texts": outcome.embedded})

    def _must_wait(self, key: NoteKey, standing: Standing) -> bool:
        if standing.finding is Finding.FAILED and not self.is_due(standing.held.record):
            return True
        return key.tenant_id in self.spent and standing.finding in WAITING_FOR_VECTORS

    def _estimate(self, key: NoteKey, standing: Standing) -> None:
        if self.embedder is None or standing.note is None or standing.fault is not None:
            return
        texts = texts_to_embed(key, standing.note, store=self.store, embedder=self.embedder, chunker=self.chunker)
        tokens = sum(map(estimated_tokens, texts))
        self.done.update({"texts": len(texts), "tokens": tokens})
