"""Code point offsets -> UTF-16 offsets, as clients in JavaScript, Java and Swift count."""

from __future__ import annotations

import re
from bisect import bisect_left

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Utf16Offsets:
    """The UTF-16 offsets of one text. Made in one pass; memory grows with the characters beyond U+FFFF alone."""

    def __init__(self, text: str) -> None:
        self._astral = [] if text.isascii() else [found.start() for found in _ASTRAL.finditer(text)]

    def at(self, code_point_offset: int) -> int:
        """Code units before the code point at `code_point_offset` (0 to the text's length)."""
        return code_point_offset + bisect_left(self._astral, code_point_offset)
