"""Question and passages -> what it asks of them: words, properties of their notes, lines that define a thing, a number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from shared.judging.quantities import quantities
from shared.language.terms import content_words, stems, stems_as
from shared.language.vocabulary import vocabularies, vocabulary
from shared.language.words import common_words, fold, folded_words
from shared.markdown.file import ALIAS
from shared.markdown.quotable import quotable
from shared.model.index import COLUMNS, IndexedChunk
from shared.model.retrieval import Analysis, Retrieved

MIN_WORDS = 2
"""Least number of words of a property's value that name the property without its key; a single word may be chance."""
MIN_PART = 4
"""Letters from which a word or its stem is found inside another word: `nuts` in `hazelnuts`."""
MAX_SHOWN = 150
"""Most characters of the properties shown beside the title of a note that is asked for by its title."""
_TERM = re.compile(r"([^.:!?]{1,80}?)(?:\s+[—–=-]|:)\s+(?=\S)")
"""A term at the beginning of the line that defines it: `Ghost light: the bare bulb …`."""


@dataclass(frozen=True, slots=True)
class AskedWord:
    """A content word of a question. The search looked for it."""

    text: str
    start: int
    end: int
    stems: tuple[str, ...]

    @property
    def folded(self) -> str:
        """The word as it compares with others."""
        return fold(self.text)


def asked_words(text: str, analysis: Analysis, *, renamed: bool = False) -> list[AskedWord]:
    """Returns the words of a question, or of a part of it, that were searched for.

    Words of a time, and misspelt ones, are left out.

    renamed: True to return also words that were searched for by their stems in the notes' language, with those.
    """
    searched_stems = set(analysis.stems)
    words = []
    for _, start, end in content_words(text, analysis.lang):
        word = text[start:end]
        word_stems = stems(word, analysis.lang)
        if renamed:
            word_stems = [analysis.renamed.get(stem, stem) for stem in word_stems]
        if not word_stems or not searched_stems.issuperset(word_stems):
            continue
        asked_word = AskedWord(
            text=word,
            start=start,
            end=end,
            stems=tuple(word_stems),
        )
        words.append(asked_word)
    return words


def is_part_of(text: str, words: str) -> bool:
    """Reports whether a word or a stem stands in some words, maybe within another word: `nuts` in `hazelnuts`.

    One with a digit never does: `svc-120` is another server than `svc-12`.

    words: folded words with single blanks.
    """
    has_digit = any(map(str.isdigit, text))
    is_long_enough = len(text) >= MIN_PART
    return is_long_enough and not has_digit and text in words


def only_asks(word: AskedWord, lang: str) -> bool:
    """Reports whether a word belongs to how something is asked: `show`, `notes`, `other`."""
    if word.folded in common_words(lang):
        return True
    language = vocabulary(lang)
    asking = language.asking
    if asking is not None:
        verb = re.fullmatch(asking.verbs, word.text, re.IGNORECASE)
        if verb is not None:
            return True
    follow_ups = language.follow_ups
    if follow_ups is None:
        return False
    empty_words = follow_ups.empty.split()
    return word.text.lower() in empty_words


class AskedProperties:
    """Finds the properties of notes, as `key: value` lines, that a question names."""

    def __init__(self, retrieved: Retrieved) -> None:
        self._retrieved = retrieved
        analysis = retrieved.analysis
        self._numbers, _ = quantities(analysis.subject, analysis.lang)

    def named(self, chunk: IndexedChunk) -> tuple[str, ...]:
        """Returns the properties whose key, or whose value of several words, is in the question."""
        named_lines = []
        for line in _properties(chunk):
            key_words, value_words = self._named_words(line)
            is_named_by_value = value_words >= MIN_WORDS
            if key_words > 0 or is_named_by_value:
                named_lines.append(line)
        return tuple(named_lines)

    def shown(self, chunk: IndexedChunk) -> tuple[str, ...]:
        """Returns the properties to show beside a note's title.

        These are the properties that the question names. If the question names the note by its whole title, they are
        all its short ones.
        """
        named = self.named(chunk)
        if named or not self._words_if_named(chunk.title):
            return named
        short_lines = []
        room = MAX_SHOWN
        for line in _properties(chunk):
            if len(line) <= room:
                short_lines.append(line)
                room -= len(line)
        return tuple(short_lines)

    def has_value(self, chunk: IndexedChunk) -> bool:
        """Reports whether the question asks for what is by a property's value of several words, or for that value alone:
        `books by Dörte Hansen`, but not `Dörte Hansen's seat`.
        """
        for line in _properties(chunk):
            _, value_words = self._named_words(line)
            if value_words < MIN_WORDS:
                continue
            _, _, value = line.partition(": ")
            if self._asks_for_what_is_by(value):
                return True
        return False

    def has_key_and_value(self, chunk: IndexedChunk) -> bool:
        """Reports whether the question names both the key and the value of a property: `rating 5`."""
        for line in _properties(chunk):
            key_words, value_words = self._named_words(line)
            if key_words and value_words:
                return True
        return False

    def _asks_for_what_is_by(self, value: str) -> bool:
        """Reports whether a value stands in the question as an author does, or is all of it."""
        question = folded_words(self._retrieved.analysis.subject).rstrip(" ?!.")
        author = folded_words(value)
        before, name, _ = question.partition(author)
        if not name:
            return False
        return question == author or _behind_work().search(before) is not None

    def _named_words(self, line: str) -> tuple[int, int]:
        """Counts the words of a property's key and of its value; each count is 0 if the question lacks one of these
        words.
        """
        key, _, value = line.partition(": ")
        key_words = self._words_if_named(key)
        value_words = self._words_if_named(value)
        if value_words == 0 and self._is_asked_number(value):
            value_words = 1
        return key_words, value_words

    def _is_asked_number(self, value: str) -> bool:
        """Reports whether a value is a number that the question writes in another way (`5` or `five`)."""
        if not value.isdecimal():
            return False
        asked_number = float(value)
        return any(asked_number in number.readings for number in self._numbers)

    def _words_if_named(self, text: str) -> int:
        """Counts the words of a text; 0 if the question lacks one of them."""
        text_stems = stems_as(text, self._retrieved.analysis)
        if text_stems <= self._retrieved.weights.keys():
            return len(text_stems)
        return 0


@cache
def _behind_work() -> re.Pattern[str]:
    """Compiles a word of any language between a work and its author, at the end of a text: ` by `.

    A few words of a question may not tell its language.
    """
    links: list[str] = []
    for language in vocabularies():
        if language.asking is not None and language.asking.authorship:
            links.append(language.asking.authorship)
    any_link = "|".join(links)
    return re.compile(rf"(?<!\w)(?:{any_link}) \Z")


def _properties(chunk: IndexedChunk) -> Iterator[str]:
    """Yields the properties in a note's frontmatter, except its aliases and columns."""
    for line in chunk.properties:
        if not line.startswith((ALIAS, COLUMNS)):
            yield line


def definitions(retrieved: Retrieved) -> dict[str, frozenset[str]]:
    """Returns the lines that define the thing that the question asks for, such as `Ghost light: the bulb …`.

    Such a line begins with the question's words and no others, followed by a dash or a colon. Words that no passage
    holds are ignored. Returned are the texts of the lines by the ids of their chunks.
    """
    known_stems: set[str] = set()
    for chunk in retrieved.chunks:
        known_stems |= chunk.stems_among(retrieved.weights)
    if not known_stems:
        return {}

    definitions_of_chunk = {}
    for chunk in retrieved.chunks:
        if chunk.stems_among(known_stems) != known_stems:
            continue
        texts = _definitions_in(chunk, known_stems, retrieved.analysis)
        if texts:
            definitions_of_chunk[chunk.chunk_id] = texts
    return definitions_of_chunk


def _definitions_in(chunk: IndexedChunk, stems: set[str], analysis: Analysis) -> frozenset[str]:
    """Returns the texts of a chunk's lines that begin with a term of these stems alone."""
    texts = set()
    for piece in quotable(chunk.text, chunk.columns):
        line = piece.plain
        term = _TERM.match(line)
        if term is None:
            continue
        term_stems = stems_as(term[1], analysis)
        if term_stems == stems:
            texts.add(line)
    return frozenset(texts)


def asks_for_number(question: str, lang: str) -> bool:
    """Reports whether a question asks for a number, an amount or a time of day, such as `how many` or `how long`."""
    return without_amounts(question, lang) != question


def without_amounts(question: str, lang: str) -> str:
    """Returns a question in which blanks stand in place of the words that ask for a number, such as `how many`."""
    words = vocabulary(lang).asking
    if words is None:
        return question

    def blanks(match: re.Match[str]) -> str:
        return " " * len(match[0])

    return re.sub(rf"\b(?:{words.amounts})\b", blanks, question, flags=re.IGNORECASE)


def holds_number(text: str, lang: str) -> bool:
    """Reports whether a text holds a number, written in digits or in words, or a time of day."""
    numbers, _ = quantities(text, lang)
    return any(number.counts for number in numbers)
