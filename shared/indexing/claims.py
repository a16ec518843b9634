"""One worker's claim of a note: a lease that keeps others away, and an attempt that is counted."""

from __future__ import annotations

from datetime import datetime

from shared.errors import NoteBusy
from shared.indexing.records import claimed, is_leased
from shared.indexing.state import IndexState
from shared.model.index import IndexChange, IndexRecord
from shared.model.notes import NoteKey
from shared.ports.stores import Store


class Claim:
    """The claim of one call, which it keeps over its rounds.

    The claim is in the note's record, so a worker that is killed leaves it there: a lease that has run out tells that
    a worker died at this note.
    """

    def __init__(self, store: Store, key: NoteKey) -> None:
        self._store = store
        self._key = key
        self._token: str | None = None
        self._uncounted_writes = 0

    @property
    def token(self) -> str | None:
        """Token of the record as the claim has left it; None: there is no claim yet."""
        return self._token

    def is_in(self, state: IndexState) -> bool:
        """Reports whether the record that was read is as the claim has left it."""
        return self._token is not None and self._token == state.stored.token

    def check_free(self, state: IndexState, now: datetime) -> None:
        """Raises NoteBusy while the lease of another worker runs."""
        if is_leased(state.record, now) and not self.is_in(state):
            raise NoteBusy(f"another worker is embedding note {self._key.note_id!r}")

    def take(self, state: IndexState, now: datetime) -> IndexRecord:
        """Writes the claim into the record, unless it is there already. Raises Conflict."""
        record = state.record
        if record is not None and self.is_in(state) and record.attempted == state.work:
            return record
        record = claimed(record, state.work, now=now)
        change = IndexChange(self._key.note_id, state.stored.token, record, needs_note=True)
        self._token = self._store.apply(self._key.tenant_id, change)
        self._uncounted_writes += change.writes
        return record

    def pop_uncounted_writes(self) -> int:
        """Returns the documents written for the claim that no budget has counted, once: the caller counts them."""
        uncounted_writes = self._uncounted_writes
        self._uncounted_writes = 0
        return uncounted_writes
