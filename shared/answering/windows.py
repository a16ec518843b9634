"""Passages -> windows: parts of a passage that can be quoted, each with its nearness to the question.

A window is one to three neighbouring sentences, list items, rows or lines of code, and as much of the passage around
them as is quoted with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from shared.answering.beside import begins_in_block, continues
from shared.answering.items import OutlinedPassage, is_of_items
from shared.answering.likeness import ComparedPassage, compare
from shared.answering.parts import asks_for_list, quoted_indexes, quoted_parts
from shared.language.vocabulary import vocabulary
from shared.markdown.outline import Outline, Span
from shared.markdown.quotable import PieceKind, Quotable, are_neighbours
from shared.model.index import IndexedChunk
from shared.model.retrieval import Retrieved, Scored
from shared.ports.models import Embedder

MAX_PIECES = 3
"""Most pieces in one window. A sentence that names their subject, and the answer to a question, may be added."""
SEEN = 150
"""Characters of a quote that a list of quotes shows (`api.values.SNIPPET_LENGTH`), but for the signs that it adds."""
QUESTION = ("?", "？", "؟")


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a passage that can be quoted."""

    passage: Scored
    pieces: tuple[Quotable, ...]
    """Neighbouring pieces, in order. Empty if the passage holds no piece; then all of it can be quoted."""
    parts: tuple[Span, ...]
    """Spans that are quoted, in order, in code points of the passage's text: the pieces and what fits around them, or
    the matching items or rows of a longer list or table. Empty if `pieces` is empty.
    """
    score: float
    """Nearness to the question, including the rank of its passage; comparable between passages."""
    nearness: float
    """Cosine of its best piece with the question, or the share of words if that piece was not embedded; in [0, 1]."""
    coverage: float = 0.0
    """Share of the question's words that its best piece holds, in [0, 1]."""
    asked_stems: frozenset[str] = frozenset()
    """Stems of the question's words that this piece holds."""
    opening: Quotable | None = None
    """The piece from which on SEEN characters show its best piece, and as much of what stands before that as fits; the best
    piece itself if nothing does. None if `pieces` is empty.
    """
    outline: Outline | None = None
    """The blocks of its passage; None if `pieces` is empty."""
    defines: bool = False
    """True if one of its pieces defines the thing that the question asks for: see `asked.definitions`."""
    asks_for_list: bool = False
    """True if its list or table is asked for: its first items are quoted."""
    further: tuple[Window, ...] = ()
    """Windows of the same table or list in other passages that are quoted with it; these have none themselves."""

    @property
    def chunk(self) -> IndexedChunk:
        """The chunk of its passage."""
        return self.passage.chunk

    @property
    def span(self) -> tuple[int, int]:
        """`[start, end)` in the note, in code points."""
        chunk = self.chunk
        if not self.pieces:
            return chunk.start, chunk.end
        start, _ = self.parts[0]
        _, end = self.parts[-1]
        return chunk.start + start, chunk.start + end

    @property
    def length(self) -> int:
        """Number of characters that it quotes of its own passage."""
        return sum(end - start for start, end in self.parts)

    @property
    def table_or_list(self) -> tuple[str, ...] | None:
        """Identifies the table, or the section of the list, that the window is from; None if it is from neither."""
        if not self.pieces:
            return None
        section = (self.chunk.note_id, self.chunk.heading_path)
        last = self.pieces[-1]
        if last.kind is PieceKind.ROW and last.head:
            columns = last.head[0]
            return (*section, columns)
        if self.outline is not None and is_of_items(last, self.outline):
            return section
        return None

    def is_of_same_block(self, other: Window) -> bool:
        """Reports whether both are from the same table or list, which may lie in several passages."""
        if self.table_or_list != other.table_or_list:
            return False
        if self.chunk.chunk_id == other.chunk.chunk_id:
            return self.block == other.block
        earlier, later = sorted((self, other), key=_place)
        if not earlier.is_in_last_block or not later.is_in_first_block:
            return False
        if later.outline is not None and later.outline.begins_in_block:
            return True
        return begins_in_block(later.chunk)

    @property
    def block(self) -> Span | None:
        """The span of its list or table in its passage; None if it has no pieces."""
        if self.outline is None:
            return None
        return self.outline.block(self.pieces[-1].line)

    @property
    def is_in_first_block(self) -> bool:
        """True if its list or table is what its passage begins with."""
        if self.outline is None:
            return False
        return self.block == self.outline.block(0)

    @property
    def is_in_last_block(self) -> bool:
        """True if its list or table is what its passage ends with."""
        if self.outline is None:
            return False
        end = len(self.chunk.text)
        return self.block == self.outline.block(end)

    def behind(self, other: Window) -> Window | None:
        """Returns the part of this window behind another one of the same note; None if nothing is left of it."""
        chunk = self.chunk
        start_of_this, _ = self.span
        _, end_of_other = other.span
        if end_of_other <= start_of_this:
            return self

        # 1. What of its parts lies behind.
        end_in_chunk = end_of_other - chunk.start
        parts: list[Span] = []
        for start, end in self.parts:
            start_of_rest = max(start, end_in_chunk)
            rest = chunk.text[start_of_rest:end].lstrip()
            if rest:
                parts.append((end - len(rest), end))
        if not parts:
            return None

        # 2. The pieces in it.
        pieces = [piece for piece in self.pieces if piece.line >= end_in_chunk]
        if not pieces:
            pieces = [self.pieces[-1]]
        return replace(self, pieces=tuple(pieces), parts=tuple(parts))

    def in_order(self) -> list[Window]:
        """Returns this window and those that are quoted with it, in the order of the note."""
        return sorted((self, *self.further), key=_place)

    def shows_texts_of(self, other: Window) -> bool:
        """Reports whether both have pieces of the same texts."""
        texts = [piece.plain for piece in self.pieces]
        other_texts = [piece.plain for piece in other.pieces]
        return texts == other_texts

    def repeats(self, other: Window) -> bool:
        """Reports whether both show the same text, or overlap in the same note."""
        if not self.pieces and not other.pieces:
            return self.chunk.text == other.chunk.text
        if self.shows_texts_of(other):
            return True
        if self.chunk.note_id != other.chunk.note_id:
            return False
        spans = [window.span for window in self.in_order()]
        other_spans = [window.span for window in other.in_order()]
        for span, other_span in product(spans, other_spans):
            if _overlap(span, other_span):
                return True
        return False

    def without_rest(self) -> Window:
        """Returns this window, reduced to its pieces; one of a table keeps its parts.

        Rows beside the best one may be about something else, and the parts have those that match.
        """
        if not self.pieces:
            return self
        first = self.pieces[0]
        last = self.pieces[-1]
        if last.kind is PieceKind.ROW:
            return self
        span = (first.line, last.end)
        return replace(self, parts=(span,))

    def from_nearest(self) -> Window:
        """Returns this window without the pieces before the one that lies nearest to the question, but for those with which
        a list still shows that one.
        """
        opening = self.opening
        if opening is None:
            return self
        pieces = [piece for piece in self.pieces if piece.line >= opening.line]
        last = pieces[-1]
        span = (opening.line, last.end)
        return replace(self, pieces=tuple(pieces), parts=(span,))


@dataclass(frozen=True, slots=True)
class ChosenWindows:
    """The windows to be quoted, in their order; none if nothing is on topic."""

    windows: Sequence[Window] = ()
    dated_chunks: frozenset[str] = frozenset()
    """Ids of the chunks above whose quotes the note's day is shown."""


def _overlap(span: Span, other: Span) -> bool:
    """Reports whether two spans have a character in common."""
    start, end = span
    other_start, other_end = other
    return start < other_end and other_start < end


def _place(window: Window) -> tuple[int, int]:
    """Returns the sort key that puts windows of one note in their order in it."""
    return window.span


def windows(
    question: str,
    passages: Sequence[Scored],
    retrieved: Retrieved,
    embedder: Embedder | None,
    *,
    defining: frozenset[str] = frozenset(),
    beside: Sequence[Scored] = (),
) -> Iterator[Window]:
    """Yields at least one window for each passage, in the order of the passages, the best of each first.

    Windows do not overlap. Without an embedder, or if it is unavailable, only words decide.

    defining: texts of pieces that define the thing that the question asks for. beside: further passages, which the search
    did not find, in which lists and tables of these go on.
    """
    chunks_by_place: dict[tuple[str, int], IndexedChunk] = {}
    for passage in (*retrieved.selected, *beside):
        known_chunk = passage.chunk
        chunks_by_place[known_chunk.note_id, known_chunk.position] = known_chunk

    for compared in compare(question, passages, retrieved, embedder, beside):
        if compared.pieces:
            chunk = compared.passage.chunk
            chunk_before = chunks_by_place.get((chunk.note_id, chunk.position - 1))
            chunk_behind = chunks_by_place.get((chunk.note_id, chunk.position + 1))
            outline = Outline(
                chunk.text,
                begins_in_table=chunk.columns != "",
                begins_in_list=continues(chunk, chunk_before),
                goes_on=continues(chunk_behind, chunk),
            )
            yield from _windows_of(compared, outline, defining, retrieved.analysis.lang)
        else:
            yield Window(
                passage=compared.passage,
                pieces=(),
                parts=(),
                score=compared.rank,
                nearness=0.0,
            )


def _windows_of(
    compared: ComparedPassage,
    outline: Outline,
    defining: frozenset[str],
    lang: str,
) -> Iterator[Window]:
    """Yields the windows of one passage, the one around the best piece first."""
    chunk = compared.passage.chunk
    outlined = OutlinedPassage(compared, outline)
    pieces = compared.pieces
    scores = compared.scores
    free = _FreePieces(chunk.text, pieces)
    best_first = sorted(range(len(pieces)), key=scores.__getitem__, reverse=True)
    for core in best_first:
        if core not in free:
            continue

        # 1. The piece with its neighbours, and the sentence that names what they speak of.
        first, last = _around(pieces, scores, core, free)
        if _sentence_before_names_subject(pieces, first, free, lang):
            first -= 1
        chosen = range(first, last + 1)

        # 2. No other window quotes any of it again.
        parts = quoted_parts(outlined, core, chosen)
        quoted = quoted_indexes(pieces, parts)
        fresh = [index for index in quoted if index in free]
        free.take(chosen)
        free.take(quoted)
        if not fresh:
            continue

        # 3. The chosen pieces that are quoted; those beside a matching item may not be.
        shown_indexes = [index for index in chosen if index in fresh] or fresh
        chosen_pieces = [pieces[index] for index in shown_indexes]
        nearest = max(shown_indexes, key=scores.__getitem__)
        opening = _opening(pieces, shown_indexes, nearest)
        words = compared.words
        fullest = max(fresh, key=words.coverages.__getitem__)
        yield Window(
            passage=compared.passage,
            pieces=tuple(chosen_pieces),
            parts=parts,
            opening=pieces[opening],
            outline=outline,
            score=scores[core],
            nearness=compared.nearness[core],
            coverage=words.coverages[fullest],
            asked_stems=words.asked_stems[fullest],
            defines=any(piece.plain in defining for piece in chosen_pieces),
            asks_for_list=outlined.is_of_items(core) and asks_for_list(outlined, core),
        )


def _opening(pieces: Sequence[Quotable], shown: Sequence[int], nearest: int) -> int:
    """Returns the index of the first of the shown pieces from which on SEEN characters show the nearest one whole."""
    nearest_piece = pieces[nearest]
    room = SEEN
    if nearest_piece.head:
        names_of_columns = nearest_piece.head[0]
        room -= len(names_of_columns)
    for index in shown:
        length = nearest_piece.end - pieces[index].line
        if index < nearest and length <= room:
            return index
    return nearest


class _FreePieces:
    """The pieces of a passage that are in no window yet."""

    def __init__(self, text: str, pieces: Sequence[Quotable]) -> None:
        self._text = text
        self._pieces = pieces
        self._indexes = set(range(len(pieces)))

    def __contains__(self, index: int) -> bool:
        return index in self._indexes

    def take(self, indexes: Iterable[int]) -> None:
        """Leaves out pieces that are in a window now."""
        self._indexes.difference_update(indexes)

    def has_one_before(self, index: int) -> bool:
        """Reports whether a free piece stands directly before another one."""
        before = index - 1
        return before in self._indexes and self._are_joined(before, index)

    def has_one_behind(self, index: int) -> bool:
        """Reports whether a free piece stands directly behind another one."""
        behind = index + 1
        return behind in self._indexes and self._are_joined(index, behind)

    def _are_joined(self, first: int, second: int) -> bool:
        return are_neighbours(self._text, self._pieces[first], self._pieces[second])


def _sentence_before_names_subject(
    pieces: Sequence[Quotable],
    first: int,
    free: _FreePieces,
    lang: str,
) -> bool:
    """Reports whether a free sentence directly before the piece at `first` names the subject that this piece lacks."""
    if not free.has_one_before(first):
        return False
    previous = pieces[first - 1]
    return previous.kind is PieceKind.SENTENCE and _lacks_subject(pieces[first], lang)


def _around(
    pieces: Sequence[Quotable],
    scores: Sequence[float],
    core: int,
    free: _FreePieces,
) -> tuple[int, int]:
    """Returns the first and last index of the best window of free pieces around the piece at `core`.

    If they end in a question, the piece that follows it is included.
    """
    # 1. How far its neighbours reach on either side.
    lowest = core
    min_lowest = core - MAX_PIECES + 1
    while lowest > min_lowest and free.has_one_before(lowest):
        lowest -= 1
    highest = core
    max_highest = core + MAX_PIECES - 1
    while highest < max_highest and free.has_one_behind(highest):
        highest += 1

    # 2. The best run of them that has the core in it, the first of equals.
    size = min(MAX_PIECES, highest - lowest + 1)
    first_start = max(lowest, core - size + 1)
    last_start = min(core, highest - size + 1)
    starts = range(first_start, last_start + 1)
    scores_of_runs = {start: sum(scores[start : start + size]) for start in starts}
    first = max(starts, key=scores_of_runs.__getitem__)
    last = first + size - 1

    # 3. An answer to a question at its end.
    ends_in_question = pieces[last].plain.endswith(QUESTION)
    if ends_in_question and free.has_one_behind(last):
        first = min(core, first + 1)
        last += 1
    return first, last


def _lacks_subject(piece: Quotable, lang: str) -> bool:
    """Reports whether a piece is not a sentence, or begins with a pronoun that refers to what stands before it."""
    if piece.kind is not PieceKind.SENTENCE:
        return True
    words = vocabulary(lang).follow_ups
    if words is None:
        return False
    pronoun = rf"(?:{words.things}|{words.people})\b"
    return re.match(pronoun, piece.plain, re.IGNORECASE) is not None
