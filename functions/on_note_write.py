"""The function `on_note_write`: Firestore's trigger on tenants/{tenantId}/notes/{noteId}."""

from __future__ import annotations

import logging
from functools import partial

import functions_framework
from cloudevents.http import CloudEvent

from functions.http.calls import current_app
from functions.http.events import handling, written

_logger = logging.getLogger(__name__)


@functions_framework.cloud_event
def on_note_write(event: CloudEvent) -> None:
    """Bring the note's index to what the note says now."""
    from shared.model.notes import NoteKey  # noqa: PLC0415 - main.py loads every function; this costs a cold start 20 ms

    for tenant_id, note_id in written(event, "notes"):
        key, indexer = NoteKey(tenant_id, note_id), current_app().indexer
        with handling(event, partial(indexer.give_up, key), tenantId=tenant_id, noteId=note_id):
            outcome = indexer.index(key)
            fields = {"action": outcome.action, "chunks": outcome.chunks, "embedded": outcome.embedded}
            _logger.info("note %s", outcome.action, extra={"fields": fields})
