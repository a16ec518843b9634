"""What a note may hold: the same for requests, for files, and in firestore.rules for apps (tests/rules/test_limits.py).

Lengths count characters (code points), unless they say bytes.
"""

from __future__ import annotations

MOST_TEXT_BYTES = 900_000
"""UTF-8 bytes of a note's text; with its other fields it stays below Firestore's limit of 1 MiB a document."""
LONGEST_TITLE = 1000
LONGEST_PATH = 1000
LONGEST_NAME = 200
"""Of a vault, and of each tag."""
VAULT_PATTERN = rf"[^/\x00-\x1f\x7f]{{1,{LONGEST_NAME}}}"
VAULT = f"a name of 1-{LONGEST_NAME} characters, without slash or control characters"
LONGEST_FOLDER = LONGEST_NAME + 1 + LONGEST_PATH
"""As `vault/folder`."""
MOST_DAYS = 36_500
"""Of a window of time."""
MOST_TAGS = 50
"""Rules look at each, and evaluate at most 1,000 expressions a write: at 75 tags the emulator gives up."""

NOTE_ID_PATTERN = r"(?!\.{1,2}\Z)(?!__.*__\Z)[^/\x00-\x1f\x7f\ufffd]{1,128}"
"""In which a dot is any sign: what Firestore can keep and an address can hold."""
LANG_PATTERN = r"[a-z]{2,3}"
"""ISO 639-1, or 639-3 where that has no letters for it."""
