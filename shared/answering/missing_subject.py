"""Question and passages -> the named person or thing about which the passages do not say what is asked.

The passages do not say what is asked if none of them names the name. They do not either if no note that names it holds
anything else that is asked, while another note holds all of it. (If what is asked is one phrase, the other notes may
hold it together.) Words that no passage holds are ignored. What is asked about an owner is what it owns; about another
name, all other words of the sentence. `names` says what a name is.

So a name in a story that has nothing to do with the question does not count, and neither does an answer in other words:
if other notes state a number, a number of similar length in a note that names the name may be the answer, and if they
state none, one common word is too little evidence unless the name owns it. If the sentence has other names that the
notes speak of, only an owner counts.

Answerable questions for which a missing subject was reported: handbooks in English, German and Spanish 0 of 95, pages
of strangers 0 of 29, sample notes 0 of 50, chats 0 of 1018.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from shared.answering.asked import AskedWord, asked_words
from shared.answering.names import Name, asking_sentence, is_titled, names_in, speaks_of
from shared.answering.phrases import owned_words, subject_in_words
from shared.judging.quantities import blanked
from shared.language.sentences import sentences
from shared.language.terms import stems_as
from shared.language.vocabulary import vocabulary
from shared.model.index import IndexedChunk
from shared.model.retrieval import Retrieved, Scored
from shared.times.dates import days_in

_DIGITS = re.compile(r"\d(?:[ .,/()-]?\d)*")
"""A number as people write it: `0113 496 0188`."""


@dataclass(frozen=True, slots=True)
class MissingSubject:
    """A named person or thing about which no passage says what is asked."""

    text: str
    """What no passage says, in the words of the question: `Marek's phone number`; the name alone if no passage has it.
    """
    note_ids: frozenset[str]
    """Notes that contain the name."""


def missing_subject(question: str, retrieved: Retrieved) -> MissingSubject | None:
    """Returns the first name in the question about which no passage says what is asked; None if there is no such name."""
    if retrieved.notes_read is not None or not retrieved.selected:
        return None
    sentence = asking_sentence(question)
    words = asked_words(sentence, retrieved.analysis)
    names = _names_with_notes(sentence, words, retrieved)
    for name, naming in names:
        has_other_names = any(notes for other, notes in names if other is not name)
        if has_other_names and not name.owns:
            continue  # they may speak of it in other words: "Who goes to Canada with James?"
        other_words = [word for word in words if word not in name.words]
        if not naming:
            is_missing = name.is_written_as_one
        else:
            demanded: Sequence[AskedWord] = other_words
            if name.owns:
                demanded = owned_words(sentence, name, other_words) or other_words
            is_missing = _is_said_of_others(retrieved, name, naming, demanded)
        if is_missing:
            text = subject_in_words(
                sentence,
                name,
                other_words,
                lang=retrieved.analysis.lang,
                is_named=bool(naming),
            )
            return MissingSubject(text, naming)
    return None


def notes_with_all_names(question: str, retrieved: Retrieved, *, limit: int) -> frozenset[str]:
    """Returns the ids of the notes that contain every name in the question; none if there is no name in it.

    If more than `limit` notes do, only those whose title or alias has the names. In a language in which all nouns have
    capitals only names that own something count: other nouns are too often names.
    """
    if retrieved.notes_read is not None or not retrieved.selected:
        return frozenset()
    sentence = asking_sentence(question)
    words = asked_words(sentence, retrieved.analysis)
    only_owners = vocabulary(retrieved.analysis.lang).nouns_are_capitalised
    names: list[Name] = []
    notes_by_name: list[frozenset[str]] = []
    for name, notes in _names_with_notes(sentence, words, retrieved):
        if name.owns or not only_owners:
            names.append(name)
            notes_by_name.append(notes)
    if not names:
        return frozenset()

    naming = frozenset.intersection(*notes_by_name)
    if len(naming) <= limit:
        return naming
    chunks = [passage.chunk for passage in retrieved.selected]
    titled = {chunk.note_id for chunk in chunks if all(is_titled(chunk, name) for name in names)}
    return naming & titled


def _names_with_notes(
    sentence: str,
    words: Sequence[AskedWord],
    retrieved: Retrieved,
) -> list[tuple[Name, frozenset[str]]]:
    """Returns the names among the words, each with the ids of the notes that have a passage with it."""
    named: list[tuple[Name, frozenset[str]]] = []
    for name in names_in(sentence, words, retrieved):
        named.append((name, _notes_that_name(name, retrieved.selected)))
    return named


def _notes_that_name(name: Name, passages: Sequence[Scored]) -> frozenset[str]:
    """Returns the ids of the notes that have a passage with the name."""
    note_ids: set[str] = set()
    for passage in passages:
        if speaks_of(passage.chunk, name):
            note_ids.add(passage.chunk.note_id)
    return frozenset(note_ids)


def _is_said_of_others(
    retrieved: Retrieved,
    name: Name,
    naming: frozenset[str],
    words: Sequence[AskedWord],
) -> bool:
    """Reports whether only notes without the name hold what is asked about it.

    naming: ids of the notes that contain the name.
    words: what is asked about it.
    """
    asked_stems: set[str] = set()
    for word in words:
        asked_stems.update(word.stems)

    # 1. The notes that name it hold none of it.
    other_chunks: list[IndexedChunk] = []
    naming_chunks: list[IndexedChunk] = []
    for passage in retrieved.selected:
        if passage.chunk.note_id not in naming:
            other_chunks.append(passage.chunk)
            continue
        naming_chunks.append(passage.chunk)
        if passage.chunk.stems_among(asked_stems):
            return False

    # 2. Another note holds all of it. Words that no passage holds are left aside: they tell none of them apart.
    stems_of_others = [chunk.stems_among(asked_stems) for chunk in other_chunks]
    known_stems = set().union(*stems_of_others)
    if not known_stems:
        return False
    # Words of one phrase, known or not, say one thing, which different notes may say in part.
    is_one_phrase = _are_neighbours(words)
    if not is_one_phrase and known_stems not in stems_of_others:
        return False

    # 3. A note that names it may answer in other words: by a number as long, or where one word is asked.
    sentences_about = _sentences_about(known_stems, other_chunks, retrieved)
    stated_length = _longest_number(sentences_about)
    if stated_length > 0:
        length_in_naming = _longest_number(_lines(naming_chunks))
        return 2 * length_in_naming <= stated_length
    known_words = [word for word in words if known_stems.issuperset(word.stems)]
    return name.owns or len(known_words) > 1


def _are_neighbours(words: Sequence[AskedWord]) -> bool:
    """Reports whether the words stand side by side, with a single blank between them."""
    for word, following in pairwise(words):
        if word.end + 1 != following.start:
            return False
    return True


def _sentences_about(
    asked_stems: set[str],
    chunks: Iterable[IndexedChunk],
    retrieved: Retrieved,
) -> list[str]:
    """Returns the sentences and properties that hold the most of what is asked."""
    analysis = retrieved.analysis
    best: list[str] = []
    best_weight = 0.0
    for line in _lines(chunks):
        shared_stems = asked_stems & stems_as(line, analysis.lang, analysis.renamed)
        weight = sum(retrieved.weights.get(stem, 0.0) for stem in shared_stems)
        if weight > best_weight:
            best_weight = weight
            best = []
        if shared_stems and weight == best_weight:
            best.append(line)
    return best


def _lines(chunks: Iterable[IndexedChunk]) -> Iterator[str]:
    """Yields the properties and the sentences of some chunks."""
    for chunk in chunks:
        yield from chunk.properties
        for start, end in sentences(chunk.text):
            yield chunk.text[start:end]


def _longest_number(lines: Iterable[str]) -> int:
    """Returns the number of digits of the longest number in some lines, 0 without a number. Dates do not count."""
    longest = 0
    for line in lines:
        without_days = blanked(line, days_in(line))
        for number in _DIGITS.findall(without_days):
            digit_count = sum(map(str.isdigit, number))
            longest = max(longest, digit_count)
    return longest
