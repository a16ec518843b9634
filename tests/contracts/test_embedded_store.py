"""The embedded store keeps the promises of `shared.ports.stores.Store`."""

from __future__ import annotations

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.ports.stores import Store
from tests.contracts.store_contract import StoreContract


class TestEmbeddedStore(StoreContract):
    @pytest.fixture
    def store(self, embedded_store: EmbeddedStore) -> Store:
        return embedded_store
