"""Searches whose restriction Firestore's filters cannot hold lose nothing and read no more than they must."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from shared.adapters.firestore import FirestoreStore, Reads, vector_reads
from shared.adapters.firestore.restriction import by_month_and_scope, by_time_and_scope
from shared.domain import ChunkPut, IndexChange, IndexedChunk, Restriction, TimeRange, Vector
from tests.contracts.samples import DAY, FREE, OTHER, TENANT, VERSION, chunk, note, record, save, unit

V = unit(1, 0, 0, 0)
CROWD = 1005
"""More than one vector search can return."""


def _crowd(store: FirestoreStore, *, vector: Vector = V, **fields: object) -> None:
    """Chunks of one note, all nearer to V and newer than any other."""
    one = replace(chunk("crowd", created_at=DAY + timedelta(days=300)), **fields)  # type: ignore[arg-type]
    puts = tuple(
        ChunkPut(replace(one, chunk_id=f"crowd_{place:03d}", position=place), vector) for place in range(CROWD)
    )
    store.apply(TENANT, IndexChange("crowd", None, record(count=CROWD), put=puts))


def _nearest(store: FirestoreStore, restriction: Restriction, limit: int = 2) -> list[str]:
    found = store.nearest(TENANT, V, limit=limit, stems=[], restriction=restriction, index_version=VERSION)
    return [each.chunk.note_id for each in found]


def test_nothing_is_lost_behind_a_thousand_nearer_chunks_of_another_scope(firestore_store: FirestoreStore) -> None:
    _crowd(firestore_store)
    save(firestore_store, chunk("second", tags=("red", "blue")), vector=unit(1, 2, 0, 0))
    save(firestore_store, chunk("first", tags=("red", "blue")), vector=unit(1, 1, 0, 0))
    save(firestore_store, chunk("unembedded", tags=("red", "blue")))
    both = (frozenset({"t:red", "t:none"}), frozenset({"t:blue", "t:none", "t:nothing"}))
    assert _nearest(firestore_store, Restriction(scopes=both)) == ["first", "second"]
    assert _nearest(firestore_store, Restriction(scopes=both), limit=9) == ["first", "second"]


def test_nothing_is_lost_behind_a_thousand_nearer_chunks_of_another_index_version(
    firestore_store: FirestoreStore,
) -> None:
    _crowd(firestore_store, index_version="c0:hashing:4")
    save(firestore_store, chunk("current"), vector=unit(1, 1, 0, 0))
    assert _nearest(firestore_store, FREE) == ["current"]


def test_an_open_range_finds_what_lies_behind_many_nearer_chunks(firestore_store: FirestoreStore) -> None:
    _crowd(firestore_store)
    save(firestore_store, chunk("old", created_at=DAY - timedelta(days=9000)), vector=unit(1, 1, 0, 0))
    assert _nearest(firestore_store, Restriction(created=TimeRange(None, DAY))) == ["old"]


def test_a_day_of_a_full_month_costs_what_the_day_holds(firestore_store: FirestoreStore) -> None:
    _crowd(firestore_store, created_at=DAY + timedelta(days=2))
    save(firestore_store, *(chunk(f"n{number}") for number in range(3)), vector=unit(1, 1, 0, 0))
    before = firestore_store.reads
    day = Restriction(created=TimeRange(DAY, DAY + timedelta(days=1)))
    assert _nearest(firestore_store, day, limit=30) == ["n0", "n1", "n2"]
    # 30 nearest of the month, a count, and the day's three.
    assert firestore_store.reads - before == Reads(documents=33, aggregations=1, vector_searches=1)


def test_the_first_chunks_of_a_new_index_version_are_found_by_it(firestore_store: FirestoreStore) -> None:
    _crowd(firestore_store, index_version="c0:hashing:4")
    save(firestore_store, *(chunk(f"n{number}") for number in range(3)), vector=unit(1, 1, 0, 0))
    before = firestore_store.reads
    assert _nearest(firestore_store, FREE, limit=30) == ["n0", "n1", "n2"]
    assert firestore_store.reads - before == Reads(documents=33, aggregations=1, vector_searches=1)


def test_postings_look_through_pages_for_a_rare_scope(firestore_store: FirestoreStore) -> None:
    _crowd(firestore_store)
    save(firestore_store, chunk("rare", tags=("blue",)))
    blue = Restriction(scopes=(frozenset({"t:blue"}),))
    found = firestore_store.postings(TENANT, "alpha", limit=3, stems=["beta"], restriction=blue)
    assert [(each.note_id, each.terms) for each in found] == [("rare", {"beta": 2})]


def test_times_beyond_what_postings_tell_are_still_told_apart(firestore_store: FirestoreStore) -> None:
    for year in (1200, 1500, 2026, 2400, 9000):
        save(firestore_store, chunk(f"y{year}", created_at=datetime(year, 6, 1, tzinfo=UTC)))
    for start, end, expected in ((1300, 2027, [2026, 1500]), (2300, 2500, [2400]), (2300, None, [9000, 2400])):
        until = None if end is None else datetime(end, 1, 1, tzinfo=UTC)
        restriction = Restriction(created=TimeRange(datetime(start, 1, 1, tzinfo=UTC), until))
        found = firestore_store.postings(TENANT, "alpha", limit=9, stems=[], restriction=restriction)
        assert [each.note_id for each in found] == [f"y{year}" for year in expected]


def test_filters_never_exceed_thirty_values() -> None:
    wide = frozenset(f"t:{number}" for number in range(31))
    few = frozenset(f"t:{number}" for number in range(6))
    year = TimeRange(datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC))
    five_months = TimeRange(datetime(2026, 1, 31, tzinfo=UTC), datetime(2026, 5, 2, tzinfo=UTC))
    assert by_month_and_scope(Restriction(scopes=(wide,))) == ()
    assert [each.field for each in by_month_and_scope(Restriction(scopes=(wide, few)))] == ["scopes"]
    assert [each.field for each in by_month_and_scope(Restriction(year, (few,)))] == ["scopes"]
    assert [each.field for each in by_month_and_scope(Restriction(five_months, (few,)))] == ["scopes", "month"]
    (months,) = by_month_and_scope(Restriction(five_months))
    assert months.value == ["2026-01", "2026-02", "2026-03", "2026-04", "2026-05"]
    assert by_month_and_scope(Restriction(TimeRange(year.start, None))) == ()
    assert by_month_and_scope(Restriction(replace(year, start=datetime(2020, 1, 1, tzinfo=UTC)))) == ()
    assert [each.field for each in by_time_and_scope(Restriction(year, (wide,)))] == ["createdAt", "createdAt"]


@pytest.mark.parametrize("end", [datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 6, 1, 0, 0, 1, tzinfo=UTC)])
def test_a_month_is_asked_for_only_if_the_range_reaches_into_it(end: datetime) -> None:
    (months,) = by_month_and_scope(Restriction(TimeRange(datetime(2026, 5, 8, tzinfo=UTC), end)))
    assert months.value == (["2026-05"] if end.second == 0 else ["2026-05", "2026-06"])


def test_the_reads_of_a_question_are_counted_as_they_are_billed(firestore_store: FirestoreStore) -> None:
    chunks: list[IndexedChunk] = [chunk(f"n{number}", path="") for number in range(40)]
    save(firestore_store, *chunks, vector=V)
    firestore_store.put_note(TENANT, note("n1"))
    free = {"limit": 30, "stems": ["alpha"], "restriction": FREE}

    def cost(call: object) -> Reads:
        before = firestore_store.reads
        assert callable(call)
        call()
        return firestore_store.reads - before

    store = firestore_store
    assert cost(lambda: store.nearest(TENANT, V, index_version=VERSION, **free)) == Reads(30, 0, 1)  # type: ignore[arg-type]
    assert cost(lambda: store.postings(TENANT, "alpha", **free)) == Reads(documents=30)  # type: ignore[arg-type]
    assert cost(lambda: store.recent(OTHER, **free)) == Reads(documents=1)  # type: ignore[arg-type]
    assert cost(lambda: store.stats(TENANT)) == Reads(documents=2, aggregations=1)
    assert cost(lambda: store.document_frequencies(TENANT, ["alpha", "none"])) == Reads(aggregations=2)
    assert cost(lambda: store.document_frequencies(TENANT, ["alpha", "none"])) == Reads()
    assert cost(lambda: store.live_records(TENANT, ["n1", "n2", "n2", "gone"])) == Reads(documents=6)
    assert Reads(3, 4, 5).total == 7
    assert [vector_reads(entries) for entries in (0, 1, 100, 101, 10_000)] == [0, 1, 1, 2, 100]


def test_figures_of_another_instance_are_seen_within_two_seconds_and_own_ones_at_once(
    firestore_store: FirestoreStore,
) -> None:
    other = FirestoreStore(firestore_store.project)
    save(firestore_store, chunk("n1"))
    assert other.stats(TENANT).chunk_count == 1
    assert other.document_frequencies(TENANT, ["alpha"]) == {"alpha": 1}
    save(firestore_store, chunk("n2"))
    assert firestore_store.document_frequencies(TENANT, ["alpha"]) == {"alpha": 2}
    other._corpus._known[TENANT].until = 0.0  # as after two seconds
    assert other.stats(TENANT) == firestore_store.stats(TENANT)
    assert other.document_frequencies(TENANT, ["alpha"]) == {"alpha": 2}


def test_many_threads_may_be_the_first_to_ask(firestore_store: FirestoreStore) -> None:
    save(firestore_store, chunk("n1"), vector=V)
    fresh = FirestoreStore(firestore_store.project)
    with ThreadPoolExecutor(16) as pool:
        asked = [pool.submit(fresh.document_frequencies, TENANT, ["alpha", "beta"]) for _ in range(32)]
        assert {tuple(each.result().items()) for each in asked} == {(("alpha", 1), ("beta", 1))}
