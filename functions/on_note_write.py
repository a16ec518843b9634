"""The function `on_note_write`: Firestore's trigger on tenants/{tenantId}/notes/{noteId}."""

from __future__ import annotations

import logging
from functools import partial

import functions_framework
from cloudevents.http import CloudEvent

from functions.http.calls import current_app
from functions.http.events import handling, written_documents

_logger = logging.getLogger(__name__)


@functions_framework.cloud_event
def on_note_write(event: CloudEvent) -> None:
    """Bring the note's index to what the note says now."""
    from shared.model.notes import NoteKey  # noqa: PLC0415 - main.py loads every function; this costs a cold start 20 ms

    for tenant_id, note_id in written_documents(event, "notes"):
        key = NoteKey(tenant_id, note_id)
        indexer = current_app().indexer
        give_up = partial(indexer.postponing.give_up, key)
        with handling(event, give_up, tenantId=tenant_id, noteId=note_id):
            indexer.store.check_owner()
            outcome = indexer.index(key, spare_suspects=True)
            fields = {
                "action": outcome.action,
                "chunks": outcome.chunks,
                "embedded": outcome.embedded,
            }
            _logger.info("note %s", outcome.action, extra={"fields": fields})
