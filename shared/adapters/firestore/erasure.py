"""The end of a tenant, or of a person in it: every document below, whatever its collection, and all below those."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from shared.adapters.firestore.requests.connection import Connection, pool
from shared.adapters.firestore.requests.protocol import protocol
from shared.adapters.firestore.requests.queries import KEY, Order, Query, Reference
from shared.adapters.firestore.searching.corpus import Corpus
from shared.adapters.firestore.trash import COLLECTION as TRASH
from shared.adapters.firestore.writing.places import Places
from shared.model.account import Person

AT_ONCE = 2000
"""Names read together, ..."""
BATCH = 500
"""... and documents deleted by one request, each for itself: the index entries that go with some dozen chunks are all
that one commit takes.
"""
SETTLING_SECONDS = 0.5
"""After which it is looked once more: a worker that had read a note before it went may write what it made of it."""
EVERYTHING = ""
"""In place of a collection: all of them, with what lies below their documents."""


class Erasure:
    """`shared.ports.tenants.ErasureStore` on Firestore."""

    _connection: Connection
    _corpus: Corpus
    _days: set[str]
    _places: Places

    def erase(self, tenant_id: str) -> Mapping[str, int]:
        """Some 8,000 documents a second on the emulator; a read and a delete each."""
        parent = self._connection.tenant(tenant_id)
        erased: Counter[str] = Counter()
        try:
            self._clear(parent, "notes", erased)
            self._clear_all(parent, erased)
        finally:
            self._corpus.forget(tenant_id)
            self._days.clear()
            self._places.forget()
        return dict(erased)

    def erase_person(self, person: Person) -> Mapping[str, int]:
        erased: Counter[str] = Counter()
        self._clear_all(self._connection.person(person), erased)
        return dict(erased)

    def _clear_all(self, parent: str, erased: Counter[str]) -> None:
        while self._clear(parent, EVERYTHING, erased):
            time.sleep(SETTLING_SECONDS)

    def _clear(self, parent: str, collection: str, erased: Counter[str]) -> bool:
        """Whether there was anything. Going on by name: a query from the start would wade through what is deleted."""
        last: tuple[Reference, ...] = ()
        before = erased.total()
        while found := self._names(parent, collection, last):
            batches = [found[start : start + BATCH] for start in range(0, len(found), BATCH)]
            for done in pool().map(self._delete, batches):
                erased.update(done)
            last = (Reference(found[-1]),)
        return erased.total() > before

    def _names(self, parent: str, collection: str, after: tuple[Reference, ...]) -> list[str]:
        query = Query(
            collection=collection,
            everywhere=collection == EVERYTHING,
            order=(Order(KEY),),
            after=after,
            limit=AT_ONCE,
            fields=(),
        )
        return [each.name for each in self._connection.query(parent, query)]

    def _delete(self, found: list[str]) -> list[str]:
        """The kinds of what was deleted: the collection each lay in, `trash` for the trash."""
        writes: list[Any] = [protocol().Write(delete=name) for name in found]
        self._connection.write_each(writes)
        kinds = (name.split("/")[-2] for name in found)
        return ["trash" if kind == TRASH else kind for kind in kinds]
