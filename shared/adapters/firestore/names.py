"""Where things lie: tenants/{tenant}/{collection}/{id}, and the way back from a document's name to its note."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re

from shared.domain import NoteKey
from shared.errors import InvalidArgument

_RESERVED = re.compile(r"\.{1,2}|__.*__", re.DOTALL)
_KEY = re.compile(r"tenants/([^/]+)/[^/]+/([^/]+)", re.DOTALL)
_CHECK_BYTES = 6


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


def token(*parts: str) -> str:
    """An opaque page token that holds `parts`."""
    content = "\0".join(parts).encode()
    return base64.urlsafe_b64encode(_check(content) + content).decode().rstrip("=")


def parts_of(page_token: str, count: int, field: str) -> tuple[str, ...]:
    """What `token` was made of. Raises InvalidArgument(`field`) for one it did not make.

    The check bytes keep out mistakes; whoever forges them still reads no more than the same listing shows.
    """
    try:
        content = base64.b64decode(page_token + "=" * (-len(page_token) % 4), altchars=b"-_", validate=True)
        parts = tuple(content[_CHECK_BYTES:].decode().split("\0"))
    except (binascii.Error, ValueError):
        parts = ()
    if len(parts) != count or token(*parts) != page_token:
        raise InvalidArgument(field, "a token from the page before")
    return parts


def _check(content: bytes) -> bytes:
    return hashlib.sha256(b"page:" + content).digest()[:_CHECK_BYTES]
