"""Question and passages -> the items of lists and rows of tables that hold a date of the time that the question names.

`bought in 2015` are the rows with `2015-03-02`, and `born in December` those with `12 Dec 1987`. A month without a year is
the last or the next one; in a note without a date in that one, it is the month of any year.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shared.markdown.quotable import PieceKind, Quotable
from shared.model.index import IndexedChunk
from shared.model.retrieval import Retrieved
from shared.times.references import names_month_of, names_time_in


def pieces_of_time(
    chunks: Sequence[IndexedChunk],
    pieces_of_chunks: Sequence[Sequence[Quotable]],
    retrieved: Retrieved,
) -> list[set[int]]:
    """Returns for each chunk the indexes of its items and rows of the time that the question names; none if it names none."""
    asked = retrieved.analysis.time
    in_range: list[set[int]] = [set() for _ in chunks]
    if asked is None:
        return in_range
    in_month: list[set[int]] = [set() for _ in chunks]
    notes_in_range: set[str] = set()
    for number, (chunk, pieces) in enumerate(zip(chunks, pieces_of_chunks, strict=True)):
        for index, piece in _with_dates(pieces):
            if names_time_in(piece.plain, asked.range, chunk.created_at):
                in_range[number].add(index)
                notes_in_range.add(chunk.note_id)
            elif names_month_of(piece.plain, asked.phrase):
                in_month[number].add(index)

    for number, chunk in enumerate(chunks):
        if chunk.note_id not in notes_in_range:
            in_range[number] = in_month[number]
    return in_range


def _with_dates(pieces: Sequence[Quotable]) -> Iterator[tuple[int, Quotable]]:
    """Yields the items and rows that may hold a date, each with its index."""
    for index, piece in enumerate(pieces):
        has_digit = any(map(str.isdigit, piece.plain))
        if has_digit and piece.kind in (PieceKind.ITEM, PieceKind.ROW):
            yield index, piece
