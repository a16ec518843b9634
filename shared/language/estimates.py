"""How many of a model's tokens a text is, about: models count each in their own way."""

from __future__ import annotations

import math

BYTES_PER_TOKEN = 4
"""Of UTF-8, as English and, roughly, Chinese have it."""


def tokens(text: str) -> float:
    """An estimate that adds up: two halves have together what the whole has."""
    return (len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))) / BYTES_PER_TOKEN


def estimated_tokens(text: str) -> int:
    """The same in whole tokens: at least 1 for any text that is not empty."""
    return math.ceil(tokens(text))
