"""The contract of `shared.ports.stores.Store`. A store binds it by a subclass with a fixture `store`: empty, then closed.

class TestEmbeddedStore(StoreContract):
    @pytest.fixture
    def store(self, embedded_store: EmbeddedStore) -> Store:
        return embedded_store
"""

from __future__ import annotations

from tests.contracts.store_account import AccountContract
from tests.contracts.store_documents import DocumentsContract
from tests.contracts.store_index import IndexContract
from tests.contracts.store_notes import NotesContract
from tests.contracts.store_search import SearchContract
from tests.contracts.store_sessions import SessionsContract
from tests.contracts.store_sweep import SweepContract


class StoreContract(
    NotesContract,
    IndexContract,
    SweepContract,
    SearchContract,
    SessionsContract,
    AccountContract,
    DocumentsContract,
):
    """Every promise of every part of the port."""
