from __future__ import annotations

from collections.abc import Iterator

import pytest

from shared.ports.stores import Store
from tests.account.world import Household, household


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Store:
    """Embedded, unless a test is run on both."""
    name = getattr(request, "param", "embedded")
    store: Store = request.getfixturevalue(f"{name}_store")
    return store


@pytest.fixture
def home(store: Store) -> Iterator[Household]:
    """Without a model that bills."""
    with household(store) as house:
        yield house
