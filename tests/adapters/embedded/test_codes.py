"""One byte a number: how near the cosine is known to lie, and that the search stays exact."""

from __future__ import annotations

import math
from array import array
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.embedded import EmbeddedStore
from shared.adapters.embedded.vectors import Codes
from shared.model.index import ChunkPut, IndexChange, Vector
from tests.contracts.samples import FREE, TENANT, VERSION, chunk, record

_NUMBERS = st.floats(-1, 1, width=32, allow_subnormal=False)


def _unit(numbers: list[float]) -> Vector:
    length = math.hypot(*numbers)
    return array("f", [number / length for number in numbers])


_VECTORS = (
    st.lists(_NUMBERS, min_size=5, max_size=5)
    .filter(lambda each: math.hypot(*each) > 0.01)
    .map(_unit)
)


@given(st.lists(_VECTORS, min_size=1, max_size=8), _VECTORS)
def test_a_cosine_lies_between_its_bounds_whatever_the_vectors(
    vectors: list[Vector], query: Vector
) -> None:
    codes = Codes(len(vectors), 5)
    codes.write(np.arange(len(vectors)), np.array(vectors, dtype=np.float32))
    least, greatest = codes.bounds(np.array(query, dtype=np.float32), len(vectors))
    for row, vector in enumerate(vectors):
        cosine = sum(x * y for x, y in zip(vector, query, strict=True))
        assert least[row] <= cosine <= greatest[row]
        assert greatest[row] - least[row] < 0.04


def test_vectors_that_are_searched_in_many_blocks_are_all_seen() -> None:
    dice = np.random.default_rng(3)
    vectors = dice.standard_normal((3000, 128)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    codes = Codes(3000, 128)
    codes.write(np.arange(3000), vectors)
    least, greatest = codes.bounds(vectors[2999], 3000)
    exact = vectors @ vectors[2999]
    assert (least <= exact).all()
    assert (exact <= greatest).all()


@pytest.fixture
def crowded(embedded_store: EmbeddedStore) -> tuple[EmbeddedStore, dict[str, Vector]]:
    """A store of 700 chunks whose vectors differ by less than a code can tell."""
    dice, vectors = Random(5), {}  # noqa: S311 - repeatable, not secret
    for number in range(7):
        puts = []
        for position in range(100):
            chunk_of_version = replace(chunk(f"n{number}", position), index_version=VERSION)
            vector = _unit([1.0, *(0.0005 * dice.gauss(0, 1) for _ in range(31))])
            vectors[chunk_of_version.chunk_id] = vector
            puts.append(ChunkPut(chunk_of_version, vector))
        embedded_store.apply(TENANT, IndexChange(f"n{number}", None, record(), tuple(puts)))
    return embedded_store, vectors


def test_the_best_are_the_exact_best_even_where_all_look_alike(
    crowded: tuple[EmbeddedStore, dict[str, Vector]],
) -> None:
    store, vectors = crowded
    query = _unit([1.0, *(0.01 * place for place in range(31))])
    neighbours = store.nearest(
        TENANT, query, limit=30, stems=[], restriction=FREE, index_version=VERSION
    ).neighbours
    cosines = {
        chunk_id: sum(x * y for x, y in zip(vectors[chunk_id], query, strict=True))
        for chunk_id in vectors
    }
    best = sorted(cosines, key=lambda each: (-cosines[each], each))[:30]
    assert [neighbour.chunk.chunk_id for neighbour in neighbours] == best
    assert [neighbour.cosine for neighbour in neighbours] == pytest.approx(
        [cosines[chunk_id] for chunk_id in best], abs=1e-12
    )
