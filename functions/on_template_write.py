"""The function `on_template_write`: Firestore's trigger on tenants/{tenantId}/templates/{templateId}.

Writing the vector fires it once more; that event finds the vector of what the template says and does nothing.
"""

from __future__ import annotations

import logging

import functions_framework
from cloudevents.http import CloudEvent

from functions.http.calls import current_app
from functions.http.events import handling, written_documents

_logger = logging.getLogger(__name__)


@functions_framework.cloud_event
def on_template_write(event: CloudEvent) -> None:
    """Give the template the vector of what it says now."""
    for tenant_id, template_id in written_documents(event, "templates"):
        with handling(event, tenantId=tenant_id, templateId=template_id):
            app = current_app()
            app.store.check_owner()
            action = app.templates.refresh(tenant_id, template_id)
            _logger.info("template %s", action)
