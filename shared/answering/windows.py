"""Passages -> windows: parts of a passage that can be quoted, each with its nearness to the question.

A window is one to three neighbouring sentences, list items, rows or lines of code, and as much of the passage around
them as is quoted with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from shared.answering.likeness import ComparedPassage, compare
from shared.language.vocabulary import vocabulary
from shared.markdown.lines import read_lines
from shared.markdown.quotable import PieceKind, Quotable, are_neighbours
from shared.markdown.quotations import LEADS, Outline, Span
from shared.model.index import IndexedChunk
from shared.model.retrieval import Retrieved, Scored
from shared.ports.models import Embedder

MAX_PIECES = 3
"""Most pieces in one window. A sentence that names their subject, and the answer to a question, may be added."""
WHOLE = 700
"""Most characters of a passage, or of a block of it, that is quoted whole."""
JOINED = 1400
"""Most characters of the rows or items of one table or list that are added to a quote from other passages."""
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
    defines: bool = False
    """True if one of its pieces defines the thing that the question asks for: see `asked.definitions`."""
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
    def table_or_list(self) -> tuple[str, ...] | None:
        """Identifies the table, or the section of the list, that the window is from; None if it is from neither."""
        if not self.pieces:
            return None
        chunk = self.chunk
        last = self.pieces[-1]
        if last.kind is PieceKind.ROW and last.head:
            columns = last.head[0]
            return chunk.note_id, chunk.heading_path, columns
        if last.kind is PieceKind.ITEM:
            return chunk.note_id, chunk.heading_path
        return None

    def goes_on_with(self, other: Window) -> bool:
        """Reports whether the other window is from the same table, or from a passage that continues the same list."""
        if self.pieces[-1].kind is PieceKind.ROW:
            return True
        if self.chunk.chunk_id == other.chunk.chunk_id:
            return False
        _, later = sorted((self, other), key=_place)
        first_line = next(read_lines(later.chunk.text))
        if first_line.kind != "item":
            return False
        first_piece = later.pieces[0]
        return first_piece.line < first_piece.start

    def in_order(self) -> list[Window]:
        """Returns this window and those that are quoted with it, in the order of the note."""
        return sorted((self, *self.further), key=_place)

    def repeats(self, other: Window) -> bool:
        """Reports whether both show the same text, or overlap in the same note."""
        if not self.pieces and not other.pieces:
            return self.chunk.text == other.chunk.text
        texts = [piece.plain for piece in self.pieces]
        other_texts = [piece.plain for piece in other.pieces]
        if texts == other_texts:
            return True
        if self.chunk.note_id != other.chunk.note_id:
            return False
        start, end = self.span
        other_start, other_end = other.span
        return start < other_end and other_start < end

    def without_rest(self) -> Window:
        """Returns this window, reduced to its pieces; one of a table keeps its parts.

        Rows beside the best one may be about something else, and the parts have those that match.
        """
        if not self.pieces or self.pieces[-1].kind is PieceKind.ROW:
            return self
        start = self.pieces[0].line
        end = self.pieces[-1].end
        return replace(self, parts=((start, end),))


def _place(window: Window) -> tuple[int, int]:
    """Returns the sort key that puts windows of one note in their order in it."""
    return window.span


def windows(
    question: str,
    passages: Sequence[Scored],
    retrieved: Retrieved,
    embedder: Embedder | None,
    defining: frozenset[str] = frozenset(),
) -> Iterator[Window]:
    """Yields at least one window for each passage, in the order of the passages, the best of each first.

    Windows do not overlap. Without an embedder, or if it is unavailable, only words decide.

    defining: texts of pieces that define the thing that the question asks for.
    """
    for compared in compare(question, passages, retrieved, embedder):
        if compared.pieces:
            yield from _windows_of(compared, defining, retrieved.analysis.lang)
        else:
            yield Window(
                passage=compared.passage,
                pieces=(),
                parts=(),
                score=compared.rank,
                nearness=0.0,
            )


def joined(ranked: Iterable[Window]) -> list[Window]:
    """Joins the windows of one table or list that hold as many of the question's words as the best of them.

    Other rows of that table are left out.
    """
    # 1. The windows of each table or list, best first.
    ranked = list(ranked)
    windows_by_name: dict[tuple[str, ...], list[Window]] = {}
    for window in ranked:
        name = window.table_or_list
        if name is not None and window.coverage > 0:
            same_name = windows_by_name.setdefault(name, [])
            same_name.append(window)

    # 2. The best of them stands for those that are quoted with it.
    joined_windows: list[Window] = []
    further_windows: list[Window] = []
    for window in ranked:
        name = window.table_or_list
        if name is None or window.coverage == 0:
            joined_windows.append(window)
            continue
        best, *weaker = windows_by_name[name]
        if window is best:
            further = _further(best, weaker)
            further_windows += further
            best_with_further = replace(best, further=tuple(further))
            joined_windows.append(best_with_further)
            continue
        is_item = window.pieces[-1].kind is PieceKind.ITEM
        if is_item and window not in further_windows:
            joined_windows.append(window)
    return joined_windows


def _further(best: Window, weaker: Sequence[Window]) -> list[Window]:
    """Returns the windows of the best one's table or list that match as well as it does, as many as fit."""
    further: list[Window] = []
    room = JOINED
    for window in weaker:
        length = sum(end - start for start, end in window.parts)
        matches = window.coverage >= best.coverage
        if not matches or length > room:
            continue
        if not best.goes_on_with(window):
            continue
        repeats_one = any(map(window.repeats, (best, *further)))
        if not repeats_one:
            further.append(window)
            room -= length
    return further


def _windows_of(
    compared: ComparedPassage,
    defining: frozenset[str],
    lang: str,
) -> Iterator[Window]:
    """Yields the windows of one passage, the one around the best piece first."""
    chunk = compared.passage.chunk
    outline = Outline(chunk.text, begins_in_table=bool(chunk.columns))
    pieces = compared.pieces
    scores = compared.scores
    free = set(range(len(pieces)))
    """Indexes of the pieces that are not in a window yet."""
    best_first = sorted(free, key=lambda index: -scores[index])
    for core in best_first:
        if core not in free:
            continue

        # 1. The piece with its neighbours, and the sentence that names what they speak of.
        first, last = _around(chunk.text, pieces, scores, core, free)
        if _sentence_before_names_subject(chunk.text, pieces, first, free, lang):
            first -= 1
        chosen = range(first, last + 1)

        # 2. No other window quotes any of it again.
        parts = _quoted_parts(compared, outline, core, chosen)
        parts = _without_last_lead(parts, pieces, core)
        free.difference_update(chosen)
        for start, end in parts:
            for index, piece in enumerate(pieces):
                if start <= piece.start and piece.end <= end:
                    free.discard(index)

        chosen_pieces = pieces[first : last + 1]
        yield Window(
            passage=compared.passage,
            pieces=chosen_pieces,
            parts=parts,
            score=scores[core],
            nearness=compared.nearness[core],
            coverage=compared.coverages[core],
            defines=any(piece.plain in defining for piece in chosen_pieces),
        )


def _sentence_before_names_subject(
    text: str,
    pieces: Sequence[Quotable],
    first: int,
    free: set[int],
    lang: str,
) -> bool:
    """Reports whether a free sentence directly before the piece at `first` names the subject that this piece lacks."""
    if first - 1 not in free or not _lacks_subject(pieces[first], lang):
        return False
    previous = pieces[first - 1]
    if previous.kind is not PieceKind.SENTENCE:
        return False
    return are_neighbours(text, previous, pieces[first])


def _quoted_parts(
    compared: ComparedPassage,
    outline: Outline,
    core: int,
    chosen: range,
) -> tuple[Span, ...]:
    """Returns the spans that are quoted around some pieces: the whole block if it fits, else its matching items or
    rows.
    """
    pieces = compared.pieces
    first = pieces[chosen[0]]
    last = pieces[chosen[-1]]
    start = first.line
    end = last.end
    led_end = 0
    if last.kind is PieceKind.SENTENCE:
        led_end = outline.led_end(last.line)

    block = outline.whole((start, end), longest=WHOLE)
    if block is not None:
        _, block_end = block
        if led_end <= block_end:
            return (block,)
    if led_end > 0:
        # A line that leads to a list or table says nothing alone.
        max_end = min(led_end, start + WHOLE)
        pieces_behind = pieces[chosen.stop :]
        for piece in pieces_behind:
            if end < piece.end <= max_end:
                end = piece.end
        return ((start, end),)
    if pieces[core].kind in (PieceKind.ITEM, PieceKind.ROW):
        return _matching_parts(compared, outline, core, chosen)
    return ((start, end),)


def _without_last_lead(
    parts: tuple[Span, ...],
    pieces: Sequence[Quotable],
    core: int,
) -> tuple[Span, ...]:
    """Returns the parts without a line at their end that leads to a list or table which is not quoted with it."""
    *others, (start, end) = parts
    within = [
        index for index, piece in enumerate(pieces) if start <= piece.start and piece.end <= end
    ]
    if len(within) < 2:
        return parts
    *_, previous, last = within
    lead = pieces[last]
    if last == core or lead.kind is not PieceKind.SENTENCE or not lead.plain.endswith(LEADS):
        return parts
    return (*others, (start, pieces[previous].end))


def _matching_parts(
    compared: ComparedPassage,
    outline: Outline,
    core: int,
    chosen: range,
) -> tuple[Span, ...]:
    """Returns the spans of the chosen pieces of a longer list or table, and of its other pieces that match the
    question.
    """
    indexes = _matching_indexes(compared, outline, core, chosen)
    first, *others = indexes
    pieces = compared.pieces
    spans: list[Span] = []

    # 1. The line that leads to the list.
    lead = outline.lead(pieces[first].line)
    if lead is not None:
        lead_start, lead_end = lead
        room = WHOLE - _length_of(pieces, indexes)
        if lead_end - lead_start <= room:
            spans.append(lead)

    # 2. The pieces, neighbours as one part.
    start = pieces[first].line
    end = pieces[first].end
    previous = first
    for index in others:
        piece = pieces[index]
        if index > previous + 1:
            spans.append((start, end))
            start = piece.line
        end = piece.end
        previous = index
    spans.append((start, end))
    return tuple(spans)


def _matching_indexes(
    compared: ComparedPassage,
    outline: Outline,
    core: int,
    chosen: range,
) -> list[int]:
    """Returns the indexes of the chosen pieces and of the matching items or rows of their list or table, in order.

    These are as many as fit of those that hold as many of the question's words as the core.
    """
    pieces = compared.pieces
    core_piece = pieces[core]
    min_coverage = compared.coverages[core]

    # A row stands by itself, while the pieces beside one of a list may be of the same item.
    indexes = list(chosen)
    if core_piece.kind is PieceKind.ROW:
        indexes = [index for index in chosen if compared.coverages[index] >= min_coverage]
    if min_coverage == 0:
        return indexes

    room = WHOLE - _length_of(pieces, indexes)
    for index, piece in enumerate(pieces):
        is_other = piece.kind is not core_piece.kind or compared.coverages[index] < min_coverage
        if is_other or index in chosen:
            continue
        length = piece.end - piece.line
        if length <= room and outline.share_block(core_piece.line, piece.line):
            indexes.append(index)
            room -= length
    return sorted(indexes)


def _length_of(pieces: Sequence[Quotable], indexes: Iterable[int]) -> int:
    """Returns the total length of some pieces in characters, including the marks before them."""
    length = 0
    for index in indexes:
        piece = pieces[index]
        length += piece.end - piece.line
    return length


def _around(
    text: str,
    pieces: Sequence[Quotable],
    scores: Sequence[float],
    core: int,
    free: set[int],
) -> tuple[int, int]:
    """Returns the first and last index of the best window of free pieces around the piece at `core`.

    If they end in a question, the piece that follows it is included.
    """

    def continues(index: int) -> bool:
        """Reports whether the piece at `index` directly follows the one before it."""
        previous = pieces[index - 1]
        return are_neighbours(text, previous, pieces[index])

    # 1. How far its neighbours reach on either side.
    lowest = core
    min_lowest = core - MAX_PIECES + 1
    while lowest > min_lowest and lowest - 1 in free and continues(lowest):
        lowest -= 1
    highest = core
    max_highest = core + MAX_PIECES - 1
    while highest < max_highest and highest + 1 in free and continues(highest + 1):
        highest += 1

    # 2. The best run of them that has the core in it, the first of equals.
    size = min(MAX_PIECES, highest - lowest + 1)
    first_start = max(lowest, core - size + 1)
    last_start = min(core, highest - size + 1)
    starts = range(first_start, last_start + 1)
    first = max(starts, key=lambda start: sum(scores[start : start + size]))
    last = first + size - 1

    # 3. An answer to a question at its end.
    ends_in_question = pieces[last].plain.endswith(QUESTION)
    if ends_in_question and last + 1 in free and continues(last + 1):
        return min(core, first + 1), last + 1
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
