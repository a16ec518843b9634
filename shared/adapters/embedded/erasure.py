"""The end of a tenant: its file, emptied and removed."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from time import sleep

from shared.adapters.embedded.requests.files import TenantFile, TenantFiles
from shared.adapters.embedded.searching.vectors import VectorSpace
from shared.adapters.embedded.writing.changes import KEPT_REMOVALS
from shared.model.account import Person

SETTLING_SECONDS = 0.2
"""After which it is looked once more: a worker that had read a note before it went may write what it made of it."""

_KINDS = {"records": "index", "shelf": "settings"}
"""Tables whose rows are called otherwise in a receipt; others are called as they are."""
_UNCOUNTED = ("vectors", "removed_vectors")
"""Parts of chunks."""


class Erasure:
    """`shared.ports.tenants.ErasureStore`."""

    _files: TenantFiles
    _spaces: dict[str, VectorSpace]

    def erase(self, tenant_id: str) -> Mapping[str, int]:
        """Kind -> how many. Emptied in one commit, so that processes which have the file open find nothing; then it is
        removed, unless another process has it open.
        """
        self._spaces.pop(tenant_id, None)
        erased = Counter(self._clear(self._files.of(tenant_id)))
        for file in self._files.people(tenant_id):
            erased.update(self._clear(file))
        return dict(erased)

    def erase_person(self, person: Person) -> Mapping[str, int]:
        return self._clear(self._files.of(person.space))

    def _clear(self, file: TenantFile) -> Mapping[str, int]:
        erased: Counter[str] = Counter()
        while file.exists():
            with file.writing() as db:
                erased.update(_empty(db))
            if not file.remove():
                break
            sleep(SETTLING_SECONDS)
        return dict(erased)


def _empty(db: sqlite3.Connection) -> Mapping[str, int]:
    db.execute("PRAGMA secure_delete = ON")  # overwritten, should the file stay
    counts = {table: db.execute(f'DELETE FROM "{table}"').rowcount for table in _tables(db)}
    db.execute("INSERT INTO postings (postings) VALUES ('delete-all')")
    # So far on that whoever follows the file by its revision reads it anew.
    db.execute("UPDATE state SET chunk_count = 0, total_length = 0, revision = revision + ?", (KEPT_REMOVALS + 1,))
    return {_KINDS.get(table, table): count for table, count in counts.items() if count and table not in _UNCOUNTED}


def _tables(db: sqlite3.Connection) -> list[str]:
    """Every table that holds a tenant's own, also those that are added to the schema later."""
    found = db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('state', 'vocabulary') "
        "AND name NOT LIKE 'postings%' AND name NOT LIKE 'sqlite%' ORDER BY name"
    )
    return [name for (name,) in found]
