"""The killed workers of these tests are as dead as killed processes."""

from __future__ import annotations

from contextlib import suppress

import pytest

from shared.ports.stores import Store
from tests.fakes import HashingEmbedder
from tests.indexing.world import TENANT, Clock, Killed, Life, mortal_embedder, mortal_store
from tests.sweep.samples import put_notes, sweep


@pytest.mark.parametrize("after", [False, True])
def test_a_dead_worker_reaches_nothing_any_more(store: Store, *, after: bool) -> None:
    life = Life(1, after=after)
    dead = mortal_store(store, life)
    with pytest.raises(Killed):
        dead.write_bookmark("first", "x")
    assert store.read_bookmark("first") == ("x" if after else None)
    with pytest.raises(Killed):
        dead.write_bookmark("second", "x")
    assert store.read_bookmark("second") is None
    assert life.calls == ["write_bookmark"]


@pytest.mark.parametrize("dies_at", [8, 12, 20])
def test_no_thread_of_a_dead_sweep_goes_on(
    store: Store, embedder: HashingEmbedder, clock: Clock, dies_at: int
) -> None:
    note_ids = put_notes(store, 10)
    life = Life(dies_at)
    with suppress(Killed):
        sweep(mortal_store(store, life), mortal_embedder(embedder, life), clock, full=True)
    assert len(life.calls) == dies_at
    records = [store.read_record(TENANT, note_id).record for note_id in note_ids]
    assert len([record for record in records if record is not None]) < 4
