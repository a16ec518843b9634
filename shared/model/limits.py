"""Limits of ids and notes, the same for tokens, requests, files, and apps (firestore.rules).

Lengths count characters (code points), unless they say bytes.
"""

from __future__ import annotations

import re

MAX_TEXT_BYTES = 900_000
"""UTF-8 bytes of a note's text; with its other fields it stays below Firestore's limit of 1 MiB a document."""
MAX_TITLE = 1000
MAX_PATH = 1000
MAX_NAME = 200
"""Characters of a vault's name and of each tag."""
VAULT_PATTERN = rf"[^/\x00-\x1f\x7f]{{1,{MAX_NAME}}}"
VAULT = f"a name of 1-{MAX_NAME} characters, without slash or control characters"
MAX_FOLDER = MAX_NAME + 1 + MAX_PATH
"""Longest `vault/folder`."""
MAX_DAYS = 36_500
"""Longest window of time."""
MAX_TAGS = 50
"""Rules look at each, and evaluate at most 1,000 expressions a write: at 75 tags the emulator gives up."""

MAX_ID_BYTES = 1000
"""UTF-8 bytes of an id. Percent-encoded it fits an address, and with what chunks add to it Firestore's 1,500 bytes."""
ID = f"1-{MAX_ID_BYTES} bytes of UTF-8, no slash or control characters, not `.`, `..` or `__…__`"
_ID = re.compile(r"(?!\.{1,2}\Z)(?!__.*__\Z)[^/\x00-\x1f\x7f\ud800-\udfff\ufffd]+", re.DOTALL)
TEAM = "team:"
"""Prefix that the id of a team's tenant should have. No user's id has it, so only the claim `tenantId` opens one."""
LANG_PATTERN = r"[a-z]{2,3}"
"""ISO 639-1, or 639-3 where that has no letters for it."""

UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")
"""Characters that no store can keep, or give back over JSON."""


def is_id(text: object) -> bool:
    """Reports whether a person, tenant, note or template can have this id: Firestore can store it, and a URL hold it."""
    return (
        isinstance(text, str) and bool(_ID.fullmatch(text)) and len(text.encode()) <= MAX_ID_BYTES
    )
