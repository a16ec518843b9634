"""Characters that read the same made the same."""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = re.compile("(?<=[a-zα-ω])[\u0300-\u036f]+")
_INVISIBLE = re.compile("[\xad\u200c\u200d\ufe00-\ufe0f]")  # soft hyphen, joiners, variation selectors
_UNDECOMPOSED = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ŋ": "n", "’": "'"}
)


def fold(word: str) -> str:
    """One word -> NFKC, case folded, without invisible characters and blanks: `Ｐｒｏｊｅｃｔ` -> `project`."""
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", _INVISIBLE.sub("", word)).casefold())
    return "".join(folded.split())


def without_accents(word: str) -> str:
    """A folded word without the accents of Latin and Greek letters: `résumé` -> `resume`, `łódź` -> `lodz`.

    In other scripts marks tell letters apart (`й`, `が`, Hindi vowels) and stay.
    """
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed)).translate(_UNDECOMPOSED)


def folded_words(text: str) -> str:
    """Its words without accents, a blank between them: what reads the same is the same."""
    return " ".join(without_accents(fold(word)) for word in text.split())
