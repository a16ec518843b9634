"""Changes of a note's record alone: the note waits, is due at another time, or is given up."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from shared.errors import Conflict, IndexQuotaExceeded
from shared.indexing.claims import NoteClaim
from shared.indexing.records import (
    at_fault,
    is_leased,
    lacks_words,
    refused,
    waiting_for_budget,
    when_due,
)
from shared.indexing.state import IndexState
from shared.indexing.writing import SmallWrites
from shared.model.index import IndexRecord
from shared.model.notes import NoteKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Postponing:
    """Postpones notes, and gives them up. Leaves a note alone while another worker holds its lease."""

    writes: SmallWrites
    read_state: Callable[[NoteKey], IndexState]
    clock: Callable[[], datetime]

    def give_up(self, key: NoteKey, reason: str) -> bool:
        """Records that indexing has failed for too long, and `reason`, without note text. False: there is no note.

        What the index holds of the note stays and is found: an earlier revision is better than none. Costs two reads
        and a small write, which succeed where a large one was refused. Raises StoreUnavailable, and Conflict if
        another worker goes on.
        """
        state = self.read_state(key)
        if state.record is None and not state.revision:
            return False
        now = self.clock()
        record = state.record
        if record is None:
            record = at_fault(state.revision, state.index_version, now, error=reason)
        self.writes.write_record(
            key,
            refused(record, now, error=reason),
            expected=state.stored.token,
            needs_note=bool(state.revision),
        )
        return True

    def wait_for_budget(self, key: NoteKey, claim: NoteClaim, spent: IndexQuotaExceeded) -> None:
        """Records, once, that the note waits until the index may write again."""
        state = self.read_state(key)
        now = self.clock()
        if is_leased(state.record, now) and not claim.is_in(state):
            return
        due_at = now + timedelta(seconds=spent.retry_after or 0)
        record = waiting_for_budget(
            state.record,
            state.work,
            now=now,
            due_at=due_at,
            error=spent.message,
        )
        if record == state.record:
            return
        with suppress(Conflict):  # another worker goes on
            self.writes.write_record(
                key,
                record,
                expected=state.stored.token,
                needs_note=bool(state.revision),
            )

    def reschedule(self, key: NoteKey) -> None:
        """Writes into the note's unfinished record when it is due. Raises StoreUnavailable."""
        stored = self.writes.store.read_record(key.tenant_id, key.note_id)
        if stored.record is not None:
            self._set_due(key, stored.record, when_due(stored.record), token=stored.token)

    def postpone(self, key: NoteKey, due_at: datetime, *, vectors_only: bool) -> bool:
        """Has the note's unfinished record wait until `due_at`. Raises StoreUnavailable.

        `vectors_only`: not if the index lacks the note's words too; returns False then.
        """
        stored = self.writes.store.read_record(key.tenant_id, key.note_id)
        if stored.record is None:
            return True
        if vectors_only and lacks_words(stored.record):
            return False
        self._set_due(key, stored.record, due_at, token=stored.token)
        return True

    def _set_due(
        self,
        key: NoteKey,
        record: IndexRecord,
        due_at: datetime | None,
        *,
        token: str | None,
    ) -> None:
        """Does nothing if another worker is at the note, or is first."""
        if is_leased(record, self.clock()):
            return
        record = replace(record, due_at=due_at)
        with suppress(Conflict):
            self.writes.write_record(key, record, expected=token, needs_note=True)
