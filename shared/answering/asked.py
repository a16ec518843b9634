"""Question and passages -> what it names of them: properties of their notes, and lines that define a thing; which notes
replace others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from shared.language.terms import stems_as
from shared.language.vocabulary import vocabularies
from shared.language.words import fold
from shared.markdown.file import ALIAS
from shared.markdown.quotable import quotable
from shared.model.index import COLUMNS, IndexedChunk
from shared.model.retrieval import Retrieved

MIN_WORDS = 2
"""Words of a property's value that name it without its key: of one word it is chance."""
MAX_SHOWN = 150
"""Characters of the properties that stand beside the title of a note which is asked for by its title."""
_TERM = re.compile(r"([^.:!?]{1,80}?)(?:\s+[—–=-]|:)\s+(?=\S)")
"""A term at the beginning of the line that defines it: `Ghost light: the bare bulb …`."""


class AskedProperties:
    """Reads which properties of notes, as `key: value` lines, a question names."""

    def __init__(self, retrieved: Retrieved) -> None:
        self._retrieved = retrieved

    def named(self, chunk: IndexedChunk) -> tuple[str, ...]:
        """Returns the properties of which the question names the key, or a value of words."""
        named = []
        for line in _properties(chunk):
            key, value = self._named_words(line)
            if key or value >= MIN_WORDS:
                named.append(line)
        return tuple(named)

    def shown(self, chunk: IndexedChunk) -> tuple[str, ...]:
        """Returns the properties that stand beside a note's title: those that are named, or the short ones of a note
        that the question names by its whole title.
        """
        named = self.named(chunk)
        if named or not self._words_if_named(chunk.title):
            return named
        shown: list[str] = []
        room = MAX_SHOWN
        for line in _properties(chunk):
            if len(line) <= room:
                shown.append(line)
                room -= len(line)
        return tuple(shown)

    def has_key_and_value(self, chunk: IndexedChunk) -> bool:
        """Reports whether the question names both the key and the value of a property: `rating 5`."""
        return any(all(self._named_words(line)) for line in _properties(chunk))

    def _named_words(self, line: str) -> tuple[int, int]:
        """Counts the words of a property's key and of its value, each 0 if the question does not hold them all."""
        key, _, value = line.partition(": ")
        return self._words_if_named(key), self._words_if_named(value)

    def _words_if_named(self, text: str) -> int:
        """Counts the words of a text, 0 if the question does not hold them all."""
        analysis = self._retrieved.analysis
        text_stems = stems_as(text, analysis.lang, analysis.renamed)
        if text_stems <= self._retrieved.weights.keys():
            return len(text_stems)
        return 0


def _properties(chunk: IndexedChunk) -> Iterator[str]:
    """Yields what its note's frontmatter says, but for other names."""
    for line in chunk.properties:
        if not line.startswith((ALIAS, COLUMNS)):
            yield line


def definitions(retrieved: Retrieved) -> dict[str, frozenset[str]]:
    """Returns the texts of lines that say what the thing is that the question asks for, `Ghost light: the bulb …`, by
    the ids of the selected chunks that have some.

    Such a line begins with the question's words alone and a dash or colon; words that no passage holds are left aside.
    """
    analysis = retrieved.analysis
    known: set[str] = set()
    for passage in retrieved.selected:
        known.update(stem for stem in retrieved.weights if passage.chunk.terms.get(stem))
    texts_of_chunk: dict[str, frozenset[str]] = {}
    for passage in retrieved.selected:
        chunk = passage.chunk
        if not known or not all(chunk.terms.get(stem) for stem in known):
            continue
        texts = []
        for piece in quotable(chunk.text, chunk.columns):
            term = _TERM.match(piece.plain)
            if term is not None and stems_as(term[1], analysis.lang, analysis.renamed) == known:
                texts.append(piece.plain)
        if texts:
            texts_of_chunk[chunk.chunk_id] = frozenset(texts)
    return texts_of_chunk


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
