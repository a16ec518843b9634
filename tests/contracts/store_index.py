"""Promises of `Store` on the index: compare-and-set, chunks, vectors, coverage."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier

import pytest

from shared.errors import Conflict
from shared.model.index import (
    ChunkPut,
    Coverage,
    IndexChange,
    IndexRecord,
    IndexStatus,
    StoredChunk,
    StoredRecord,
)
from shared.ports.stores import Store
from tests.contracts.samples import (
    DAY,
    FREE,
    OTHER,
    TENANT,
    VERSION,
    chunk,
    note,
    record,
    save,
    unit,
)

V = unit(1, 2, 3, 4)
W = unit(4, 3, 2, 1)
EARLIER = "c1:earlier:4"


def _first(store: Store, *, count: int = 2) -> str:
    """The index of n1: `count` chunks, each with vector V. Returns the token."""
    puts = tuple(ChunkPut(chunk("n1", position), V) for position in range(count))
    token = store.apply(TENANT, IndexChange("n1", None, record(count=count), put=puts))
    assert token is not None
    return token


def _everything(store: Store) -> tuple[object, ...]:
    """All that an indexer or a searcher could notice of n1."""
    vectors = store.read_vectors(TENANT, ["n1_000", "n1_001", "n1_002"])
    return (
        store.read_record(TENANT, "n1"),
        store.stored_chunks(TENANT, "n1"),
        vectors,
        store.stats(TENANT),
    )


class _CompareAndSetContract:
    """A change is applied only to the record it was computed from."""

    def test_a_record_comes_back_whole_with_the_token_that_apply_gave(self, store: Store) -> None:
        full_record = IndexRecord(
            "r7",
            IndexStatus.FAILED,
            3,
            VERSION,
            DAY,
            "refused: ü",
            4,
            DAY + timedelta(seconds=60),
            EARLIER,
        )
        assert store.read_record(TENANT, "n1") == StoredRecord(None, None)
        token = store.apply(TENANT, IndexChange("n1", None, full_record))
        assert store.read_record(TENANT, "n1") == StoredRecord(full_record, token)

    def test_every_change_gives_a_new_token(self, store: Store) -> None:
        first = _first(store)
        second = store.apply(TENANT, IndexChange("n1", first, record(revision="r2")))
        assert second not in (None, first)
        assert store.read_record(TENANT, "n1").record == record(revision="r2")

    def test_removing_the_record_leaves_no_token(self, store: Store) -> None:
        token = _first(store)
        assert (
            store.apply(TENANT, IndexChange("n1", token, None, remove=("n1_000", "n1_001"))) is None
        )
        assert store.read_record(TENANT, "n1").record is None
        assert store.stored_chunks(TENANT, "n1") == ()

    @pytest.mark.parametrize("removed", [False, True])
    def test_creating_what_exists_is_a_conflict_and_changes_nothing(
        self, store: Store, *, removed: bool
    ) -> None:
        _first(store)
        everything_before = _everything(store)
        change = IndexChange(
            "n1",
            None,
            None if removed else record(revision="r2"),
            put=(ChunkPut(chunk("n1", 2, note_revision="r2"), W),),
            vectors=(("n1_000", W),),
            remove=("n1_001",),
        )
        with pytest.raises(Conflict):
            store.apply(TENANT, change)
        assert _everything(store) == everything_before

    def test_a_token_of_an_older_record_is_a_conflict_and_changes_nothing(
        self, store: Store
    ) -> None:
        old = _first(store)
        store.apply(TENANT, IndexChange("n1", old, record(revision="r2")))
        everything_before = _everything(store)
        with pytest.raises(Conflict):
            store.apply(TENANT, IndexChange("n1", old, record(revision="r3"), remove=("n1_000",)))
        with pytest.raises(Conflict):
            store.apply(TENANT, IndexChange("n1", old, None, remove=("n1_000", "n1_001")))
        assert _everything(store) == everything_before

    def test_a_token_of_a_removed_record_is_a_conflict_even_after_it_was_made_again(
        self, store: Store
    ) -> None:
        old = _first(store)
        store.apply(TENANT, IndexChange("n1", old, None, remove=("n1_000", "n1_001")))
        with pytest.raises(Conflict):
            store.apply(TENANT, IndexChange("n1", old, record()))
        _first(store)
        with pytest.raises(Conflict):
            store.apply(TENANT, IndexChange("n1", old, record()))

    def test_a_token_of_another_note_is_a_conflict(self, store: Store) -> None:
        _first(store)
        other_token = store.apply(TENANT, IndexChange("n2", None, record()))
        with pytest.raises(Conflict):
            store.apply(TENANT, IndexChange("n1", other_token, record(revision="r2")))

    def test_exactly_one_of_two_racing_writers_wins(self, store: Store) -> None:
        token = _first(store)
        for expected, revisions in (
            (token, ("a", "b")),
            (None, ("c", "d")),
        ):
            note_id = "n1" if expected else "n2"
            winners = _race(store, note_id, expected, revisions)
            assert len(winners) == 1
            stored = store.read_record(TENANT, note_id).record
            assert stored is not None
            assert [stored.note_revision] == winners
            assert {
                stored_chunk.note_revision for stored_chunk in store.stored_chunks(TENANT, note_id)
            } == set(winners)


def _race(
    store: Store, note_id: str, expected: str | None, revisions: tuple[str, ...]
) -> list[str]:
    """Everyone applies their revision at once; who got through."""
    start = Barrier(len(revisions))

    def attempt(revision: str) -> str | None:
        puts = tuple(
            ChunkPut(chunk(note_id, position, note_revision=revision), V) for position in range(2)
        )
        start.wait(10)
        try:
            store.apply(TENANT, IndexChange(note_id, expected, record(revision=revision), put=puts))
        except Conflict:
            return None
        return revision

    with ThreadPoolExecutor(len(revisions)) as pool:
        return [revision for revision in pool.map(attempt, revisions) if revision]


class _ChunkContract:
    """Put, patch, vectors, remove."""

    def test_stored_chunks_come_by_position_with_what_the_indexer_needs(self, store: Store) -> None:
        puts = (
            ChunkPut(chunk("n1", 10), None),
            ChunkPut(chunk("n1", 2), V),
            ChunkPut(chunk("n1", 0, note_revision="r0"), V),
        )
        store.apply(TENANT, IndexChange("n1", None, record(count=3), put=puts))
        assert store.stored_chunks(TENANT, "n1") == (
            StoredChunk("n1_000", "hash-n1-0", VERSION, "r0", has_vector=True),
            StoredChunk("n1_002", "hash-n1-2", VERSION, "r1", has_vector=True),
            StoredChunk("n1_010", "hash-n1-10", VERSION, "r1", has_vector=False),
        )

    def test_chunks_of_a_note_whose_id_begins_like_anothers_stay_apart(self, store: Store) -> None:
        save(store, chunk("n1"), chunk("n1_000"), chunk("n10"))
        assert [stored_chunk.chunk_id for stored_chunk in store.stored_chunks(TENANT, "n1")] == [
            "n1_000"
        ]

    def test_vectors_come_back_bit_by_bit_and_only_those_that_exist(self, store: Store) -> None:
        puts = (
            ChunkPut(chunk("n1", 0), V),
            ChunkPut(chunk("n1", 1), None),
        )
        store.apply(TENANT, IndexChange("n1", None, record(count=2), put=puts))
        chunk_ids = ["n1_000", "n1_001", *(f"nothing_{number:03d}" for number in range(40))]
        vectors = store.read_vectors(TENANT, chunk_ids)
        assert dict(vectors) == {"n1_000": V}
        assert vectors["n1_000"].typecode == "f"
        assert store.read_vectors(TENANT, []) == {}

    def test_a_patch_overwrites_everything_but_the_vector(self, store: Store) -> None:
        token = _first(store)
        changed = replace(
            chunk(
                "n1",
                0,
                terms={"gamma": 3},
                note_revision="r2",
                path="new/place.md",
                tags=("green",),
            ),
            title="New",
        )
        store.apply(TENANT, IndexChange("n1", token, record(revision="r2"), patch=(changed,)))
        assert store.read_vectors(TENANT, ["n1_000"]) == {"n1_000": V}
        assert store.recent(TENANT, limit=1, stems=["gamma"], restriction=FREE) == (changed,)
        assert store.document_frequencies(TENANT, ["alpha", "gamma"]) == {"alpha": 1, "gamma": 1}
        assert store.stored_chunks(TENANT, "n1")[0] == StoredChunk(
            "n1_000", "hash-n1-0", VERSION, "r2", has_vector=True
        )

    def test_a_patch_of_a_chunk_without_vector_leaves_it_without(self, store: Store) -> None:
        token = store.apply(
            TENANT, IndexChange("n1", None, record(), put=(ChunkPut(chunk("n1"), None),))
        )
        store.apply(
            TENANT,
            IndexChange(
                "n1", token, record(revision="r2"), patch=(chunk("n1", note_revision="r2"),)
            ),
        )
        assert store.stored_chunks(TENANT, "n1")[0].has_vector is False

    def test_a_put_replaces_the_old_vector_and_without_one_removes_it(self, store: Store) -> None:
        token = _first(store, count=1)
        second = store.apply(
            TENANT, IndexChange("n1", token, record(), put=(ChunkPut(chunk("n1"), W),))
        )
        assert store.read_vectors(TENANT, ["n1_000"]) == {"n1_000": W}
        store.apply(TENANT, IndexChange("n1", second, record(), put=(ChunkPut(chunk("n1"), None),)))
        assert store.read_vectors(TENANT, ["n1_000"]) == {}
        assert store.stored_chunks(TENANT, "n1")[0].has_vector is False
        assert (
            store.nearest(
                TENANT, V, limit=3, stems=[], restriction=FREE, index_version=VERSION
            ).neighbours
            == ()
        )

    def test_vectors_are_added_to_stored_chunks(self, store: Store) -> None:
        puts = tuple(ChunkPut(chunk("n1", position), None) for position in range(2))
        token = store.apply(
            TENANT, IndexChange("n1", None, record(status=IndexStatus.PENDING), put=puts)
        )
        store.apply(TENANT, IndexChange("n1", token, record(), vectors=(("n1_001", W),)))
        assert [stored_chunk.has_vector for stored_chunk in store.stored_chunks(TENANT, "n1")] == [
            False,
            True,
        ]
        (neighbour,) = store.nearest(
            TENANT, W, limit=3, stems=["beta"], restriction=FREE, index_version=VERSION
        ).neighbours
        assert neighbour.chunk == replace(chunk("n1", 1), terms={"beta": 2})

    def test_a_second_vector_is_kept_until_the_chunk_is_put_without_it(self, store: Store) -> None:
        both = ChunkPut(chunk("n1"), None, second_vector=(EARLIER, V))
        token = store.apply(
            TENANT, IndexChange("n1", None, record(), put=(both, ChunkPut(chunk("n1", 1), V)))
        )
        token = store.apply(TENANT, IndexChange("n1", token, record(), vectors=(("n1_000", W),)))
        token = store.apply(
            TENANT, IndexChange("n1", token, record(), patch=(chunk("n1", path="moved.md"),))
        )
        assert [
            stored_chunk.second_version for stored_chunk in store.stored_chunks(TENANT, "n1")
        ] == [EARLIER, ""]
        chunk_ids = ["n1_000", "n1_001"]
        assert store.read_vectors(TENANT, chunk_ids) == {"n1_000": W, "n1_001": V}
        assert store.read_vectors(TENANT, chunk_ids, "c9:hashing:4") == {"n1_000": W, "n1_001": V}
        assert store.read_vectors(TENANT, chunk_ids, EARLIER) == {"n1_000": V}
        store.apply(TENANT, IndexChange("n1", token, record(), put=(ChunkPut(chunk("n1"), W),)))
        assert store.stored_chunks(TENANT, "n1")[0].second_version == ""
        assert store.read_vectors(TENANT, chunk_ids, EARLIER) == {}

    def test_one_change_may_put_patch_add_vectors_and_remove(self, store: Store) -> None:
        token = _first(store, count=3)
        change = IndexChange(
            "n1",
            token,
            record(revision="r2", count=3),
            put=(ChunkPut(chunk("n1", 3, note_revision="r2"), None),),
            patch=(
                chunk("n1", 0, note_revision="r2"),
                chunk("n1", 1, note_revision="r2"),
            ),
            vectors=(("n1_001", W),),
            remove=("n1_002",),
        )
        store.apply(TENANT, change)
        assert [
            (stored_chunk.chunk_id, stored_chunk.note_revision, stored_chunk.has_vector)
            for stored_chunk in store.stored_chunks(TENANT, "n1")
        ] == [
            ("n1_000", "r2", True),
            ("n1_001", "r2", True),
            ("n1_003", "r2", False),
        ]
        assert store.read_vectors(TENANT, ["n1_000", "n1_001"]) == {"n1_000": V, "n1_001": W}

    def test_a_change_may_hold_more_than_350_chunks(self, store: Store) -> None:
        count = 360
        token = _first(store, count=count)
        assert len(store.stored_chunks(TENANT, "n1")) == count
        patches = tuple(chunk("n1", position, note_revision="r2") for position in range(count))
        token = str(
            store.apply(
                TENANT, IndexChange("n1", token, record(revision="r2", count=count), patch=patches)
            )
        )
        assert {
            stored_chunk.note_revision for stored_chunk in store.stored_chunks(TENANT, "n1")
        } == {"r2"}
        assert len(store.read_vectors(TENANT, [patched.chunk_id for patched in patches])) == count
        store.apply(
            TENANT,
            IndexChange("n1", token, None, remove=tuple(patched.chunk_id for patched in patches)),
        )
        assert store.stored_chunks(TENANT, "n1") == ()
        assert store.stats(TENANT).chunk_count == 0

    def test_tenants_with_the_same_note_ids_have_indexes_of_their_own(self, store: Store) -> None:
        _first(store)
        save(store, chunk("n1", note_revision="theirs"), vector=W, tenant=OTHER)
        assert store.read_vectors(OTHER, ["n1_000"]) == {"n1_000": W}
        theirs = store.read_record(OTHER, "n1").token
        store.apply(OTHER, IndexChange("n1", theirs, None, remove=("n1_000",)))
        assert len(store.stored_chunks(TENANT, "n1")) == 2
        assert store.read_vectors(TENANT, ["n1_000"]) == {"n1_000": V}
        assert store.read_record(TENANT, "n1").record is not None


class _CoverageContract:
    """Counts of notes by state."""

    def test_coverage_counts_notes_by_their_state(self, store: Store) -> None:
        states = [IndexStatus.INDEXED, IndexStatus.INDEXED, IndexStatus.PENDING, IndexStatus.FAILED]
        for number, status in enumerate(states):
            store.put_note(TENANT, note(f"n{number}"))
            store.apply(TENANT, IndexChange(f"n{number}", None, record(status=status)))
        store.put_note(TENANT, note("fresh"))
        assert store.coverage(TENANT) == Coverage(
            notes=5, indexed=2, pending_embeddings=1, failed=1, missing=1
        )

    def test_the_notes_changed_last_come_first(self, store: Store) -> None:
        for number in range(3):
            changed = DAY + timedelta(hours=number)
            store.put_note(TENANT, note(f"n{number}", updated_at=changed))
            indexed = record(indexed_at=changed + timedelta(minutes=1))
            store.apply(TENANT, IndexChange(f"n{number}", None, indexed))
        store.put_note(OTHER, note("other"))
        latest = store.latest_notes(TENANT, limit=2)
        assert [newest.note_id for newest in latest] == ["n2", "n1"]
        assert latest[0] == store.get_note(TENANT, "n2")
        assert store.latest_notes("nobody", limit=2) == ()

    def test_records_of_other_index_versions_are_counted(self, store: Store) -> None:
        for number, version in enumerate([VERSION, EARLIER, "c0:hashing:4"]):
            store.apply(
                TENANT, IndexChange(f"n{number}", None, replace(record(), index_version=version))
            )
        assert store.count_outdated(TENANT, VERSION) == 2
        assert store.count_outdated(OTHER, VERSION) == 0

    def test_an_empty_tenant_is_covered(self, store: Store) -> None:
        store.put_note(OTHER, note("n1"))
        assert store.coverage(TENANT) == Coverage(
            notes=0, indexed=0, pending_embeddings=0, failed=0, missing=0
        )


class IndexContract(_CompareAndSetContract, _ChunkContract, _CoverageContract):
    """All of the index."""
