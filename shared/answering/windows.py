"""Passages -> windows: one to three neighbouring sentences, list items, rows or lines of code, each with how near it lies
to the question, and how much of the passage around it is quoted.

All pieces are compared with the question by words. The most promising of all passages are also embedded, as many as a
fixed number of characters allows: embedding is what takes the time.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from shared.answering.asked import AskedProperties
from shared.errors import ModelRefused, ModelUnavailable, PortContractError
from shared.language.forms import own_forms
from shared.language.terms import stems_as
from shared.language.vocabulary import vocabulary
from shared.markdown.lines import read_lines
from shared.markdown.quotable import PieceKind, Quotable, are_neighbours, quotable
from shared.markdown.quotations import Outline, Span
from shared.model.index import Vector, dot_product
from shared.model.retrieval import Retrieved, Scored
from shared.ports.models import Embedder

log = logging.getLogger(__name__)

MAX_PIECES = 3
"""Pieces in one window, beside the sentence before it that names its subject and what follows a question at its end."""
EMBEDDED = 1200
"""Characters that are embedded for one question: a tenth of a millisecond of processor time each."""
MIN_EMBEDDED = 30
"""Characters that a shorter piece costs."""
# Weights beside a piece's cosine with the question, chosen on half of the questions to a handbook, to pages of
# strangers and to chats.
WORDS = 0.2
"""Weight of the share of the question's words that a piece holds."""
RANK = 0.3
"""Weight of its passage's score, as a share of the first passage's."""
BESIDE = 0.2
"""Weight of the pieces beside it."""
WHOLE = 700
"""Characters up to which a passage, or a block of it, is quoted whole."""
JOINED = 1400
"""Characters up to which rows or items of one table or list are joined in one quote, beside those of the first
passage."""
QUESTION = ("?", "？", "؟")
UNSPOKEN = 0.25
"""Weight of a cosine where the embedder does not speak the question's language."""


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a passage that can be quoted."""

    passage: Scored
    pieces: tuple[Quotable, ...]
    """Neighbours, in order; empty: the passage holds no piece, and all of it can be quoted."""
    parts: tuple[Span, ...]
    """Quoted spans, in code points of the passage's text: all around the pieces that fits, or some items or rows of a
    longer list or table. In order; empty if `pieces` is."""
    score: float
    """Nearness to the question, its passage's rank included; comparable between passages."""
    nearness: float
    """Cosine of its best piece with the question, or the share of words if that was not embedded; in [0, 1]."""
    coverage: float = 0.0
    """Share of the question's words that its best piece holds, in [0, 1]."""
    defines: bool = False
    """True if a piece of it says what the thing is that the question asks for: see `asked.definitions`."""
    further: tuple[Window, ...] = ()
    """Windows of the same table or list in other passages, which are quoted with it; without such of their own."""

    @property
    def table_or_list(self) -> tuple[str, ...] | None:
        """Names the table, or the section of the list, that it is from; None if it is from neither."""
        if not self.pieces:
            return None
        last = self.pieces[-1]
        chunk = self.passage.chunk
        if last.kind is PieceKind.ROW and last.head:
            return chunk.note_id, chunk.heading_path, last.head[0]
        if last.kind is PieceKind.ITEM:
            return chunk.note_id, chunk.heading_path
        return None

    def goes_on_with(self, other: Window) -> bool:
        """Reports whether another window of the same section or table is of a passage that goes on with the list."""
        if self.pieces[-1].kind is PieceKind.ROW:
            return True
        if self.passage.chunk.chunk_id == other.passage.chunk.chunk_id:
            return False
        _, later = sorted((self, other), key=lambda window: window.span)
        begins = next(read_lines(later.passage.chunk.text))
        begins_with_item = begins.kind == "item"
        return begins_with_item and later.pieces[0].line < later.pieces[0].start

    def in_order(self) -> list[Window]:
        """Returns the window with those that are quoted with it, in the order of the note."""
        return sorted((self, *self.further), key=lambda window: window.span)

    def repeats(self, other: Window) -> bool:
        """Reports whether both show the same: equal words, or one place of one note."""
        if [piece.plain for piece in self.pieces] == [piece.plain for piece in other.pieces]:
            return bool(self.pieces) or self.passage.chunk.text == other.passage.chunk.text
        if self.passage.chunk.note_id != other.passage.chunk.note_id:
            return False
        start, end = self.span
        other_start, other_end = other.span
        return start < other_end and other_start < end

    def without_rest(self) -> Window:
        """Returns the window that quotes its pieces alone."""
        if not self.pieces:
            return self
        return replace(self, parts=((self.pieces[0].line, self.pieces[-1].end),))

    @property
    def span(self) -> tuple[int, int]:
        """`[start, end)` in the note, in code points."""
        chunk = self.passage.chunk
        if not self.pieces:
            return chunk.start, chunk.end
        return chunk.start + self.parts[0][0], chunk.start + self.parts[-1][1]


@dataclass(frozen=True, slots=True)
class _ReadPassage:
    """A passage with its pieces."""

    passage: Scored
    rank: float
    """RANK x its score, as a share of the best passage's."""
    pieces: tuple[Quotable, ...]
    coverages: tuple[float, ...]
    """Share of the question's words that each piece holds, in [0, 1]."""


def windows(
    question: str,
    passages: Sequence[Scored],
    retrieved: Retrieved,
    embedder: Embedder | None,
    defining: frozenset[str] = frozenset(),
) -> Iterator[Window]:
    """Yields at least one window of each passage, in the order of the passages, the best of each first.

    Windows do not overlap. Without an embedder, or with one that is away, words alone decide.

    defining: the texts of pieces that say what the thing is that the question asks for.
    """
    read_passages = _read(passages, retrieved)
    cosines = _cosines(question, _promising(read_passages), retrieved, embedder)
    cosine_weight = UNSPOKEN if retrieved.lexical_only else 1.0
    for read in read_passages:
        if not read.pieces:
            yield Window(passage=read.passage, pieces=(), parts=(), score=read.rank, nearness=0.0)
            continue
        piece_scores: list[float] = []
        for piece, coverage in zip(read.pieces, read.coverages, strict=True):
            cosine = cosines.get(piece.plain, 0.0)
            piece_scores.append(WORDS * coverage + cosine_weight * cosine)
        scores: list[float] = []
        for score, beside in _with_neighbours(piece_scores):
            scores.append(read.rank + score + BESIDE * sum(beside))
        yield from _windows_of(read, scores, cosines, defining, retrieved.analysis.lang)


def joined(ranked: Iterable[Window]) -> list[Window]:
    """Joins the windows of one table or list that hold as many of the question's words as the best of them.

    Other rows of that table are left out.
    """
    # 1. The windows of each table or list, best first.
    ranked = list(ranked)
    windows_of: dict[tuple[str, ...], list[Window]] = {}
    for window in ranked:
        name = window.table_or_list
        if name is not None and window.coverage > 0:
            windows_of.setdefault(name, []).append(window)

    # 2. The best of them stands for those that are quoted with it.
    joined_windows: list[Window] = []
    further_windows: list[Window] = []
    for window in ranked:
        name = window.table_or_list
        if name is None or window.coverage == 0:
            joined_windows.append(window)
            continue
        best, *weaker = windows_of[name]
        if window is best:
            further = _further(best, weaker)
            further_windows += further
            joined_windows.append(replace(best, further=tuple(further)))
            continue
        is_item = window.pieces[-1].kind is PieceKind.ITEM
        if is_item and window not in further_windows:
            joined_windows.append(window)
    return joined_windows


def _further(best: Window, weaker: Sequence[Window]) -> list[Window]:
    """Returns the windows of the best one's table or list that match as well as it does, as far as there is room."""
    further: list[Window] = []
    room = JOINED
    for window in weaker:
        length = sum(end - start for start, end in window.parts)
        matches = window.coverage >= best.coverage
        if not matches or length > room or not best.goes_on_with(window):
            continue
        if not any(map(window.repeats, (best, *further))):
            further.append(window)
            room -= length
    return further


def _read(passages: Sequence[Scored], retrieved: Retrieved) -> list[_ReadPassage]:
    """Reads the pieces of each passage, and how many of the question's words each piece holds."""
    analysis = retrieved.analysis
    weights = retrieved.weights
    forms = own_forms(analysis.subject, analysis.lang)
    total_weight = sum(weights.values()) or 1.0

    def coverage(text: str) -> float:
        """Returns the share of the question's words that a text holds, weighted."""
        shared_stems = weights.keys() & stems_as(text, analysis.lang, analysis.renamed)
        shares = forms.shares(text, shared_stems)
        weight = sum(shares[stem] * weights[stem] for stem in shared_stems)
        return weight / total_weight

    properties = AskedProperties(retrieved)
    best_score = max((passage.score for passage in passages), default=0.0) or 1.0
    read_passages = []
    for passage in passages:
        chunk = passage.chunk
        pieces = quotable(chunk.text, chunk.columns)
        named_properties = " ".join(properties.named(chunk))
        coverages = [coverage(f"{piece.plain} {named_properties}") for piece in pieces]
        read_passages.append(
            _ReadPassage(
                passage=passage,
                rank=RANK * passage.score / best_score,
                pieces=pieces,
                coverages=tuple(coverages),
            ),
        )
    return read_passages


def _windows_of(
    read: _ReadPassage,
    scores: Sequence[float],
    cosines: Mapping[str, float],
    defining: frozenset[str],
    lang: str,
) -> Iterator[Window]:
    """Yields the windows of one passage around its pieces, the best piece first."""
    text = read.passage.chunk.text
    outline = Outline(text, begins_in_table=bool(read.passage.chunk.columns))
    pieces = read.pieces
    free = set(range(len(pieces)))
    for core in sorted(free, key=lambda index: -scores[index]):
        if core not in free:
            continue

        # 1. The piece with its neighbours, and the sentence that names what they speak of.
        first, last = _around(text, pieces, scores, core, free)
        if first - 1 in free and _lacks_subject(pieces[first], lang):
            previous = pieces[first - 1]
            is_sentence = previous.kind is PieceKind.SENTENCE
            if is_sentence and are_neighbours(text, previous, pieces[first]):
                first -= 1
        chosen = range(first, last + 1)

        # 2. No other window quotes any of it again.
        parts = _quoted_parts(read, outline, core, chosen)
        free.difference_update(chosen)
        for start, end in parts:
            for index, piece in enumerate(pieces):
                if start <= piece.start and piece.end <= end:
                    free.discard(index)

        chosen_pieces = pieces[first : last + 1]
        coverage = read.coverages[core]
        nearness = cosines.get(pieces[core].plain, coverage)
        yield Window(
            passage=read.passage,
            pieces=chosen_pieces,
            parts=parts,
            score=scores[core],
            nearness=max(0.0, min(1.0, nearness)),
            coverage=coverage,
            defines=any(piece.plain in defining for piece in chosen_pieces),
        )


def _quoted_parts(
    read: _ReadPassage,
    outline: Outline,
    core: int,
    chosen: range,
) -> tuple[Span, ...]:
    """Returns what is quoted around some pieces: all that fits, else the items or rows that match the question."""
    pieces = read.pieces
    last = pieces[chosen[-1]]
    start = pieces[chosen[0]].line
    end = last.end
    led_end = 0
    if last.kind is PieceKind.SENTENCE:
        led_end = outline.led_end(last.line)

    block = outline.whole((start, end), longest=WHOLE)
    if block is not None and led_end <= block[1]:
        return (block,)
    if led_end > 0:
        # A line that leads to a list or table says nothing alone.
        max_end = min(led_end, start + WHOLE)
        for piece in pieces[chosen[-1] + 1 :]:
            if end < piece.end <= max_end:
                end = piece.end
        return ((start, end),)
    if pieces[core].kind in (PieceKind.ITEM, PieceKind.ROW):
        return _matching_parts(read, outline, core, chosen)
    return ((start, end),)


def _matching_parts(
    read: _ReadPassage,
    outline: Outline,
    core: int,
    chosen: range,
) -> tuple[Span, ...]:
    """Returns the chosen pieces of a longer list or table with the others of it that match the question."""
    pieces = read.pieces

    # 1. Items or rows of the list or table that hold as many of the question's words as the core.
    # A row stands by itself, while the pieces beside one of a list may be of the same item.
    core_piece = pieces[core]
    min_coverage = read.coverages[core]
    indexes = list(chosen)
    if core_piece.kind is PieceKind.ROW:
        indexes = [index for index in chosen if read.coverages[index] >= min_coverage]
    room = WHOLE - sum(pieces[index].end - pieces[index].line for index in indexes)
    for index, piece in enumerate(pieces):
        is_like_core = piece.kind is core_piece.kind and index not in chosen
        matches = min_coverage > 0 and read.coverages[index] >= min_coverage
        if not is_like_core or not matches:
            continue
        length = piece.end - piece.line
        if length <= room and outline.share_block(core_piece.line, piece.line):
            indexes.append(index)
            room -= length
    indexes.sort()

    # 2. The line that leads to the list, and neighbours as one part.
    spans: list[Span] = []
    lead = outline.lead(pieces[indexes[0]].line)
    if lead is not None and lead[1] - lead[0] <= room:
        spans.append(lead)
    for place, index in enumerate(indexes):
        is_next = place > 0 and indexes[place - 1] == index - 1
        if is_next:
            spans[-1] = (spans[-1][0], pieces[index].end)
        else:
            spans.append((pieces[index].line, pieces[index].end))
    return tuple(spans)


def _with_neighbours(values: Sequence[float]) -> Iterator[tuple[float, tuple[float, float]]]:
    """Yields each value with those before and behind it; 0 where there is none."""
    framed = (0.0, *values, 0.0)
    return zip(values, zip(framed, framed[2:], strict=False), strict=True)


def _promising(read_passages: Sequence[_ReadPassage]) -> list[str]:
    """Chooses the texts that are embedded, of all passages: the most promising by rank and words."""
    promises: list[tuple[float, str]] = []
    for read in read_passages:
        with_neighbours = _with_neighbours(read.coverages)
        for piece, (coverage, beside) in zip(read.pieces, with_neighbours, strict=True):
            promise = read.rank + coverage + BESIDE * max(beside)
            promises.append((promise, piece.plain))
    promises.sort(key=lambda promise: -promise[0])
    chosen: dict[str, None] = {}
    room = EMBEDDED
    for _, plain in promises:
        cost = max(MIN_EMBEDDED, len(plain))
        if cost <= room and plain not in chosen:
            chosen[plain] = None
            room -= cost
    return list(chosen)


def _cosines(
    question: str,
    texts: Sequence[str],
    retrieved: Retrieved,
    embedder: Embedder | None,
) -> Mapping[str, float]:
    """Computes the cosine of each text with the question; none without an embedder, or with one that is away."""
    if embedder is None or not texts:
        return {}
    by_length = sorted(texts, key=len)  # a batch is as slow as its longest text makes it
    vectors: list[Vector] = []
    try:
        query = retrieved.query if retrieved.embedder == embedder.model else None
        if query is None:
            query = embedder.embed_query(question)
        for start in range(0, len(by_length), embedder.batch_size):
            vectors += embedder.embed_documents(by_length[start : start + embedder.batch_size])
    except (ModelUnavailable, ModelRefused, PortContractError) as error:
        log.warning("sentences are chosen by their words alone: %s", error.message)
        return {}
    return {
        text: dot_product(query, vector) for text, vector in zip(by_length, vectors, strict=True)
    }


def _around(
    text: str,
    pieces: Sequence[Quotable],
    scores: Sequence[float],
    core: int,
    free: set[int],
) -> tuple[int, int]:
    """Returns the first and last index of a piece with its best free neighbours.

    What follows a question they end in belongs to them.
    """

    def continues(index: int) -> bool:
        """Reports whether the piece at `index` goes on with the one before it."""
        return are_neighbours(text, pieces[index - 1], pieces[index])

    # 1. How far its neighbours reach on either side.
    lowest = core
    least = core - MAX_PIECES + 1
    while lowest > least and lowest - 1 in free and continues(lowest):
        lowest -= 1
    highest = core
    greatest = core + MAX_PIECES - 1
    while highest < greatest and highest + 1 in free and continues(highest + 1):
        highest += 1

    # 2. The best run of them that has the core in it, the first of equals.
    size = min(MAX_PIECES, highest - lowest + 1)
    first_start = max(lowest, core - size + 1)
    last_start = min(core, highest - size + 1)
    first = first_start
    best_sum = sum(scores[first : first + size])
    for start in range(first_start + 1, last_start + 1):
        run_sum = sum(scores[start : start + size])
        if run_sum > best_sum:
            first = start
            best_sum = run_sum
    last = first + size - 1

    # 3. An answer to a question at its end.
    ends_in_question = pieces[last].plain.endswith(QUESTION)
    if ends_in_question and last + 1 in free and continues(last + 1):
        return min(core, first + 1), last + 1
    return first, last


def _lacks_subject(piece: Quotable, lang: str) -> bool:
    """Reports whether a piece is no sentence, or begins with a word that points at what stands before it."""
    if piece.kind is not PieceKind.SENTENCE:
        return True
    words = vocabulary(lang).follow_ups
    if words is None:
        return False
    pronoun = rf"(?:{words.things}|{words.people})\b"
    return re.match(pronoun, piece.plain, re.IGNORECASE) is not None
