"""Changes of many megabytes go in several commits and still are one compare-and-set."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import Any

import pytest
from grpc import StatusCode  # type: ignore[import-untyped]

from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.connection import Connection
from shared.adapters.firestore.protocol import put
from shared.errors import Conflict, StoreUnavailable
from shared.model.index import ChunkPut, IndexChange, IndexedChunk, IndexStatus
from shared.model.notes import Folder
from tests.contracts.samples import DAY, TENANT, chunk, record, unit
from tests.emulated import patient_store
from tests.servers.firestore_proxy import Call, FirestoreProxy, Refuse, gone_after

V = unit(*range(1, 769))
COUNT = 100
"""Chunks of 768 dimensions: six commits."""


def _chunks(revision: str) -> list[IndexedChunk]:
    return [chunk("big", place, note_revision=revision, text="x" * 1000) for place in range(COUNT)]


def _change(expected: str | None, revision: str) -> IndexChange:
    puts = tuple(ChunkPut(put_chunk, V) for put_chunk in _chunks(revision))
    return IndexChange("big", expected, record(revision=revision, count=COUNT), put=puts)


def test_a_large_change_is_whole_afterwards_and_may_follow_another(
    firestore_store: FirestoreStore,
) -> None:
    token = firestore_store.apply(TENANT, _change(None, "r1"))
    assert firestore_store.read_record(TENANT, "big").token == token
    token = firestore_store.apply(TENANT, _change(token, "r2"))
    stored = firestore_store.stored_chunks(TENANT, "big")
    assert [stored_chunk.note_revision for stored_chunk in stored] == ["r2"] * COUNT
    assert firestore_store.read_record(TENANT, "big").record == record(revision="r2", count=COUNT)
    assert firestore_store.folders(TENANT) == (
        Folder("default", ""),
        Folder("default", "work"),
    )
    with pytest.raises(Conflict):
        firestore_store.apply(TENANT, _change(None, "r3"))
    assert firestore_store.stored_chunks(TENANT, "big") == stored


def test_two_large_changes_that_race_leave_no_mixture(
    firestore_store: FirestoreStore,
) -> None:
    """Whoever is overtaken between two commits gets Conflict; a record that says `indexed` has all its chunks."""
    token = firestore_store.apply(TENANT, _change(None, "r0"))
    start = Barrier(2)

    def attempt(revision: str) -> str | None:
        start.wait(10)
        try:
            firestore_store.apply(TENANT, _change(token, revision))
        except Conflict:
            return None
        return revision

    with ThreadPoolExecutor(2) as pool:
        winners = [revision for revision in pool.map(attempt, ("a", "b")) if revision]
    stored_record = firestore_store.read_record(TENANT, "big").record
    assert stored_record is not None
    assert len(winners) == 1
    assert stored_record.note_revision == winners[0]
    assert {
        stored_chunk.note_revision for stored_chunk in firestore_store.stored_chunks(TENANT, "big")
    } == set(winners)


def test_a_worker_that_dies_between_commits_leaves_no_record_that_agrees(
    firestore_store: FirestoreStore, firestore_host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = patient_store(firestore_store.project)
    with FirestoreProxy(firestore_host, gone_after(2, "Commit", worker)) as proxy:
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", proxy.host)
        leased = replace(
            _change(None, "r1"), record=replace(record(revision="r1"), lease_until=DAY)
        )
        with pytest.raises(StoreUnavailable):
            worker.apply(TENANT, leased)
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", firestore_host)
    leftover = firestore_store.read_record(TENANT, "big")
    assert leftover.record is not None
    assert leftover.record.note_revision == ""
    assert leftover.record.status == IndexStatus.PENDING
    assert leftover.record.lease_until is None  # nobody waits for the dead
    firestore_store.apply(TENANT, _change(leftover.token, "r2"))
    assert {
        stored_chunk.note_revision for stored_chunk in firestore_store.stored_chunks(TENANT, "big")
    } == {"r2"}


def test_a_patch_of_a_chunk_that_went_is_a_conflict(firestore_store: FirestoreStore) -> None:
    token = firestore_store.apply(TENANT, IndexChange("n1", None, record()))
    for change in (
        IndexChange("n1", token, record(), patch=(chunk("n1"),)),
        IndexChange("n1", token, record(), vectors=(("n1_000", V),)),
    ):
        with pytest.raises(Conflict):
            firestore_store.apply(TENANT, change)


def test_folders_count_through_moves_empty_notes_and_vectors(
    firestore_store: FirestoreStore,
) -> None:
    def folders() -> list[str]:
        return [count.folder for count in firestore_store.folders(TENANT) if count.folder]

    moved = chunk("n1", path="a/x.md")
    token = firestore_store.apply(
        TENANT, IndexChange("n1", None, record(), put=(ChunkPut(moved, None),))
    )
    token = firestore_store.apply(
        TENANT, IndexChange("n1", token, record(), vectors=(("n1_000", V),))
    )
    assert folders() == ["a"]
    token = firestore_store.read_record(TENANT, "n1").token
    token = firestore_store.apply(
        TENANT, IndexChange("n1", token, record(), patch=(replace(moved, path="b/x.md"),))
    )
    assert folders() == ["b"]
    token = firestore_store.apply(
        TENANT, IndexChange("n1", token, record(count=0), remove=("n1_000",))
    )
    assert folders() == []
    token = firestore_store.apply(
        TENANT, IndexChange("n1", token, record(), put=(ChunkPut(moved, None),))
    )
    firestore_store.apply(TENANT, IndexChange("n1", token, None, remove=("n1_000",)))
    assert folders() == []


@pytest.mark.parametrize("stay", [True, False])
def test_a_folder_stands_while_a_note_lies_in_it_however_many_come_and_go(
    firestore_store: FirestoreStore, *, stay: bool
) -> None:
    start = Barrier(6)

    def come_and_go(number: int) -> None:
        store = patient_store(firestore_store.project)
        note_id = f"n{number}"
        sample = chunk(note_id, path="a/x.md")
        start.wait(10)
        for _ in range(4):
            token = store.apply(
                TENANT, IndexChange(note_id, None, record(), put=(ChunkPut(sample, None),))
            )
            store.apply(TENANT, IndexChange(note_id, token, None, remove=(sample.chunk_id,)))
        if stay and number == 0:
            store.apply(TENANT, IndexChange(note_id, None, record(), put=(ChunkPut(sample, None),)))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(come_and_go, range(6)))
    expected = (Folder("default", ""), Folder("default", "a")) if stay else ()
    assert patient_store(firestore_store.project).folders(TENANT) == expected


class _Crowded(Connection):
    """Of the writes of one request all but the first fail, as where many clients write at once."""

    requests = 0

    def _failed_writes(self, writes: Sequence[Any], deadline: float) -> list[Any]:
        self.requests += 1
        first_write, *others = writes
        # The request itself gets its time on a busy machine; what comes after the deadline is the repetition.
        patient_deadline = deadline + 20
        assert super()._failed_writes([first_write], patient_deadline) == []
        return others


def _crowded(store: FirestoreStore) -> _Crowded:
    store._db.__class__ = _Crowded
    assert isinstance(store._db, _Crowded)
    return store._db


def test_writes_that_fail_of_several_are_made_again_alone(firestore_store: FirestoreStore) -> None:
    connection = _crowded(firestore_store)
    names = [connection.name(TENANT, "notes", f"n{number}") for number in range(3)]
    connection.write_each([put(name, {}) for name in names])
    assert sorted(connection.lookup(names)) == names
    assert connection.requests == 3


def test_writes_that_still_fail_at_the_deadline_are_counted_in_the_error(
    firestore_store: FirestoreStore,
) -> None:
    connection = _crowded(firestore_store)
    connection._write_seconds = 0
    names = [connection.name(TENANT, "notes", f"n{number}") for number in range(3)]
    with pytest.raises(StoreUnavailable, match="2 of 3 writes failed"):
        connection.write_each([put(name, {}) for name in names])


def test_a_document_that_is_to_exist_is_made_again_while_the_store_is_away(
    firestore_store: FirestoreStore, firestore_host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = iter(range(2))

    def away_twice(call: Call) -> Refuse | None:
        if call.method == "Commit" and next(refusals, None) is not None:
            return Refuse(StatusCode.UNAVAILABLE, "away")
        return None

    with FirestoreProxy(firestore_host, away_twice) as proxy:
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", proxy.host)
        connection = firestore_store._db
        name = connection.name(TENANT, "usage", "2026-01-01")
        connection.ensure([put(name, {})])
    assert name in connection.ensured
    assert next(refusals, None) is None
