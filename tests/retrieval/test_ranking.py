"""Live passages best first, and no more reads than they need."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from shared.model.index import Vector
from shared.model.retrieval import Candidate, Scored
from shared.ports.freshness import Freshness, NoteRevision, compare
from shared.retrieval.candidates import Pool
from shared.retrieval.options import BILLED_VECTORS
from shared.retrieval.scores import rank
from shared.retrieval.selection import best_first
from tests.retrieval.pools import Drawn, pools
from tests.retrieval.samples import OPTIONS, candidate, formula_of, pool_of


class _Index:
    """Vectors and revisions in memory; keeps what was read."""

    def __init__(
        self,
        vectors: Mapping[str, Vector] | None = None,
        revisions: Mapping[str, str] | None = None,
    ) -> None:
        self._vectors = vectors or {}
        self._revisions = revisions
        self.vectors_read: list[str] = []
        self.records_read: list[str] = []

    def vectors(self, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        self.vectors_read.extend(chunk_ids)
        return {
            chunk_id: self._vectors[chunk_id] for chunk_id in chunk_ids if chunk_id in self._vectors
        }

    def current(self, revisions: Collection[NoteRevision]) -> Mapping[NoteRevision, Freshness]:
        self.records_read.extend(sorted(note_id for note_id, _ in revisions))
        states = {}
        for note_id, revision in revisions:
            current_revision: str | None = "r1"
            if self._revisions is not None:
                current_revision = self._revisions.get(note_id)
            states[note_id, revision] = compare(revision, current_revision)
        return states


def _ladder(count: int) -> list[Candidate]:
    """Candidates n00, n01, … from the best to the worst."""
    return [
        candidate(f"n{place:02d}", 0.9 - place / 100, vector_rank=place + 1)
        for place in range(count)
    ]


def _ranked(
    pool: Pool, index: _Index, *, head: int = 4, take: int | None = None, threshold: float = 0.0
) -> list[str]:
    passages = best_first(pool, formula_of(pool), index, threshold=threshold, head=head)
    ranking: list[Scored] = list(islice(passages, take))
    return [passage.chunk.note_id for passage in ranking]


def test_all_come_in_order_and_each_record_is_read_once() -> None:
    index = _Index()
    assert _ranked(pool_of(_ladder(20)), index) == [f"n{place:02d}" for place in range(20)]
    assert sorted(index.records_read) == [f"n{place:02d}" for place in range(20)]


def test_no_record_beyond_the_head_is_read_before_it_is_needed() -> None:
    index = _Index()
    assert len(_ranked(pool_of(_ladder(20)), index, head=4, take=4)) == 4
    assert index.records_read == ["n00", "n01", "n02", "n03"]


def test_deleted_and_rewritten_notes_are_passed_over_and_the_next_ones_follow() -> None:
    live = {f"n{place:02d}": "r1" for place in range(20)} | {"n01": "r2"}
    del live["n00"]
    index = _Index(revisions=live)
    assert _ranked(pool_of(_ladder(20)), index, head=4, take=4) == ["n02", "n03", "n04", "n05"]
    assert len(index.records_read) == 6


def test_a_vector_the_leg_did_not_bring_is_read_and_counts() -> None:
    pool = pool_of(
        [*_ladder(6), candidate("word", terms={"api": 1})],
        unread=["word_000"],
        ceiling=0.8,
        frequencies={"api": 1},
    )
    index = _Index({"word_000": array("f", [0.75])})
    assert _ranked(pool, index, take=1) == ["word"]
    assert index.vectors_read == ["word_000"]


def test_a_vector_that_cannot_come_into_the_head_is_read_only_when_more_is_taken() -> None:
    pool = pool_of([*_ladder(6), candidate("late", age=400)], unread=["late_000"], ceiling=0.8)
    index = _Index({"late_000": array("f", [0.3])})
    assert len(_ranked(pool, index, take=4)) == 4
    assert index.vectors_read == []
    assert _ranked(pool, index)[-1] == "late"
    assert index.vectors_read == ["late_000"]


def test_under_a_threshold_no_vector_is_read_that_cannot_pass_it() -> None:
    pool = pool_of(
        [*_ladder(2), candidate("a"), candidate("b")], unread=["a_000", "b_000"], ceiling=0.3
    )
    index = _Index({"a_000": array("f", [0.2])})
    assert _ranked(pool, index, threshold=0.7) == ["n00", "n01"]
    assert index.vectors_read == []


def test_where_the_vector_leg_brought_nothing_no_more_vectors_are_read_than_the_budget() -> None:
    """Each is a billed read: within a few days of a large index it may have nothing to bring."""
    notes = [candidate(f"n{place:02d}", terms={"api": 1}) for place in range(60)]
    pool = pool_of(
        notes,
        unread=[note.chunk.chunk_id for note in notes],
        ceiling=1.0,
        frequencies={"api": 60},
    )
    vectors = {note.chunk.chunk_id: array("f", [0.5]) for note in notes}
    index = _Index(vectors)
    assert len(_ranked(pool, index)) == 60
    assert len(index.vectors_read) == len(set(index.vectors_read)) == BILLED_VECTORS

    unlimited = replace(formula_of(pool), options=replace(OPTIONS, vector_budget=None))
    index = _Index(vectors)
    assert len([*best_first(pool, unlimited, index, threshold=0.0, head=4)]) == 60
    assert len(index.vectors_read) == 60


def test_an_empty_pool_reads_nothing() -> None:
    index = _Index()
    assert _ranked(pool_of([]), index) == []
    assert index.vectors_read == []
    assert index.records_read == []


@given(pools(), st.integers(1, 10), st.sampled_from([0.0, 0.55, 0.7]))
def test_taken_to_the_end_it_is_the_ranking_of_all_vectors(
    drawn: Drawn, head: int, threshold: float
) -> None:
    true, unread, ceiling = drawn
    vectors = {
        candidate.chunk.chunk_id: array("d", [candidate.cosine])
        for candidate in true
        if candidate.cosine is not None
    }
    blind = [
        replace(candidate, cosine=None) if candidate.chunk.chunk_id in unread else candidate
        for candidate in true
    ]
    pool = pool_of(
        blind,
        unread=unread,
        ceiling=ceiling,
        frequencies={"api": 7},
    )
    complete_pool = pool_of(true, frequencies={"api": 7})
    expected = rank(complete_pool, formula_of(complete_pool), threshold=threshold).passages
    assert _ranked(pool, _Index(vectors), head=head, threshold=threshold) == [
        passage.chunk.note_id for passage in expected
    ]
