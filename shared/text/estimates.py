"""How many tokens a text is, about: models count each in their own way."""

from __future__ import annotations

BYTES_PER_TOKEN = 4
"""Of English in UTF-8."""


def estimated_tokens(text: str) -> int:
    """At least 1 for any text that is not empty."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)
