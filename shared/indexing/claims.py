"""One worker's claim of a note: a lease that keeps others away, and an attempt that is counted."""

from __future__ import annotations

from datetime import datetime

from shared.errors import NoteBusy
from shared.indexing.records import claimed, is_leased
from shared.indexing.state import IndexState
from shared.indexing.writing import SmallWrites
from shared.model.index import IndexRecord
from shared.model.notes import NoteKey


class NoteClaim:
    """The claim of one call, which it keeps over its rounds.

    The claim is in the note's record, so a worker that is killed leaves it there: a lease that has run out tells that
    a worker died at this note.
    """

    def __init__(self, writes: SmallWrites, key: NoteKey) -> None:
        self._writes = writes
        self._key = key
        self._token: str | None = None

    @property
    def token(self) -> str | None:
        """Token of the record after the claim; None before there is a claim."""
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
        self._token = self._writes.write_record(
            self._key,
            record,
            expected=state.stored.token,
            needs_note=True,
        )
        return record
