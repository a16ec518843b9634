"""Fixtures of the indexing tests."""

from __future__ import annotations

from typing import cast

import pytest

from shared.ports.stores import Store
from tests.fakes import HashingEmbedder
from tests.indexing.world import Clock


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Store:
    """The embedded store; with `on_both_stores` once each."""
    return cast("Store", request.getfixturevalue(f"{getattr(request, 'param', 'embedded')}_store"))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder(dimension=8, batch_size=3)
