"""Scores: the formula, its parts, and that order never depends on the order of the input."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.model.questions import TimeRange
from shared.model.retrieval import Analysis, CosineCalibration, RetrievalMode
from shared.retrieval.context import lifts
from shared.retrieval.scores import LEXICAL, keyword_parts, nearness, rank
from tests.retrieval.pools import Drawn, pools
from tests.retrieval.samples import NOW, OPTIONS, candidate, days_ago, formula_of, pool_of

MAY = TimeRange(days_ago(40), days_ago(10))


def test_the_score_is_the_weighted_sum_of_the_reported_parts() -> None:
    part = candidate(
        "a",
        0.5,
        terms={"api": 1},
        age=OPTIONS.half_life_days,
        position=1,
    )
    pool = pool_of([part], frequencies={"api": 3})
    (passage,) = rank(pool, formula_of(pool), threshold=0.0).passages
    assert passage.scores.vector == 0.5
    assert passage.scores.keyword == 1.0
    assert passage.scores.recency == pytest.approx(0.5 * (0.6 * 0.5 + 0.25) / 0.85)
    assert passage.score == pytest.approx(0.6 * 0.5 + 0.25 * 1.0 + 0.15 * passage.scores.recency)


def test_a_short_note_s_vector_part_is_lifted_towards_its_words_and_never_lowered() -> None:
    pool = pool_of(
        [
            candidate("words", 0.5, terms={"api": 1}),
            candidate("sense", 0.5),
        ],
        frequencies={"api": 3},
    )
    words, sense = rank(pool, formula_of(pool), threshold=0.0).passages
    assert words.scores.vector == pytest.approx(0.5 + 0.5 * LEXICAL)
    assert sense.scores.vector == 0.5


def test_a_perfect_fresh_match_scores_one() -> None:
    pool = pool_of([candidate("a", 1.0, terms={"api": 1})], frequencies={"api": 3})
    (passage,) = rank(pool, formula_of(pool), threshold=0.0).passages
    assert passage.score == pytest.approx(1.0)


def test_freshness_lifts_nothing_that_is_not_relevant() -> None:
    pool = pool_of(
        [
            candidate("fresh", -0.2, age=0),
            candidate("old", 0.3, age=900),
        ]
    )
    assert [
        passage.chunk.note_id for passage in rank(pool, formula_of(pool), threshold=0.0).passages
    ] == ["old"]


def test_freshness_orders_what_is_equally_relevant() -> None:
    pool = pool_of(
        [
            candidate("older", 0.4, age=30),
            candidate("newer", 0.4, age=3),
        ]
    )
    assert [
        passage.chunk.note_id for passage in rank(pool, formula_of(pool), threshold=0.0).passages
    ] == [
        "newer",
        "older",
    ]


def test_a_note_from_the_future_is_as_fresh_as_one_from_now() -> None:
    pool = pool_of([candidate("a", 1.0, age=-5)])
    assert formula_of(pool).score(pool.candidates[0], 1.0).scores.recency == pytest.approx(
        0.6 / 0.85
    )


def test_a_named_time_makes_recency_the_nearness_to_it() -> None:
    pool = pool_of(
        [
            candidate("inside", 0.2, age=20),
            candidate("a_length_after", 0.2, age=-20),
        ]
    )
    inside, after = rank(pool, formula_of(pool, named=MAY), threshold=0.0).passages
    assert inside.chunk.note_id == "inside"
    assert inside.scores.recency == 1.0
    assert after.scores.recency == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("named", "age", "expected"),
    [
        (MAY, 40, 1.0),
        (MAY, 70, 0.5),
        (MAY, 10, 1.0),  # the end itself lies outside, at distance 0
        (
            TimeRange(days_ago(11), days_ago(10)),
            18,
            0.5,
        ),  # a day's neighbours are judged by the week
        (TimeRange(None, days_ago(10)), 400, 1.0),
        (TimeRange(None, days_ago(30)), 0, 0.5),
        (TimeRange(days_ago(30), None), 60, 0.5),
    ],
)
def test_nearness_halves_with_the_length_of_the_range(
    named: TimeRange, age: float, expected: float
) -> None:
    assert nearness(days_ago(age), named) == pytest.approx(expected)


def test_the_newest_notes_stand_in_by_freshness_alone() -> None:
    pool = pool_of(
        [
            candidate("older", age=OPTIONS.half_life_days),
            candidate("newer", age=1),
        ]
    )
    passages = rank(pool, formula_of(pool, mode=RetrievalMode.RECENT), threshold=0.0).passages
    assert [passage.chunk.note_id for passage in passages] == ["newer", "older"]
    assert passages[1].score == pytest.approx(0.15 * 0.5)


def test_the_best_keyword_match_of_the_pool_is_one() -> None:
    pool = pool_of(
        [
            candidate("a", terms={"api": 2}),
            candidate("b", terms={"api": 1, "other": 9}),
            candidate("c"),
        ],
        frequencies={"api": 5},
    )
    parts = keyword_parts(pool, OPTIONS)
    assert parts["a_000"] == 1.0
    assert 0 < parts["b_000"] < 1
    assert parts["c_000"] == 0.0


def test_the_best_of_accidental_matches_is_no_full_match() -> None:
    """One of four stems stands in a chunk, and nothing else matches."""
    pool = pool_of(
        [candidate("a", terms={"api": 1})],
        frequencies={
            "api": 5,
            "moon": 0,
            "tide": 0,
            "sea": 0,
        },
    )
    assert 0 < keyword_parts(pool, OPTIONS)["a_000"] < 0.5


def test_fusion_adds_reciprocal_ranks_of_the_vector_and_keyword_lists() -> None:
    pool = pool_of(
        [
            candidate("both", 0.3, vector_rank=2, keyword_rank=1),
            candidate("vector", 0.9, vector_rank=1),
            candidate("recent"),
        ]
    )
    both, vector = rank(pool, formula_of(pool, mode=RetrievalMode.RRF), threshold=0.0).passages
    assert [both.chunk.note_id, vector.chunk.note_id] == ["both", "vector"]
    assert [both.score, vector.score] == pytest.approx([1 / 62 + 1 / 61, 1 / 61])


@pytest.mark.parametrize(
    ("cosine", "unrelated", "similarity"),
    [
        (0.2, 0.2, 0.5),
        (1.0, 0.2, 1.0),
        (0.6, 0.2, 0.75),
        (0.0, 0.0, 0.5),
        (-1.0, 0.0, 0.0),
        (-0.9, 0.5, 0.0),
    ],
)
def test_similarity_maps_unrelated_to_a_half_and_equal_to_one(
    cosine: float, unrelated: float, similarity: float
) -> None:
    assert CosineCalibration(unrelated, 0.9).similarity(cosine) == pytest.approx(similarity)


@pytest.mark.parametrize(
    ("cosine", "part"),
    [
        (-1.0, 0.0),
        (0.1, 0.0),
        (0.2, 0.0),
        (0.3, 0.25),
        (0.6, 1.0),
        (0.9, 1.0),
    ],
)
def test_the_vector_part_lies_between_what_is_unrelated_and_an_answer(
    cosine: float, part: float
) -> None:
    assert CosineCalibration(0.2, 0.6).vector_part(cosine) == pytest.approx(part)


def test_the_threshold_judges_similarity_and_not_the_score() -> None:
    pool = pool_of(
        [
            candidate("near", 0.5, age=9000),
            candidate("far", 0.3),
        ]
    )
    passages = rank(pool, formula_of(pool), threshold=0.7).passages
    assert [passage.chunk.note_id for passage in passages] == ["near"]


def test_a_chunk_without_a_vector_passes_a_threshold_by_a_keyword() -> None:
    pool = pool_of(
        [
            candidate("pending", terms={"api": 1}),
            candidate("other", 0.1),
        ],
        frequencies={"api": 1},
    )
    passages = rank(pool, formula_of(pool), threshold=0.7).passages
    assert [passage.chunk.note_id for passage in passages] == ["pending"]


def test_equal_scores_are_ordered_by_time_then_by_chunk_id() -> None:
    ranks = {"b": 2, "a": 2, "c": 2, "d": 2}
    equals = [
        candidate(name, vector_rank=rank, age=9 * (name == "a")) for name, rank in ranks.items()
    ]
    passages = rank(
        pool_of(equals), formula_of(pool_of(equals), mode=RetrievalMode.RRF), threshold=0.0
    ).passages
    assert [passage.chunk.note_id for passage in passages] == ["b", "c", "d", "a"]


def test_weights_on_recency_alone_rank_by_freshness() -> None:
    options = replace(
        OPTIONS,
        weight_vector=0.0,
        weight_keyword=0.0,
        weight_recency=1.0,
    )
    pool = pool_of(
        [
            candidate("older", 0.9, age=OPTIONS.half_life_days),
            candidate("newer", 0.1, age=0),
        ]
    )
    passages = rank(pool, formula_of(pool, options=options), threshold=0.0).passages
    assert [(passage.chunk.note_id, passage.score) for passage in passages] == [
        ("newer", 1.0),
        ("older", 0.5),
    ]


@given(
    pools(),
    st.integers(1, 10),
    st.sampled_from([0.0, 0.55, 0.7]),
    st.sampled_from([RetrievalMode.WEIGHTED, RetrievalMode.RRF]),
    st.sampled_from([None, MAY]),
)
def test_reading_only_the_contenders_vectors_leaves_the_head_exact(
    made: Drawn, head: int, threshold: float, mode: RetrievalMode, named: TimeRange | None
) -> None:
    true, unread, ceiling = made
    complete_pool = pool_of(true, frequencies={"api": 7})
    blind = [
        replace(candidate, cosine=None) if candidate.chunk.chunk_id in unread else candidate
        for candidate in true
    ]
    pruned = pool_of(
        blind,
        unread=unread,
        ceiling=ceiling,
        frequencies={"api": 7},
    )
    plain = formula_of(complete_pool, mode=mode, named=named)
    formula = replace(plain, lifts=lifts(pruned, plain, Analysis((), (), None, "en"), NOW))
    expected = rank(complete_pool, formula, threshold=threshold).passages[:head]

    read = set(rank(pruned, formula, threshold=threshold, head=head).contenders)
    assert read <= unread
    after = [
        candidate
        if candidate.chunk.chunk_id not in unread or candidate.chunk.chunk_id in read
        else replace(candidate, cosine=None)
        for candidate in true
    ]
    partly_read = pool_of(
        after,
        unread=unread - read,
        ceiling=ceiling,
        frequencies={"api": 7},
    )
    assert rank(partly_read, formula, threshold=threshold).passages[:head] == expected


def test_a_vector_that_cannot_win_is_not_read() -> None:
    strong = [candidate(f"s{number}", 0.8, vector_rank=number + 1) for number in range(3)]
    pool = pool_of(
        [*strong, candidate("weak"), candidate("word", terms={"api": 1})],
        unread=["weak_000", "word_000"],
        ceiling=0.7,
        frequencies={"api": 1},
    )
    assert rank(pool, formula_of(pool), threshold=0.0, head=3).contenders == ("word_000",)


@given(pools(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_changes_nothing(made: Drawn, dice: random.Random) -> None:
    candidates, unread, ceiling = made
    shuffled = dice.sample(candidates, len(candidates))
    in_order, in_any_order = (
        pool_of(
            ordering,
            unread=unread,
            ceiling=ceiling,
            frequencies={"api": 7},
        )
        for ordering in (candidates, shuffled)
    )
    assert rank(in_order, formula_of(in_order), threshold=0.0, head=5) == rank(
        in_any_order, formula_of(in_any_order), threshold=0.0, head=5
    )


@given(
    pools(),
    st.sampled_from([None, MAY, TimeRange(None, NOW), TimeRange(NOW - timedelta(days=1), NOW)]),
)
def test_every_part_and_score_lies_between_zero_and_one(
    made: Drawn, named: TimeRange | None
) -> None:
    pool = pool_of(made[0], frequencies={"api": 7})
    formula = formula_of(pool, named=named, calibration=CosineCalibration(0.2, 0.6))
    for passage in rank(pool, formula, threshold=0.0).passages:
        parts = passage.scores
        assert all(
            0.0 <= value <= 1.0
            for value in (parts.vector, parts.keyword, parts.recency, parts.similarity)
        )
        assert 0.0 < passage.score <= 1.0 + 1e-9
