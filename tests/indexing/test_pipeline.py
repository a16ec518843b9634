"""One note's index follows what the note says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest

from shared.errors import ModelRefused, ModelUnavailable, NoteBusy, PortContractError
from shared.indexing.versions import index_version
from shared.model.index import IndexStatus, Vector
from shared.model.retrieval import Restriction
from shared.ports.stores import Store
from tests.fakes import HashingEmbedder
from tests.indexing.world import (
    TENANT,
    Clock,
    DisturbedEmbedder,
    Life,
    assert_follows,
    garbled_store,
    index,
    mortal_store,
    most,
    note,
    on_both_stores,
    record_of,
    sections,
)

WORDS = ("apples", "bridges", "candles", "doors", "engines", "forests", "gardens")


def test_a_new_note_is_indexed_by_a_claim_one_change_and_one_more_a_batch(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    life = Life()
    outcome = index(mortal_store(store, life), embedder, clock)
    assert outcome.action == "indexed"
    assert outcome.chunks == outcome.embedded == embedder.embedded.total() >= len(WORDS)
    assert life.calls.count("apply") == 2 + -(-outcome.embedded // embedder.batch_size)
    assert_follows(store, embedder)


def test_the_same_note_again_embeds_and_writes_nothing(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    first = index(store, embedder, clock)
    store.put_note(TENANT, note(sections(*WORDS), updated_at=clock() + timedelta(hours=1)))
    embedder.embedded.clear()
    life = Life()
    second = index(mortal_store(store, life), embedder, clock)
    assert life.calls == ["read_record", "get_note"]
    assert second.action == "unchanged"
    assert second.chunks == first.chunks
    assert second.embedded == 0
    assert embedder.embedded == Counter()


def test_one_word_changed_among_a_hundred_chunks_embeds_two_at_most(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    words = [f"subject{number}" for number in range(100)]
    store.put_note(TENANT, note(sections(*words)))
    assert index(store, embedder, clock).chunks >= 100
    changed = sections(*words).replace(
        "The subject50 of the matter is plain.", "The subject50 was different.", 1
    )
    store.put_note(TENANT, note(changed))
    embedder.embedded.clear()
    assert 1 <= index(store, embedder, clock).embedded <= 2
    assert_follows(store, embedder)


@on_both_stores
def test_a_chunk_that_moves_keeps_its_vector(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    chunks_before = index(store, embedder, clock).chunks
    embedder.embedded.clear()
    store.put_note(TENANT, note(sections("zebras", *WORDS)))
    outcome = index(store, embedder, clock)
    assert outcome.chunks > chunks_before
    assert outcome.embedded == outcome.chunks - chunks_before
    assert all("zebras" in text for text in embedder.embedded)
    assert_follows(store, embedder)


def test_other_tags_and_another_folder_embed_nothing(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    index(store, embedder, clock)
    store.put_note(
        TENANT,
        note(
            sections(*WORDS),
            tags=("blue",),
            vault="work",
            path="a/b.md",
        ),
    )
    outcome = index(store, embedder, clock)
    assert outcome.action == "indexed"
    assert outcome.embedded == 0
    assert_follows(store, embedder)


def test_a_note_without_text_is_found_by_its_title(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    store.put_note(TENANT, note("", title="Zebras"))
    assert index(store, embedder, clock).chunks == 1
    assert list(embedder.embedded) == ["Zebras\n8 May 2026\n\n"]
    assert_follows(store, embedder)


def test_a_deleted_note_leaves_nothing(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    index(store, embedder, clock)
    store.delete_note(TENANT, "n1")
    assert index(store, embedder, clock).action == "deleted"
    assert store.read_record(TENANT, "n1").record is None
    assert store.stored_chunks(TENANT, "n1") == ()
    assert index(store, embedder, clock).action == "unchanged"


def test_without_an_embedder_a_note_is_indexed_for_keywords_and_one_that_comes_later_adds_the_vectors(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    outcome = index(store, None, clock)
    assert outcome.action == "indexed"
    assert outcome.embedded == 0
    record = record_of(store)
    assert record.status == IndexStatus.INDEXED
    assert record.index_version == index_version(None)
    assert {stored_chunk.has_vector for stored_chunk in store.stored_chunks(TENANT, "n1")} == {
        False
    }
    assert index(store, embedder, clock).embedded >= len(WORDS)
    assert_follows(store, embedder)


def test_vectors_are_kept_when_the_embedder_is_missing_for_a_while(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    index(store, embedder, clock)
    assert index(store, None, clock).action == "unchanged"
    assert index(store, embedder, clock).action == "unchanged"


# -- outages and refusals


@on_both_stores
def test_during_an_outage_keywords_find_the_chunks_and_a_retry_adds_the_vectors(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    embedder.outage = ModelUnavailable("embedding model timed out")
    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            index(store, embedder, clock)
        record = record_of(store)
        assert record.status == IndexStatus.PENDING
        assert record.attempts == 0
        assert record.lease_until is None
        assert record.error == "embedding model timed out"
    chunks = store.recent(
        TENANT,
        limit=50,
        stems=[],
        restriction=Restriction(),
    )
    record = store.live_records(TENANT, ["n1"])["n1"]
    assert {indexed_chunk.note_revision for indexed_chunk in chunks} == {record.note_revision}
    embedder.outage = None
    assert index(store, embedder, clock).action == "indexed"
    assert_follows(store, embedder)


def test_vectors_from_before_an_outage_are_not_embedded_again(store: Store, clock: Clock) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))

    def go_away() -> None:
        embedder.outage = ModelUnavailable("gone")

    embedder = DisturbedEmbedder(go_away, at=2)
    with pytest.raises(ModelUnavailable):
        index(store, embedder, clock)
    embedder.outage = None
    index(store, embedder, clock)
    assert most(embedder.embedded) == 1
    assert_follows(store, embedder)


@pytest.mark.parametrize(
    "error",
    [
        ModelRefused("the key is not valid"),
        PortContractError("3 vectors for 2 texts"),
    ],
)
def test_a_refused_note_is_failed_and_stays_findable_by_keywords(
    store: Store, embedder: HashingEmbedder, clock: Clock, error: ModelRefused | PortContractError
) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    embedder.outage = error
    outcome = index(store, embedder, clock)
    assert outcome.action == "failed"
    assert outcome.error == error.message
    record = record_of(store)
    assert record.status == IndexStatus.FAILED
    assert record.attempts == 1
    assert record.error == error.message
    assert record.lease_until is None
    assert len(store.stored_chunks(TENANT, "n1")) == outcome.chunks
    embedder.outage = None
    assert index(store, embedder, clock).action == "indexed"
    assert_follows(store, embedder)


# -- notes at fault


def test_a_note_over_the_limit_is_failed_once_and_its_old_chunks_go(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    index(store, embedder, clock)
    store.put_note(TENANT, note("ä" * 450_001))
    outcome = index(store, embedder, clock)
    assert outcome.action == "failed"
    assert outcome.error == "text: expected at most 900000 bytes, got 900002"
    assert store.stored_chunks(TENANT, "n1") == ()
    record = record_of(store)
    assert record.status == IndexStatus.FAILED
    assert record.chunk_count == 0
    assert record.attempts == 0
    second_life = Life()
    assert index(mortal_store(store, second_life), embedder, clock).action == "failed"
    assert second_life.calls == ["read_record", "get_note"]


def test_a_note_at_the_limit_is_indexed(store: Store, clock: Clock) -> None:
    text = sections(*(f"subject{number}" for number in range(149)))
    text += "\n" * (900_000 - len(text))
    store.put_note(TENANT, note(text))
    assert index(store, None, clock).action == "indexed"


def test_a_note_with_fields_of_wrong_types_is_failed_by_the_fields_name(
    store: Store, embedder: HashingEmbedder, clock: Clock
) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    index(store, embedder, clock)
    garbled = garbled_store(store, "n1")
    assert index(garbled, embedder, clock).error == "tags: expected a list of texts"
    record = record_of(store)
    assert record.status == IndexStatus.FAILED
    assert record.error == "tags: expected a list of texts"
    assert store.stored_chunks(TENANT, "n1") == ()
    second_life = Life()
    index(mortal_store(garbled, second_life), embedder, clock)
    assert second_life.calls == ["read_record", "get_note"]
    assert index(store, embedder, clock).action == "indexed"
    assert_follows(store, embedder)


# -- several at once


def test_a_live_lease_is_respected_and_an_old_one_taken_over(store: Store, clock: Clock) -> None:
    busy: list[NoteBusy] = []

    def second_worker() -> None:
        with pytest.raises(NoteBusy) as caught:
            index(store, HashingEmbedder(8, 3), clock)
        busy.append(caught.value)
        clock.advance(seconds=61)
        index(store, second_embedder, clock)

    store.put_note(TENANT, note(sections(*WORDS)))
    embedder = DisturbedEmbedder(second_worker, at=2)
    second_embedder = HashingEmbedder(8, 3)
    assert index(store, embedder, clock).action == "unchanged"
    assert len(busy) == 1
    assert (embedder.embedded & second_embedder.embedded).total() == 3
    assert_follows(store, embedder)


def test_a_note_edited_while_it_is_embedded_ends_as_edited(store: Store, clock: Clock) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    embedder = DisturbedEmbedder(
        lambda: store.put_note(TENANT, note(sections("zebras", *WORDS[1:]))), at=2
    )
    outcome = index(store, embedder, clock)
    assert outcome.action == "indexed"
    assert outcome.embedded == embedder.embedded.total()
    assert most(embedder.embedded) == 1
    assert_follows(store, embedder)


@on_both_stores
@pytest.mark.parametrize("at", [1, 2])
@pytest.mark.parametrize("handled", [True, False])
def test_a_note_deleted_while_it_is_embedded_leaves_nothing(
    store: Store, clock: Clock, at: int, *, handled: bool
) -> None:
    def delete() -> None:
        store.delete_note(TENANT, "n1")
        if handled:
            assert index(store, HashingEmbedder(8, 3), clock).action == "deleted"

    store.put_note(TENANT, note(sections(*WORDS)))
    index(store, DisturbedEmbedder(delete, at=at), clock)
    assert store.read_record(TENANT, "n1").record is None
    assert store.stored_chunks(TENANT, "n1") == ()
    assert store.recent(TENANT, limit=5, stems=[], restriction=Restriction()) == ()


def test_a_note_that_never_rests_is_left_to_a_later_call(store: Store, clock: Clock) -> None:
    class Restless(HashingEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
            store.put_note(TENANT, note(f"{len(self.embedded)} words"))
            return super().embed_documents(texts)

    store.put_note(TENANT, note("some words"))
    embedder = Restless(8, 3)
    with pytest.raises(NoteBusy, match="faster"):
        index(store, embedder, clock)
    assert index(store, HashingEmbedder(8, 3), clock).action == "indexed"
    assert_follows(store, embedder)


@on_both_stores
def test_many_workers_at_once_embed_each_text_once(store: Store, clock: Clock) -> None:
    store.put_note(TENANT, note(sections(*WORDS)))
    embedders = [HashingEmbedder(8, 3) for _ in range(8)]
    together = Barrier(len(embedders))

    def work(embedder: HashingEmbedder) -> str:
        together.wait()
        try:
            return index(store, embedder, clock).action
        except NoteBusy:
            return "busy"

    with ThreadPoolExecutor(len(embedders)) as pool:
        actions = list(pool.map(work, embedders))
    assert actions.count("indexed") == 1
    assert set(actions) <= {"indexed", "busy", "unchanged"}
    assert most(sum((embedder.embedded for embedder in embedders), Counter())) == 1
    assert_follows(store, embedders[0])
