"""Notes that cannot be repaired, workers that are busy, and stores and models that are away."""

from __future__ import annotations

from typing import cast

import pytest

from shared.errors import ModelRefused, ModelUnavailable, StoreUnavailable
from shared.indexing.state import IndexProblem
from shared.model.index import IndexStatus
from shared.ports.stores import Store
from tests.fakes import HashingEmbedder
from tests.indexing.world import (
    START,
    TENANT,
    Clock,
    DisturbedEmbedder,
    Killed,
    Life,
    assert_follows,
    garbled_store,
    index,
    mortal_store,
    note,
    sections,
)
from tests.sweep.samples import put_notes, status_of, sweep, sweep_to_the_end


def test_one_bad_note_never_stops_the_rest(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    note_ids = put_notes(store, 10)
    store.put_note(TENANT, note("x" * 900_001, "n05"))
    garbled = garbled_store(store, "n02", "n07")
    report = sweep(garbled, embedder, clock)
    assert report.indexed == 7
    assert report.failed == 3
    assert report.complete is True
    second_report = sweep(garbled, embedder, clock, full=True)
    assert second_report.found == {IndexProblem.REJECTED: 3}
    assert second_report.indexed == 0
    assert second_report.failed == 3
    good = [note_id for note_id in note_ids if note_id not in {"n02", "n05", "n07"}]
    assert all(status_of(store, note_id) is IndexStatus.INDEXED for note_id in good)


def test_a_bug_that_one_note_brings_out_does_not_hide_the_notes_after_it(
    store: Store, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    def stumble() -> None:
        raise ZeroDivisionError

    note_ids = put_notes(store, 3)
    report = sweep(store, DisturbedEmbedder(stumble, at=2), clock)
    assert report.indexed == len(note_ids) - 1
    assert report.failed == 1
    assert report.complete is True
    assert "ZeroDivisionError" in caplog.text


def test_notes_at_fault_are_not_written_again(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    store.put_note(TENANT, note("x" * 900_001))
    sweep(store, embedder, clock)
    clock.advance(days=2)
    life = Life()
    report = sweep(mortal_store(store, life), embedder, clock, full=True)
    assert report.failed == 1
    assert "apply" not in life.calls


def test_a_refused_note_is_tried_again_when_due_or_asked_for(
    store: Store, embedder: HashingEmbedder, clock: Clock, swept: list[str]
) -> None:
    store.put_note(TENANT, note(sections("edited"), "n03", updated_at=START))
    embedder.outage = ModelRefused("the key is not valid")
    assert index(store, embedder, clock, "n03").action == "failed"
    clock.advance(minutes=4)
    assert sweep(store, embedder, clock).found == {}
    assert sweep(store, embedder, clock, full=True).failed == 1
    clock.advance(minutes=6)
    assert sweep(store, embedder, clock).found == {}
    clock.advance(minutes=5)
    embedder.outage = None
    assert sweep(store, embedder, clock).indexed == 1
    assert_follows(store, embedder, *swept)


def test_a_busy_note_is_left_to_its_worker(
    store: Store, embedder: HashingEmbedder, clock: Clock, swept: list[str]
) -> None:
    store.put_note(TENANT, note(sections("edited"), "n03", updated_at=clock()))
    life = Life(5)
    with pytest.raises(Killed):
        index(mortal_store(store, life), embedder, clock, "n03")
    assert life.calls[-1] == "apply"
    assert sweep(store, embedder, clock).postponed == 1
    clock.advance(seconds=61)
    assert sweep(store, embedder, clock).indexed == 1
    assert_follows(store, embedder, *swept)


@pytest.mark.parametrize("workers", [1, 4])
def test_while_the_model_is_away_words_find_every_note(
    store: Store, embedder: HashingEmbedder, clock: Clock, workers: int
) -> None:
    note_ids = put_notes(store, 10)
    embedder.outage = ModelUnavailable("gone")
    report = sweep(store, embedder, clock, workers=workers)
    assert report.examined == 10
    assert report.postponed == 10
    assert report.indexed == 0
    store.put_note(TENANT, note(sections("unheard"), "lost", updated_at=clock()))
    clock.advance(minutes=5)
    assert sweep(store, embedder, clock, workers=workers).found[IndexProblem.MISSING] == 1
    assert {status_of(store, note_id) for note_id in (*note_ids, "lost")} == {IndexStatus.PENDING}
    embedder.outage = None
    clock.advance(minutes=5)
    assert sum(report.indexed for report in sweep_to_the_end(store, embedder, clock)) == 11
    assert_follows(store, embedder, *note_ids, "lost")


def test_a_store_that_is_away_is_told(store: Store, clock: Clock) -> None:
    class Away:
        def __getattr__(self, name: str) -> object:
            if name == "read_bookmark":
                raise StoreUnavailable("the disk does not answer")
            return getattr(store, name)

    with pytest.raises(StoreUnavailable):
        sweep(cast("Store", Away()), None, clock)
