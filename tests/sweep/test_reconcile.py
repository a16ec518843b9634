"""Reconcile finds what events missed, repairs it, and costs little when there is nothing to do."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from shared.errors import EmbeddingQuotaExceeded, InvalidArgument, ModelRefused, ModelUnavailable
from shared.indexing.pipeline import Indexer
from shared.indexing.state import IndexProblem
from shared.model.index import IndexChange
from shared.model.notes import NoteKey
from shared.ports.stores import Store
from shared.sweep.reconcile import reconcile
from tests.fakes import HashingEmbedder
from tests.indexing.world import (
    START,
    TENANT,
    Clock,
    DisturbedEmbedder,
    Killed,
    Life,
    assert_follows,
    index,
    mortal_store,
    note,
    on_both_stores,
    sections,
)
from tests.sweep.samples import ids, put_notes, sweep, sweep_to_the_end


def test_the_first_call_is_the_backfill(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    note_ids = put_notes(store, 5)
    report = sweep(store, embedder, clock)
    assert report.found == {IndexProblem.MISSING: 5}
    assert report.examined == 5
    assert report.indexed == 5
    assert report.complete is True
    assert report.texts == embedder.embedded.total()
    assert_follows(store, embedder, *note_ids)


@pytest.mark.slow
@pytest.mark.parametrize(
    "store", ["embedded", pytest.param("firestore", marks=pytest.mark.nightly)], indirect=True
)
def test_a_note_too_large_for_events_is_indexed_all_the_same(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    """Over 512 KB no event is sent: nobody but reconcile hears of it."""
    text = "\n\n".join(
        f"Paragraph {number} tells of subject{number}. " + "More of it. " * 80
        for number in range(600)
    )
    assert len(text.encode()) > 512 * 1024
    store.put_note(TENANT, note(text, "large", updated_at=START))
    assert sweep(store, embedder, clock).indexed == 1
    assert_follows(store, embedder, "large")


def test_a_note_whose_worker_died_is_not_handed_over(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    """Whoever takes notes from events refuses it, so nobody but the sweep would index it."""
    store.put_note(TENANT, note("The penguin is called Ludwig.", "penguin"))
    for dies_at in range(1, 10):
        life = Life(dies_at, after=True)
        with pytest.raises(Killed):
            index(mortal_store(store, life), embedder, clock, "penguin")
        if life.calls[-1] == "apply":
            break
    clock.advance(seconds=61)
    handed_over: list[NoteKey] = []
    sweep(store, embedder, clock, hand_over=handed_over.append)
    assert handed_over == []
    assert_follows(store, embedder, "penguin")


@pytest.mark.usefixtures("swept")
def test_a_call_with_nothing_to_do_reads_no_note(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    clock.advance(minutes=15)
    life = Life()
    report = sweep(mortal_store(store, life), embedder, clock)
    assert life.calls == [
        "check_owner",
        "expire",
        "read_bookmark",
        "due_keys",
        "note_keys",
        "write_bookmark",
    ]
    assert report.examined == 0
    assert report.complete is True


def test_a_lost_edit_is_found_by_the_next_call(
    store: Store, embedder: HashingEmbedder, clock: Clock, swept: list[str]
) -> None:
    store.put_note(TENANT, note(sections("edited"), "n03", updated_at=clock()))
    store.put_note(
        TENANT, note(sections("created"), "new", updated_at=clock() - timedelta(minutes=9))
    )
    clock.advance(minutes=5)
    report = sweep(store, embedder, clock)
    assert report.found == {IndexProblem.STALE: 1, IndexProblem.MISSING: 1}
    assert report.examined == 2
    assert_follows(store, embedder, *swept, "new")


@on_both_stores
def test_a_lost_deletion_is_found_by_the_daily_sweep(
    store: Store, embedder: HashingEmbedder, clock: Clock, swept: list[str]
) -> None:
    store.delete_note(TENANT, "n03")
    assert sweep(store, embedder, clock).found == {}
    clock.advance(days=1)
    report = sweep(store, embedder, clock)
    assert report.found == {IndexProblem.ORPHANED: 1}
    assert report.deleted == 1
    assert_follows(store, embedder, *swept)


@pytest.mark.usefixtures("swept")
def test_everything_is_looked_at_once_a_day(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    examined = []
    for _ in range(3 * 24):
        clock.advance(hours=1)
        examined.append(sweep(store, embedder, clock).examined)
    assert sorted(examined)[-4:] == [0, 10, 10, 10]
    assert embedder.embedded == Counter()


@on_both_stores
def test_chunks_without_a_record_are_removed(
    store: Store, embedder: HashingEmbedder, clock: Clock, swept: list[str]
) -> None:
    store.delete_note(TENANT, "n03")
    store.apply(TENANT, IndexChange("n03", store.read_record(TENANT, "n03").token, None))
    assert store.stored_chunks(TENANT, "n03") != ()
    report = sweep(store, embedder, clock, full=True)
    assert report.found == {IndexProblem.ORPHANED: 1}
    assert report.deleted == 1
    assert_follows(store, embedder, *swept)


@on_both_stores
def test_a_note_whose_record_was_lost_is_indexed_again_without_embedding(
    store: Store, embedder: HashingEmbedder, clock: Clock, swept: list[str]
) -> None:
    store.apply(TENANT, IndexChange("n03", store.read_record(TENANT, "n03").token, None))
    report = sweep(store, embedder, clock, full=True)
    assert report.found == {IndexProblem.MISSING: 1}
    assert report.texts == 0
    assert_follows(store, embedder, *swept)


@on_both_stores
def test_another_model_embeds_everything_again(
    store: Store, clock: Clock, swept: list[str]
) -> None:
    new_embedder = HashingEmbedder(dimension=16, batch_size=3)
    report = sweep(store, new_embedder, clock)
    assert report.found == {IndexProblem.OUTDATED: len(swept)}
    assert report.texts == new_embedder.embedded.total() >= len(swept)
    assert_follows(store, new_embedder, *swept)
    assert sweep(store, new_embedder, clock).found == {}


def test_waiting_notes_get_their_vectors_by_the_next_call(
    store: Store, embedder: HashingEmbedder, clock: Clock, swept: list[str]
) -> None:
    store.put_note(TENANT, note(sections("edited"), "n03", updated_at=START))
    embedder.outage = ModelUnavailable("gone")
    with pytest.raises(ModelUnavailable):
        index(store, embedder, clock, "n03")
    assert sweep(store, embedder, clock).postponed == 1
    embedder.outage = None
    report = sweep(store, embedder, clock)
    assert report.found == {IndexProblem.PENDING: 1}
    assert report.indexed == 1
    assert_follows(store, embedder, *swept)


def test_notes_that_failed_before_hold_up_none_that_waits_for_vectors(
    store: Store,
    embedder: HashingEmbedder,
    clock: Clock,
    swept: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shared.sweep.reconcile.DUE", 3)
    embedder.outage = ModelRefused("bad key")
    for note_id in swept[:4]:
        store.put_note(TENANT, note(sections("refused"), note_id, updated_at=START))
        index(store, embedder, clock, note_id)
    embedder.outage = ModelUnavailable("gone")
    clock.advance(minutes=1)
    store.put_note(TENANT, note(sections("edited"), "n09", updated_at=START))
    with pytest.raises(ModelUnavailable):
        index(store, embedder, clock, "n09")
    embedder.outage = None
    assert sweep(store, embedder, clock).found[IndexProblem.PENDING] == 1


# -- bounds


@pytest.mark.parametrize("budget", [1, 3, 10, 11])
@pytest.mark.parametrize("full", [False, True])
def test_calls_are_bounded_and_go_on_where_the_last_one_ended(
    store: Store, embedder: HashingEmbedder, clock: Clock, budget: int, *, full: bool
) -> None:
    note_ids = put_notes(store, 20)
    reports = sweep_to_the_end(store, embedder, clock, budget=budget, full=full)
    assert max(report.examined for report in reports) <= budget
    assert sum(report.indexed for report in reports) == 20
    # Each note as a note, as a record and as one just changed, for which there is half the budget; and a few ends.
    assert len(reports) <= 4 * 20 // budget + 5
    assert_follows(store, embedder, *note_ids)


def test_a_backfill_in_progress_does_not_hold_up_new_notes(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    put_notes(store, 30, updated_at=START - timedelta(days=9))
    sweep(store, embedder, clock, budget=4)
    clock.advance(minutes=5)
    store.put_note(TENANT, note(sections("new"), "z-new", updated_at=clock()))
    clock.advance(minutes=11)
    sweep(store, embedder, clock, budget=4)
    assert store.read_record(TENANT, "z-new").record is not None


@on_both_stores
def test_one_budget_serves_several_tenants(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    for tenant in ("a", "b", "c"):
        for note_id in ("n1", "n2"):
            store.put_note(tenant, note(sections("subject"), note_id))
    reports = sweep_to_the_end(store, embedder, clock, budget=2, full=True)
    assert sum(report.indexed for report in reports) == 6


def test_no_note_is_begun_when_the_time_of_a_call_is_up(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    note_ids = put_notes(store, 20)
    disturbed = DisturbedEmbedder(lambda: clock.advance(minutes=5), at=5)
    report = sweep(store, disturbed, clock, within=timedelta(minutes=4))
    assert report.indexed == 5
    assert report.complete is False
    assert sum(report.indexed for report in sweep_to_the_end(store, embedder, clock)) == 15
    assert_follows(store, embedder, *note_ids)


@on_both_stores
def test_notes_are_mended_side_by_side_as_one_after_the_other(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    note_ids = put_notes(store, 20)
    report = sweep(store, embedder, clock, workers=8)
    assert report.found == {IndexProblem.MISSING: 20}
    assert report.examined == 20
    assert report.indexed == 20
    assert report.complete
    assert_follows(store, embedder, *note_ids)


def test_a_tenant_without_budget_holds_up_no_other(
    store: Store, embedder: HashingEmbedder, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.sweep.reconcile.DUE", 3)
    broke = HashingEmbedder()
    broke.outage = EmbeddingQuotaExceeded("the budget of today is used up")
    indexer = Indexer(
        store=store,
        embedder=embedder,
        clock=clock,
        embedder_of={"spender": broke, "other": embedder}.__getitem__,
    )
    for tenant, count in (("spender", 30), ("other", 2)):
        for note_id in ids(count):
            store.put_note(tenant, note(sections("subject"), note_id))
            indexer.index(NoteKey(tenant, note_id), words_only=True)
    clock.advance(minutes=1)
    assert reconcile(indexer, budget=1000).indexed == 2


@pytest.mark.parametrize("budget", [0, -1])
def test_a_budget_below_one_is_refused(store: Store, clock: Clock, budget: int) -> None:
    with pytest.raises(InvalidArgument, match="budget"):
        sweep(store, None, clock, budget=budget)


def test_a_sweep_that_is_asked_for_does_not_go_on_with_one_that_was_only_due(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    note_ids = put_notes(store, 10)
    sweep(store, embedder, clock, budget=16)
    store.delete_note(TENANT, "n00")
    store.put_note(
        TENANT, note(sections("edited unseen"), "n01", updated_at=START - timedelta(days=9))
    )
    sweep_to_the_end(store, embedder, clock, budget=16, full=True)
    assert_follows(store, embedder, *note_ids)


def test_a_sweep_that_was_killed_is_finished_by_the_next(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    note_ids = put_notes(store, 4)
    deaths = 0
    for dies_at in range(1, 40):
        clock.advance(seconds=61)
        try:
            sweep(mortal_store(store, Life(dies_at)), embedder, clock, budget=2, full=True)
        except Killed:
            deaths += 1
    assert deaths > 5
    clock.advance(seconds=61)
    sweep_to_the_end(store, embedder, clock, budget=2, full=True)
    assert_follows(store, embedder, *note_ids)
