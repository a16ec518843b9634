"""Properties of notes -> which notes are replaced, and by which: `status: superseded`, `supersedes: 2025-11-database`."""

from __future__ import annotations

import re
from functools import cache

from shared.language.vocabulary import vocabularies
from shared.language.words import fold
from shared.model.index import IndexedChunk


def is_replaced(chunk: IndexedChunk) -> bool:
    """Reports whether a property of a note says that it is replaced: `status: superseded`."""
    values = [line.partition(": ")[2] for line in chunk.properties]
    return any(_replaced_words().fullmatch(value) for value in values)


def are_versions(chunk: IndexedChunk, other: IndexedChunk) -> bool:
    """Reports whether one of two notes replaces the other by its name."""
    return replaces(chunk, other) or replaces(other, chunk)


def replaces(chunk: IndexedChunk, other: IndexedChunk) -> bool:
    """Reports whether a note replaces another one by its name: `supersedes: 2025-11-database`, or `superseded by: …`
    in the other one.
    """
    if any(map(_replacing_words().fullmatch, _keys_that_name(other, chunk))):
        return True
    for key in _keys_that_name(chunk, other):
        # A word such as `ersetzt` replaces as a key, and is replaced as a value.
        if _replaced_words().fullmatch(key) and not _replacing_words().fullmatch(key):
            return True
    return False


def _keys_that_name(chunk: IndexedChunk, other: IndexedChunk) -> list[str]:
    """Returns the keys of another note's properties whose value is the name of a note."""
    if chunk.note_id == other.note_id:
        return []  # the older one may have had the same title
    file_name = chunk.path.rpartition("/")[2].removesuffix(".md")
    names = {fold(name) for name in (chunk.title, file_name) if name}
    keys = []
    for line in other.properties:
        key, _, value = line.partition(": ")
        if fold(value) in names:
            keys.append(key)
    return keys


@cache
def _replacing_words() -> re.Pattern[str]:
    """Compiles the keys of every language for what a note replaces."""
    words = [language.facts.replaces for language in vocabularies() if language.facts]
    return re.compile("|".join(filter(None, words)), re.IGNORECASE)


@cache
def _replaced_words() -> re.Pattern[str]:
    """Compiles the words of every language for being replaced, and what follows them behind a sign."""
    words = [language.facts.replaced for language in vocabularies() if language.facts]
    any_word = "|".join(filter(None, words))
    return re.compile(rf"(?:{any_word})(?:\s*[^\w\s].*)?", re.IGNORECASE)
