"""Repair after a clock that was a year ahead for one call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shared.indexing.pipeline import Indexer
from shared.indexing.records import is_leased, leased
from shared.model.index import IndexChange, IndexStatus
from shared.model.notes import NoteKey
from shared.ports.stores import Store
from tests.fakes import HashingEmbedder
from tests.indexing.world import START, TENANT, Clock, assert_follows, note, sections
from tests.sweep.samples import put_notes, status_of, sweep, sweep_to_the_end


@pytest.mark.parametrize("budget", [1000, 3])
def test_a_sweep_that_ran_a_year_ahead_stops_no_later_one(
    store: Store, embedder: HashingEmbedder, clock: Clock, budget: int
) -> None:
    note_ids = put_notes(store, 5)
    clock.advance(days=365)
    sweep(store, embedder, clock, budget=budget)
    clock.now = START
    store.delete_note(TENANT, note_ids[0])
    store.put_note(TENANT, note(sections("edited"), note_ids[1], updated_at=clock()))
    clock.advance(minutes=10)
    sweep_to_the_end(store, embedder, clock)
    assert store.read_record(TENANT, note_ids[0]).record is None
    assert_follows(store, embedder, *note_ids[1:])
    clock.advance(minutes=15)
    sweep(store, embedder, clock)
    clock.advance(minutes=15)
    assert sweep(store, embedder, clock).examined == 0


def test_a_lease_and_a_failure_of_next_year_are_due_now(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    leased_id, failed_id = put_notes(store, 2)
    sweep(store, embedder, clock)
    next_year = Clock(START)
    next_year.advance(days=365)
    for note_id in (leased_id, failed_id):
        stored = store.read_record(TENANT, note_id)
        assert stored.record is not None
        record = leased(stored.record, next_year())
        if note_id == failed_id:
            record = replace(
                record,
                status=IndexStatus.FAILED,
                attempts=1,
                lease_until=None,
            )
        store.apply(TENANT, IndexChange(note_id, stored.token, record))
    clock.advance(minutes=5)
    leased_record = store.read_record(TENANT, leased_id).record
    assert not is_leased(leased_record, clock())
    Indexer(store=store, embedder=embedder, clock=clock).index(NoteKey(TENANT, leased_id))
    sweep(store, embedder, clock)
    assert [status_of(store, note_id) for note_id in (leased_id, failed_id)] == [
        IndexStatus.INDEXED
    ] * 2
