"""A longer list or table -> its items or rows that match a question.

Words that stand in all of them, such as the names of a table's columns, do not tell them apart. Of those that hold other
words of the question, the ones that hold the most match: `Priya's services` are all rows of Priya, and `plots 2, 7 and 14`
are three rows, of which none holds what another one does. If the question names a time and some hold a date of it, the
others do not match.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from shared.answering.likeness import TIME, ComparedPassage
from shared.markdown.outline import Outline
from shared.markdown.quotable import PieceKind, Quotable

TELLS = 0.25
"""Least share of the question's words by which the best item must surpass the poorest for words to tell them apart. With
less, the items beside one that holds a word like `make` are quoted, too. Chosen on a handbook and on pages of strangers.
"""
MATCHES = 0.5
"""Least share of the best item's own coverage at which another one matches."""


class BlockItems:
    """The items of the list, or the rows of the table, that a piece is from."""

    def __init__(self, compared: ComparedPassage, outline: Outline, core: int) -> None:
        self._compared = compared
        self._indexes = _same_block(compared, outline, core)
        stems_of_items = [compared.words.asked_stems[index] for index in self._indexes]
        self._common = frozenset.intersection(*stems_of_items) | compared.words.named_stems

    @property
    def tell_apart(self) -> bool:
        """True if the question's words tell some of them from others.

        Words that the whole passage lacks say nothing about that.
        """
        has_own_words = any(self._own_words(index) for index in self._indexes)
        least, most = self._range_of_coverage()
        return has_own_words and most - least >= TELLS * self._compared.words.held

    def matching(self) -> list[int]:
        """Returns the indexes of those that match; all of them if words do not tell them apart."""
        coverages = self._compared.words.coverages
        least, most = self._range_of_coverage()
        min_coverage = least + MATCHES * (most - least)
        near = [index for index in self._indexes if coverages[index] >= min_coverage]
        of_time = [index for index in near if TIME in self._own_words(index)]
        near = of_time or near
        word_sets = {self._own_words(index) for index in near}
        return [index for index in near if not is_surpassed(self._own_words(index), word_sets)]

    def first(self, room: int) -> list[int]:
        """Returns the pieces of the first items, as many whole ones as fit into `room` characters, at least one."""
        first: list[int] = []
        for item in self._items():
            pieces = [self._compared.pieces[index] for index in item]
            length = pieces[-1].end - pieces[0].line
            if first and length > room:
                break
            first += item
            room -= length
        return first

    def belonging_to(self, index: int) -> list[int]:
        """Returns the pieces that belong to an item: the rest of it, the items below it, and those that it is below."""
        pieces = self._compared.pieces
        place = self._places.get(index)
        if pieces[index].kind is PieceKind.ROW or place is None:
            return []
        belonging: list[int] = []

        # 1. Behind it, up to the next item that is no deeper.
        depth = self._depth(index)
        for later in self._indexes[place + 1 :]:
            if self._begins_item(later) and self._depth(later) <= depth:
                break
            belonging.append(later)

        # 2. Before it: the beginning of its item, and each item that it is below.
        while place > 0 and not self._begins_item(self._indexes[place]):
            place -= 1
            belonging.append(self._indexes[place])
        above = self._items_above[self._indexes[place]]
        while above is not None:
            belonging.append(above)
            above = self._items_above[above]
        return belonging

    @cached_property
    def _places(self) -> dict[int, int]:
        """Piece -> its place among those of the list or table."""
        return {index: place for place, index in enumerate(self._indexes)}

    @cached_property
    def _items_above(self) -> dict[int, int | None]:
        """Piece -> the last item before it that is less deep; None if there is none.

        Read in one pass: a long list has as many items as matching ones.
        """
        items_above: dict[int, int | None] = {}
        open_items: list[tuple[int, int]] = []
        """Depths and pieces of the items that what comes next may be below, each deeper than the one before it."""
        for index in self._indexes:
            depth = self._depth(index)
            begins_item = self._begins_item(index)
            while begins_item and open_items and open_items[-1][0] >= depth:
                open_items.pop()
            items_above[index] = open_items[-1][1] if open_items else None
            if begins_item:
                open_items.append((depth, index))
        return items_above

    def _items(self) -> list[list[int]]:
        """Returns the pieces of each item or row, without those of items below it."""
        items: list[list[int]] = []
        for index in self._indexes:
            is_row = self._compared.pieces[index].kind is PieceKind.ROW
            if is_row or self._begins_item(index) or not items:
                items.append([])
            items[-1].append(index)
        return items

    def _range_of_coverage(self) -> tuple[float, float]:
        """Returns the least and the greatest share of the question's words that one of them holds."""
        coverages = [self._compared.words.coverages[index] for index in self._indexes]
        return min(coverages), max(coverages)

    def _own_words(self, index: int) -> frozenset[str]:
        """Returns the question's words that an item holds and not all of them do."""
        return self._compared.words.asked_stems[index] - self._common

    def _begins_item(self, index: int) -> bool:
        """Reports whether a piece stands behind a mark. A long item is several pieces, of which the first one does."""
        piece = self._compared.pieces[index]
        return piece.line < piece.start

    def _depth(self, index: int) -> int:
        """Returns the number of characters before the mark of the item that begins with a piece."""
        text = self._compared.passage.chunk.text
        line = self._compared.pieces[index].line
        return line - (text.rfind("\n", 0, line) + 1)


def is_surpassed(words: frozenset[str], others: Iterable[frozenset[str]]) -> bool:
    """Reports whether one of the others has all of these words and more."""
    return any(words < other for other in others)


def _same_block(compared: ComparedPassage, outline: Outline, core: int) -> Sequence[int]:
    """Returns the indexes of the core and of all pieces of its list or table. A list's items may hold paragraphs."""
    core_piece = compared.pieces[core]
    start, end = outline.block(core_piece.line)
    kinds = {core_piece.kind}
    if outline.is_list(core_piece.line):
        kinds = {PieceKind.ITEM, PieceKind.SENTENCE}
    indexes: list[int] = []
    for index, piece in enumerate(compared.pieces):
        if start <= piece.line < end and piece.kind in kinds:
            indexes.append(index)
    return indexes or [core]


def is_of_items(piece: Quotable, outline: Outline) -> bool:
    """Reports whether a piece is from a list or table, of whose items or rows some can be quoted without the others."""
    return piece.kind in (PieceKind.ITEM, PieceKind.ROW) or outline.is_list(piece.line)
