"""The function `on_note_write`: Firestore's trigger on tenants/{tenantId}/notes/{noteId}."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import flask
import functions_framework
from cloudevents.http import CloudEvent

from functions import _log
from functions._calls import current_app
from functions._events import note_keys
from shared.errors import EmbeddingsSpent, ModelRefused, Unavailable

if TYPE_CHECKING:
    from shared.domain import NoteKey

_logger = logging.getLogger(__name__)


@functions_framework.cloud_event
def on_note_write(event: CloudEvent) -> None:
    """Bring the note's index to what the note says now.

    What may pass with time (an outage, another worker at the same note) answers 503, so that the event comes again;
    what will not is acknowledged and logged. A bug raises, which is 500 and comes again too.
    """
    _log.configure()
    keys = note_keys(event)
    if not keys:
        _logger.warning("acknowledged an event that names no note")
    for key in keys:
        names = {"eventId": str(event.get_attributes().get("id")), "tenantId": key.tenant_id, "noteId": key.note_id}
        with _log.context(names):
            _index(key)


def _index(key: NoteKey) -> None:
    try:
        outcome = current_app().index_note(key)
    except ModelRefused:
        _logger.exception("acknowledged: the model refuses, and would again")
    except EmbeddingsSpent:
        _logger.info("acknowledged: today's embedding budget is used up, reconcile embeds it tomorrow")
    except Unavailable as error:
        _logger.warning("to be sent again, %s: %s", type(error).__name__, error.message)
        flask.abort(503, description=type(error).__name__)
    else:
        fields = {"action": outcome.action, "chunks": outcome.chunks, "embedded": outcome.embedded}
        _logger.info("note %s", outcome.action, extra={"fields": fields})
