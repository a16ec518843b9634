"""Question and passages -> the items of lists and rows of tables that hold a date of the time that the question names.

`bought in 2015` are the rows with `2015-03-02`, and `born in December` those with `12 Dec 1987`: a month without a year is
one of any year if no date lies in the month that is meant otherwise, the last or the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shared.markdown.quotable import PieceKind, Quotable
from shared.model.index import IndexedChunk
from shared.model.retrieval import Retrieved
from shared.times.references import names_month_of, names_time_in

Place = tuple[int, int]
"""Index of a passage, and of a piece in it."""


def places_of_time(
    chunks: Sequence[IndexedChunk],
    pieces_of_chunks: Sequence[Sequence[Quotable]],
    retrieved: Retrieved,
) -> frozenset[Place]:
    """Returns the places of the items and rows of the time that the question names; none if it names none."""
    asked = retrieved.analysis.time
    if asked is None:
        return frozenset()

    def lies_in_range(text: str, chunk: IndexedChunk) -> bool:
        return names_time_in(text, asked.range, chunk.created_at)

    def is_of_month(text: str, chunk: IndexedChunk) -> bool:  # noqa: ARG001 - the month is of any year
        return names_month_of(text, asked.phrase)

    return _places(chunks, pieces_of_chunks, lies_in_range) or _places(
        chunks, pieces_of_chunks, is_of_month
    )


def _places(
    chunks: Sequence[IndexedChunk],
    pieces_of_chunks: Sequence[Sequence[Quotable]],
    holds_time: Callable[[str, IndexedChunk], bool],
) -> frozenset[Place]:
    """Returns the places of the items and rows that hold a time."""
    places: set[Place] = set()
    for number, (chunk, pieces) in enumerate(zip(chunks, pieces_of_chunks, strict=True)):
        for index, piece in enumerate(pieces):
            if piece.kind not in (PieceKind.ITEM, PieceKind.ROW):
                continue
            has_digit = any(map(str.isdigit, piece.plain))
            if has_digit and holds_time(piece.plain, chunk):
                places.add((number, index))
    return frozenset(places)
