"""Everything of one Firestore database as one `shared.ports.stores.Store`."""

from __future__ import annotations

from shared.adapters.firestore.account import Account
from shared.adapters.firestore.erasure import Erasure
from shared.adapters.firestore.index import Index
from shared.adapters.firestore.notes import Notes
from shared.adapters.firestore.requests.connection import DEFAULT_DATABASE, Connection
from shared.adapters.firestore.requests.reads import Reads
from shared.adapters.firestore.searching.corpus import Corpus
from shared.adapters.firestore.searching.search import Search
from shared.adapters.firestore.sessions import Sessions
from shared.adapters.firestore.sweep import Sweep
from shared.adapters.firestore.templates import Templates
from shared.adapters.firestore.trash import Trash
from shared.adapters.firestore.usage import Usage
from shared.adapters.firestore.writing.places import Places


class FirestoreStore(Notes, Trash, Index, Sweep, Search, Templates, Sessions, Account, Usage, Erasure):
    """`shared.ports.stores.Store` in a project's database; in the emulator where FIRESTORE_EMULATOR_HOST is set.

    Cheap to make: the client is the process's own, opened by the first request. Safe between threads.
    """

    bills_reads = True

    def __init__(
        self, project: str, *, database: str = DEFAULT_DATABASE, read_seconds: float = 10.0, write_seconds: float = 30.0
    ) -> None:
        """`read_seconds`, `write_seconds`: within which one request to Firestore succeeds or raises StoreUnavailable,
        attempts and pauses together.
        """
        self.project = project
        self._connection = Connection(
            project, database=database, read_seconds=read_seconds, write_seconds=write_seconds
        )
        self._corpus = Corpus(self._connection)
        self._places = Places(self._connection)
        self._days = set()

    @property
    def reads(self) -> Reads:
        """What this store's calls were billed so far, by Firestore's rules."""
        return self._connection.counter.reads

    def close(self) -> None:
        """Nothing: the client belongs to the process and serves every store."""
