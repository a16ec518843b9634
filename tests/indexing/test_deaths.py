"""A worker may die at any call it makes; the next one finishes the work."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.errors import NoteBusy
from shared.ports.stores import Store
from tests.fakes import HashingEmbedder
from tests.indexing.world import (
    TENANT,
    Clock,
    Killed,
    Life,
    assert_follows,
    index,
    mortal_embedder,
    mortal_store,
    most,
    note,
    sections,
)

pytestmark = pytest.mark.slow

WORDS = ("apples", "bridges", "candles", "doors", "engines")
EDITED = ("candles", "apples", "zebras", "doors", "yards", "windows", "engines")
LOST = ["embed_documents", "apply"]
"""A death at the second of these loses the batch, unless it came after the call took effect."""


def prepare(store: Store, clock: Clock, work: str) -> HashingEmbedder:
    """Bring the store to where the work begins."""
    embedder = HashingEmbedder(dimension=8, batch_size=2)
    store.put_note(TENANT, note(sections(*WORDS)))
    if work != "create":
        index(store, embedder, clock)
    if work == "edit":
        store.put_note(TENANT, note(sections(*EDITED)))
    if work == "delete":
        store.delete_note(TENANT, "n1")
    embedder.embedded.clear()
    return embedder


def live(store: Store, embedder: HashingEmbedder, clock: Clock, life: Life) -> bool:
    """Tell whether the worker survives its work."""
    try:
        index(mortal_store(store, life), mortal_embedder(embedder, life), clock)
    except Killed:
        return False
    return True


def follows_wherever_it_dies(store: Store, work: str, life: Life) -> bool:
    """Live one life, let the next worker finish, and check; whether the first one survived."""
    clock = Clock()
    embedder = prepare(store, clock, work)
    survived = live(store, embedder, clock, life)
    try:
        index(store, embedder, clock)
    except NoteBusy:
        clock.advance(seconds=61)
        index(store, embedder, clock)
    in_flight = (
        embedder.batch_size if life.calls[-1] == "embed_documents" or life.calls[-2:] == LOST else 0
    )
    assert embedder.embedded.total() <= len(embedder.embedded) + in_flight
    assert most(embedder.embedded) <= 2
    assert_follows(store, embedder)
    return survived


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("work", ["create", "edit", "delete"])
def test_the_index_follows_wherever_a_worker_dies(
    tmp_path: Path, work: str, *, after: bool
) -> None:
    survived = False
    dies_at = 0
    while not survived:
        dies_at += 1
        store = EmbeddedStore(tmp_path / str(dies_at))
        survived = follows_wherever_it_dies(store, work, Life(dies_at, after=after))
        store.close()
    # Three reads, a write, two batches or more of two calls each, two reads; for a deletion, reads and one write.
    assert dies_at > {"create": 10, "edit": 10, "delete": 4}[work]
