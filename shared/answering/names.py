"""Question and passages -> the names in the question, of persons and things, and the passages that hold them.

A word of the question counts as (part of) a name in these cases:

1. It has a capital letter inside the sentence that asks, or it owns what follows ("Marek's phone number").
2. The notes write it with a capital letter inside a sentence and never in small letters: once if the question has it as an
   owner (`phone of marek`), otherwise also elsewhere.
3. It stands beside another word in the notes as in the question, there with two capitals: `Tess Kavanagh`.
4. It belongs to a title or an alias of a note, and the notes never write it in small letters: `Marek` may be a name,
   `Car` is none. A title of one word counts if the question has it as an owner without an article (`mareks phone`,
   `phone of marek`) or if the text of the notes has that word, too: `Recipes` above a list is none.

In a language in which all nouns have capitals, only owners, full names, whole titles of several words, and those words
count that the text of the notes has without an article or another determiner: `Marek` is a name, but neither `die
Nachbarin` nor `vom Verein`. A question of few words may be taken for one of another language, so the nearest passage's
language tells that, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise

from shared.answering.asked import AskedWord
from shared.answering.owners import (
    GENITIVE,
    REACH,
    has_apostrophe,
    is_capitalised,
    is_owner,
    owners_in,
    without_endings,
)
from shared.language.languages import detect
from shared.language.sentences import sentences
from shared.language.vocabulary import vocabulary, words_of_all
from shared.language.words import fold
from shared.markdown.file import aliases_in
from shared.model.index import IndexedChunk
from shared.model.retrieval import Retrieved

_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W_]+")
_ADDRESS = re.compile(r"(?<!\S)[^\s@/]*[@/]\S*")
"""A word with a sign of addresses, in which names are written small: `marek@example.com`."""
_IN_A_SENTENCE = re.compile(r"[\w,;)] \Z")
_ASKS = re.compile(r"[?？؟][\"'”’)]*\Z")


@cache
def _determiner_before() -> re.Pattern[str]:
    """Compiles a determiner of any language and at most two words behind it, at the end of a text: `die neue `."""
    determiners = "|".join(words_of_all("determiners"))
    return re.compile(rf"\b(?i:{determiners}) (?P<between>(?:[^\W\d_]+ ){{0,2}})\Z")


@dataclass(frozen=True, slots=True)
class Name:
    """Neighbouring words that make up a name."""

    words: tuple[AskedWord, ...]
    is_written_as_one: bool
    """True if the question writes it as a name, False if only the notes do."""
    owns: bool
    """True if it owns what follows it."""

    @property
    def start(self) -> int:
        return self.words[0].start

    @property
    def end(self) -> int:
        return self.words[-1].end


def asking_sentence(question: str) -> str:
    """Returns the last sentence that is a question, otherwise the last one."""
    asking_sentence = question
    is_question = False
    for start, end in sentences(question):
        sentence = question[start:end]
        if _ASKS.search(sentence):
            is_question = True
            asking_sentence = sentence
        elif not is_question:
            asking_sentence = sentence
    return asking_sentence


def names_in(sentence: str, words: Sequence[AskedWord], retrieved: Retrieved) -> Iterator[Name]:
    """Yields the names among the words, in order. Neighbouring words are one name unless the first one owns the next."""
    previous: Name | None = None
    for name in _words_of_names(sentence, words, retrieved):
        if previous is None:
            previous = name
            continue
        are_neighbours = not sentence[previous.end : name.start].strip()
        if not are_neighbours or previous.owns:
            yield previous
            previous = name
            continue
        previous = Name(
            words=(*previous.words, *name.words),
            is_written_as_one=previous.is_written_as_one or name.is_written_as_one,
            owns=name.owns,
        )
    if previous is not None:
        yield previous


def _words_of_names(
    sentence: str,
    words: Sequence[AskedWord],
    retrieved: Retrieved,
) -> Iterator[Name]:
    """Yields each word that is a name: written with a capital in the question, or as a name in the notes."""
    spellings = _read_spellings(sentence, words, capitals_tell=_capitals_tell(retrieved))
    names_in_notes = _names_in_notes(spellings, retrieved.chunks)
    abbreviations = words_of_all("abbreviations")
    for word in words:
        if not word.text.isalpha() or word.folded in abbreviations:
            continue
        name = _as_name(word, sentence, spellings, names_in_notes, retrieved.analysis.lang)
        if name is not None:
            yield name


@dataclass(frozen=True, slots=True)
class _AskedSpellings:
    """Spellings of a question's words. They are folded where nothing else is said."""

    words: frozenset[str]
    """All words; those that may have the ending of an owner also without it."""
    capitalised: frozenset[str]
    """Words with a capital letter that do not open the sentence; with and without an ending, too."""
    owners: frozenset[str]
    """Words that the question uses as owners have names."""
    neighbours: frozenset[tuple[str, str]]
    """Words that stand side by side."""
    without_ending: Mapping[AskedWord, str]
    """Words, as the question writes them, that may have the ending of an owner -> without it."""
    standing_out: frozenset[AskedWord]
    """Words, as the question writes them, that their capital letter makes a name."""
    capitals_tell: bool
    """False in a language in which all nouns have capitals."""


def _read_spellings(
    sentence: str,
    words: Sequence[AskedWord],
    *,
    capitals_tell: bool,
) -> _AskedSpellings:
    """Reads how a sentence writes its words."""
    capitalised_words = _capitalised_inside(sentence, words)
    without_ending = without_endings(words)
    standing_out: frozenset[AskedWord] = frozenset()
    if capitals_tell and _has_small_letters(sentence):
        standing_out = frozenset(capitalised_words)
    return _AskedSpellings(
        words=_folded(words, without_ending),
        capitalised=_folded(capitalised_words, without_ending),
        owners=owners_in(sentence, words),
        neighbours=_neighbours(words),
        without_ending=without_ending,
        standing_out=standing_out,
        capitals_tell=capitals_tell,
    )


def _as_name(
    word: AskedWord,
    sentence: str,
    spellings: _AskedSpellings,
    names_in_notes: frozenset[str],
    lang: str,
) -> Name | None:
    """Reads a word as a name; None if neither the question nor the notes write it as one.

    names_in_notes: folded words of the question that the notes write as names.
    """
    is_written_as_owner = is_owner(sentence, word, lang)
    is_known = word.folded in names_in_notes
    if is_known:
        is_known_owner = has_apostrophe(sentence, word)
    else:
        is_known_owner = spellings.without_ending.get(word) in names_in_notes
    is_written_as_one = is_written_as_owner or word in spellings.standing_out
    if not is_written_as_one and not is_known and not is_known_owner:
        return None
    return Name(
        words=(word,),
        is_written_as_one=is_written_as_one,
        owns=is_written_as_owner or is_known_owner,
    )


def _capitals_tell(retrieved: Retrieved) -> bool:
    """Reports whether a capital letter makes a name: in some languages all nouns have one.

    The nearest passage counts, too, since a few words of a question may not tell its language.
    """
    nearest = retrieved.chunks[0]
    lang_of_nearest = detect(nearest.text)
    for lang in (retrieved.analysis.lang, lang_of_nearest):
        if vocabulary(lang).nouns_are_capitalised:
            return False
    return True


def _capitalised_inside(sentence: str, words: Sequence[AskedWord]) -> list[AskedWord]:
    """Returns the capitalised words, except a word that opens the sentence."""
    first_letter = _LETTERS.search(sentence)
    if first_letter is None:
        return []
    start = first_letter.start()
    capitalised_words = []
    for word in words:
        opens_sentence = word.start <= start
        if not opens_sentence and is_capitalised(word.text):
            capitalised_words.append(word)
    return capitalised_words


def _folded(
    words: Iterable[AskedWord],
    without_ending: Mapping[AskedWord, str],
) -> frozenset[str]:
    """Returns words folded, those that may have the ending of an owner also without it."""
    folded_words = set()
    for word in words:
        folded_words.add(word.folded)
        if word in without_ending:
            folded_words.add(without_ending[word])
    return frozenset(folded_words)


def _neighbours(words: Sequence[AskedWord]) -> frozenset[tuple[str, str]]:
    """Returns the folded words that stand side by side, with a single character between them."""
    neighbours = set()
    for word, following in pairwise(words):
        are_side_by_side = following.start == word.end + 1
        if are_side_by_side:
            pair = (word.folded, following.folded)
            neighbours.add(pair)
    return frozenset(neighbours)


def _has_small_letters(sentence: str) -> bool:
    """Reports whether a word begins with a small letter. A query of capitalised words alone is not a sentence."""
    return any(run[0].islower() for run in _LETTERS.findall(sentence))


def _names_in_notes(asked: _AskedSpellings, chunks: Sequence[IndexedChunk]) -> frozenset[str]:
    """Returns the folded words that the passages write as names, and never in small letters unless in a full name.

    A title whose words are all in the question is a name. Of other titles only words count that the question
    capitalises too: `new` does not ask for the note "New Year". Where all nouns have capitals, only owners do, and words that
    the passages have without a determiner.
    """
    written = _written_words(chunks)
    capitalised_words = written.names(asked.owners)
    full_names = frozenset(chain.from_iterable(asked.neighbours & written.pairs))
    used_as_names = asked.owners
    if not asked.capitals_tell:
        without_determiner = _without_determiner(asked.words, chunks)
        capitalised_words &= without_determiner
        used_as_names |= without_determiner
    title_words = _title_words(chunks, asked, used_as_names)
    names = capitalised_words | title_words
    return (names - written.small) | full_names


@dataclass(frozen=True, slots=True)
class _WrittenWords:
    """Spellings of the words in passages, folded."""

    capital_counts: Counter[str]
    """Counts of words with a capital."""
    inside: frozenset[str]
    """Words with a capital inside a sentence."""
    small: frozenset[str]
    """Words in small letters."""
    pairs: frozenset[tuple[str, str]]
    """Words that stand side by side, both with a capital: `Birgit Sauer`."""

    def names(self, owners: frozenset[str]) -> frozenset[str]:
        """Returns the words with a capital inside a sentence, and another one elsewhere unless they are owners."""
        names = set()
        for word in self.inside:
            if word in owners or self.capital_counts[word] >= 2:
                names.add(word)
        return frozenset(names)


def _written_words(chunks: Iterable[IndexedChunk]) -> _WrittenWords:
    """Reads how passages write their words."""
    capital_counts = Counter[str]()
    inside: set[str] = set()
    small: set[str] = set()
    pairs: set[tuple[str, str]] = set()
    for chunk in chunks:
        text = _ADDRESS.sub("", chunk.text)
        last_capitalised = ""
        end_of_last = -1
        for match in _LETTERS.finditer(text):
            letters = match[0]
            if letters[0].islower():
                small.add(letters)
                continue
            if not is_capitalised(letters):
                continue
            word = fold(letters)
            start, end = match.span()
            capital_counts[word] += 1
            two_before = text[max(0, start - 2) : start]
            if _IN_A_SENTENCE.search(two_before):
                inside.add(word)
            if text[end_of_last:start] == " ":
                pairs.add((last_capitalised, word))
            last_capitalised = word
            end_of_last = end
    return _WrittenWords(
        capital_counts=capital_counts,
        inside=frozenset(inside),
        small=frozenset(map(fold, small)),
        pairs=frozenset(pairs),
    )


def _without_determiner(asked: frozenset[str], chunks: Iterable[IndexedChunk]) -> frozenset[str]:
    """Returns the folded words that the passages write with a capital, and never behind a determiner: `die neue Küche`."""
    capitalised_words: set[str] = set()
    nouns: set[str] = set()
    for chunk in chunks:
        text = chunk.text
        for match in _LETTERS.finditer(text):
            letters = match[0]
            word = fold(letters)
            if word not in asked or not is_capitalised(letters):
                continue
            capitalised_words.add(word)
            if _follows_determiner(text, match.start()):
                nouns.add(word)
    return frozenset(capitalised_words - nouns)


def _follows_determiner(text: str, position: int) -> bool:
    """Reports whether a determiner stands before a position, with at most two words in small letters between."""
    text_before = text[max(0, position - REACH) : position]
    determiner = _determiner_before().search(text_before)
    if determiner is None:
        return False
    between = determiner["between"]
    return between == between.lower()


def _title_words(
    chunks: Sequence[IndexedChunk],
    asked: _AskedSpellings,
    used_as_names: frozenset[str],
) -> set[str]:
    """Returns the folded words of the titles and aliases that the question names; see `_names_in_notes`."""
    names: set[str] = set()
    for chunk in chunks:
        for title in _titles(chunk):
            words = title.split()
            if not all(map(_is_part_of_name, words)):
                continue
            folded_words = frozenset(map(fold, words))
            is_named = folded_words <= asked.words
            is_uncertain = len(words) == 1 and not folded_words <= used_as_names
            if is_uncertain and not asked.capitals_tell:
                continue
            if is_uncertain and is_named and title == chunk.title:
                is_named = _is_in_a_text(title, chunks)
            if is_named:
                names |= folded_words
            elif asked.capitals_tell:
                names |= folded_words & asked.capitalised
            else:
                names |= folded_words & used_as_names
    return names


def _is_in_a_text(word: str, chunks: Iterable[IndexedChunk]) -> bool:
    """Reports whether the text of a passage, titles and headings aside, has a word."""
    for chunk in chunks:
        written_words = map(fold, _LETTERS.findall(chunk.text))
        if fold(word) in written_words:
            return True
    return False


def _is_part_of_name(word: str) -> bool:
    return word.isalpha() and is_capitalised(word)


def speaks_of(chunk: IndexedChunk, name: Name) -> bool:
    """Reports whether a passage, its headings or the names of its note hold every word of a name."""
    texts = (
        chunk.title,
        chunk.heading_path,
        chunk.path,
        chunk.text,
        *chunk.properties,
    )
    written_words = _folded_words_in(texts)
    for word in name.words:
        has_stems = all(chunk.terms.get(stem) for stem in word.stems)
        if not has_stems and _spellings(word, name).isdisjoint(written_words):
            return False
    return True


def is_titled(chunk: IndexedChunk, name: Name) -> bool:
    """Reports whether the title of a chunk's note, or its aliases, hold every word of a name."""
    return holds(name, _titles(chunk))


def titles_that_are_names(chunks: Sequence[IndexedChunk]) -> frozenset[str]:
    """Returns the titles of capitalised words one of which the passages have, never small or behind a determiner."""
    words_by_title: dict[str, frozenset[str]] = {}
    for chunk in chunks:
        title = chunk.title
        words = title.split()
        if all(map(_is_part_of_name, words)):
            words_by_title[title] = frozenset(map(fold, words))

    words_of_titles = words_by_title.values()
    title_words = frozenset[str]().union(*words_of_titles)
    small_words = _written_words(chunks).small
    names = _without_determiner(title_words, chunks) - small_words
    titles = set()
    for title, folded_words in words_by_title.items():
        if folded_words & names:
            titles.add(title)
    return frozenset(titles)


def holds(name: Name, texts: Iterable[str]) -> bool:
    """Reports whether some texts hold every word of a name as it is spelt."""
    written_words = _folded_words_in(texts)
    for word in name.words:
        if _spellings(word, name).isdisjoint(written_words):
            return False
    return True


def _titles(chunk: IndexedChunk) -> tuple[str, ...]:
    """Returns the title and the aliases of a chunk's note."""
    return (chunk.title, *aliases_in(chunk.properties))


def _folded_words_in(texts: Iterable[str]) -> set[str]:
    words = _WORD.findall(" ".join(texts))
    return set(map(fold, words))


def _spellings(word: AskedWord, name: Name) -> set[str]:
    """Returns a word of a name as a note may write it, folded: an owner also without its ending, others also with it."""
    if name.owns:
        other_spelling = word.folded.removesuffix(GENITIVE)
    else:
        other_spelling = word.folded + GENITIVE
    return {word.folded, other_spelling}
