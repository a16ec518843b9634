"""Question and quoted passages -> the words that matter to the question and that none of the passages holds.

Whether a passage answers cannot be told without a model, but what it never says can: "Can I bring my dog to the office?"
is not answered by passages about the office without a dog. "Bring" matters little: without it the question's vector stays
where it was. A question that is told in other words than the notes has many missing words, and then they tell nothing.

Share of the questions whose missing words are told:

                                        that the notes answer    that they do not answer
    handbook, three languages           0.23                     0.49
    pages of strangers                  0.21                     0.36
    sample notes                        0.27                     0.50
    a person's notes                    0.28                     0.50
"""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from shared.answering.asked import AskedWord, asked_words, is_part_of, only_asks, without_amounts
from shared.errors import ModelRefused, ModelUnavailable, PortContractError
from shared.judging.quantities import Quantity, quantities
from shared.language.languages import likely_languages
from shared.language.terms import MAX_TERM, stems
from shared.language.words import folded_words, stop_words
from shared.markdown.quotable import PieceKind, quotable
from shared.model.index import IndexedChunk, dot_product
from shared.model.retrieval import Analysis
from shared.ports.models import Embedder

log = logging.getLogger(__name__)

MAX_WORDS = 3
"""Most missing words of a question that is told in the words of the notes."""
MATTERS = 0.05
"""Least distance (1 - cosine) by which a question's vector moves where a word that matters is left out."""
SHARE = 0.45
"""Least share of the distance of the weightiest word. Chosen on the questions to a handbook and to pages of strangers,
MATTERS on half of the first: smaller ones let `get`, `after`, `choose` and `decide` through.
"""
MAX_QUESTION = 300
"""Characters of a question from which on it is a story, in which no word matters. All words of one with this length are
embedded in 0.1 s.
"""
MIN_STEM = 3
"""Fewest letters of a stem with which another one begins: `own` names the column `Owner`. Chosen by hand, not measured."""
_PART = re.compile(r"\d+|[^\W\d_]+")
"""A run of digits or of letters."""


@dataclass(frozen=True, slots=True)
class _ReadPassage:
    """A quoted passage with all names and properties of its note."""

    chunk: IndexedChunk
    text: str
    """Folded words with single blanks."""
    parts: frozenset[str]
    """The runs of letters and of digits in the text, and each two neighbours as one: `email` in `e-mail`."""
    columns: frozenset[str]
    """Stems of the names of its tables' columns."""

    def has_stem(self, stem: str) -> bool:
        """Reports whether it has a word with this stem, or the stem as a part of another word."""
        if stem in self.parts or self.chunk.terms.get(stem):
            return True
        return is_part_of(stem, self.text)


def missing_words(
    question: str,
    analysis: Analysis,
    quoted: Sequence[IndexedChunk],
    embedder: Embedder,
    *,
    answer_lang: str | None = None,
) -> tuple[str, ...]:
    """Returns the words as the question writes them, in its order.

    Empty if more than MAX_WORDS are missing, if the question is longer than MAX_QUESTION, or if the embedder is
    unavailable. Also empty if a chunk is in another language and may say the same in its words, and in a language without
    stop words here, where nothing tells words that ask from others.

    question: in the person's own words, which may be fewer than those that were searched for.
    answer_lang: language of the answer, as that of few words may be known from the notes; that of the analysis if None.
    """
    lang = answer_lang or analysis.lang
    if len(question) > MAX_QUESTION:
        return ()
    if not stop_words(lang):
        return ()
    for chunk in quoted:
        if lang not in likely_languages(chunk.text):
            return ()
    asked = asked_words(without_amounts(question, lang), analysis)
    missing = _missing(asked, question, lang, quoted)
    if not missing or len(missing) > MAX_WORDS:
        return ()
    try:
        matter = _words_that_matter(missing, asked, question, embedder)
    except (ModelUnavailable, ModelRefused, PortContractError) as error:
        log.warning("words that no quote holds are not told: %s", error.message)
        return ()
    return tuple(places[0].text for places in matter)


def _missing(
    asked: Sequence[AskedWord],
    question: str,
    lang: str,
    quoted: Sequence[IndexedChunk],
) -> list[list[AskedWord]]:
    """Returns the words that no quoted chunk holds, each with all places where it stands.

    Words that only ask (`how many`, `show my notes`) are left out.
    """
    passages = [_read(chunk, lang) for chunk in quoted]
    missing: list[AskedWord] = []
    for word in asked:
        is_readable = len(word.text) <= MAX_TERM
        if not is_readable or only_asks(word, lang):
            continue
        if not any(_holds(passage, word) for passage in passages):
            missing.append(word)

    return _by_places(_without_held_numbers(missing, question, lang, passages))


def _by_places(words: Iterable[AskedWord]) -> list[list[AskedWord]]:
    """Returns each word with all places where it stands."""
    places_of: defaultdict[str, list[AskedWord]] = defaultdict(list)
    for word in words:
        places_of[word.folded].append(word)
    return list(places_of.values())


def _words_that_matter(
    missing: Sequence[Sequence[AskedWord]],
    asked: Iterable[AskedWord],
    question: str,
    embedder: Embedder,
) -> list[Sequence[AskedWord]]:
    """Returns the missing words without which the question means another thing. Raises as `embed_query`.

    missing: each word with all places where it stands.
    asked: all words of the question.
    """
    vector_of_question = embedder.embed_query(question)

    def distance_without(places: Sequence[AskedWord]) -> float:
        """Returns how far the question's vector moves where a word is left out."""
        rest = question
        for place in reversed(places):
            text_before = rest[: place.start]
            text_behind = rest[place.end :]
            rest = text_before + text_behind
        vector = embedder.embed_query(rest)
        return 1.0 - dot_product(vector_of_question, vector)

    distances = [distance_without(places) for places in missing]
    if max(distances) < MATTERS:
        return []
    other_words = [places for places in _by_places(asked) if places not in missing]
    other_distances = [distance_without(places) for places in other_words]
    greatest = max([*distances, *other_distances])
    least = max(MATTERS, SHARE * greatest)
    matter = []
    for places, distance in zip(missing, distances, strict=True):
        if distance >= least:
            matter.append(places)
    return matter


def _read(chunk: IndexedChunk, lang: str) -> _ReadPassage:
    """Reads what a chunk holds."""
    texts = (
        chunk.title,
        chunk.heading_path,
        chunk.path,
        chunk.text,
        *chunk.properties,
        *chunk.tags,
    )
    text = folded_words(" ".join(texts))
    runs = _PART.findall(text)
    neighbours = [first + second for first, second in pairwise(runs)]
    return _ReadPassage(
        chunk=chunk,
        text=text,
        parts=frozenset([*runs, *neighbours]),
        columns=_columns(chunk, lang),
    )


def _columns(chunk: IndexedChunk, lang: str) -> frozenset[str]:
    """Returns the stems of the names of the columns of a chunk's tables."""
    heads = set()
    for piece in quotable(chunk.text, chunk.columns):
        if piece.kind is PieceKind.ROW and piece.head:
            names = piece.head[0]
            heads.add(names)
    names_of_columns = " ".join(heads)
    return frozenset(stems(names_of_columns, lang))


def _holds(passage: _ReadPassage, word: AskedWord) -> bool:
    """Reports whether a passage holds a word in any form, alone or as a part of another word.

    Of a compound token (`err_conn_42`) it holds all parts, joined or not, but for single letters (`reste-t-il`).
    """
    if is_part_of(word.folded, passage.text):
        return True
    parts = _PART.findall(word.folded)
    as_one_word = "".join(parts)
    if as_one_word in passage.parts or _names_column(word, passage.columns):
        return True
    return all(passage.has_stem(stem) for stem in _stems_of_parts(word))


def _stems_of_parts(word: AskedWord) -> Sequence[str]:
    """Returns the stems of the parts of a compound token, or else those of the word."""
    stems_of_parts = []
    for stem in word.stems[1:]:
        is_single_letter = len(stem) == 1 and not stem.isdigit()
        if not is_single_letter:
            stems_of_parts.append(stem)
    return stems_of_parts or word.stems


def _names_column(word: AskedWord, columns: Iterable[str]) -> bool:
    """Reports whether a word's stem begins that of a column, or the other way round: `owns` asks for the owner."""
    for stem, column in product(word.stems, columns):
        shorter, longer = sorted((stem, column), key=len)
        if not longer.startswith(shorter):
            continue
        is_long_enough = len(shorter) >= MIN_STEM
        max_length = 2 * len(shorter)
        if is_long_enough and len(longer) <= max_length:
            return True
    return False


def _without_held_numbers(
    words: Sequence[AskedWord],
    question: str,
    lang: str,
    passages: Sequence[_ReadPassage],
) -> list[AskedWord]:
    """Leaves out the words of numbers that a passage writes in another form: `three` where it says `3`."""
    asked_numbers, _ = quantities(question, lang)
    number_of: dict[AskedWord, Quantity] = {}
    for word, number in product(words, asked_numbers):
        overlap = number.start < word.end and word.start < number.end
        if overlap:
            number_of[word] = number
    if not number_of:  # which spares the passages the reading
        return list(words)

    held_numbers: list[Quantity] = []
    for passage in passages:
        numbers, _ = quantities(passage.chunk.text, lang)
        held_numbers.extend(numbers)
    others = []
    for word in words:
        asked_number = number_of.get(word)
        if asked_number is None or not any(map(asked_number.equals, held_numbers)):
            others.append(word)
    return others
