"""Words too common to tell one note from another."""

from __future__ import annotations

from functools import cache

from shared.language.folding import fold, without_accents
from shared.language.vocabulary import vocabulary


@cache
def stop_words(lang: str) -> frozenset[str]:
    """Folded, without accents; empty for a language without a list. `lang`: ISO 639-1."""
    return frozenset(without_accents(fold(word)) for word in vocabulary(lang).stop_words.split())
