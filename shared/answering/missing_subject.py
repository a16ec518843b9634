"""Question and passages -> the named person or thing about which the passages do not say what is asked.

The passages do not say what is asked if none of them names the name. They do not either if no note that names it holds
anything else that is asked, while another note holds all of it. (If what is asked is one phrase, the other notes may
hold it together.) Words that no passage holds are ignored, and a verb does not hold a plural: `booked` is about no books.
What is asked about an owner is what it owns; about another name, all other words of the sentence. `names` says what a name
is, `owners` what belongs to it. If what it owns owns in turn what is asked (`Marek's wife's phone`), nothing is missing: a
note may call her by her name.

A note with the name in its title is about it. If there is one, a note about another that mentions the name says of it only
what stands in the same paragraph, from the mention on: Ingrid's number is not Marek's because she met him. If the title is
itself a name in the notes, only the sentence with the mention does: what follows is more likely said of Ingrid.

So a name in a story that has nothing to do with the question does not count, and neither does an answer in other words:
if other notes state a number, a number of similar length beside the name or in a note about it may be the answer, if they
state an amount or a day, any amount or day. Unless the name owns it, one common word is too little evidence if other words
are asked, and without a number or a day it always is. If the sentence has other names that the notes speak of, only an
owner counts.

Nor is missing what a name owns where only the passages about the name hold another word of the question: in `which batteries
for Mum's ears`, her note has batteries, and another note has ears.

Things that notes write in small letters are no names: where only "Papers" has a licence plate, it may well be that of the
car, though "Car" has none.

Answerable questions for which a missing subject was reported: handbooks in English, German and Spanish 0 of 95, pages
of strangers 0 of 29, sample notes 0 of 50, chats 0 of 1018, notes of five made-up people 1 of 379, questions made in five
languages 3 of 282.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from shared.answering.asked import AskedProperties, AskedWord, asked_words, is_part_of
from shared.answering.named_notes import names_with_notes
from shared.answering.names import Name, asking_sentence, holds, is_titled, titles_that_are_names
from shared.answering.owners import links_owner, owns_an_owner
from shared.answering.phrases import subject_in_words, what_belongs, without_request
from shared.judging.quantities import blanked
from shared.language.forms import own_forms
from shared.language.languages import detect
from shared.language.sentences import sentences
from shared.language.terms import stems_as
from shared.language.words import folded_words, stop_words
from shared.model.index import IndexedChunk
from shared.model.retrieval import Analysis, Retrieved
from shared.times.dates import days_in

_PARAGRAPHS = re.compile(r"\n\s*\n")
_DIGITS = re.compile(r"\d(?:[ .,/()-]?\d)*")
"""A number as people write it: `0113 496 0188`."""
_AMOUNT = re.compile(r"\d\s?[%‰€$£¥]|[€$£¥]\s?\d")
"""An amount of money or a share."""


@dataclass(frozen=True, slots=True)
class MissingSubject:
    """A named person or thing about which no passage says what is asked."""

    text: str
    """Subject that no passage speaks of, in the words of the question: `Marek's phone number`; the name alone if no passage
    has it.
    """
    note_ids: frozenset[str]
    """Notes whose title has the name, or else those that contain it."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """Words that say what is asked about a name."""

    words: Sequence[AskedWord]
    """Words for what belongs to the name, or else all other words."""
    further_words: Sequence[AskedWord]
    """The words of the sentence that are not of the name, without those of a request: `give me`."""
    belongs: bool
    """True if the question says that the words belong to the name."""

    @property
    def stems(self) -> set[str]:
        return _stems_of(self.words)

    @property
    def stems_of_rest(self) -> set[str]:
        """Stems of what is asked beside what belongs to the name: `batteries for Mum's ears`."""
        words_of_rest = [word for word in self.further_words if word not in self.words]
        return _stems_of(words_of_rest)


@dataclass(frozen=True, slots=True)
class _Division:
    """Passages about a name, and passages about others. A passage about another may mention the name."""

    chunks_about: list[IndexedChunk]
    mentions: list[str]
    """Sentences in the midst of passages about others that may be about the name."""
    values: list[str]
    """Sentences and properties whose numbers and days belong to the name."""
    other_chunks: list[IndexedChunk]
    places: list[str]
    """Paths, titles and headings of all passages that hold the name: the folder `birthday`."""

    def lines(self) -> list[str]:
        """Returns the sentences that are said about the name, or may be."""
        lines_about = _lines(self.chunks_about)
        return [*self.mentions, *lines_about]

    def says_any(self, asked_stems: set[str], analysis: Analysis) -> bool:
        """Reports whether what is said about the name, or stands above it, holds a stem, maybe within another word."""
        texts = [*self.places, *self.mentions]
        for chunk in self.chunks_about:
            texts.append(chunk.text)
            if chunk.stems_among(asked_stems):
                return True
        text = " ".join(texts)
        stems_of_text = stems_as(text, analysis)
        if asked_stems & stems_of_text:
            return True
        words = folded_words(text)
        return any(is_part_of(stem, words) for stem in asked_stems)


def missing_subject(question: str, retrieved: Retrieved) -> MissingSubject | None:
    """Returns the first name in the question about which no passage says what is asked; None if there is no such name."""
    if retrieved.notes_read is not None or not retrieved.selected:
        return None
    sentence = asking_sentence(question)
    words = _content_words(sentence, retrieved)
    names = names_with_notes(sentence, words, retrieved)
    known_names = [name for name, note_ids in names if note_ids]
    for name, note_ids in names:
        other_names = [known_name for known_name in known_names if known_name is not name]
        if other_names and not name.owns:
            continue  # they may speak of it in other words: "Who goes to Canada with James?"
        named = _NamedInSentence(
            sentence=sentence,
            name=name,
            note_ids=note_ids,
            other_words=[word for word in words if word not in name.words],
        )
        if _is_missing(named, retrieved):
            return _missing(named, retrieved)
    return None


@dataclass(frozen=True, slots=True)
class _NamedInSentence:
    """A name in the sentence that asks."""

    sentence: str
    name: Name
    note_ids: frozenset[str]
    """Notes that contain the name."""
    other_words: Sequence[AskedWord]
    """Words of the sentence that are not of the name."""


def _missing(named: _NamedInSentence, retrieved: Retrieved) -> MissingSubject:
    """Puts in words what no passage says of a name, and tells which notes are about it, or else contain it."""
    text = subject_in_words(
        named.sentence,
        named.name,
        named.other_words,
        lang=retrieved.analysis.lang,
        is_named=bool(named.note_ids),
    )
    titled = _titled_notes(named.name, retrieved.chunks)
    return MissingSubject(text, titled or named.note_ids)


def _is_missing(named: _NamedInSentence, retrieved: Retrieved) -> bool:
    """Reports whether the passages do not say what a sentence asks about a name."""
    name = named.name
    if not named.note_ids:
        return name.is_written_as_one
    lang = retrieved.analysis.lang
    sentence = named.sentence
    belonging = what_belongs(sentence, name, named.other_words, lang)
    belongs = name.owns or bool(belonging)
    if belongs and owns_an_owner(sentence, name.start, name.end, belonging, lang):
        return False
    asked = _Asked(
        words=belonging or named.other_words,
        further_words=without_request(sentence, named.other_words, lang),
        belongs=belongs,
    )
    division = _divided(name, named.note_ids, retrieved.chunks)
    return _is_said_of_others(division, asked, retrieved)


def _content_words(sentence: str, retrieved: Retrieved) -> list[AskedWord]:
    """Returns the words that were searched for, without the common words of the language of the nearest passage.

    A few words of a question may not tell its language. Neither does any language's word before an owner count: `de`.
    """
    nearest = retrieved.chunks[0]
    lang_of_nearest = detect(nearest.text)
    common_words = stop_words(lang_of_nearest)
    words = []
    for word in asked_words(sentence, retrieved.analysis, renamed=True):
        is_common = word.folded in common_words
        if not is_common and not links_owner(word.text):
            words.append(word)
    return words


def _titled_notes(name: Name, chunks: Iterable[IndexedChunk]) -> frozenset[str]:
    """Returns the ids of the notes whose title or alias has the name: they are about it."""
    note_ids = set()
    for chunk in chunks:
        if is_titled(chunk, name):
            note_ids.add(chunk.note_id)
    return frozenset(note_ids)


def _divided(name: Name, naming: frozenset[str], chunks: Sequence[IndexedChunk]) -> _Division:
    """Divides passages into those about a name and those about others.

    naming: ids of the notes that contain the name.
    """
    titled = _titled_notes(name, chunks)
    names_of_others: frozenset[str] = frozenset()
    if titled:
        names_of_others = titles_that_are_names(chunks)
    chunks_about: list[IndexedChunk] = []
    other_chunks: list[IndexedChunk] = []
    mentions: list[str] = []
    values: list[str] = []
    places: list[str] = []
    for chunk in chunks:
        # 1. Its note does not have the name.
        if chunk.note_id not in naming:
            other_chunks.append(chunk)
            continue
        places += [chunk.path, chunk.title, chunk.heading_path]

        # 2. It is about the name.
        lines = list(_lines([chunk]))
        if chunk.note_id in titled or _is_named_above(chunk, name):
            chunks_about.append(chunk)
            values += lines
            continue

        # 3. It mentions the name; whether it is about it depends on the other notes.
        values += [line for line in lines if holds(name, [line])]
        if titled:
            is_of_other = chunk.title in names_of_others
            mentions += _lines_of(name, chunk, only_mentions=is_of_other)
            other_chunks.append(chunk)
        else:
            chunks_about.append(chunk)
    return _Division(
        chunks_about=chunks_about,
        mentions=mentions,
        values=values,
        other_chunks=other_chunks,
        places=places,
    )


def _is_said_of_others(division: _Division, asked: _Asked, retrieved: Retrieved) -> bool:
    """Reports whether only notes about others hold what is asked about a name."""
    analysis = retrieved.analysis
    if division.says_any(asked.stems, analysis):
        return False
    other_chunks = _that_hold_any(division.other_chunks, asked.stems, analysis)
    known_stems = _held_by_another(other_chunks, asked)
    if not known_stems:
        return False
    known_words = [word for word in asked.words if known_stems.issuperset(word.stems)]
    is_little = len(known_words) <= 1 and not asked.belongs
    if is_little and len(asked.further_words) > 1:
        return False
    if _says_the_rest(division, asked):
        return False

    sentences_about = _sentences_about(known_stems, other_chunks, retrieved)
    answers = _answers_in_other_words(division, sentences_about)
    if answers is None:
        is_work = len(known_words) == 1 and _is_value(division.chunks_about, retrieved)
        return not is_little and not is_work
    return not answers


def _that_hold_any(
    chunks: Iterable[IndexedChunk],
    asked_stems: set[str],
    analysis: Analysis,
) -> list[IndexedChunk]:
    """Returns the chunks that hold one of some stems, that of a plural not in verbs alone: `booked` is about no books."""
    forms = own_forms(analysis.subject, analysis.lang)
    holding = []
    for chunk in chunks:
        texts = (chunk.title, chunk.heading_path, *chunk.properties, chunk.text)
        held_stems = chunk.stems_among(asked_stems)
        shares = forms.shares("\n".join(texts), held_stems)
        if 1.0 in shares.values():
            holding.append(chunk)
    return holding


def _is_value(chunks: Iterable[IndexedChunk], retrieved: Retrieved) -> bool:
    """Reports whether a note has a property with a value that the question names: it is itself one of the books by an
    author, though it does not say `books`.
    """
    properties = AskedProperties(retrieved)
    return any(map(properties.has_value, chunks))


def _says_the_rest(division: _Division, asked: _Asked) -> bool:
    """Reports whether what is said about a name holds a further word of the question.

    Words that another passage holds beside what is asked do not count.
    """
    rest = asked.stems_of_rest
    rest_beside: set[str] = set()
    for chunk in division.other_chunks:
        if chunk.stems_among(asked.stems):
            rest_beside |= chunk.stems_among(rest)
    for chunk in division.chunks_about:
        if chunk.stems_among(rest) - rest_beside:
            return True
    return False


def _stems_of(words: Iterable[AskedWord]) -> set[str]:
    stems: set[str] = set()
    for word in words:
        stems.update(word.stems)
    return stems


def _held_by_another(chunks: Iterable[IndexedChunk], asked: _Asked) -> set[str]:
    """Returns the stems of what is asked if a chunk holds all of it, otherwise none.

    Words that no chunk holds are left aside: they tell none of them apart. Words of one phrase, known or not, say one thing,
    which different chunks may say in part.
    """
    asked_stems = asked.stems
    stems_of_chunks = [chunk.stems_among(asked_stems) for chunk in chunks]
    known_stems = set().union(*stems_of_chunks)
    one_holds_all = known_stems in stems_of_chunks
    if one_holds_all or _are_neighbours(asked.words):
        return known_stems
    return set()


def _answers_in_other_words(division: _Division, stated: Sequence[str]) -> bool | None:
    """Reports whether what is said about a name may be what is stated of others: an amount, a number as long, a day.

    stated: sentences about others. None is returned if they state none of these.
    """
    if _has_amount(stated) and _has_amount(division.lines()):
        return True
    stated_length = _longest_number(stated)
    if stated_length > 0:
        return 2 * _longest_number(division.values) > stated_length
    if _has_day(stated):
        return _has_day(division.values)
    return None


def _is_named_above(chunk: IndexedChunk, name: Name) -> bool:
    """Reports whether the headings above a chunk, its path or its note's properties hold a name."""
    texts = (chunk.heading_path, chunk.path, *chunk.properties)
    return holds(name, texts)


def _lines_of(name: Name, chunk: IndexedChunk, *, only_mentions: bool) -> list[str]:
    """Returns the sentences with a name, and those that follow it in the paragraph.

    In a note about another, what stands elsewhere is said of that other. All sentences if none has the name as it is
    spelt.

    only_mentions: True to leave out those that follow.
    """
    lines = []
    for paragraph in _PARAGRAPHS.split(chunk.text):
        follows_mention = False
        for start, end in sentences(paragraph):
            line = paragraph[start:end]
            has_name = holds(name, [line])
            if has_name or follows_mention:
                lines.append(line)
            if has_name and not only_mentions:
                follows_mention = True
    if not lines:
        return list(_lines([chunk]))
    return lines


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
    """Returns the sentences and properties that hold the most of what is asked.

    If only titles or headings hold any of it, these are all lines below them: of the note `Birthdays`.
    """
    chunks_about = [chunk for chunk in chunks if chunk.stems_among(asked_stems)]
    lines = list(_lines(chunks_about))
    best_lines: list[str] = []
    best_weight = 0.0
    for line in lines:
        stems_of_line = stems_as(line, retrieved.analysis)
        shared_stems = asked_stems & stems_of_line
        weight = sum(retrieved.weights.get(stem, 0.0) for stem in shared_stems)
        if weight > best_weight:
            best_weight = weight
            best_lines = []
        if shared_stems and weight == best_weight:
            best_lines.append(line)
    return best_lines or lines


def _lines(chunks: Iterable[IndexedChunk]) -> Iterator[str]:
    """Yields the properties and the sentences of some chunks."""
    for chunk in chunks:
        yield from chunk.properties
        for start, end in sentences(chunk.text):
            yield chunk.text[start:end]


def _has_day(lines: Iterable[str]) -> bool:
    """Reports whether some lines name a day."""
    return any(map(any, map(days_in, lines)))


def _has_amount(lines: Iterable[str]) -> bool:
    """Reports whether some lines state an amount of money or a share."""
    return any(map(_AMOUNT.search, lines))


def _longest_number(lines: Iterable[str]) -> int:
    """Returns the number of digits of the longest number in some lines, 0 without a number. Dates do not count."""
    longest = 0
    for line in lines:
        without_days = blanked(line, days_in(line))
        for number in _DIGITS.findall(without_days):
            digit_count = sum(map(str.isdigit, number))
            longest = max(longest, digit_count)
    return longest
