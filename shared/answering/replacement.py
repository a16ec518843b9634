"""Properties of notes -> which notes are versions of each other: `supersedes: 2025-11-database`.

Only a key that names the relation counts, with the other note's name as its value: `status: superseded` does not say by
what, and `battery: replaced` says nothing about a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from shared.language.vocabulary import FactWords, vocabularies
from shared.language.words import fold
from shared.model.index import IndexedChunk


def are_versions(chunk: IndexedChunk, other: IndexedChunk) -> bool:
    """Reports whether one of two notes replaces the other."""
    return replaces(chunk, other) or replaces(other, chunk)


def replaces(chunk: IndexedChunk, other: IndexedChunk) -> bool:
    """Reports whether a note says that it replaces another one, or the other one that it is replaced by it."""
    for key in _keys_that_name(other, chunk):
        if _replacing_keys().fullmatch(key):
            return True
    for key in _keys_that_name(chunk, other):
        if _replaced_keys().fullmatch(key):
            return True
    return False


def _keys_that_name(named: IndexedChunk, chunk: IndexedChunk) -> Iterator[str]:
    """Yields the keys of a note's properties whose value is the title or file name of another note."""
    if named.note_id == chunk.note_id:
        return  # the older one may have had the same title
    _, _, file_name = named.path.rpartition("/")
    names: set[str] = set()
    for name in (named.title, file_name.removesuffix(".md")):
        if name:
            names.add(fold(name))
    for line in chunk.properties:
        key, _, value = line.partition(": ")
        if fold(value) in names:
            yield key


@cache
def _replacing_keys() -> re.Pattern[str]:
    """Compiles the keys of every language for what a note replaces."""
    patterns = [words.replaces for words in _fact_words()]
    return _any_of(patterns)


@cache
def _replaced_keys() -> re.Pattern[str]:
    """Compiles the keys of every language for what replaces a note."""
    patterns = [words.replaced for words in _fact_words()]
    return _any_of(patterns)


def _fact_words() -> list[FactWords]:
    fact_words = []
    for language in vocabularies():
        if language.facts is not None:
            fact_words.append(language.facts)
    return fact_words


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    any_pattern = "|".join(filter(None, patterns))
    return re.compile(any_pattern, re.IGNORECASE)
