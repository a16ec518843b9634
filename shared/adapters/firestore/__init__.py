"""Firestore as one `shared.ports.stores.Store`, by its generated client and raw protobuf.

Read in this order: `documents` (how entities lie), `index` (how a note's index moves), `search` with `filters` and
`corpus` (how a question is asked); then `collections` (sessions and all other documents). `protocol`, `connection` and
`client` carry it all.

Beside the fields of the data model, documents hold a few that serve this store alone. Chunks: `postings` (stem ->
time and count: by it chunks are found by stem, newest first, and a search reads the counts of its stems only), a
digest of the `place` (vault and folder) and the `day`, by which vector searches are restricted, `embedded` (whether
`embedding` is there, without reading it), and during a change of the embedding model `keptEmbedding`, a second vector,
with its index version `kept`. Index records: `vault`, `folder` and `place` (where the note lies),
`unfinished` (status and shard, by which the sweep finds what is not indexed), `changedAt` (server time of the last
change), `writing` (moves while a change takes several commits). Folders: `leaving` (somebody is removing it).
`changes/{00 to ff}`: `changedAt` of what leaves no other trace. `usage/{day}/embedded/{00 to ff}`: `tokens`. Templates:
`vectorKey` (of what `embedding` is). `bookmarks/{name}` at the root keeps reconcile's place,
`auroraErasures/{digest of a tenant's id}` how often the tenant was erased, `auroraOwner/deployment` names the deployment
that writes the index. `roots` lists every collection.
"""

from __future__ import annotations

import copy
from typing import Self

from shared.adapters.firestore.account import FirestoreAccount
from shared.adapters.firestore.connection import DEFAULT_DATABASE, Connection
from shared.adapters.firestore.index import Index
from shared.adapters.firestore.notes import FirestoreNotes
from shared.adapters.firestore.ownership import Ownership
from shared.adapters.firestore.protocol import is_token
from shared.adapters.firestore.search import FirestoreSearch
from shared.errors import InvalidArgument

__all__ = ["FirestoreStore"]


class FirestoreStore(FirestoreNotes, Index, FirestoreSearch, FirestoreAccount):
    """`shared.ports.stores.Store` in a project's database; in the emulator where FIRESTORE_EMULATOR_HOST is set.

    Cheap to make: the client is the process's own, opened by the first request. Safe between threads.
    """

    bills_reads = True

    def __init__(
        self,
        project: str,
        *,
        database: str = DEFAULT_DATABASE,
        read_seconds: float = 10.0,
        write_seconds: float = 30.0,
        deployment: str = "",
    ) -> None:
        """`read_seconds`, `write_seconds`: what all attempts of a request may take; then it raises StoreUnavailable.

        `deployment`: FUNCTION_PREFIX.
        """
        self.project = project
        super().__init__(
            Connection(
                project, database=database, read_seconds=read_seconds, write_seconds=write_seconds
            )
        )
        self._ownership = Ownership(project, database, deployment)

    def check_owner(self) -> None:
        self._ownership.check(self._db)

    def unless_erased(self, tenant_id: str, last_erasure: str) -> Self:
        """Each commit verifies the document that every erasure changes, which is no read and no request more.

        Raises InvalidArgument("erasure") for what `last_erasure` never gave.
        """
        conditional = copy.copy(self)
        if last_erasure and not is_token(last_erasure):
            raise InvalidArgument("erasure", "what GET /notes gave")
        erasure = self._erasure(tenant_id)
        conditional._db = self._db.while_unchanged(erasure, last_erasure or None)  # noqa: SLF001 - a copy of itself
        return conditional

    def close(self) -> None:
        """Nothing: the client belongs to the process and serves every store."""
