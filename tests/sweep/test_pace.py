"""A day of the scheduler's calls, simulated: what docs/scale.md says of it is what the sweep does."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import cast

import pytest

from bench import scale
from functions.routes.reconcile import BUDGET, WITHIN
from shared.indexing.pipeline import Indexer
from shared.indexing.state import note_revision
from shared.indexing.versions import index_version
from shared.model.index import IndexRecord, IndexStatus, StoredRecord
from shared.model.notes import Note, NoteKey
from shared.ports.pages import Page
from shared.ports.stores import Store
from shared.sweep.reconcile import reconcile
from tests.indexing.world import START, Clock, note

TENANTS = 10_000
NOTES = 200
PART = 10
"""A tenth of the notes, each of which takes ten times as long, in calls that look at a tenth."""
EVERY = timedelta(minutes=5)
NOTE = note("Lost.")
INDEXED = IndexRecord(note_revision(NOTE), IndexStatus.INDEXED, 1, index_version(None), START)


class Many:
    """A store of notes that no event told of. It keeps nothing but which of them have been indexed, and a bookmark."""

    def __init__(self) -> None:
        self.indexed: set[NoteKey] = set()
        self.bookmark: str | None = None
        self.keys = [
            NoteKey(f"t{tenant}", f"n{number}")
            for tenant in range(TENANTS)
            for number in range(NOTES // PART)
        ]

    def note_keys(
        self, *, limit: int, cursor: str | None = None, changed_since: datetime | None = None
    ) -> Page[NoteKey]:
        if changed_since is not None:
            return Page((), None)
        end = int(cursor or 0) + limit
        return Page(
            tuple(self.keys[int(cursor or 0) : end]), str(end) if end < len(self.keys) else None
        )

    def record_keys(self, **_: object) -> Page[NoteKey]:
        return Page((), None)

    orphan_keys = record_keys

    def mark_damaged(self) -> None: ...

    def due_keys(self, *_: object, **__: object) -> tuple[NoteKey, ...]:
        return ()

    def read_record(self, tenant_id: str, note_id: str) -> StoredRecord:
        is_indexed = NoteKey(tenant_id, note_id) in self.indexed
        return StoredRecord(INDEXED if is_indexed else None, None)

    def get_note(self, *_: object) -> Note:
        return NOTE

    def read_bookmark(self, *_: object) -> str | None:
        return self.bookmark

    def write_bookmark(self, _: str, value: str) -> None:
        self.bookmark = value

    def check_owner(self) -> None: ...

    def expire(self, _: object) -> None: ...


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("workers", "is_enough"),
    [
        (scale.WORKERS, False),
        (scale.MANY_WORKERS, True),
    ],
)
def test_in_a_day_the_notes_of_ten_thousand_tenants_are_found_and_mended(
    workers: int, *, is_enough: bool
) -> None:
    store = Many()
    clock = Clock()

    def mend(key: NoteKey) -> None:
        clock.advance(seconds=PART * scale.SECONDS_OF_MENDING / workers)
        store.indexed.add(key)

    indexer = Indexer(
        store=cast("Store", store),
        embedder=None,
        clock=clock,
    )
    while clock() < START + timedelta(days=1) and len(store.indexed) < len(store.keys):
        began = clock()
        reconcile(
            indexer,
            budget=BUDGET // PART,
            within=WITHIN,
            hand_over=mend,
        )
        assert clock() - began < EVERY
        clock.now = began + EVERY
    assert (len(store.indexed) == len(store.keys)) is is_enough
    a_day = PART * len(store.indexed) * timedelta(days=1) / (clock() - START)
    assert a_day == pytest.approx(scale.swept_notes(scale.SECONDS_OF_MENDING, workers), rel=0.02)
