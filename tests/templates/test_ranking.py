"""The nearest are found; one that stands out from the rest is chosen; else the chain of thought."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

from shared.model.retrieval import CosineCalibration
from shared.model.templates import StoredTemplate, Template
from shared.templates.ranking import (
    CHAIN_OF_THOUGHT,
    CONTENT_READ,
    choose,
    embedded_text,
    fallback,
    nearest,
)
from tests.contracts.samples import unit

QUERY = unit(1, 0)
RAW = CosineCalibration(0.0, 1.0)
REST = (0.2, 0.21, 0.19, 0.2)


def _at(template_id: str, cosine: float) -> StoredTemplate:
    return StoredTemplate(
        Template(template_id, template_id, "1."), unit(cosine, math.sqrt(1 - cosine * cosine)), "k"
    )


def _library(*cosines: float) -> list[StoredTemplate]:
    return [_at(f"t{number}", cosine) for number, cosine in enumerate(cosines)]


def _nearest(*cosines: float, threshold: float | None = None, top_k: int = 3) -> list[str]:
    matches = nearest(
        _library(*cosines),
        QUERY,
        top_k=top_k,
        calibration=RAW,
        threshold=threshold,
    )
    return [match.template.template_id for match in matches]


def _chosen(*cosines: float, threshold: float | None = None) -> str | None:
    """The choice among templates at these cosines from the question, each in a dimension of its own."""
    stored = []
    for number, cosine in enumerate(cosines):
        vector = [0.0] * (len(cosines) + 1)
        vector[0] = cosine
        vector[number + 1] = math.sqrt(1 - cosine * cosine)
        stored.append(StoredTemplate(Template(f"t{number}", "T", "1."), unit(*vector), "k"))
    query = unit(1.0, *[0.0] * len(cosines))
    match = choose(stored, query, calibration=RAW, threshold=threshold)
    return match.template.template_id if match else None


def test_a_search_gives_the_nearest_above_unrelated_best_first() -> None:
    assert _nearest(*REST, 0.26) == ["t4", "t1", "t0"]
    assert _nearest(0.5, 0.9, 0.6, 0.29, top_k=2) == ["t1", "t2"]
    assert _nearest(0.0, -0.1, 0.01) == ["t2"]


def test_among_many_templates_the_one_that_stands_out_is_chosen() -> None:
    assert _chosen(*REST, 0.26) == "t4"
    assert _chosen(*REST, 0.7) == "t4"
    assert _chosen(*REST, 0.22) is None
    assert _chosen(0.5, 0.5, 0.5, 0.5, 0.5) is None
    assert _chosen(-0.2, -0.21, -0.19, -0.2, -0.05) is None


def test_among_few_templates_a_near_one_is_chosen() -> None:
    assert _chosen(0.299, 0.301) == "t1"
    assert _chosen(0.299, 0.1) is None


def test_twins_of_the_nearest_do_not_hide_it() -> None:
    library = [*_library(*REST), *(_at(f"twin{number}", 0.9) for number in range(3))]
    match = choose(library, QUERY, calibration=RAW)
    assert match is not None
    assert match.template.template_id == "twin0"


def test_a_threshold_of_ones_own_decides_alone() -> None:
    assert _nearest(*REST, 0.26, threshold=0.604) == ["t4", "t1"]
    assert _nearest(*REST, 0.26, threshold=0.7) == []
    assert _chosen(0.5, 0.5, 0.5, 0.5, 0.5, threshold=0.7) == "t0"
    assert _chosen(*REST, 0.26, threshold=0.7) is None


def test_a_score_is_the_calibrated_similarity() -> None:
    calibration = CosineCalibration(0.2, 0.8)
    (match,) = nearest([_at("a", 0.6)], QUERY, top_k=1, calibration=calibration)
    assert match.score == pytest.approx(0.75)


def test_one_without_a_vector_is_not_found_by_similarity() -> None:
    stored = [StoredTemplate(CHAIN_OF_THOUGHT)]
    assert nearest(stored, QUERY, top_k=3, calibration=RAW) == ()
    assert choose(stored, QUERY, calibration=RAW) is None


def test_the_chain_of_thought_is_the_tenants_own_under_either_id_or_the_built_in_one() -> None:
    users_template = Template("chain-of-thought", "Mine", "1.")
    bot = Template("bot-chain-of-thought", "Bot", "1.")
    assert fallback([_at("a", 0.1)]).template == CHAIN_OF_THOUGHT
    assert fallback([_at("a", 0.1), StoredTemplate(bot)]).template == bot
    assert (
        fallback(
            [
                StoredTemplate(bot),
                StoredTemplate(users_template),
            ]
        ).template
        == users_template
    )
    assert fallback([]).score == 0.5
    assert fallback([StoredTemplate(users_template)], [StoredTemplate(bot)]).template == bot


@given(
    some.permutations(
        [
            _at("a", 0.8),
            _at("b", 0.8),
            _at("c", 0.5),
            _at("d", 0.9),
        ]
    )
)
def test_the_order_of_the_library_does_not_matter(stored: list[StoredTemplate]) -> None:
    matches = nearest(stored, QUERY, top_k=4, calibration=RAW)
    assert [match.template.template_id for match in matches] == ["d", "a", "b", "c"]


def test_what_is_embedded_is_name_description_keywords_methodology_and_the_beginning() -> None:
    long = Template("t", "Name", "x" * 2000, "D", "C", "Method", ("k1", "k2"), "About.")
    assert embedded_text(long) == "Name\nAbout.\nk1, k2\nMethod\n" + "x" * CONTENT_READ
