"""What stands in a document's name, tenants/{tenant}/{collection}/{id}: ids that Firestore can hold, and back."""

from __future__ import annotations

import re

from shared.errors import InvalidArgument
from shared.model.notes import NoteKey

_RESERVED = re.compile(r"\.{1,2}|__.*__", re.DOTALL)
_KEY = re.compile(r"tenants/([^/]+)/[^/]+/([^/]+)", re.DOTALL)


def last(name: str) -> str:
    """The document's id."""
    return name.rpartition("/")[2]


def note_key(root: str, name: str) -> NoteKey | None:
    """Tenant and id from the name of a note or a record; None for a document that lies elsewhere."""
    match = _KEY.fullmatch(name.removeprefix(f"{root}/"))
    return NoteKey(match[1], match[2]) if match else None


def checked(value: str, field: str) -> str:
    """The value itself. Raises InvalidArgument of `field` for what Firestore cannot hold as an id."""
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        size = 0
    if not 0 < size <= 1500 or "/" in value or "\0" in value or _RESERVED.fullmatch(value):
        raise InvalidArgument(field, "1 to 1500 bytes of UTF-8 without slash, and not '.', '..' or '__…__'")
    return value
