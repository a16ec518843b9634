"""The function `on_note_write`: Firestore's trigger on tenants/{tenantId}/notes/{noteId}."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

import functions_framework
from cloudevents.http import CloudEvent

from functions.http import log as _log
from functions.http.calls import current_app
from functions.http.events import handling, note_keys

if TYPE_CHECKING:  # main.py loads every function, and the domain's types cost a cold start 20 ms
    from shared.model.notes import NoteKey

_logger = logging.getLogger(__name__)


@functions_framework.cloud_event
def on_note_write(event: CloudEvent) -> None:
    """Bring the note's index to what the note says now."""
    _log.configure()
    keys = note_keys(event)
    if not keys:
        _logger.warning("acknowledged an event that names no note")
    for key in keys:
        with handling(event, partial(_give_up, key), tenantId=key.tenant_id, noteId=key.note_id):
            outcome = current_app().indexer.index(key)
            fields = {"action": outcome.action, "chunks": outcome.chunks, "embedded": outcome.embedded}
            _logger.info("note %s", outcome.action, extra={"fields": fields})


def _give_up(key: NoteKey, reason: str) -> None:
    current_app().indexer.give_up(key, reason)
