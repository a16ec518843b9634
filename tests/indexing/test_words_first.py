"""Words find a note before anything is embedded for it, and also while somebody else embeds."""

from __future__ import annotations

from collections import Counter

import pytest

from shared.indexing.pipeline import Indexer, IndexOutcome
from shared.model.index import IndexStatus
from shared.model.retrieval import Restriction
from shared.ports.stores import Store
from tests.fakes import HashingEmbedder
from tests.indexing.world import (
    TENANT,
    Clock,
    DisturbedEmbedder,
    Life,
    assert_follows,
    index,
    key,
    mortal_store,
    most,
    note,
    on_both_stores,
    record_of,
    sections,
)

WORDS = ("apples", "bridges", "candles", "doors", "engines", "forests", "gardens")


def by_words(store: Store, embedder: HashingEmbedder, clock: Clock) -> IndexOutcome:
    return Indexer(store=store, embedder=embedder, clock=clock).index(key(), words_only=True)


def found(store: Store, stem: str) -> int:
    """Count the chunks that the word finds."""
    chunks = store.recent(
        TENANT,
        limit=50,
        stems=[stem],
        restriction=Restriction(),
    )
    return sum(stem in chunk.terms for chunk in chunks)


@on_both_stores
def test_words_find_what_waits_for_its_vectors_and_the_rest_follows(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    first = by_words(store, embedder, clock)
    assert first.action == "indexed"
    assert first.waiting is True
    assert first.embedded == 0
    record = record_of(store)
    assert record.status == IndexStatus.PENDING
    assert record.lease_until is None
    assert found(store, "zebra") == 0 < found(store, "candl")
    rest = index(store, embedder, clock)
    assert rest.action == "indexed"
    assert rest.waiting is False
    assert rest.embedded == first.chunks
    assert_follows(store, embedder)


def test_words_that_stand_already_are_not_written_again(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    by_words(store, embedder, clock)
    life = Life()
    second_try = by_words(mortal_store(store, life), embedder, clock)
    assert second_try.action == "unchanged"
    assert second_try.waiting is True
    assert life.calls == ["read_record", "get_note"]


def test_a_note_whose_vectors_are_all_known_is_indexed_by_its_words(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    index(store, embedder, clock)
    store.put_note(TENANT, note(sections(*WORDS), tags=("new",)))
    outcome = by_words(store, embedder, clock)
    assert outcome.action == "indexed"
    assert outcome.waiting is False
    assert_follows(store, embedder)


@pytest.mark.parametrize("other", [HashingEmbedder(16, 3)])
def test_vectors_of_another_model_stay_until_there_are_new_ones(
    store: Store, embedder: HashingEmbedder, clock: Clock, other: HashingEmbedder
) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    index(store, embedder, clock)
    assert by_words(store, other, clock).waiting
    assert all(chunk.has_vector for chunk in store.stored_chunks(TENANT, "n1"))


@on_both_stores
def test_words_of_an_edit_do_not_wait_for_who_embeds_the_note(store: Store, clock: Clock) -> None:
    counts: list[int] = []

    def edit() -> None:
        store.put_note(TENANT, note(sections("zebras", *WORDS[1:])))
        assert by_words(store, HashingEmbedder(8, 3), clock).waiting
        counts.append(found(store, "zebra"))

    store.put_note(TENANT, note(sections(*WORDS)))
    embedder = DisturbedEmbedder(edit, at=2)
    assert index(store, embedder, clock).action == "indexed"
    assert counts[0] > 0
    twice = embedder.embedded - Counter(dict.fromkeys(embedder.embedded, 1))
    assert most(embedder.embedded) <= 2
    assert twice.total() <= embedder.batch_size  # the batch at hand, and no more
    assert_follows(store, embedder)
