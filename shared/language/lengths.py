"""The length of a text: an estimate in tokens of a model, and offsets in UTF-16 code units."""

from __future__ import annotations

import math
import re
from bisect import bisect_left

BYTES_PER_TOKEN = 4
"""Bytes of UTF-8 in a token of English and, roughly, of Chinese."""


def tokens(text: str) -> float:
    """An estimate that adds up: two halves have together what the whole has."""
    return (len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))) / BYTES_PER_TOKEN


def estimated_tokens(text: str) -> int:
    """An estimate in whole tokens: at least 1 for any text that is not empty."""
    return math.ceil(tokens(text))


def utf16_units(text: str) -> int:
    """The length in UTF-16 code units, in which clients count."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Utf16Offsets:
    """The UTF-16 offsets of one text. Made in one pass; memory grows with the characters beyond U+FFFF alone."""

    def __init__(self, text: str) -> None:
        self._astral = [] if text.isascii() else [found.start() for found in _ASTRAL.finditer(text)]

    def at(self, code_point_offset: int) -> int:
        """Code units before the code point at `code_point_offset` (0 to the text's length)."""
        return code_point_offset + bisect_left(self._astral, code_point_offset)
