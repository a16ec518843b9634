"""Fixtures of the indexing tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.ports import Store
from tests.fakes import HashingEmbedder
from tests.indexing.world import Clock


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = EmbeddedStore(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder(dimension=8, batch_size=3)
