"""`folders/{id}`: the folders that indexed notes lie in. One is written when its first note comes and removed when its
last has gone, so that saving notes writes nothing that other notes of the folder write too.

Whoever brings a note looks after its commit whether the folder still stands; whoever takes the last one away marks the
folder, looks once more whether it is empty, and removes it if nobody has touched it since the mark. So of two that meet
one sees the other. Killed in between, a folder may stay without notes, never a note without its folder.
"""

from __future__ import annotations

from typing import Any

from shared.adapters.firestore.documents import place_key
from shared.adapters.firestore.requests.connection import Connection
from shared.adapters.firestore.requests.protocol import change, protocol, put
from shared.adapters.firestore.requests.queries import Is, Query, Where
from shared.errors import Conflict
from shared.model.notes import Folder

MOST_KNOWN = 10_000
"""Folders that are remembered to stand."""


class Places:
    """Safe between threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: set[str] = set()

    def arriving(self, tenant_id: str, place: Folder) -> None:
        """Before the commit with which a note comes to `place`. A read, the first time."""
        if self._name(tenant_id, place) not in self._known:
            self.arrived(tenant_id, place)

    def arrived(self, tenant_id: str, place: Folder) -> None:
        """After that commit. A read."""
        name = self._name(tenant_id, place)
        folder = put(name, {"vault": place.vault, "folder": place.folder})
        self._connection.ensure([folder, stamp(self._connection, tenant_id, place_key(place))], unless="leaving")
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known.add(name)

    def left(self, tenant_id: str, place: Folder) -> None:
        """After the commit with which a note left `place`. A read, and of its last note two more and two writes."""
        if not self._is_empty(tenant_id, place):
            return
        name = self._name(tenant_id, place)
        try:
            mark = self._connection.commit([change(name, {"leaving": True})]).write_results[0].update_time
            write = change(name, {"leaving": False})
            writes = [write]
            if self._is_empty(tenant_id, place):
                write = protocol().Write(delete=name)
                writes = [write, stamp(self._connection, tenant_id, place_key(place))]
            write.current_document.update_time.CopyFrom(mark)
            self._connection.commit(writes)
        except Conflict:
            return  # somebody else has removed it, or opened it again
        self._known.discard(name)

    def forget(self) -> None:
        """After an erasure."""
        self._known.clear()

    def _is_empty(self, tenant_id: str, place: Folder) -> bool:
        where = (Where("place", Is.EQUAL, place_key(place)),)
        query = Query(collection="index", where=where, limit=1, fields=())
        return not self._connection.query(self._connection.tenant(tenant_id), query)

    def _name(self, tenant_id: str, place: Folder) -> str:
        return self._connection.name(tenant_id, "folders", place_key(place))


def stamp(connection: Connection, tenant_id: str, digest: str) -> Any:  # noqa: ANN401
    """The write that tells of what leaves no newer record behind: a record that goes, a folder that comes or goes. Each
    goes to one of 256 documents, drawn by the first digits of its digest: one document takes a write a second.
    """
    write = protocol().Write()
    write.update.name = connection.name(tenant_id, "changes", digest[:2])
    write.update_mask.SetInParent()  # an empty mask: no field but the one that is transformed
    touch(write)
    return write


def touch(write: Any) -> None:  # noqa: ANN401
    """`changedAt`: the server's time of the commit. The newest of a tenant tells whether its chunks changed."""
    write.update_transforms.add(field_path="changedAt").set_to_server_value = 1  # REQUEST_TIME
