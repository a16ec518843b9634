"""Passages -> their pieces, each compared with the question by words and, as far as there is time, by meaning.

Words are compared for all pieces. The most promising pieces of all passages are also embedded, up to a fixed number of
characters, because embedding takes most of the time.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import add, itemgetter

from shared.answering.asked import (
    AskedProperties,
    asked_words,
    asks_for_number,
    holds_number,
    only_asks,
)
from shared.answering.asked_time import pieces_of_time
from shared.errors import ModelRefused, ModelUnavailable, PortContractError
from shared.language.forms import own_forms
from shared.language.terms import stems_as
from shared.markdown.quotable import Quotable, lead_behind, quotable
from shared.model.index import IndexedChunk, Vector, dot_product
from shared.model.retrieval import Analysis, Retrieved, Scored
from shared.ports.models import Embedder

log = logging.getLogger(__name__)

EMBEDDED = 1200
"""Most characters that are embedded for one question; each takes a tenth of a millisecond of processor time."""
MIN_EMBEDDED = 30
"""A shorter piece counts as this many characters."""
# Weights beside a piece's cosine with the question, chosen on half of the questions to a handbook, to pages of
# strangers and to chats.
WORDS = 0.2
"""Weight of the share of the question's words that a piece holds."""
RANK = 0.3
"""Weight of its passage's score, as a share of the first passage's."""
BESIDE = 0.2
"""Weight of the neighbouring pieces."""
NUMBER = 0.2
"""Added to the cosine of a piece that holds a number, if the question asks for one. Dates are left out and `when` does not
ask for one: in chats the day of what is told is the note's own.
"""
TIME = "\0time"
"""Stands among a piece's stems for the time that the question names: no stem holds this sign. It weighs as much as the
weightiest word.
"""
UNSPOKEN = 0.25
"""Weight of a cosine if the embedder does not speak the question's language."""


@dataclass(frozen=True, slots=True)
class PassageWords:
    """The words of the question that a passage holds."""

    coverages: tuple[float, ...]
    """Share of the question's words that each piece holds, in [0, 1]. The line that leads to its list counts as well."""
    asked_stems: tuple[frozenset[str], ...]
    """Stems of the question's words that each piece holds."""
    titled_coverages: tuple[float, ...]
    """Share of the question's words that each piece and the titles above it hold, in [0, 1]. Words that only ask (`list
    all`) are left out.
    """
    held: float
    """Share of the question's words that the titles and the pieces hold together, in [0, 1]."""
    held_by_titles: float
    """Share of the question's words that the titles hold."""
    named_stems: frozenset[str]
    """Stems of the title and headings that the question names whole."""


@dataclass(frozen=True, slots=True)
class ComparedPassage:
    """A passage whose pieces were compared with the question."""

    passage: Scored
    rank: float
    """RANK times the passage's score as a share of the best passage's score."""
    pieces: tuple[Quotable, ...]
    words: PassageWords
    nearness: tuple[float, ...]
    """Cosine of each piece with the question, or its coverage if it was not embedded; in [0, 1]."""
    scores: tuple[float, ...]
    """Nearness of each piece to the question, including the passage's rank; comparable between passages."""


@dataclass(frozen=True, slots=True)
class _ReadPassage:
    """A passage with its pieces, compared with the question by words alone."""

    passage: Scored
    rank: float
    """RANK times the passage's score as a share of the best passage's score."""
    pieces: tuple[Quotable, ...]
    words: PassageWords
    bonuses: tuple[float, ...]
    """NUMBER for each piece that holds a number, if the question asks for one; otherwise 0."""


class _QuestionWords:
    """The words of a question with their weights."""

    def __init__(self, question: str, retrieved: Retrieved, *, names_time: bool) -> None:
        analysis = retrieved.analysis
        self._analysis = analysis
        self._forms = own_forms(analysis.subject, analysis.lang)
        self._stems_of_titles: dict[str, frozenset[str]] = {}

        weights = dict(retrieved.weights)
        if names_time:
            weightiest = max(weights.values(), default=1.0)
            weights[TIME] = weightiest
        self._weights = weights
        self._total_weight = sum(weights.values()) or 1.0
        self._asking_stems = _asking_stems(question, analysis) & weights.keys()

    def of(
        self,
        chunk: IndexedChunk,
        pieces: Sequence[Quotable],
        properties: str,
        of_time: Collection[int],
    ) -> PassageWords:
        """Returns what a passage holds of the words.

        properties: those of its note that the question names. of_time: indexes of the pieces with a date of the time that it
        names.
        """
        # 1. The titles above it.
        titles = (chunk.title, *chunk.headings)
        stems_of_titles = [self._stems_of_title(title) for title in titles]
        asked_in_titles = frozenset().union(*stems_of_titles) & self._weights.keys()
        shares_of_titles = self._shares(" ".join(titles), asked_in_titles)
        named_titles = [stems for stems in stems_of_titles if stems <= self._weights.keys()]

        # 2. Each of its pieces.
        shares_of_all = dict(shares_of_titles)
        coverages: list[float] = []
        titled_coverages: list[float] = []
        asked_stems: list[frozenset[str]] = []
        for index, piece in enumerate(pieces):
            mark = chunk.text[piece.line : piece.start]
            text = f"{piece.lead} {mark} {piece.plain} {properties}"
            stems_of_piece = self._stems_in(text)
            if index in of_time:
                stems_of_piece |= {TIME}
            asked_stems.append(stems_of_piece)

            shares = self._shares(text, stems_of_piece)
            coverage = sum(shares.values())
            coverages.append(coverage)

            shares_with_titles = {**shares_of_titles, **shares}
            titled_coverage = self._share_of_matter(shares_with_titles)
            titled_coverages.append(titled_coverage)
            shares_of_all.update(shares)

        return PassageWords(
            coverages=tuple(coverages),
            asked_stems=tuple(asked_stems),
            titled_coverages=tuple(titled_coverages),
            held=sum(shares_of_all.values()),
            held_by_titles=sum(shares_of_titles.values()),
            named_stems=frozenset().union(*named_titles),
        )

    def _stems_in(self, text: str) -> frozenset[str]:
        """Returns the stems of the question's words that a text holds."""
        text_stems = stems_as(text, self._analysis)
        return frozenset(self._weights.keys() & text_stems)

    def _shares(self, text: str, asked_stems: frozenset[str]) -> Mapping[str, float]:
        """Returns what each stem of the question that a text holds adds to its coverage."""
        shares_of_forms = self._forms.shares(text, asked_stems)
        shares = {}
        for stem in asked_stems:
            weight = shares_of_forms[stem] * self._weights[stem]
            shares[stem] = weight / self._total_weight
        return shares

    def _share_of_matter(self, shares: Mapping[str, float]) -> float:
        """Returns the share that some stems have of those that do not only ask."""
        weights_of_asking = [self._weights[stem] for stem in self._asking_stems]
        share_of_asking = sum(weights_of_asking) / self._total_weight
        share_of_others = 1.0 - share_of_asking
        if share_of_others <= 0:
            return sum(shares.values())
        shares_of_matter = []
        for stem, share in shares.items():
            if stem not in self._asking_stems:
                shares_of_matter.append(share)
        return sum(shares_of_matter) / share_of_others

    def _stems_of_title(self, title: str) -> frozenset[str]:
        """Returns the stems of a title or heading, which many passages share."""
        known_stems = self._stems_of_titles.get(title)
        if known_stems is not None:
            return known_stems
        title_stems = frozenset(stems_as(title, self._analysis))
        self._stems_of_titles[title] = title_stems
        return title_stems


def _asking_stems(question: str, analysis: Analysis) -> frozenset[str]:
    """Returns the stems of the words that only ask, such as `list` and `show`."""
    words = asked_words(question, analysis, renamed=True)
    stems: set[str] = set()
    for word in words:
        if only_asks(word, analysis.lang):
            stems.update(word.stems)
    return frozenset(stems)


def compare(
    question: str,
    passages: Sequence[Scored],
    retrieved: Retrieved,
    embedder: Embedder | None,
    beside: Sequence[Scored] = (),
) -> Iterator[ComparedPassage]:
    """Yields each passage with its pieces, compared with the question.

    Without an embedder, or if it is unavailable, only words decide.

    beside: further passages, which are compared by their words alone.
    """
    read_passages = _read(question, [*passages, *beside], retrieved)
    promising = _promising(read_passages[: len(passages)])
    cosines = _cosines(question, promising, retrieved, embedder)
    cosine_weight = 1.0
    if retrieved.lexical_only:
        cosine_weight = UNSPOKEN
    for read in read_passages:
        yield ComparedPassage(
            passage=read.passage,
            rank=read.rank,
            pieces=read.pieces,
            words=read.words,
            nearness=_nearness(read, cosines),
            scores=_piece_scores(read, cosines, cosine_weight),
        )


def _nearness(read: _ReadPassage, cosines: Mapping[str, float]) -> tuple[float, ...]:
    """Returns the cosine of each piece with the question, or its coverage if it was not embedded; in [0, 1]."""
    nearness = []
    for piece, coverage in zip(read.pieces, read.words.coverages, strict=True):
        cosine = cosines.get(piece.plain, coverage)
        nearness.append(max(0.0, min(1.0, cosine)))
    return tuple(nearness)


def _piece_scores(
    read: _ReadPassage,
    cosines: Mapping[str, float],
    cosine_weight: float,
) -> tuple[float, ...]:
    """Scores each piece of a passage by the passage's rank, the piece's words and cosine, and those of its neighbours."""
    likenesses: list[float] = []
    for piece, coverage in zip(read.pieces, read.words.coverages, strict=True):
        cosine = cosines.get(piece.plain, 0.0)
        likeness = WORDS * coverage + cosine_weight * cosine
        likenesses.append(likeness)

    scores = []
    neighbours_of_pieces = _neighbours(likenesses)
    pieces = zip(likenesses, neighbours_of_pieces, read.bonuses, strict=True)
    for likeness, neighbours, bonus in pieces:
        score = read.rank + likeness
        score += BESIDE * sum(neighbours)
        score += cosine_weight * bonus
        scores.append(score)
    return tuple(scores)


def _read(
    question: str,
    passages: Sequence[Scored],
    retrieved: Retrieved,
) -> list[_ReadPassage]:
    """Reads the pieces of each passage, and what each piece holds of the question's words and of the number it asks for."""
    # 1. Their pieces, and which of these have a date of the time that is asked for.
    chunks = [passage.chunk for passage in passages]
    pieces_of_chunks = _pieces(chunks)
    of_time = pieces_of_time(chunks, pieces_of_chunks, retrieved)

    # 2. What each piece holds.
    lang = retrieved.analysis.lang
    wants_number = asks_for_number(question, lang)
    properties = AskedProperties(retrieved)
    words = _QuestionWords(question, retrieved, names_time=any(of_time))
    best_score = max([passage.score for passage in passages], default=0.0) or 1.0
    read_passages = []
    for passage, pieces, indexes_of_time in zip(passages, pieces_of_chunks, of_time, strict=True):
        chunk = passage.chunk
        named_properties = " ".join(properties.named(chunk))
        bonuses: list[float] = []
        for piece in pieces:
            has_asked_number = wants_number and holds_number(piece.plain, lang)
            bonuses.append(NUMBER if has_asked_number else 0.0)
        read = _ReadPassage(
            passage=passage,
            rank=RANK * passage.score / best_score,
            pieces=pieces,
            words=words.of(chunk, pieces, named_properties, indexes_of_time),
            bonuses=tuple(bonuses),
        )
        read_passages.append(read)
    return read_passages


def _pieces(chunks: Sequence[IndexedChunk]) -> list[tuple[Quotable, ...]]:
    """Returns the pieces of each passage; a list goes on below its lead in the next passage of its note."""
    pieces_of_chunk: dict[int, tuple[Quotable, ...]] = {}
    previous: IndexedChunk | None = None
    lead = ""
    for index, chunk in sorted(enumerate(chunks), key=_place_in_notes):
        if previous is None or not _follows(chunk, previous):
            lead = ""
        pieces = quotable(chunk.text, chunk.columns, lead)
        pieces_of_chunk[index] = pieces
        lead = lead_behind(pieces)
        previous = chunk
    return [pieces_of_chunk[index] for index in range(len(chunks))]


def _place_in_notes(numbered_chunk: tuple[int, IndexedChunk]) -> tuple[str, int]:
    """Returns the sort key that puts the passages of a note side by side, in their order in it."""
    _, chunk = numbered_chunk
    return chunk.note_id, chunk.position


def _follows(chunk: IndexedChunk, previous: IndexedChunk) -> bool:
    """Reports whether a passage is the next one of the same note."""
    is_of_same_note = chunk.note_id == previous.note_id
    return is_of_same_note and chunk.position == previous.position + 1


def _neighbours(values: Sequence[float]) -> Iterator[tuple[float, float]]:
    """Yields the values before and behind each value, with 0 at both ends."""
    framed = (0.0, *values, 0.0)
    values_before = framed[:-2]
    values_behind = framed[2:]
    return zip(values_before, values_behind, strict=True)


def _promising(read_passages: Sequence[_ReadPassage]) -> list[str]:
    """Chooses the texts that are embedded: the most promising pieces of all passages, by rank, words and asked numbers."""
    promising: list[tuple[float, str]] = []
    for read in read_passages:
        likenesses = list(map(add, read.words.coverages, read.bonuses))
        neighbours_of_pieces = _neighbours(likenesses)
        pieces = zip(read.pieces, likenesses, neighbours_of_pieces, strict=True)
        for piece, likeness, neighbours in pieces:
            promise = read.rank + likeness
            promise += BESIDE * max(neighbours)
            promising.append((promise, piece.plain))
    promising.sort(key=itemgetter(0), reverse=True)

    # The best ones that fit.
    chosen: dict[str, None] = {}
    room = EMBEDDED
    for _, text in promising:
        cost = max(MIN_EMBEDDED, len(text))
        if cost <= room and text not in chosen:
            chosen[text] = None
            room -= cost
    return list(chosen)


def _cosines(
    question: str,
    texts: Sequence[str],
    retrieved: Retrieved,
    embedder: Embedder | None,
) -> Mapping[str, float]:
    """Computes the cosine of each text with the question; empty without an embedder, or if it is unavailable."""
    if embedder is None or not texts:
        return {}
    by_length = sorted(texts, key=len)  # a batch is as slow as its longest text makes it
    size = embedder.batch_size
    vectors: list[Vector] = []
    query: Vector | None = None
    if retrieved.embedder == embedder.model:
        query = retrieved.query
    try:
        if query is None:
            query = embedder.embed_query(question)
        for start in range(0, len(by_length), size):
            batch = by_length[start : start + size]
            vectors += embedder.embed_documents(batch)
    except (ModelUnavailable, ModelRefused, PortContractError) as error:
        log.warning("sentences are chosen by their words alone: %s", error.message)
        return {}
    cosines = {}
    for text, vector in zip(by_length, vectors, strict=True):
        cosines[text] = dot_product(query, vector)
    return cosines
