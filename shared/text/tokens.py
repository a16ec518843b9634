"""How much of a model's context a text takes."""

from __future__ import annotations


def tokens(text: str) -> float:
    """An estimate of a model's tokens: four UTF-8 bytes each, as English and, roughly, Chinese have it."""
    return (len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))) / 4
