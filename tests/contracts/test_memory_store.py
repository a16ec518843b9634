"""The store of unit tests keeps the promises that the real ones keep."""

from __future__ import annotations

import pytest

from shared.ports.documents import DocumentStore
from tests.contracts.store_documents import DocumentsContract
from tests.contracts.store_sessions import SessionsContract
from tests.memory_store import MemoryStore


class TestMemoryStore(DocumentsContract, SessionsContract):
    @pytest.fixture
    def store(self) -> DocumentStore:
        return MemoryStore()
