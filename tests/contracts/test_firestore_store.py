"""Firestore keeps the promises of the port."""

from __future__ import annotations

import pytest

from shared.adapters.firestore import FirestoreStore
from shared.ports.stores import Store
from tests.contracts.store_contract import StoreContract


class TestFirestoreStore(StoreContract):
    @pytest.fixture
    def store(self, firestore_store: FirestoreStore) -> Store:
        return firestore_store
