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


class OutlinedPassage:
    """A compared passage, with the lists and tables of its text."""

    def __init__(self, compared: ComparedPassage, outline: Outline) -> None:
        self.compared = compared
        self.outline = outline
        self._items_around: dict[int, BlockItems] = {}

    @property
    def pieces(self) -> Sequence[Quotable]:
        return self.compared.pieces

    @property
    def coverages(self) -> Sequence[float]:
        """Share of the question's words that each piece holds, in [0, 1]."""
        return self.compared.words.coverages

    def is_of_items(self, index: int) -> bool:
        """Reports whether a piece is from a list or table, whose items or rows can be quoted without the others."""
        return is_of_items(self.pieces[index], self.outline)

    def items_around(self, core: int) -> BlockItems:
        """Returns the items of the list, or the rows of the table, that a piece is from. Each are read once."""
        items = self._items_around.get(core)
        if items is None:
            indexes = self._same_block(core)
            items = BlockItems(self.compared, indexes)
            self._items_around[core] = items
        return items

    def _same_block(self, core: int) -> Sequence[int]:
        """Returns the indexes of a piece and of all others of its list or table. A list's items may hold paragraphs."""
        core_piece = self.pieces[core]
        position = core_piece.line
        start, end = self.outline.block(position)
        kinds = {core_piece.kind}
        if self.outline.is_list(position):
            kinds = {PieceKind.ITEM, PieceKind.SENTENCE}
        indexes = []
        for index, piece in enumerate(self.pieces):
            is_in_block = start <= piece.line < end
            if is_in_block and piece.kind in kinds:
                indexes.append(index)
        return indexes or [core]


class BlockItems:
    """The items of a list, or the rows of a table.

    indexes: the pieces of the passage that it consists of, in order.
    """

    def __init__(self, compared: ComparedPassage, indexes: Sequence[int]) -> None:
        words = compared.words
        self._pieces = compared.pieces
        self._text = compared.passage.chunk.text
        self._held = words.held
        self._indexes = indexes
        self._coverages: dict[int, float] = {}
        self._own_words: dict[int, frozenset[str]] = {}

        # What all of them hold, and what the titles say, tells none of them apart.
        stems_of_pieces = [words.asked_stems[index] for index in indexes]
        stems_of_all = frozenset.intersection(*stems_of_pieces)
        common_stems = stems_of_all | words.named_stems
        for index, asked_stems in zip(indexes, stems_of_pieces, strict=True):
            self._coverages[index] = words.coverages[index]
            self._own_words[index] = asked_stems - common_stems

    @cached_property
    def tell_apart(self) -> bool:
        """True if the question's words tell some of them from others.

        Words that the whole passage lacks say nothing about that.
        """
        if not any(self._own_words.values()):
            return False
        least = min(self._coverages.values())
        most = max(self._coverages.values())
        min_difference = TELLS * self._held
        return most - least >= min_difference

    def matching(self) -> list[int]:
        """Returns the indexes of those that match; all of them if words do not tell them apart."""
        # 1. Those that hold nearly as much of the question as the best one.
        least = min(self._coverages.values())
        most = max(self._coverages.values())
        min_coverage = least + MATCHES * (most - least)
        near = [index for index in self._indexes if self._coverages[index] >= min_coverage]

        # 2. Of these the ones of the time that is asked for.
        of_time = [index for index in near if TIME in self._own_words[index]]
        if of_time:
            near = of_time

        # 3. Without those of whose words another one has all and more.
        word_sets = {self._own_words[index] for index in near}
        matching = []
        for index in near:
            if not is_surpassed(self._own_words[index], word_sets):
                matching.append(index)
        return matching

    def first(self, room: int) -> list[int]:
        """Returns the pieces of the first items, as many whole ones as fit into `room` characters, at least one."""
        first: list[int] = []
        for item in self._items():
            first_piece = self._pieces[item[0]]
            last_piece = self._pieces[item[-1]]
            length = last_piece.end - first_piece.line
            if first and length > room:
                break
            first += item
            room -= length
        return first

    def belonging_to(self, index: int) -> list[int]:
        """Returns the pieces that belong to an item: the rest of it, the items below it, and those that it is below."""
        place = self._places.get(index)
        is_row = self._pieces[index].kind is PieceKind.ROW
        if is_row or place is None:
            return []
        belonging = []

        # 1. Behind it, up to the next item that is no deeper.
        depth = self._depth(index)
        for later in self._indexes[place + 1 :]:
            ends_here = self._begins_item(later) and self._depth(later) <= depth
            if ends_here:
                break
            belonging.append(later)

        # 2. Before it: the beginning of its item, and each item that it is below.
        beginning = index
        while place > 0 and not self._begins_item(beginning):
            place -= 1
            beginning = self._indexes[place]
            belonging.append(beginning)
        above = self._items_above[beginning]
        while above is not None:
            belonging.append(above)
            above = self._items_above[above]
        return belonging

    @cached_property
    def _places(self) -> dict[int, int]:
        """Piece -> its place among those of the list or table."""
        places = range(len(self._indexes))
        return dict(zip(self._indexes, places, strict=True))

    @cached_property
    def _items_above(self) -> dict[int, int | None]:
        """Piece -> the last item before it that is less deep; None if there is none.

        Read in one pass: a long list has as many items as matching ones.
        """
        items_above: dict[int, int | None] = {}
        open_items: list[int] = []
        """Items that the next piece may be below, each deeper than the one before it."""
        for index in self._indexes:
            begins_item = self._begins_item(index)
            if begins_item:
                depth = self._depth(index)
                while open_items and self._depth(open_items[-1]) >= depth:
                    open_items.pop()
            items_above[index] = open_items[-1] if open_items else None
            if begins_item:
                open_items.append(index)
        return items_above

    def _items(self) -> list[list[int]]:
        """Returns the pieces of each item or row, without those of items below it."""
        items: list[list[int]] = []
        item: list[int] = []
        for index in self._indexes:
            is_row = self._pieces[index].kind is PieceKind.ROW
            begins_item = is_row or self._begins_item(index)
            if begins_item or not items:
                item = []
                items.append(item)
            item.append(index)
        return items

    def _begins_item(self, index: int) -> bool:
        """Reports whether a piece stands behind a mark. A long item is several pieces, of which the first one does."""
        piece = self._pieces[index]
        return piece.line < piece.start

    def _depth(self, index: int) -> int:
        """Returns the number of characters before the mark of the item that begins with a piece."""
        line = self._pieces[index].line
        line_start = self._text.rfind("\n", 0, line) + 1
        return line - line_start


def is_surpassed(words: frozenset[str], others: Iterable[frozenset[str]]) -> bool:
    """Reports whether one of the others has all of these words and more."""
    for other in others:
        if words < other:
            return True
    return False


def is_of_items(piece: Quotable, outline: Outline) -> bool:
    """Reports whether a piece is from a list or table, of whose items or rows some can be quoted without the others."""
    if piece.kind in (PieceKind.ITEM, PieceKind.ROW):
        return True
    return outline.is_list(piece.line)
