"""A dry run says what a sweep would do, and does nothing of it."""

from __future__ import annotations

from collections import Counter

from shared.indexing.state import IndexProblem
from shared.ports.stores import Store
from tests.fakes import HashingEmbedder
from tests.indexing.world import TENANT, Clock, Life, mortal_store
from tests.sweep.samples import WRITES, put_notes, sweep


def test_a_dry_run_counts_what_would_be_embedded_and_writes_nothing(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    put_notes(store, 6)
    life = Life()
    dry = sweep(mortal_store(store, life), embedder, clock, full=True, dry_run=True)
    assert WRITES.isdisjoint(life.calls)
    assert embedder.embedded == Counter()
    real = sweep(store, embedder, clock, full=True)
    assert dry.dry_run is True
    assert dry.found == real.found
    assert dry.texts == real.texts
    assert dry.complete is True
    characters = sum(map(len, embedder.embedded))
    assert characters / 4 <= dry.tokens <= characters / 4 + dry.texts
    assert dry.indexed == 0
    assert real.tokens == 0


def test_a_dry_run_after_a_model_change_is_what_the_change_would_cost(
    store: Store, embedder: HashingEmbedder, clock: Clock, swept: list[str]
) -> None:
    new_embedder = HashingEmbedder(dimension=16, batch_size=3)
    dry = sweep(store, new_embedder, clock, dry_run=True)
    assert dry.found == {IndexProblem.OUTDATED: len(swept)}
    assert dry.texts == sum(len(store.stored_chunks(TENANT, note_id)) for note_id in swept)
    assert sweep(store, embedder, clock).found == {}
