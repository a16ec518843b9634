"""Where things lie: tenants/{tenant}/{collection}/{id}, and the way back from a document's name to its note."""

from __future__ import annotations

import re

from shared.errors import InvalidArgument
from shared.model.notes import NoteKey

_RESERVED = re.compile(r"\.{1,2}|__.*__", re.DOTALL)
_KEY = re.compile(r"tenants/([^/]+)/[^/]+/([^/]+)", re.DOTALL)


def tenant(root: str, tenant_id: str) -> str:
    """The parent of a tenant's collections. Raises InvalidArgument("tenantId")."""
    return f"{root}/tenants/{_checked(tenant_id, 'tenantId')}"


def document(root: str, tenant_id: str, collection: str, document_id: str) -> str:
    """Full name of a tenant's document. Raises InvalidArgument for an id that Firestore cannot hold."""
    return f"{tenant(root, tenant_id)}/{collection}/{_checked(document_id, 'noteId')}"


def last(name: str) -> str:
    """The document's id."""
    return name.rpartition("/")[2]


def note_key(root: str, name: str) -> NoteKey | None:
    """Tenant and id from the name of a note or a record; None for a document that lies elsewhere."""
    match = _KEY.fullmatch(name.removeprefix(f"{root}/"))
    return NoteKey(match[1], match[2]) if match else None


def _checked(value: str, field: str) -> str:
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        size = 0
    if not 0 < size <= 1500 or "/" in value or "\0" in value or _RESERVED.fullmatch(value):
        raise InvalidArgument(field, "1 to 1500 bytes of UTF-8 without slash, and not '.', '..' or '__…__'")
    return value
