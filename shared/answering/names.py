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
from shared.model.retrieval import Retrieved, Scored

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
    lang = retrieved.analysis.lang
    capitals_tell = _capitals_tell(retrieved)
    capitalised_words = _capitalised_inside(sentence, words)
    without_ending = without_endings(words)
    names_in_notes = _names_in_notes(
        retrieved.selected,
        _folded(words, without_ending),
        _folded(capitalised_words, without_ending),
        owners_in(sentence, words),
        _neighbours(words),
        capitals_tell=capitals_tell,
    )
    capitals_stand_out = capitals_tell and _has_small_letters(sentence)
    abbreviations = words_of_all("abbreviations")
    for word in words:
        folded_word = fold(word.text)
        if not word.text.isalpha() or folded_word in abbreviations:
            continue
        is_written_as_one = is_owner(sentence, word, lang)
        is_known = folded_word in names_in_notes
        has_ending = without_ending.get(word) in names_in_notes and not is_known
        owns = is_written_as_one or has_ending
        if is_known and has_apostrophe(sentence, word):
            owns = True
        if capitals_stand_out and word in capitalised_words:
            is_written_as_one = True
        if is_written_as_one or owns or is_known:
            yield Name(
                words=(word,),
                is_written_as_one=is_written_as_one,
                owns=owns,
            )


def _capitals_tell(retrieved: Retrieved) -> bool:
    """Reports whether a capital letter makes a name: in some languages all nouns have one.

    The nearest passage counts, too, since a few words of a question may not tell its language.
    """
    nearest = retrieved.selected[0].chunk.text
    langs = (retrieved.analysis.lang, detect(nearest))
    return not any(vocabulary(lang).nouns_are_capitalised for lang in langs)


def _capitalised_inside(sentence: str, words: Sequence[AskedWord]) -> list[AskedWord]:
    """Returns the capitalised words, except a word that opens the sentence."""
    first_letter = _LETTERS.search(sentence)
    if first_letter is None:
        return []
    start = first_letter.start()
    return [word for word in words if word.start > start and is_capitalised(word.text)]


def _folded(
    words: Iterable[AskedWord],
    without_ending: Mapping[AskedWord, str],
) -> frozenset[str]:
    """Returns words folded, those that may have the ending of an owner also without it."""
    folded_words: set[str] = set()
    for word in words:
        folded_word = fold(word.text)
        folded_words |= {folded_word, without_ending.get(word, folded_word)}
    return frozenset(folded_words)


def _neighbours(words: Sequence[AskedWord]) -> frozenset[tuple[str, str]]:
    """Returns the folded words that stand side by side, with a single character between them."""
    neighbours: set[tuple[str, str]] = set()
    for word, following in pairwise(words):
        if following.start == word.end + 1:
            neighbours.add((fold(word.text), fold(following.text)))
    return frozenset(neighbours)


def _has_small_letters(sentence: str) -> bool:
    """Reports whether a word begins with a small letter. A query of capitalised words alone is not a sentence."""
    return any(run[0].islower() for run in _LETTERS.findall(sentence))


def _names_in_notes(
    passages: Sequence[Scored],
    asked: frozenset[str],
    with_capital: frozenset[str],
    owners: frozenset[str],
    neighbours: frozenset[tuple[str, str]],
    *,
    capitals_tell: bool,
) -> frozenset[str]:
    """Returns the folded words that the passages write as names, and never in small letters unless in a full name.

    A title whose words are all in the question is a name. Of other titles only words count that the question
    capitalises too: `new` does not ask for the note "New Year". Where all nouns have capitals, only owners do, and words that
    the passages have without a determiner.

    asked: folded words of the question.
    with_capital: those of them that have a capital letter and do not open the sentence.
    owners: those of them that the question uses as owners have names.
    neighbours: those of them that stand side by side.
    """
    written = _written_words(passages)
    capitalised_words = written.names(owners)
    full_names = frozenset(chain.from_iterable(neighbours & written.pairs))
    used_as_names = owners
    if not capitals_tell:
        without_determiner = _without_determiner(asked, passages)
        capitalised_words &= without_determiner
        used_as_names |= without_determiner
    title_words = _title_words(
        passages,
        asked,
        with_capital,
        used_as_names,
        capitals_tell=capitals_tell,
    )
    names = capitalised_words | title_words
    return (names - written.small) | full_names


@dataclass(frozen=True, slots=True)
class _WrittenWords:
    """How passages write words, folded."""

    capital_counts: Counter[str]
    """Counts of those with a capital."""
    inside: frozenset[str]
    """Those with a capital inside a sentence."""
    small: frozenset[str]
    """Those in small letters."""
    pairs: frozenset[tuple[str, str]]
    """Those that stand side by side, both with a capital: `Birgit Sauer`."""

    def names(self, owners: frozenset[str]) -> frozenset[str]:
        """Returns the words with a capital inside a sentence, and another one elsewhere unless they are owners."""
        names: set[str] = set()
        for word in self.inside:
            if word in owners or self.capital_counts[word] >= 2:
                names.add(word)
        return frozenset(names)


def _written_words(passages: Iterable[Scored]) -> _WrittenWords:
    """Reads how passages write their words."""
    capital_counts = Counter[str]()
    inside: set[str] = set()
    small: set[str] = set()
    pairs: set[tuple[str, str]] = set()
    for passage in passages:
        text = _ADDRESS.sub("", passage.chunk.text)
        last_capitalised = ""
        end_of_last = -1
        for match in _LETTERS.finditer(text):
            if match[0][0].islower():
                small.add(match[0])
                continue
            if not is_capitalised(match[0]):
                continue
            word = fold(match[0])
            start = match.start()
            capital_counts[word] += 1
            if _IN_A_SENTENCE.search(text[max(0, start - 2) : start]):
                inside.add(word)
            if text[end_of_last:start] == " ":
                pairs.add((last_capitalised, word))
            last_capitalised = word
            end_of_last = match.end()
    return _WrittenWords(
        capital_counts=capital_counts,
        inside=frozenset(inside),
        small=frozenset(map(fold, small)),
        pairs=frozenset(pairs),
    )


def _without_determiner(asked: frozenset[str], passages: Iterable[Scored]) -> frozenset[str]:
    """Returns the folded words that the passages write with a capital, and never behind a determiner: `die neue Küche`."""
    written: set[str] = set()
    nouns: set[str] = set()
    for passage in passages:
        text = passage.chunk.text
        for match in _LETTERS.finditer(text):
            word = fold(match[0])
            if word not in asked or not is_capitalised(match[0]):
                continue
            written.add(word)
            if _follows_determiner(text, match.start()):
                nouns.add(word)
    return frozenset(written - nouns)


def _follows_determiner(text: str, position: int) -> bool:
    """Reports whether a determiner stands before a position, with at most two words in small letters between."""
    before = text[max(0, position - REACH) : position]
    found = _determiner_before().search(before)
    if found is None:
        return False
    between = found["between"]
    return between == between.lower()


def _title_words(
    passages: Sequence[Scored],
    asked: frozenset[str],
    with_capital: frozenset[str],
    used_as_names: frozenset[str],
    *,
    capitals_tell: bool,
) -> set[str]:
    """Returns the folded words of the titles and aliases that the question names; see `_names_in_notes`."""
    names: set[str] = set()
    for passage in passages:
        own_title = passage.chunk.title
        for title in _titles(passage.chunk):
            title_words = title.split()
            if not all(map(_is_part_of_name, title_words)):
                continue
            folded_words = frozenset(map(fold, title_words))
            is_asked_whole = folded_words <= asked
            if len(title_words) == 1 and not folded_words <= used_as_names:
                if not capitals_tell:
                    continue
                if title == own_title:
                    is_asked_whole = is_asked_whole and _is_in_a_text(title, passages)
            if is_asked_whole:
                names |= folded_words
            elif capitals_tell:
                names |= folded_words & with_capital
            else:
                names |= folded_words & used_as_names
    return names


def _is_in_a_text(word: str, passages: Iterable[Scored]) -> bool:
    """Reports whether the text of a passage, titles and headings aside, has a word."""
    for passage in passages:
        written_words = map(fold, _LETTERS.findall(passage.chunk.text))
        if fold(word) in written_words:
            return True
    return False


def _is_part_of_name(word: str) -> bool:
    return word.isalpha() and is_capitalised(word)


def speaks_of(chunk: IndexedChunk, name: Name) -> bool:
    """Reports whether a passage, its headings or the names of its note hold every word of a name."""
    texts = (chunk.title, chunk.heading_path, chunk.path, chunk.text, *chunk.properties)
    written_words = _folded_words_in(texts)
    for word in name.words:
        has_stems = all(chunk.terms.get(stem) for stem in word.stems)
        if not has_stems and _spellings(word, name).isdisjoint(written_words):
            return False
    return True


def is_titled(chunk: IndexedChunk, name: Name) -> bool:
    """Reports whether the title of a chunk's note, or its aliases, hold every word of a name."""
    return holds(name, _titles(chunk))


def titles_that_are_names(passages: Sequence[Scored]) -> frozenset[str]:
    """Returns the titles of capitalised words one of which the passages have, never small or behind a determiner."""
    words_by_title: dict[str, frozenset[str]] = {}
    for passage in passages:
        words = passage.chunk.title.split()
        if all(map(_is_part_of_name, words)):
            words_by_title[passage.chunk.title] = frozenset(map(fold, words))
    title_words = frozenset[str]().union(*words_by_title.values())
    names = _without_determiner(title_words, passages) - _written_words(passages).small
    return frozenset([title for title, words in words_by_title.items() if words & names])


def holds(name: Name, texts: Iterable[str]) -> bool:
    """Reports whether some texts hold every word of a name as it is spelt."""
    written_words = _folded_words_in(texts)
    return not any(_spellings(word, name).isdisjoint(written_words) for word in name.words)


def _titles(chunk: IndexedChunk) -> tuple[str, ...]:
    """Returns the title and the aliases of a chunk's note."""
    return (chunk.title, *aliases_in(chunk.properties))


def _folded_words_in(texts: Iterable[str]) -> set[str]:
    return set(map(fold, _WORD.findall(" ".join(texts))))


def _spellings(word: AskedWord, name: Name) -> set[str]:
    """Returns a word of a name as a note may write it, folded: an owner also without its ending, others also with it."""
    folded_word = fold(word.text)
    if name.owns:
        return {folded_word, folded_word.removesuffix(GENITIVE)}
    return {folded_word, folded_word + GENITIVE}
