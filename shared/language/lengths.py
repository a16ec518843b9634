"""Lengths of a text: estimated tokens of a model, and offsets in UTF-16 code units."""

from __future__ import annotations

import math
import re
from bisect import bisect_left

BYTES_PER_TOKEN = 4
"""Bytes of UTF-8 in a token of English and, roughly, of Chinese."""


def tokens(text: str) -> float:
    """Estimates tokens as a fraction, so that two halves together have as many as the text."""
    size = len(text)
    if not text.isascii():
        size = len(text.encode("utf-8", "surrogatepass"))
    return size / BYTES_PER_TOKEN


def estimated_tokens(text: str) -> int:
    """Estimates tokens as a whole number: at least 1 for any text that is not empty."""
    return math.ceil(tokens(text))


def utf16_units(text: str) -> int:
    """Returns the length in UTF-16 code units, in which clients count."""
    if text.isascii():
        return len(text)
    encoded = text.encode("utf-16-le", "surrogatepass")
    return len(encoded) // 2


def utf16_slice(text: str, start: int, end: int) -> str:
    """Returns the text from `start` to `end`, counted in UTF-16 code units; half a character becomes U+FFFD."""
    if text.isascii():
        return text[start:end]
    encoded = text.encode("utf-16-le", "surrogatepass")
    return encoded[2 * start : 2 * end].decode("utf-16-le", "replace")


_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
"""Characters that are two code units."""


class Utf16Offsets:
    """The UTF-16 offsets of one text. Made in one pass; memory grows with the characters beyond
    U+FFFF alone.
    """

    def __init__(self, text: str) -> None:
        self._astral: list[int] = []
        """Offsets of the characters beyond U+FFFF, ascending."""
        if not text.isascii():
            self._astral = [match.start() for match in _ASTRAL.finditer(text)]

    def at(self, code_point_offset: int) -> int:
        """Returns the code units before the code point at `code_point_offset` (0 to the text's
        length).
        """
        return code_point_offset + bisect_left(self._astral, code_point_offset)
