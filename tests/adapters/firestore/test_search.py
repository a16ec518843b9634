"""Searches whose restriction Firestore's filters cannot hold obey it all the same, at a bounded price."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bench.reads import CountedStore, Reads, vector_reads
from desktop.product.emulator import Emulator
from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.documents import folder_key
from shared.adapters.firestore.filters import (
    MAX_SEARCHES,
    VectorFilters,
    filters_by_time_and_scope,
    filters_for_vectors,
)
from shared.adapters.firestore.protocol import Where
from shared.model.index import ChunkPut, IndexChange, IndexedChunk, Vector
from shared.model.notes import Folder
from shared.model.questions import TimeRange
from shared.model.retrieval import Restriction
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
from tests.emulated import patient_store

V = unit(1, 0, 0, 0)
CROWD = 1005
"""More than one vector search can return."""


def _crowd(store: FirestoreStore, *, vector: Vector = V, **fields: object) -> None:
    """Chunks of one note, all nearer to V and newer than any other."""
    sample = replace(chunk("crowd", created_at=DAY + timedelta(days=300)), **fields)  # type: ignore[arg-type]
    puts = tuple(
        ChunkPut(replace(sample, chunk_id=f"crowd_{place:03d}", position=place), vector)
        for place in range(CROWD)
    )
    store.apply(TENANT, IndexChange("crowd", None, record(count=CROWD), put=puts))


def _nearest(store: FirestoreStore, restriction: Restriction, limit: int = 2) -> list[str]:
    neighbours = store.nearest(
        TENANT, V, limit=limit, stems=[], restriction=restriction, index_version=VERSION
    ).neighbours
    return [neighbour.chunk.note_id for neighbour in neighbours]


def _cost(store: CountedStore, restriction: Restriction, limit: int) -> tuple[list[str], Reads]:
    reads_before = store.reads
    return _nearest(store, restriction, limit=limit), store.reads - reads_before


def test_a_day_is_found_behind_a_thousand_nearer_chunks_of_its_month(
    firestore_store: CountedStore,
) -> None:
    _crowd(firestore_store, created_at=DAY + timedelta(days=2))
    save(firestore_store, *(chunk(f"n{number}") for number in range(3)), vector=unit(1, 1, 0, 0))
    day = Restriction(created=TimeRange(DAY, DAY + timedelta(days=1)))
    assert _cost(firestore_store, day, 30) == (
        ["n0", "n1", "n2"],
        Reads(documents=3, vector_searches=1),
    )


def test_a_scope_and_a_range_together_bring_nothing_forbidden_at_a_bounded_price(
    firestore_store: CountedStore,
) -> None:
    _crowd(firestore_store, created_at=DAY + timedelta(days=2))
    save(firestore_store, chunk("n1"), vector=unit(1, 1, 0, 0))
    both = Restriction(TimeRange(DAY, DAY + timedelta(days=1)), (frozenset({"t:red"}),))
    note_ids, cost = _cost(firestore_store, both, 30)
    assert set(note_ids) <= {"n1"}
    assert cost == Reads(documents=45, vector_searches=1)


def test_while_a_new_model_embeds_a_question_costs_no_more(firestore_store: CountedStore) -> None:
    _crowd(firestore_store, index_version="c1:other:4")
    save(firestore_store, chunk("current"), vector=unit(1, 1, 0, 0))
    assert _cost(firestore_store, FREE, 30) == ([], Reads(documents=30, vector_searches=1))


def test_postings_of_a_scope_are_looked_for_among_the_newest_of_the_stem(
    firestore_store: CountedStore,
) -> None:
    save(
        firestore_store,
        chunk("old", tags=("blue",)),
        *(chunk(f"n{n}", created_at=DAY + timedelta(1)) for n in range(5)),
    )
    blue = Restriction(scopes=(frozenset({"t:blue"}),))
    reads_before = firestore_store.reads
    assert firestore_store.postings(TENANT, "alpha", limit=5, stems=[], restriction=blue) == ()
    assert firestore_store.reads - reads_before == Reads(documents=5)
    (posting,) = firestore_store.postings(
        TENANT,
        "alpha",
        limit=6,
        stems=["beta"],
        restriction=blue,
    )
    assert posting.note_id == "old"
    assert posting.terms == {"beta": 2}


def test_times_beyond_what_postings_tell_are_still_told_apart(
    firestore_store: FirestoreStore,
) -> None:
    for year in (1200, 1500, 2026, 2400, 9000):
        save(firestore_store, chunk(f"y{year}", created_at=datetime(year, 6, 1, tzinfo=UTC)))
    for start, end, expected in (
        (1300, 2027, [2026, 1500]),
        (2300, 2500, [2400]),
        (2300, None, [9000, 2400]),
    ):
        until = None if end is None else datetime(end, 1, 1, tzinfo=UTC)
        restriction = Restriction(created=TimeRange(datetime(start, 1, 1, tzinfo=UTC), until))
        postings = firestore_store.postings(
            TENANT, "alpha", limit=9, stems=[], restriction=restriction
        )
        assert [posting.note_id for posting in postings] == [f"y{year}" for year in expected]


YEAR = TimeRange(datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC))
FEW = [Folder("v", f"f{number}") for number in range(20)]


def _fields(filters: VectorFilters) -> list[list[str]]:
    return [[condition.field for condition in where] for where in filters.searches]


def _only(filters: VectorFilters) -> tuple[Where, ...]:
    (search,) = filters.searches
    return search


def _in(*tokens: str) -> Restriction:
    return Restriction(scopes=(frozenset(tokens),))


def test_places_are_named_one_by_one_with_their_months() -> None:
    single_search = filters_for_vectors(_in("f:v/f3"), FEW)
    assert single_search == VectorFilters(
        ((Where("place", "in", [folder_key(FEW[3])]),),), exact=True
    )
    within = filters_for_vectors(Restriction(YEAR, (frozenset({"f:v/f3"}),)), FEW)
    assert _fields(within) == [["place", "month"]]
    assert not within.exact
    assert filters_for_vectors(_in("f:v/gone"), FEW).searches == ()
    assert filters_for_vectors(_in("v:v"), FEW) == VectorFilters(((),), exact=True)


def test_more_places_than_a_filter_holds_are_shared_by_searches() -> None:
    four_searches = [Folder("v", f"top/f{number}") for number in range(100)]
    other_folder = Folder("v", "other")
    filters = filters_for_vectors(_in("f:v/top"), [*four_searches, other_folder])
    assert _fields(filters) == [["place"]] * 4
    named = [key for (where,) in filters.searches for key in where.value]  # type: ignore[attr-defined]
    assert sorted(named) == sorted(map(folder_key, four_searches))
    too_many = [Folder("v", f"top/f{number}") for number in range(30 * MAX_SEARCHES + 1)]
    assert filters_for_vectors(_in("f:v/top"), [*too_many, other_folder]) == VectorFilters(
        ((),), exact=False
    )
    year = Restriction(YEAR, (frozenset({"f:v/top"}),))
    assert _fields(filters_for_vectors(year, [*four_searches, other_folder])) == [["place"]] * 4
    assert _fields(filters_for_vectors(year, [*too_many, other_folder])) == [["month"]]


def test_a_range_may_reach_to_the_last_day_that_there_is() -> None:
    last_days = TimeRange(datetime(9999, 12, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, tzinfo=UTC))
    (condition,) = _only(filters_for_vectors(Restriction(last_days), ()))
    assert condition.value == ["9999-12"]


def test_filters_never_exceed_thirty_values() -> None:
    wide = frozenset(f"t:{number}" for number in range(31))
    few = frozenset(f"t:{number}" for number in range(6))
    five_months = TimeRange(datetime(2026, 1, 31, tzinfo=UTC), datetime(2026, 5, 2, tzinfo=UTC))
    assert filters_for_vectors(Restriction(scopes=(wide,)), ()) == VectorFilters(((),), exact=False)
    assert filters_for_vectors(Restriction(scopes=(few,)), ()).exact
    assert not filters_for_vectors(Restriction(scopes=(wide, few)), ()).exact
    assert _fields(filters_for_vectors(Restriction(scopes=(wide, few)), ())) == [["tags"]]
    assert _fields(filters_for_vectors(Restriction(YEAR, (few,)), ())) == [["tags"]]
    (months,) = _only(filters_for_vectors(Restriction(five_months), ()))
    assert months.value == ["2026-01", "2026-02", "2026-03", "2026-04", "2026-05"]
    assert _only(filters_for_vectors(Restriction(TimeRange(YEAR.start, None)), ())) == ()
    assert (
        _only(
            filters_for_vectors(
                Restriction(replace(YEAR, start=datetime(2020, 1, 1, tzinfo=UTC))), ()
            )
        )
        == ()
    )
    assert [
        condition.field for condition in filters_by_time_and_scope(Restriction(YEAR, (wide,)))[0]
    ] == [
        "createdAt",
        "createdAt",
    ]


@pytest.mark.parametrize(
    "end",
    [
        datetime(2026, 6, 1, tzinfo=UTC),
        datetime(2026, 6, 1, 0, 0, 1, tzinfo=UTC),
    ],
)
def test_a_month_is_asked_for_only_if_the_range_reaches_into_it(end: datetime) -> None:
    (months,) = _only(
        filters_for_vectors(Restriction(TimeRange(datetime(2026, 4, 8, tzinfo=UTC), end)), ())
    )
    assert months.value == ["2026-04", "2026-05", *([] if end.second == 0 else ["2026-06"])]


def test_a_range_of_thirty_days_is_asked_for_by_day() -> None:
    start = datetime(2026, 5, 8, 22, tzinfo=UTC)
    (days,) = _only(
        filters_for_vectors(Restriction(TimeRange(start, start + timedelta(days=7))), ())
    )
    assert days.value == [f"2026-05-{day:02}" for day in range(8, 16)]
    (day,) = _only(
        filters_for_vectors(Restriction(TimeRange(start, start + timedelta(hours=2))), ())
    )
    assert day.value == ["2026-05-08"]
    (month,) = _only(
        filters_for_vectors(Restriction(TimeRange(start, start + timedelta(days=30))), ())
    )
    assert month.field == "month"


FOLDERS = 70
MAY = TimeRange(datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC))
Crowded = tuple[FirestoreStore, list[tuple[IndexedChunk, Vector]]]


@pytest.fixture(scope="module")
def crowded(emulator: Emulator, firestore_host: str) -> Iterator[Crowded]:
    """Two chunks in each of 70 folders of one, 20 in another beside it, over three months, each with its own vector."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIRESTORE_EMULATOR_HOST", firestore_host)
        store, dice = patient_store("demo-crowded"), random.Random(3)  # noqa: S311 - reproducible
        saved = []
        for number in range(2 * FOLDERS + 20):
            folder = f"top/f{number % FOLDERS}" if number < 2 * FOLDERS else "other"
            tags = tuple(
                tag
                for tag, step in (
                    ("odd", 2),
                    ("third", 3),
                )
                if number % step == 0
            )
            when = DAY + timedelta(hours=number * 13)
            sample = chunk(
                f"n{number}",
                created_at=when,
                path=f"{folder}/x.md",
                tags=tags,
            )
            vector = unit(*(dice.uniform(-1, 1) for _ in range(4)))
            saved.append((sample, vector))
            save(store, sample, vector=vector)
        yield store, saved
        emulator.reset(store.project)


@pytest.mark.parametrize(
    "restriction",
    [
        _in("f:default/top/f7"), _in("f:default/top"), _in("t:odd"), _in("t:odd", "t:third"), _in("v:default"),
        Restriction(MAY), Restriction(MAY, (frozenset({"f:default/top/f7", "f:default/other"}),)),
        Restriction(MAY, (frozenset({"f:default/top"}),)),
    ],
    ids=["folder", "folders", "tag", "tags", "vault", "month", "folder-in-month", "folders-in-month"],
)  # fmt: skip
@pytest.mark.parametrize("limit", [5, 60])
def test_vector_searches_are_exact_within_a_folder_a_tag_a_month(
    crowded: Crowded, restriction: Restriction, limit: int
) -> None:
    store, chunks = crowded
    neighbours = store.nearest(
        TENANT, V, limit=limit, stems=[], restriction=restriction, index_version=VERSION
    ).neighbours
    allowed = [
        (vector[0], saved_chunk.chunk_id)
        for saved_chunk, vector in chunks
        if restriction.allows(saved_chunk)
    ]
    expected = [
        chunk_id for _, chunk_id in sorted(allowed, key=lambda pair: (-pair[0], pair[1]))[:limit]
    ]
    assert [neighbour.chunk.chunk_id for neighbour in neighbours] == expected


def test_the_reads_of_a_question_are_counted_as_they_are_billed(
    firestore_store: CountedStore,
) -> None:
    chunks: list[IndexedChunk] = [chunk(f"n{number}", path="") for number in range(40)]
    save(firestore_store, *chunks, vector=V)
    firestore_store.put_note(TENANT, note("n1"))
    free = {"limit": 30, "stems": ["alpha"], "restriction": FREE}

    def cost(call: object) -> Reads:
        reads_before = firestore_store.reads
        assert callable(call)
        call()
        return firestore_store.reads - reads_before

    store = firestore_store
    assert cost(lambda: store.nearest(TENANT, V, index_version=VERSION, **free)) == Reads(30, 0, 1)  # type: ignore[arg-type]
    assert cost(lambda: store.postings(TENANT, "alpha", **free)) == Reads(documents=30)  # type: ignore[arg-type]
    assert cost(lambda: store.recent(OTHER, **free)) == Reads(documents=1)  # type: ignore[arg-type]
    assert cost(lambda: store.stats(TENANT)) == Reads(documents=2, aggregations=1)
    assert cost(lambda: store.document_frequencies(TENANT, ["alpha", "none"])) == Reads(
        aggregations=2
    )
    assert cost(lambda: store.document_frequencies(TENANT, ["alpha", "none"])) == Reads()
    assert cost(lambda: store.live_records(TENANT, ["n1", "n2", "n2", "gone"])) == Reads(
        documents=6
    )
    assert Reads(3, 4, 5).total == 7
    assert [vector_reads(entries) for entries in (0, 1, 100, 101, 10_000)] == [0, 1, 1, 2, 100]


def test_figures_of_another_instance_are_seen_within_two_seconds_and_own_ones_at_once(
    firestore_store: FirestoreStore,
) -> None:
    second_instance = patient_store(firestore_store.project)
    save(firestore_store, chunk("n1"))
    assert second_instance.stats(TENANT).chunk_count == 1
    assert second_instance.document_frequencies(TENANT, ["alpha"]) == {"alpha": 1}
    save(firestore_store, chunk("n2"))
    assert firestore_store.document_frequencies(TENANT, ["alpha"]) == {"alpha": 2}
    second_instance._cache[TENANT].until = 0.0  # as after two seconds
    assert second_instance.stats(TENANT) == firestore_store.stats(TENANT)
    assert second_instance.document_frequencies(TENANT, ["alpha"]) == {"alpha": 2}


def test_many_threads_may_be_the_first_to_ask(firestore_store: FirestoreStore) -> None:
    save(firestore_store, chunk("n1"), vector=V)
    fresh = patient_store(firestore_store.project)
    with ThreadPoolExecutor(16) as pool:
        futures = [
            pool.submit(fresh.document_frequencies, TENANT, ["alpha", "beta"]) for _ in range(32)
        ]
        assert {tuple(future.result().items()) for future in futures} == {
            (
                ("alpha", 1),
                ("beta", 1),
            )
        }
