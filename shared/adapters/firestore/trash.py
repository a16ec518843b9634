"""Notes as they were before they were edited, replaced or deleted: `tenants/{tenant}/auroraTrash/{trashId}`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from shared.adapters.firestore import names
from shared.adapters.firestore.documents import Fields, note_fields, note_of
from shared.adapters.firestore.requests.connection import Connection
from shared.adapters.firestore.requests.protocol import protocol, put, timestamp
from shared.adapters.firestore.requests.queries import KEY, Order, Query, Reference
from shared.model.notes import TrashedNote, TrashReason
from shared.ports.pages import Page, make_token, read_token

COLLECTION = "auroraTrash"
"""A name that no app beside this one uses: time-to-live policies count for every collection of a name."""
LISTED_FIELDS = (
    "title", "createdAt", "updatedAt", "vault", "path", "tags", "lang", "noteId", "trashedAt", "expiresAt", "reason",
)  # fmt: skip
"""All but the text."""


class Trash:
    """`shared.ports.notes.TrashStore` on Firestore."""

    _connection: Connection

    def put_trashed(self, tenant_id: str, trashed: TrashedNote) -> None:
        self._connection.commit([trash_write(self._connection, tenant_id, trashed)])

    def get_trashed(self, tenant_id: str, trash_id: str) -> TrashedNote | None:
        found = self._connection.read(self._connection.name(tenant_id, COLLECTION, trash_id))
        return None if found is None else _trashed(found)

    def list_trashed(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[TrashedNote]:
        last = None if token is None else read_token(token, "trash")[0]
        after = () if last is None else (Reference(self._connection.name(tenant_id, COLLECTION, last)),)
        query = Query(collection=COLLECTION, order=(Order(KEY),), after=after, limit=limit + 1, fields=LISTED_FIELDS)
        documents = self._connection.query(self._connection.tenant(tenant_id), query)
        items = tuple(map(_trashed, documents[:limit]))
        return Page(items, make_token("trash", items[-1].trash_id) if len(documents) > limit else None)

    def delete_trashed(self, tenant_id: str, trash_id: str) -> bool:
        write = protocol().Write(delete=self._connection.name(tenant_id, COLLECTION, trash_id))
        write.current_document.exists = True
        return self._connection.holds([write])

    def expire_trashed(self, now: datetime) -> None:
        """Nothing: a time-to-live policy on `expiresAt` removes what has expired."""


def trash_write(connection: Connection, tenant_id: str, trashed: TrashedNote) -> Any:  # noqa: ANN401
    """For a commit that replaces or deletes the note too."""
    more = {
        "noteId": trashed.note.note_id,
        "trashedAt": trashed.trashed_at,
        "expiresAt": trashed.expires_at,
        "reason": trashed.reason.value,
    }
    return put(connection.name(tenant_id, COLLECTION, trashed.trash_id), {**note_fields(trashed.note), **more})


def _trashed(document: Any) -> TrashedNote:  # noqa: ANN401
    fields = Fields(document.fields)
    if "text" not in document.fields:
        document.fields["text"].string_value = ""
    return TrashedNote(
        trash_id=names.last(document.name),
        note=note_of(fields.text("noteId"), document),
        trashed_at=fields.time("trashedAt", timestamp(document.create_time)),
        expires_at=fields.time("expiresAt", timestamp(document.create_time)),
        reason=TrashReason(fields.text("reason")),
    )
