"""One that stands out from the rest is found; else the chain of thought."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

from shared.model.retrieval import CosineCalibration
from shared.model.templates import StoredTemplate, Template
from shared.templates.ranking import CHAIN_OF_THOUGHT, CONTENT_READ, embedded_text, fallback, rank
from tests.contracts.samples import unit

QUERY = unit(1, 0)
RAW = CosineCalibration(0.0, 1.0)
REST = (0.2, 0.21, 0.19, 0.2)


def _at(template_id: str, cosine: float) -> StoredTemplate:
    return StoredTemplate(Template(template_id, template_id, "1."), unit(cosine, math.sqrt(1 - cosine * cosine)), "k")


def _found(*cosines: float, threshold: float | None = None, top_k: int = 3) -> list[str]:
    stored = [_at(f"t{number}", cosine) for number, cosine in enumerate(cosines)]
    matches = rank(stored, QUERY, top_k=top_k, calibration=RAW, threshold=threshold)
    return [match.template.template_id for match in matches]


def test_of_many_the_one_that_stands_out_is_found_however_near_it_is() -> None:
    assert _found(*REST, 0.26) == ["t4"]
    assert _found(*REST, 0.9) == ["t4"]
    assert _found(*REST, 0.22) == []
    assert _found(0.8, 0.81, 0.79, 0.8, 0.8) == []
    assert _found(0.5, 0.5, 0.5, 0.5, 0.5) == []


def test_of_few_those_are_found_that_are_near_best_first() -> None:
    assert _found(0.5, 0.9, 0.6, 0.29, top_k=2) == ["t1", "t2"]
    assert _found(0.299, 0.301) == ["t1"]


def test_a_threshold_of_ones_own_decides_alone() -> None:
    assert _found(*REST, 0.26, threshold=0.604) == ["t4", "t1"]
    assert _found(*REST, 0.26, threshold=0.7) == []


def test_a_score_is_the_calibrated_similarity() -> None:
    (match,) = rank([_at("a", 0.6)], QUERY, top_k=1, calibration=CosineCalibration(0.2, 0.8))
    assert match.score == pytest.approx(0.75)


def test_one_without_a_vector_is_not_found_by_similarity() -> None:
    assert rank([StoredTemplate(CHAIN_OF_THOUGHT)], QUERY, top_k=3, calibration=RAW) == ()


def test_the_chain_of_thought_is_the_tenants_own_under_either_id_or_the_built_in_one() -> None:
    own, bot = Template("chain-of-thought", "Mine", "1."), Template("bot-chain-of-thought", "Bot", "1.")
    assert fallback([_at("a", 0.1)]).template == CHAIN_OF_THOUGHT
    assert fallback([_at("a", 0.1), StoredTemplate(bot)]).template == bot
    assert fallback([StoredTemplate(bot), StoredTemplate(own)]).template == own
    assert fallback([]).score == 0.5


@given(some.permutations([_at("a", 0.8), _at("b", 0.8), _at("c", 0.5), _at("d", 0.9)]))
def test_the_order_of_the_library_does_not_matter(stored: list[StoredTemplate]) -> None:
    matches = rank(stored, QUERY, top_k=4, calibration=RAW)
    assert [match.template.template_id for match in matches] == ["d", "a", "b", "c"]


def test_what_is_embedded_is_name_description_keywords_methodology_and_the_beginning() -> None:
    long = Template("t", "Name", "x" * 2000, "D", "C", "Method", ("k1", "k2"), "About.")
    assert embedded_text(long) == "Name\nAbout.\nk1, k2\nMethod\n" + "x" * CONTENT_READ
