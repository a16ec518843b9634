"""Pieces of a passage that are quoted -> the spans around them that are quoted with them.

A passage, section, list, callout or table that fits is quoted whole; of a longer list or table the line that leads to it
and the items or rows that match.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from operator import attrgetter

from shared.answering.items import BlockItems, is_of_items
from shared.answering.likeness import ComparedPassage
from shared.markdown.outline import Outline, Span
from shared.markdown.quotable import LEADS, PieceKind, Quotable

WHOLE = 700
"""Most characters of a passage, or of a block of it, that is quoted whole."""
ABOUT = 0.6
"""A list or table as a whole is asked for if each item, below the titles and the line that lead to it, holds at least this
share of the question's words.
"""


def quoted_parts(
    compared: ComparedPassage,
    outline: Outline,
    core: int,
    chosen: range,
) -> tuple[Span, ...]:
    """Returns the spans that are quoted around some pieces: the whole block if it fits, else its matching items or
    rows.
    """
    parts = _parts_around(compared, outline, core, chosen)
    return _without_last_lead(parts, compared.pieces, core)


def _parts_around(
    compared: ComparedPassage,
    outline: Outline,
    core: int,
    chosen: range,
) -> tuple[Span, ...]:
    """Returns these spans, of which the last may lead to a list that is not quoted."""
    pieces = compared.pieces
    start = pieces[chosen[0]].line
    end = pieces[chosen[-1]].end
    led_end = 0
    sentences = [index for index in chosen if not is_of_items(pieces[index], outline)]
    if sentences:
        led_end = outline.led_end(pieces[sentences[-1]].line)

    block = outline.whole((start, end), longest=WHOLE)
    if block is not None:
        _, block_end = block
        is_whole = not outline.is_cut(block) or not BlockItems(compared, outline, core).tell_apart
        if led_end <= block_end and is_whole:
            return (block,)
    if led_end > 0:
        leading = range(chosen[0], sentences[-1] + 1)
        return _led_parts(compared, outline, leading, led_end)
    if is_of_items(pieces[core], outline):
        return _matching_parts(compared, outline, core, chosen)
    return ((start, end),)


def _led_parts(
    compared: ComparedPassage,
    outline: Outline,
    leading: range,
    led_end: int,
) -> tuple[Span, ...]:
    """Returns the spans of pieces that lead to a longer list or table, which say nothing alone, and of some of that.

    These are the items or rows that hold more of the question's words than the lead, or else the first ones.

    led_end: end of the list or table.
    """
    pieces = compared.pieces
    first = pieces[leading[0]]
    last = pieces[leading[-1]]
    led = [index for index in range(leading.stop, len(pieces)) if pieces[index].end <= led_end]
    most = max([compared.words.coverages[index] for index in led], default=0.0)
    if most > compared.words.coverages[leading[-1]]:
        matching = [index for index in led if compared.words.coverages[index] == most]
        best = max(matching, key=lambda index: compared.scores[index])
        return _matching_parts(compared, outline, best, range(best, best + 1))

    end = last.end
    max_end = min(led_end, first.line + WHOLE)
    for index in led:
        if pieces[index].end <= max_end:
            end = pieces[index].end
    return ((first.line, end),)


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

    If the question's words tell the items apart, the chosen ones that do not match are left out. If it asks for all of
    them, they are the first ones.
    """
    pieces = compared.pieces
    items = BlockItems(compared, outline, core)
    matching = items.matching()

    if asks_for_all(compared, items, core):
        return items.first(WHOLE)

    # 1. Where words tell items apart, only those that match; else those around the core.
    kept = list(chosen)
    if items.tell_apart:
        kept = [index for index in chosen if index in matching]
    elif asks_for_list(compared, items, core):
        matching = items.first(WHOLE)
    else:
        matching = []

    # 2. The others that match, as many as fit.
    room = WHOLE - _length_of(pieces, kept)
    for index in matching:
        length = _length_of(pieces, [index])
        if index not in kept and length <= room:
            kept.append(index)
            room -= length

    # 3. What belongs to each of them: the rest of its item, the items below it and those that it is below.
    for index in tuple(kept):
        for further in items.belonging_to(index):
            length = _length_of(pieces, [further])
            if further not in kept and length <= room:
                kept.append(further)
                room -= length
    return sorted(kept) or list(chosen)


def asks_for_all(compared: ComparedPassage, items: BlockItems, core: int) -> bool:
    """Reports whether the list or table of the core is asked for as a whole."""
    return not items.tell_apart and compared.words.titled_coverages[core] >= ABOUT


def asks_for_list(compared: ComparedPassage, items: BlockItems, core: int) -> bool:
    """Reports whether the list or table of the core is asked for: as a whole, or by its titles.

    It is by its titles if these hold each word of the question that the passage holds, and no word tells its items apart.
    """
    words = compared.words
    names_list = 0 < words.held <= words.held_by_titles
    return (names_list and not items.tell_apart) or asks_for_all(compared, items, core)


def _length_of(pieces: Sequence[Quotable], indexes: Iterable[int]) -> int:
    """Returns the total length of some pieces in characters, including the marks before them."""
    length = 0
    for index in indexes:
        piece = pieces[index]
        length += piece.end - piece.line
    return length


def _without_last_lead(
    parts: tuple[Span, ...],
    pieces: Sequence[Quotable],
    core: int,
) -> tuple[Span, ...]:
    """Returns the parts without a line at their end that leads to a list or table which is not quoted with it."""
    *others, (start, end) = parts
    within = quoted_indexes(pieces, [(start, end)])
    if len(within) < 2:
        return parts
    *_, previous, last = within
    lead = pieces[last]
    if last == core or lead.kind is not PieceKind.SENTENCE or not lead.plain.endswith(LEADS):
        return parts
    return (*others, (start, pieces[previous].end))


def quoted_indexes(pieces: Sequence[Quotable], parts: Iterable[Span]) -> list[int]:
    """Returns the indexes of the pieces that some parts quote. The pieces stand in the order of their text."""
    indexes: list[int] = []
    for start, end in parts:
        first = bisect_left(pieces, start, key=attrgetter("start"))
        last = bisect_left(pieces, end, first, key=attrgetter("start"))
        for index in range(first, last):
            if pieces[index].end <= end:
                indexes.append(index)
    return indexes
