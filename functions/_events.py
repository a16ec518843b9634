"""CloudEvents of Firestore -> which note. Nothing but the path is needed: the handler reads what is there now."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from cloudevents.http import CloudEvent

if TYPE_CHECKING:
    from shared.domain import NoteKey

_NOTE = re.compile(r"tenants/([^/]+)/notes/([^/]+)", re.DOTALL)


def note_keys(event: CloudEvent) -> tuple[NoteKey, ...]:
    """The note that was written; none if the event is of anything else.

    The path stands in the attribute `document`, else after `documents/` in `subject`. As an HTTP header it may be
    percent-encoded (CloudEvents HTTP binding, 3.1.3.2) or not (the emulator sends an id `50%25` as it is), and nothing
    says which: where they differ both readings are given, and indexing a note that is not there does nothing.
    """
    from shared.domain import NoteKey  # noqa: PLC0415 - main.py loads every function; this costs a cold start 20 ms

    attributes = event.get_attributes()
    path = str(attributes.get("document") or str(attributes.get("subject", "")).removeprefix("documents/"))
    readings = dict.fromkeys((_as_utf8(path), unquote(path)))
    return tuple(NoteKey(found[1], found[2]) for reading in readings if (found := _NOTE.fullmatch(reading)))


def _as_utf8(header: str) -> str:
    """WSGI hands header bytes over as Latin-1."""
    try:
        return header.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return header
