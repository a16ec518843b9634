"""CloudEvents of Firestore -> which document. Nothing but the path is needed: the handler reads what is there now."""

from __future__ import annotations

import re
from urllib.parse import unquote

from cloudevents.http import CloudEvent


def note_path(event: CloudEvent) -> tuple[str, str] | None:
    """(tenant id, note id) of the note that was written; None if the event is of anything else.

    The path stands in the attribute `document`, else after `documents/` in `subject`. As an HTTP header it may come
    percent-encoded, which is undone: every `%` of an id is encoded then too (CloudEvents HTTP binding, 3.1.3.2).
    """
    attributes = event.get_attributes()
    path = attributes.get("document") or str(attributes.get("subject", "")).removeprefix("documents/")
    found = re.fullmatch(r"tenants/([^/]+)/notes/([^/]+)", unquote(str(path)), re.DOTALL)
    return (found[1], found[2]) if found else None
