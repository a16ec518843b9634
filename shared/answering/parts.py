"""Pieces of a passage that are quoted -> the spans around them that are quoted with them.

A passage, section, list, callout or table that fits is quoted whole; of a longer list or table the line that leads to it
and the items or rows that match.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from operator import attrgetter

from shared.answering.items import OutlinedPassage
from shared.markdown.outline import Span
from shared.markdown.quotable import LEADS, PieceKind, Quotable

WHOLE = 700
"""Most characters of a passage, or of a block of it, that is quoted whole."""
ABOUT = 0.6
"""A list or table as a whole is asked for if each item, below the titles and the line that lead to it, holds at least this
share of the question's words.
"""


def quoted_parts(passage: OutlinedPassage, core: int, chosen: range) -> tuple[Span, ...]:
    """Returns the spans that are quoted around some pieces: the whole block if it fits, else its matching items or
    rows.
    """
    parts = _parts_around(passage, core, chosen)
    return _without_last_lead(parts, passage.pieces, core)


def _parts_around(passage: OutlinedPassage, core: int, chosen: range) -> tuple[Span, ...]:
    """Returns these spans, of which the last may lead to a list that is not quoted."""
    outline = passage.outline
    first_piece = passage.pieces[chosen[0]]
    last_piece = passage.pieces[chosen[-1]]
    start = first_piece.line
    end = last_piece.end

    # 1. The list or table to which the chosen sentences lead.
    led_end = 0
    sentences = [index for index in chosen if not passage.is_of_items(index)]
    if sentences:
        last_sentence = passage.pieces[sentences[-1]]
        led_end = outline.led_end(last_sentence.line)

    # 2. The block as a whole, unless it is a part of a longer one whose items match differently.
    block = outline.whole((start, end), longest=WHOLE)
    if block is not None:
        _, block_end = block
        is_a_choice = outline.is_cut(block) and passage.items_around(core).tell_apart
        if led_end <= block_end and not is_a_choice:
            return (block,)

    # 3. What matches of a longer one.
    if led_end > 0:
        behind_last = sentences[-1] + 1
        leading = range(chosen[0], behind_last)
        return _led_parts(passage, leading, led_end)
    if passage.is_of_items(core):
        return _matching_parts(passage, core, chosen)
    return ((start, end),)


def _led_parts(passage: OutlinedPassage, leading: range, led_end: int) -> tuple[Span, ...]:
    """Returns the spans of pieces that lead to a longer list or table, which say nothing alone, and of some of that.

    These are the items or rows that hold more of the question's words than the lead, or else the first ones.

    led_end: end of the list or table.
    """
    pieces = passage.pieces
    coverages = passage.coverages
    first_lead = leading[0]
    last_lead = leading[-1]
    led: list[int] = []
    for index in range(leading.stop, len(pieces)):
        if pieces[index].end <= led_end:
            led.append(index)

    # 1. What holds more than the lead.
    most = max([coverages[index] for index in led], default=0.0)
    if most > coverages[last_lead]:
        scores = passage.compared.scores
        matching = [index for index in led if coverages[index] == most]
        best = max(matching, key=scores.__getitem__)
        only_best = range(best, best + 1)
        return _matching_parts(passage, best, only_best)

    # 2. The lead, and what fits behind it.
    start = pieces[first_lead].line
    end = pieces[last_lead].end
    max_end = min(led_end, start + WHOLE)
    for index in led:
        end_of_piece = pieces[index].end
        if end_of_piece <= max_end:
            end = end_of_piece
    return ((start, end),)


def _matching_parts(passage: OutlinedPassage, core: int, chosen: range) -> tuple[Span, ...]:
    """Returns the spans of the chosen pieces of a longer list or table, and of its other pieces that match the
    question.
    """
    indexes = _matching_indexes(passage, core, chosen)
    first, *others = indexes
    pieces = passage.pieces
    spans = []

    # 1. The line that leads to the list.
    start = pieces[first].line
    lead = passage.outline.lead(start)
    if lead is not None:
        lead_start, lead_end = lead
        room = WHOLE - _length_of(pieces, indexes)
        if lead_end - lead_start <= room:
            spans.append(lead)

    # 2. The pieces, neighbours as one part.
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


def _matching_indexes(passage: OutlinedPassage, core: int, chosen: range) -> list[int]:
    """Returns the indexes of the chosen pieces and of the matching items or rows of their list or table, in order.

    If the question's words tell the items apart, the chosen ones that do not match are left out. If it asks for all of
    them, they are the first ones.
    """
    if asks_for_all(passage, core):
        return passage.items_around(core).first(WHOLE)

    # 1. Where words tell items apart, only those that match; else those around the core.
    items = passage.items_around(core)
    quoted = list(chosen)
    matching: list[int] = []
    if items.tell_apart:
        matching = items.matching()
        quoted = [index for index in chosen if index in matching]
    elif asks_for_list(passage, core):
        matching = items.first(WHOLE)

    # 2. The others that match, as many as fit.
    room = WHOLE - _length_of(passage.pieces, quoted)
    room = _add_fitting(quoted, matching, passage.pieces, room)

    # 3. What belongs to each of them: the rest of its item, the items below it and those that it is below.
    for index in tuple(quoted):
        belonging = items.belonging_to(index)
        room = _add_fitting(quoted, belonging, passage.pieces, room)
    return sorted(quoted) or list(chosen)


def _add_fitting(
    quoted: list[int],
    candidates: Iterable[int],
    pieces: Sequence[Quotable],
    room: int,
) -> int:
    """Adds the candidates that are not quoted yet and fit into `room` characters; returns the room that is left."""
    for index in candidates:
        length = _length_of(pieces, [index])
        if index not in quoted and length <= room:
            quoted.append(index)
            room -= length
    return room


def asks_for_all(passage: OutlinedPassage, core: int) -> bool:
    """Reports whether the list or table of the core is asked for as a whole."""
    titled_coverage = passage.compared.words.titled_coverages[core]
    return titled_coverage >= ABOUT and not passage.items_around(core).tell_apart


def asks_for_list(passage: OutlinedPassage, core: int) -> bool:
    """Reports whether the list or table of the core is asked for: as a whole, or by its titles.

    It is by its titles if these hold each word of the question that the passage holds, and no word tells its items apart.
    """
    if asks_for_all(passage, core):
        return True
    words = passage.compared.words
    names_list = 0 < words.held <= words.held_by_titles
    return names_list and not passage.items_around(core).tell_apart


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
    *others, last_part = parts
    indexes = quoted_indexes(pieces, [last_part])
    if len(indexes) < 2:
        return parts
    *_, previous, last = indexes
    lead = pieces[last]
    is_lead = lead.kind is PieceKind.SENTENCE and lead.plain.endswith(LEADS)
    if last == core or not is_lead:
        return parts
    start, _ = last_part
    end = pieces[previous].end
    return (*others, (start, end))


def quoted_indexes(pieces: Sequence[Quotable], parts: Iterable[Span]) -> list[int]:
    """Returns the indexes of the pieces that some parts quote. The pieces stand in the order of their text."""
    start_of = attrgetter("start")
    indexes = []
    for start, end in parts:
        first = bisect_left(pieces, start, key=start_of)
        behind_last = bisect_left(pieces, end, first, key=start_of)
        for index in range(first, behind_last):
            if pieces[index].end <= end:
                indexes.append(index)
    return indexes
