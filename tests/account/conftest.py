from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.adapters.firebase.authentication import NoVerifier
from shared.answering.quoting import Quoter
from shared.app import App
from shared.ports.stores import Store
from shared.settings import Settings
from tests.account.world import Household
from tests.fakes import HashingEmbedder
from tests.indexing.world import Clock


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Store:
    """Embedded, unless a test is run on both."""
    name = getattr(request, "param", "embedded")
    found: Store = request.getfixturevalue(f"{name}_store")
    return found


@pytest.fixture
def home(store: Store) -> Iterator[Household]:
    """An App without limits and without a model that bills."""
    embedder, clock = HashingEmbedder(), Clock()
    with ThreadPoolExecutor(8) as pool:
        yield Household(
            App(
                settings=Settings(),
                store=store,
                embedder=embedder,
                writer=None,
                quoter=Quoter(),
                verifier=NoVerifier(),
                pool=pool,
                clock=clock,
                notice="test",
            ),
            embedder,
            clock,
        )
