"""Sweeping is tested in the world of the indexing tests."""

from __future__ import annotations

import pytest

from shared.ports.stores import Store
from tests.fakes import HashingEmbedder
from tests.indexing.conftest import clock, embedder, store
from tests.indexing.world import Clock
from tests.sweep.samples import put_notes, sweep

__all__ = ["clock", "embedder", "store"]


@pytest.fixture
def swept(store: Store, embedder: HashingEmbedder, clock: Clock) -> list[str]:
    """Ten notes, indexed by a first sweep long enough ago to be out of its overlap."""
    note_ids = put_notes(store, 10)
    assert sweep(store, embedder, clock).complete
    clock.advance(hours=1)
    sweep(store, embedder, clock)
    embedder.embedded.clear()
    return note_ids
