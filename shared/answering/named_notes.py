"""Question and passages -> the notes that contain the names in the question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from shared.answering.asked import AskedWord, asked_words
from shared.answering.names import Name, asking_sentence, is_titled, names_in, speaks_of
from shared.language.vocabulary import vocabulary
from shared.model.index import IndexedChunk
from shared.model.retrieval import Retrieved

MAX_NAMES = 8
"""Most names of a question that are looked at, the first ones: each is compared with all passages."""


@dataclass(frozen=True, slots=True)
class NamedNotes:
    """Ids of the notes that contain every name in a question; none if it has no name, or no note has them all."""

    note_ids: frozenset[str] = frozenset()
    titled: frozenset[str] = frozenset()
    """Ids of the notes whose title or alias has the names."""

    def at_most(self, limit: int) -> frozenset[str]:
        """Returns the notes; of more than `limit` only those titled with the names."""
        if len(self.note_ids) <= limit:
            return self.note_ids
        return self.note_ids & self.titled

    def may_speak_of_them(self, note_id: str) -> bool:
        """Reports whether a note has all names in the question. True for every note if no note has them all, or if the
        question has no name.
        """
        return not self.note_ids or note_id in self.note_ids


def notes_with_all_names(question: str, retrieved: Retrieved) -> NamedNotes:
    """Returns the notes that contain every name in the question.

    In a language in which all nouns have capitals only names that own something count: other nouns are too often names.
    """
    if retrieved.notes_read is not None or not retrieved.selected:
        return NamedNotes()
    sentence = asking_sentence(question)
    words = asked_words(sentence, retrieved.analysis)
    only_owners = vocabulary(retrieved.analysis.lang).nouns_are_capitalised
    names: list[Name] = []
    notes_by_name: list[frozenset[str]] = []
    for name, notes in names_with_notes(sentence, words, retrieved):
        if name.owns or not only_owners:
            names.append(name)
            notes_by_name.append(notes)
    if not names:
        return NamedNotes()

    titled: set[str] = set()
    for chunk in retrieved.chunks:
        if all(is_titled(chunk, name) for name in names):
            titled.add(chunk.note_id)
    return NamedNotes(
        note_ids=frozenset.intersection(*notes_by_name),
        titled=frozenset(titled),
    )


def names_with_notes(
    sentence: str,
    words: Sequence[AskedWord],
    retrieved: Retrieved,
) -> list[tuple[Name, frozenset[str]]]:
    """Returns the first MAX_NAMES names among the words, each with the ids of the notes that have a passage with it."""
    names = names_in(sentence, words, retrieved)
    first_names = list(islice(names, MAX_NAMES))
    notes_of_names = [_notes_that_name(name, retrieved.chunks) for name in first_names]
    return list(zip(first_names, notes_of_names, strict=True))


def _notes_that_name(name: Name, chunks: Iterable[IndexedChunk]) -> frozenset[str]:
    """Returns the ids of the notes that have a passage with the name."""
    note_ids = set()
    for chunk in chunks:
        if speaks_of(chunk, name):
            note_ids.add(chunk.note_id)
    return frozenset(note_ids)
