"""Vectors are checked where they come in."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

import pytest

from shared.errors import PortContractError
from shared.model.index import Vector
from shared.ports.models import embed
from tests.contracts.samples import unit
from tests.fakes import HashingEmbedder


class Scripted(HashingEmbedder):
    def __init__(self, *vectors: Vector) -> None:
        super().__init__(dimension=3)
        self.vectors = vectors

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:  # noqa: ARG002 - the port's
        return self.vectors


def test_one_unit_vector_a_text_is_what_comes_out() -> None:
    vectors = (unit(1, 2, 3), unit(0, 0, 1))
    assert embed(["a", "b"], Scripted(*vectors)) == vectors


@pytest.mark.parametrize(
    ("vectors", "complaint"),
    [
        ((), "0 vectors for 1 texts"),
        ((unit(1, 2, 3), unit(1, 2, 3)), "2 vectors for 1 texts"),
        ((unit(1, 2),), "2 dimensions, not 3"),
        ((array("f"),), "0 dimensions, not 3"),
        ((array("f", [1.0, 1.0, 1.0]),), "not of length 1"),
        ((array("f", [0.0, 0.0, 0.0]),), "not of length 1"),
        ((array("f", [math.nan, 0.0, 1.0]),), "not finite"),
        ((array("f", [math.inf, 0.0, 1.0]),), "not finite"),
    ],
)
def test_anything_else_is_a_broken_promise(vectors: tuple[Vector, ...], complaint: str) -> None:
    with pytest.raises(PortContractError, match=complaint):
        embed(["a"], Scripted(*vectors))


def test_rounding_of_many_dimensions_is_no_broken_promise() -> None:
    embedder = Scripted(unit(*range(1, 2049)))
    embedder.dimension = 2048
    assert len(embed(["a"], embedder)) == 1
