"""Promises of `SearchStore`: three legs under strict restrictions, corpus figures, live records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import product
from math import cos, sin

import pytest

from shared.model.index import ChunkPut, IndexChange, Vector, folder_token, tag_token, vault_token
from shared.model.questions import TimeRange
from shared.model.retrieval import Restriction
from shared.ports.stores import Store
from tests.contracts.samples import (
    DAY,
    FREE,
    OTHER,
    TENANT,
    VERSION,
    chunk,
    ids,
    note,
    record,
    save,
    save_vectors,
    unit,
)

V = unit(1, 0, 0, 0)
HOUR = timedelta(hours=1)
EARLIER = "c1:earlier:4"
ODD_STEMS = (
    "v1.2.3",
    "err_conn_42",
    "a@b.c",
    "it's",
    '"q"',
    "`x`",
    "日本",
    "AND",
    "*",
    "a b",
    "c++",
    "\\",
    "é",
    "e",
)
Leg = Callable[[Store, Restriction], list[str]]


def _nearest(
    store: Store, restriction: Restriction = FREE, *, limit: int = 50, vector: Vector = V
) -> list[str]:
    neighbours = store.nearest(
        TENANT, vector, limit=limit, stems=[], restriction=restriction, index_version=VERSION
    ).neighbours
    return [neighbour.chunk.chunk_id for neighbour in neighbours]


def _postings(store: Store, restriction: Restriction = FREE, *, limit: int = 50) -> list[str]:
    return ids(
        store.postings(
            TENANT,
            "alpha",
            limit=limit,
            stems=[],
            restriction=restriction,
        )
    )


def _recent(store: Store, restriction: Restriction = FREE, *, limit: int = 50) -> list[str]:
    return ids(
        store.recent(
            TENANT,
            limit=limit,
            stems=[],
            restriction=restriction,
        )
    )


every_leg = pytest.mark.parametrize("leg", [_nearest, _postings, _recent])


class _RestrictionContract:
    """Rules that every leg must obey."""

    @every_leg
    @pytest.mark.parametrize(
        ("start", "end", "expected"),
        [
            (None, None, [0, 1, 2, 3]),
            (1, 3, [1, 2]),
            (1, None, [1, 2, 3]),
            (None, 2, [0, 1]),
            (2, 2, []),
            (8, 9, []),
        ],
    )
    def test_created_ranges_are_half_open(
        self, store: Store, leg: Leg, start: int | None, end: int | None, expected: list[int]
    ) -> None:
        save(
            store, *(chunk(f"n{hour}", created_at=DAY + hour * HOUR) for hour in range(4)), vector=V
        )
        bounds = [None if hour is None else DAY + hour * HOUR for hour in (start, end)]
        note_ids = leg(store, Restriction(created=TimeRange(*bounds)))
        assert sorted(note_ids) == [f"n{hour}_000" for hour in expected]

    @every_leg
    def test_bounds_count_in_microseconds(self, store: Store, leg: Leg) -> None:
        tick = timedelta(microseconds=1)
        save(
            store,
            *(chunk(f"n{number}", created_at=DAY + number * tick) for number in range(3)),
            vector=V,
        )
        assert leg(store, Restriction(created=TimeRange(DAY + tick, DAY + 2 * tick))) == ["n1_000"]

    @every_leg
    def test_a_range_may_span_years(self, store: Store, leg: Leg) -> None:
        years = (1969, 2019, 2021, 2024, 2026)
        save(
            store,
            *(chunk(f"n{year}", created_at=datetime(year, 3, 1, tzinfo=UTC)) for year in years),
            vector=V,
        )
        span = TimeRange(datetime(2020, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC))
        assert sorted(leg(store, Restriction(created=span))) == ["n2021_000", "n2024_000"]

    @every_leg
    @pytest.mark.parametrize(
        ("groups", "expected"),
        [
            ([{vault_token("home")}], ["n1", "n2"]),
            ([{folder_token("home", "a")}], ["n1"]),
            ([{folder_token("home", "a"), folder_token("work", "a")}], ["n1", "n3"]),
            ([{vault_token("home"), vault_token("work")}, {tag_token("red")}], ["n1", "n3"]),
            (
                [
                    {vault_token("home")},
                    {tag_token("red"), tag_token("blue")},
                    {folder_token("home", "b")},
                ],
                ["n2"],
            ),
            ([{vault_token("home")}, {folder_token("work", "a")}], []),
            ([{tag_token("nowhere")}], []),
            ([set()], []),
        ],
    )
    def test_scopes_are_an_and_of_ors(
        self, store: Store, leg: Leg, groups: list[set[str]], expected: list[str]
    ) -> None:
        save(
            store,
            chunk("n1", vault="home", path="a/b/x.md", tags=("red",)),
            chunk(
                "n2",
                vault="home",
                path="b/x.md",
                tags=("blue", "deep blue"),
            ),
            chunk(
                "n3",
                vault="work",
                path="a/x.md",
                tags=("red", "blue"),
            ),
            chunk("n4", vault="work", path="", tags=()),
            vector=V,
        )
        restriction = Restriction(scopes=tuple(map(frozenset, groups)))
        assert sorted(leg(store, restriction)) == [f"{note_id}_000" for note_id in expected]

    @every_leg
    def test_range_and_scopes_hold_together(self, store: Store, leg: Leg) -> None:
        for hour in range(3):
            created_at = DAY + hour * HOUR
            save(store, chunk(f"r{hour}", created_at=created_at, tags=("red",)), vector=V)
            save(store, chunk(f"b{hour}", created_at=created_at, tags=("blue",)), vector=V)
        restriction = Restriction(TimeRange(DAY + HOUR, None), (frozenset({tag_token("blue")}),))
        assert sorted(leg(store, restriction)) == ["b1_000", "b2_000"]

    @every_leg
    def test_a_restriction_never_shortens_what_the_limit_allows(
        self, store: Store, leg: Leg
    ) -> None:
        save(
            store,
            *(
                chunk(f"a{number:02d}", tags=("red",), created_at=DAY + HOUR)
                for number in range(12)
            ),
            vector=V,
        )
        save(
            store,
            *(chunk(f"b{number}", tags=("blue",)) for number in range(3)),
            vector=unit(1, 9, 0, 0),
        )
        limited: dict[Leg, Leg] = {
            _nearest: lambda store, restriction: _nearest(store, restriction, limit=3),
            # A store may look for a scope only among the newest `limit` that contain the stem.
            _postings: lambda store, restriction: _postings(store, restriction, limit=15),
            _recent: lambda store, restriction: _recent(store, restriction, limit=3),
        }
        note_ids = limited[leg](store, Restriction(scopes=(frozenset({tag_token("blue")}),)))
        assert sorted(note_ids) == ["b0_000", "b1_000", "b2_000"]

    @every_leg
    def test_no_leg_reaches_another_tenant(self, store: Store, leg: Leg) -> None:
        save(store, chunk("n1"), vector=V, tenant=OTHER)
        assert leg(store, FREE) == []
        save(store, chunk("n2"), vector=V)
        assert leg(store, FREE) == ["n2_000"]

    @every_leg
    def test_a_removed_chunk_is_found_no_more(self, store: Store, leg: Leg) -> None:
        save(store, chunk("n1"), chunk("n1", 1), vector=V)
        token = store.read_record(TENANT, "n1").token
        store.apply(TENANT, IndexChange("n1", token, record(), remove=("n1_000",)))
        assert leg(store, FREE) == ["n1_001"]

    @every_leg
    def test_equals_come_by_chunk_id(self, store: Store, leg: Leg) -> None:
        for note_id in ("n2", "n3", "n1"):
            save(store, *(chunk(note_id, position) for position in (1, 0)), vector=V)
        assert leg(store, FREE) == [
            f"{note_id}_00{position}" for note_id in ("n1", "n2", "n3") for position in (0, 1)
        ]


class _NearestContract:
    """The vector leg."""

    def test_what_a_search_for_the_nearest_leaves_out_is_no_nearer_than_it_says(
        self, store: Store
    ) -> None:
        """A store may bring fewer than asked for; then the ceiling says that there are more."""
        passages = []
        cosines = {}
        for number in range(32):
            tag = "rare" if number % 8 == 0 else "common"
            passage = chunk(f"n{number:02d}", vault=f"v{number // 16}", tags=(tag,))
            angle = number / 32
            save(store, passage, vector=unit(cos(angle), sin(angle), 0, 0))
            passages.append(passage)
            cosines[passage.chunk_id] = cos(angle)

        in_both = (tag_token("common"), folder_token("v1", "work"))
        for groups, limit in product(((), in_both[:1], in_both[1:], in_both), (1, 3, 60)):
            restriction = Restriction(scopes=tuple(frozenset({group}) for group in groups))
            allowed = [
                passage.chunk_id for passage in passages if set(groups) <= set(passage.scopes)
            ]
            matches = store.nearest(
                TENANT,
                V,
                limit=limit,
                stems=[],
                restriction=restriction,
                index_version=VERSION,
            )
            brought = [neighbour.chunk.chunk_id for neighbour in matches.neighbours]
            assert brought == allowed[: len(brought)]
            assert len(brought) <= limit
            left_out = allowed[len(brought) :]
            if matches.ceiling is None:
                assert left_out == []
            else:
                assert all(cosines[left] <= matches.ceiling + 1e-6 for left in left_out)

    def test_vectors_that_the_reply_of_one_of_two_searches_had_no_place_for_are_no_nearer_than_it_says(
        self, store: Store
    ) -> None:
        """While the model changes, chunks of another version fill the reply of the search for own vectors."""

        def at(angle: float) -> Vector:
            return unit(cos(angle), sin(angle), 0, 0)

        earlier = partial(chunk, tags=("red",), index_version=EARLIER)
        for number in range(3):
            save(store, earlier(f"near{number}"), vector=at(0.1 + number / 100))
        for number in range(20):
            re_embedded = ChunkPut(
                chunk(f"both{number:02d}", tags=("red",)),
                at(0.2 + number / 1000),
                second_vector=(EARLIER, at(0.8 + number / 100)),
            )
            change = IndexChange(f"both{number:02d}", None, record(), put=(re_embedded,))
            store.apply(TENANT, change)
        save(store, earlier("behind"), vector=at(0.4))

        matches = store.nearest(
            TENANT,
            V,
            limit=3,
            stems=[],
            restriction=Restriction(
                TimeRange(DAY - HOUR, DAY + HOUR), (frozenset({tag_token("red")}),)
            ),
            index_version=EARLIER,
            second_vectors=True,
        )
        brought = [neighbour.chunk.note_id for neighbour in matches.neighbours]
        assert brought == ["near0", "near1", "near2"]
        assert matches.ceiling is not None
        assert matches.ceiling >= cos(0.4) - 1e-6

    def test_nearest_come_best_first_with_their_cosine(self, store: Store) -> None:
        save_vectors(
            store,
            {
                "far": unit(0, 1, 0, 0),
                "near": unit(3, 4, 0, 0),
                "same": V,
                "opposite": unit(-1, 0, 0, 0),
            },
        )
        neighbours = store.nearest(
            TENANT,
            V,
            limit=9,
            stems=[],
            restriction=FREE,
            index_version=VERSION,
        ).neighbours
        assert [neighbour.chunk.note_id for neighbour in neighbours] == [
            "same",
            "near",
            "far",
            "opposite",
        ]
        assert [neighbour.cosine for neighbour in neighbours] == pytest.approx(
            [1.0, 0.6, 0.0, -1.0], abs=1e-5
        )
        assert all(-1.0 <= neighbour.cosine <= 1.0 for neighbour in neighbours)

    def test_the_limit_keeps_the_best(self, store: Store) -> None:
        save_vectors(store, {f"n{number}": unit(number, 1, 0, 0) for number in range(6)})
        assert _nearest(store, limit=2) == ["n5_000", "n4_000"]

    def test_vectors_of_the_same_model_and_dimension_alone_are_found_whatever_chunker_cut_their_texts(
        self, store: Store
    ) -> None:
        save(store, chunk("none"))
        save(store, chunk("wide", index_version="c1:hashing:6"), vector=unit(1, 0, 0, 0, 0, 0))
        assert _nearest(store) == []
        save(store, chunk("other", index_version="c1:other:4"), chunk("new"), vector=V)
        save(store, chunk("old", index_version="c0:hashing:4"), vector=V)
        assert _nearest(store) == ["new_000", "old_000"]

    def test_a_vector_that_is_kept_beside_another_is_found_by_its_own_version(
        self, store: Store
    ) -> None:
        save(store, chunk("old", index_version=EARLIER), vector=V)
        re_embedded = ChunkPut(
            chunk("both"), unit(0, 0, 0, 1), second_vector=(EARLIER, unit(1, 1, 0, 0))
        )
        first = store.apply(TENANT, IndexChange("both", None, record(), put=(re_embedded,)))
        assert _nearest(store) == ["both_000"]

        def earlier() -> list[str]:
            search = partial(
                store.nearest, TENANT, V, limit=9, stems=[], restriction=FREE, second_vectors=True
            )
            matches = search(index_version=EARLIER)
            return [neighbour.chunk.chunk_id for neighbour in matches.neighbours]

        assert earlier() == ["old_000", "both_000"]
        second = store.apply(
            TENANT, IndexChange("both", first, record(), vectors=(("both_000", V),))
        )
        assert earlier() == ["old_000", "both_000"]  # its own vector is another's business
        moved = chunk("both", created_at=DAY - timedelta(days=9))
        third = store.apply(TENANT, IndexChange("both", second, record(), patch=(moved,)))
        assert earlier() == ["old_000", "both_000"]
        store.apply(TENANT, IndexChange("both", third, record(), remove=("both_000",)))
        assert earlier() == ["old_000"]

    def test_a_patch_into_another_index_version_moves_the_chunk_there(self, store: Store) -> None:
        save(store, chunk("n1", index_version="c0:hashing:4"), vector=V)
        token = store.read_record(TENANT, "n1").token
        store.apply(TENANT, IndexChange("n1", token, record(), patch=(chunk("n1"),)))
        assert _nearest(store) == ["n1_000"]

    def test_a_new_vector_is_what_counts(self, store: Store) -> None:
        save_vectors(store, {"n1": V, "n2": unit(1, 1, 0, 0)})
        token = store.read_record(TENANT, "n1").token
        store.apply(
            TENANT, IndexChange("n1", token, record(), vectors=(("n1_000", unit(0, 0, 1, 0)),))
        )
        assert _nearest(store) == ["n2_000", "n1_000"]


class _KeywordContract:
    """Postings, recency, corpus figures."""

    def test_postings_are_complete_up_to_the_limit_and_beyond_it_the_newest(
        self, store: Store
    ) -> None:
        save(store, *(chunk(f"n{number}", created_at=DAY + number * HOUR) for number in range(4)))
        save(store, chunk("other", terms={"gamma": 1}))
        assert sorted(_postings(store, limit=4)) == ["n0_000", "n1_000", "n2_000", "n3_000"]
        assert sorted(_postings(store, limit=2)) == ["n2_000", "n3_000"]

    def test_recent_come_newest_first(self, store: Store) -> None:
        save(
            store,
            *(chunk(f"n{number}", created_at=DAY + (number * 7 % 5) * HOUR) for number in range(5)),
        )
        assert _recent(store) == ["n2_000", "n4_000", "n1_000", "n3_000", "n0_000"]
        assert _recent(store, limit=2) == ["n2_000", "n4_000"]

    @pytest.mark.parametrize("stem", ODD_STEMS)
    def test_a_stem_is_one_token_whatever_it_contains(self, store: Store, stem: str) -> None:
        odd = chunk("n1", terms={stem: place + 1 for place, stem in enumerate(ODD_STEMS)})
        plain = chunk(
            "n2",
            terms={
                "b": 1,
                "q": 1,
                "conn": 1,
                "v1": 1,
                "and": 1,
                "x": 1,
            },
        )
        save(store, odd, plain)
        postings = store.postings(
            TENANT,
            stem,
            limit=9,
            stems=[stem],
            restriction=FREE,
        )
        assert postings == (replace(odd, terms={stem: ODD_STEMS.index(stem) + 1}),)
        assert store.document_frequencies(TENANT, [stem]) == {stem: 1}

    def test_every_leg_returns_whole_chunks_with_only_the_terms_asked_for(
        self, store: Store
    ) -> None:
        full_chunk = chunk(
            "n1",
            7,
            text="Ä 😀 text\n",
            vault="Wörk",
            path="a b/ü.md",
            tags=("x", "a"),
        )
        save(store, full_chunk, vector=V)
        expected_chunk = replace(full_chunk, terms={"beta": 2})
        stems = ["beta", "missing"]
        (near,) = store.nearest(
            TENANT, V, limit=1, stems=stems, restriction=FREE, index_version=VERSION
        ).neighbours
        assert near.chunk == expected_chunk
        assert store.postings(TENANT, "alpha", limit=1, stems=stems, restriction=FREE) == (
            expected_chunk,
        )
        assert store.recent(TENANT, limit=1, stems=stems, restriction=FREE) == (expected_chunk,)
        assert store.recent(TENANT, limit=1, stems=[], restriction=FREE) == (
            replace(full_chunk, terms={}),
        )

    def test_document_frequencies_count_chunks_not_occurrences(self, store: Store) -> None:
        save(
            store,
            chunk("n1", terms={"a": 5, "b": 1}),
            chunk("n1", 1, terms={"a": 1}),
            chunk("n2", terms={"b": 2}),
        )
        save(store, chunk("n1", terms={"a": 1}), tenant=OTHER)
        assert store.document_frequencies(TENANT, ["a", "b", "none"]) == {
            "a": 2,
            "b": 2,
            "none": 0,
        }
        assert store.document_frequencies(TENANT, []) == {}

    def test_replaced_terms_are_no_longer_found(self, store: Store) -> None:
        save(store, chunk("n1"))
        save(store, chunk("n1", terms={"gamma": 1}))
        assert _postings(store) == []
        assert store.document_frequencies(TENANT, ["alpha", "gamma"]) == {"alpha": 0, "gamma": 1}

    def test_stats_count_and_average(self, store: Store) -> None:
        empty = store.stats(TENANT)
        assert empty.chunk_count == 0
        assert empty.average_length == 0.0
        save(store, chunk("n1", terms={"a": 4}), chunk("n2", terms={"a": 1, "b": 2}))
        save(store, chunk("n3", terms={"a": 99}), tenant=OTHER)
        stats = store.stats(TENANT)
        assert stats.chunk_count == 2
        assert stats.average_length == pytest.approx(3.5)

    def test_the_revision_moves_with_every_change_of_a_chunk_and_only_then(
        self, store: Store
    ) -> None:
        revisions = [store.stats(TENANT).revision]
        token: str | None = None
        save(store, chunk("n1"), chunk("n1", 1))
        revisions.append(store.stats(TENANT).revision)
        for change in (
            IndexChange("n1", token, record(), patch=(chunk("n1", note_revision="r2"),)),
            IndexChange("n1", token, record(), vectors=(("n1_001", V),)),
            IndexChange("n1", token, record(), remove=("n1_001",)),
            IndexChange("n1", token, None, remove=("n1_000",)),
        ):
            token = store.read_record(TENANT, "n1").token
            store.apply(TENANT, replace(change, expected=token))
            revisions.append(store.stats(TENANT).revision)
            assert store.stats(TENANT).revision == revisions[-1]
        assert len(set(revisions)) == len(revisions)


class _LiveContract:
    """live_records decides what may be cited."""

    def test_live_records_are_those_of_notes_that_exist(self, store: Store) -> None:
        for note_id in ("live", "unindexed"):
            store.put_note(TENANT, note(note_id))
        for note_id in ("live", "deleted"):
            save(store, chunk(note_id))
        store.put_note(OTHER, note("deleted"))
        requested_ids = [
            "live",
            "deleted",
            "unindexed",
            *(f"nothing-{number}" for number in range(40)),
        ]
        assert store.live_records(TENANT, requested_ids) == {"live": record()}
        assert store.live_records(TENANT, []) == {}

    def test_a_note_stops_being_live_when_it_is_deleted(self, store: Store) -> None:
        store.put_note(TENANT, note("n1"))
        save(store, chunk("n1"))
        assert set(store.live_records(TENANT, ["n1"])) == {"n1"}
        store.delete_note(TENANT, "n1")
        assert store.live_records(TENANT, ["n1"]) == {}


class _NoteChunksContract:
    """Chunks of a note that an explanation reads."""

    def test_a_notes_chunks_come_whole_by_position_with_the_terms_asked_for(
        self, store: Store
    ) -> None:
        save(store, chunk("n1", 1, note_revision="r2"), chunk("n1", 0), vector=V)
        save(store, chunk("n2"))
        save(store, chunk("n1", 5), tenant=OTHER)
        first = chunk("n1", 0, terms={"beta": 2})
        second = chunk("n1", 1, terms={"beta": 2}, note_revision="r2")
        chunks = store.note_chunks(TENANT, "n1", stems=["beta", "missing"])
        assert chunks == (
            replace(first, length=3),
            replace(second, length=3),
        )
        assert store.note_chunks(TENANT, "n9", stems=["beta"]) == ()

    def test_chunks_are_read_by_their_ids(self, store: Store) -> None:
        save(store, *[chunk("n1", position) for position in range(3)])
        save(store, chunk("n1", 5), tenant=OTHER)
        ids = [chunk("n1", position).chunk_id for position in (2, 0, 5)]
        read = store.read_chunks(TENANT, [*ids, "n9_000"], stems=["beta"])
        assert {found.position: found.terms for found in read} == {
            position: {"beta": 2} for position in (0, 2)
        }
        assert store.read_chunks(TENANT, [], stems=["beta"]) == ()


class SearchContract(
    _RestrictionContract, _NearestContract, _KeywordContract, _LiveContract, _NoteChunksContract
):
    """All of `SearchStore`."""
