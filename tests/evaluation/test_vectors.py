"""Vectors of known texts come from the file; the others from the embedder, each text once."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from evaluation.corpus import RememberingEmbedder
from shared.ports.models import Embedder
from tests.fakes import HashingEmbedder


def _remembering(inner: HashingEmbedder, file: Path) -> Embedder:
    return cast("Embedder", RememberingEmbedder(inner, file))


def test_only_new_texts_reach_the_embedder_and_vectors_are_the_same(tmp_path: Path) -> None:
    first = HashingEmbedder()
    second = HashingEmbedder()
    vectors_before = _remembering(first, tmp_path / "v").embed_documents(["boat", "garden", "boat"])
    after = _remembering(second, tmp_path / "v").embed_documents(["garden", "boat", "sea"])
    assert first.embedded == {"boat": 1, "garden": 1}
    assert second.embedded == {"sea": 1}
    assert after[0] == vectors_before[1]
    assert after[1] == vectors_before[0]
    assert vectors_before[0] == vectors_before[2]


def test_vectors_of_another_size_are_others(tmp_path: Path) -> None:
    _remembering(HashingEmbedder(), tmp_path / "v").embed_documents(["boat"])
    (vector,) = _remembering(HashingEmbedder(dimension=8), tmp_path / "v").embed_documents(["boat"])
    assert len(vector) == 8


def test_all_else_is_the_embedders_own(tmp_path: Path) -> None:
    inner = HashingEmbedder()
    remembering = _remembering(inner, tmp_path / "v")
    assert remembering.model == inner.model
    assert remembering.dimension == inner.dimension
    assert remembering.embed_query("boat") == inner.embed_query("boat")
