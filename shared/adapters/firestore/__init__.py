"""Firestore as one `shared.ports.stores.Store`, by its generated client and raw protobuf.

Read in this order:

documents    entities as documents
index        a change of a note's index as commits
search       the searches of a question, with `filters` and `corpus`
collections  sessions and all other documents
protocol     protobuf messages; `connection` and `client` send them

Beside the fields of the data model, documents hold a few that serve this store alone.

Chunks:
    postings       stem -> time and count: finds the newest chunks with a stem, and a search reads its stems' counts only
    place          digest of vault and folder, by which vector searches are filtered; as is `day`, or `month`
    embedded       whether `embedding` exists, known without reading it
    keptEmbedding  a second vector during a change of the embedding model, with its index version `kept`
Index records:
    vault, folder, place   folder of the note
    waiting        status and shard, by which the sweep finds notes that are not indexed; earlier releases: `unfinished`
    changedAt      server time of the last change
    writing        changes while an index change takes several commits
Folders:
    leaving        true while the folder is being removed
Templates:
    vectorKey      digest of what `embedding` was made from
changes/{00 to ff}: `changedAt` of changes that leave no newer record
usage/{day}/embedded/{00 to ff}: `tokens`
At the root:
    bookmarks/{name}                          progress of reconcile
    auroraErasures/{digest of a tenant's id}  number of the tenant's erasures
    auroraOwner/deployment                    deployment that writes the index

`roots` lists every collection.
"""

from __future__ import annotations

import copy
from typing import Self

from shared.adapters.firestore.account import FirestoreAccount
from shared.adapters.firestore.connection import DEFAULT_DATABASE, Connection
from shared.adapters.firestore.index import FirestoreIndex
from shared.adapters.firestore.notes import FirestoreNotes
from shared.adapters.firestore.ownership import Ownership
from shared.adapters.firestore.protocol import is_token
from shared.adapters.firestore.search import FirestoreSearch
from shared.errors import InvalidArgument

__all__ = ["FirestoreStore"]


class FirestoreStore(FirestoreNotes, FirestoreIndex, FirestoreSearch, FirestoreAccount):
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
        """Makes a store.

        read_seconds, write_seconds: time for all attempts of a request together; then it raises StoreUnavailable.
        deployment: FUNCTION_PREFIX.
        """
        self.project = project
        super().__init__(
            Connection(
                project,
                database=database,
                read_seconds=read_seconds,
                write_seconds=write_seconds,
            ),
        )
        self._ownership = Ownership(project, database, deployment)

    def check_owner(self) -> None:
        self._ownership.check(self._db)

    def unless_erased(self, tenant_id: str, last_erasure: str) -> Self:
        """Each commit verifies the document that every erasure changes, which is no read and no request more.

        Raises InvalidArgument("erasure") for a text that `last_erasure` never returned.
        """
        conditional = copy.copy(self)
        if last_erasure and not is_token(last_erasure):
            raise InvalidArgument("erasure", "what GET /notes gave")
        erasure = self._erasure(tenant_id)
        conditional._db = self._db.while_unchanged(erasure, last_erasure or None)  # noqa: SLF001 - a copy of itself
        return conditional

    def close(self) -> None:
        """Does nothing: the client belongs to the process and serves every store."""
