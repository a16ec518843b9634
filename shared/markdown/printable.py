r"""Makes text and JSON safe to print: nothing in it acts on a terminal.

A terminal obeys what it is sent: `\x1b]52;…` writes the clipboard, `\x1b[2J` clears the screen, and
U+009B is `\x1b[` in one character. U+202D and U+202E make it draw what follows in another order than it stands.
A note, a file's name or a request's path may hold any of it.
"""

from __future__ import annotations

import re

_ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202d\u202e\ud800-\udfff]")
"""Controls but tab and newline; overrides of the direction; and lone surrogates, which no terminal can be sent."""
REPLACEMENT = "\ufffd"


def printable(text: str) -> str:
    """Replaces by U+FFFD what acts on a terminal; tabs and newlines stay, and lines end with newlines."""
    with_newlines = text.replace("\r\n", "\n")
    return _ACTS.sub(REPLACEMENT, with_newlines)


def printable_json(text: str) -> str:
    r"""Escapes the control characters that `json.dumps(…, ensure_ascii=False)` leaves in JSON."""
    return _ACTS.sub(_escaped, text)


def _escaped(character: re.Match[str]) -> str:
    """Returns a character as JSON escapes it."""
    code_point = ord(character[0])
    return f"\\u{code_point:04x}"
