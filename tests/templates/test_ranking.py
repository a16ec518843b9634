"""Similarity decides, from 0.65 on; else the chain of thought."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

from shared.model.retrieval import CosineCalibration
from shared.model.templates import StoredTemplate, Template
from shared.templates.ranking import CHAIN_OF_THOUGHT, fallback, rank
from tests.contracts.samples import unit

QUERY = unit(1, 0)


def _at(template_id: str, cosine: float) -> StoredTemplate:
    return StoredTemplate(Template(template_id, template_id, "1."), unit(cosine, math.sqrt(1 - cosine * cosine)), "k")


def test_the_best_come_first_and_no_more_than_asked_for() -> None:
    stored = [_at("b", 0.5), _at("a", 0.9), _at("c", 0.6)]
    matches = rank(stored, QUERY, top_k=2, calibration=CosineCalibration(0.2, 0.8))
    assert [match.template.template_id for match in matches] == ["a", "c"]
    assert [match.score for match in matches] == [1.0, pytest.approx(0.875)]


def test_what_is_under_065_is_left_out() -> None:
    matches = rank([_at("over", 0.201), _at("under", 0.199)], QUERY, top_k=3, calibration=CosineCalibration(0.0, 1.0))
    assert [match.template.template_id for match in matches] == ["over"]


def test_one_without_a_vector_is_not_found_by_similarity() -> None:
    assert rank([StoredTemplate(CHAIN_OF_THOUGHT)], QUERY, top_k=3, calibration=CosineCalibration(0.0, 1.0)) == ()


def test_the_chain_of_thought_is_the_tenants_own_or_the_built_in_one() -> None:
    own = Template("chain-of-thought", "Mine", "1.")
    assert fallback([_at("a", 0.1)]).template == CHAIN_OF_THOUGHT
    assert fallback([_at("a", 0.1), StoredTemplate(own)]).template == own
    assert fallback([]).score == 0.5


@given(some.permutations([_at("a", 0.8), _at("b", 0.8), _at("c", 0.5), _at("d", 0.9)]))
def test_the_order_of_the_library_does_not_matter(stored: list[StoredTemplate]) -> None:
    matches = rank(stored, QUERY, top_k=4, calibration=CosineCalibration(0.0, 1.0))
    assert [match.template.template_id for match in matches] == ["d", "a", "b", "c"]
