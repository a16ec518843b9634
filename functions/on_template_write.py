"""The function `on_template_write`: Firestore's trigger on tenants/{tenantId}/templates/{templateId}.

Writing the vector fires it once more; that event finds the vector of what the template says and ends the matter.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import flask
import functions_framework
from cloudevents.http import CloudEvent

from functions import _log
from functions._calls import current_app
from functions._events import template_keys
from shared.errors import BrokenPromise, EmbeddingsSpent, InvalidArgument, ModelRefused, Unavailable

if TYPE_CHECKING:
    from shared.domain import TemplateKey

_logger = logging.getLogger(__name__)


@functions_framework.cloud_event
def on_template_write(event: CloudEvent) -> None:
    """Give the template the vector of what it says now.

    What may pass with time answers 503, so that the event comes again; what will not is acknowledged and logged.
    """
    _log.configure()
    keys = template_keys(event)
    if not keys:
        _logger.warning("acknowledged an event that names no template")
    for key in keys:
        event_id = str(event.get_attributes().get("id"))
        with _log.context({"eventId": event_id, "tenantId": key.tenant_id, "templateId": key.template_id}):
            _refresh(key)


def _refresh(key: TemplateKey) -> None:
    try:
        action = current_app().refresh_template(key)
    except (ModelRefused, BrokenPromise, InvalidArgument):
        _logger.exception("acknowledged: it would end the same again")
    except EmbeddingsSpent:
        _logger.info("acknowledged: today's embedding budget is used up, a search embeds it tomorrow")
    except Unavailable as error:
        _logger.warning("to be sent again, %s: %s", type(error).__name__, error.message)
        flask.abort(503, description=type(error).__name__)
    else:
        _logger.info("template %s", action)
