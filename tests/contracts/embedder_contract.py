"""The contract of `shared.ports.models.Embedder`. An embedder binds it by a subclass with a fixture `embedder`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.model.index import Vector
from shared.ports.models import Embedder

TEXTS = (
    "# Meetings\n\nWe decided to use Cloud Run for the API.",
    "Grandmother's apple pie: six apples, cinnamon, butter.",
    "Cloud Run is where the API will run, we decided.",
    "日本語のメモ: 来週の会議",
    "x",
    "word " * 3000,
)


def cosine(left: Vector, right: Vector) -> float:
    return math.fsum(a * b for a, b in zip(left, right, strict=True))


def assert_same(left: Sequence[Vector], right: Sequence[Vector]) -> None:
    assert [cosine(a, b) for a, b in zip(left, right, strict=True)] == pytest.approx(
        [1.0] * len(left), abs=1e-5
    )


class EmbedderContract:
    """Vectors: one a text, in order, of unit length and the stated dimension, always the same for the same text."""

    def test_it_says_what_it_is(self, embedder: Embedder) -> None:
        assert embedder.model
        assert 1 <= embedder.dimension <= 3072
        assert 1 <= embedder.batch_size <= 100
        assert (
            embedder.calibration is None
            or -1 < embedder.calibration.baseline < embedder.calibration.match <= 1
        )

    def test_vectors_are_of_unit_length_and_the_stated_dimension(self, embedder: Embedder) -> None:
        vectors = (
            *embedder.embed_documents(TEXTS),
            embedder.embed_query("Where does the API run?"),
        )
        assert len(vectors) == len(TEXTS) + 1
        for vector in vectors:
            assert vector.typecode == "f"
            assert len(vector) == embedder.dimension
            assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-5)

    def test_vectors_come_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        alone = [embedder.embed_documents([text])[0] for text in TEXTS]
        assert_same(embedder.embed_documents(TEXTS), alone)
        assert_same(embedder.embed_documents(TEXTS[::-1]), alone[::-1])

    def test_a_whole_batch_is_taken(self, embedder: Embedder) -> None:
        texts = [f"note number {number}" for number in range(embedder.batch_size)]
        assert len(embedder.embed_documents(texts)) == embedder.batch_size

    def test_the_same_query_has_the_same_vector(self, embedder: Embedder) -> None:
        assert_same([embedder.embed_query("Where?")], [embedder.embed_query("Where?")])

    def test_texts_about_the_same_are_nearer_than_others(self, embedder: Embedder) -> None:
        run, pie, api, *_ = embedder.embed_documents(TEXTS)
        assert cosine(run, api) > cosine(run, pie)

    def test_threads_may_share_it(self, embedder: Embedder) -> None:
        alone = embedder.embed_documents(TEXTS)
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda _: embedder.embed_documents(TEXTS), range(8)))
        for vectors in together:
            assert_same(vectors, alone)
