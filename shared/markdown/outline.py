"""Text of a passage -> its blocks, which say how much is quoted around a piece.

What fits is quoted whole: the passage, a list with the line that leads to it, a table, a callout, a block of code, a
paragraph.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from shared.markdown.hidden import without_hidden
from shared.markdown.lines import Line, read_lines
from shared.markdown.quotable import LEADS

Span: TypeAlias = tuple[int, int]
"""`[start, end)` of a passage's text, in code points."""

QUOTE_MARK = re.compile(r"[ \t]*+>[ \t]?")
"""A mark of a quotation at the beginning of a line, with the blanks around it."""


@dataclass(frozen=True, slots=True)
class _Block:
    """A block of a passage; `[start, end)` are whole lines, without the break behind the last."""

    kind: str
    """`heading`, `table`, `list`, `quotation`, `code`, `frame` or `text`."""
    start: int
    end: int

    @property
    def is_of_items(self) -> bool:
        """True for a list or table, which may go on in another passage."""
        return self.kind in ("list", "table")


class Outline:
    """The blocks of a passage.

    begins_in_table: True if the passage begins in the midst of a table.
    begins_in_list: True if a list with which the passage begins goes on from the one before it.
    goes_on: True if a list or table with which the passage ends goes on in the next one.
    """

    def __init__(
        self,
        text: str,
        *,
        begins_in_table: bool = False,
        begins_in_list: bool = False,
        goes_on: bool = False,
    ) -> None:
        self._text = without_hidden(text)
        self._begins_in_table = begins_in_table
        self._begins_in_list = begins_in_list
        self._goes_on = goes_on
        blocks = list(_blocks(self._text))
        if begins_in_table and len(blocks) > 1:
            first_block = blocks[0]
            if first_block.kind != "table":
                # The rest of a row, whose beginning is in another passage.
                blocks.remove(first_block)
        if begins_in_list:
            blocks = _with_rest_of_item(blocks)
        self._blocks = blocks
        self._starts = [block.start for block in blocks]

    def whole(self, span: Span, *, longest: int) -> Span | None:
        """Returns the largest part around a span that has at most `longest` characters.

        That is all of the passage, or the blocks that hold the span, with the line that leads to
        them if there is room. None if these blocks are longer.
        """
        if not self._blocks:
            return None
        span_start, span_end = span
        first = max(0, self._place(span_start))
        last = max(first, self._place(span_end - 1))
        leading = self._leading(first)

        start_of_all = self._starts[0]
        end_of_all = self._blocks[-1].end
        end_of_blocks = self._blocks[last].end
        candidates = [
            (start_of_all, end_of_all),
            (self._starts[leading], end_of_blocks),
            (self._starts[first], end_of_blocks),
        ]
        for start, end in candidates:
            holds_span = start <= span_start and span_end <= end
            length = end - start
            if holds_span and length <= longest:
                return start, end
        return None

    def lead(self, position: int) -> Span | None:
        """Returns the paragraph that leads to the block at `position`, or None without such a paragraph."""
        place = self._place(position)
        leading = self._leading(place)
        if leading == place:
            return None
        return self._starts[leading], self._blocks[leading].end

    def led_end(self, position: int) -> int:
        """Returns the end of the list, table or code to which the paragraph at `position` leads; 0: to none."""
        following = self._place(position) + 1
        if following == len(self._blocks):
            return 0
        leading = self._leading(following)
        if leading == following:
            return 0
        return self._blocks[following].end

    def block(self, position: int) -> Span:
        """Returns the span of the block at a position, or of the first one before that."""
        place = max(0, self._place(position))
        block = self._blocks[place]
        return block.start, block.end

    def is_list(self, position: int) -> bool:
        """Reports whether the block at a position is a list."""
        place = max(0, self._place(position))
        return self._blocks[place].kind == "list"

    def has_items_before(self, position: int) -> bool:
        """Reports whether the list or table at a position has items, or rows below its head, before it."""
        place = max(0, self._place(position))
        block = self._blocks[place]
        if place == 0 and self._begins_within(block):
            return True
        return self._has_items(block, block.start, position)

    def has_items_behind(self, position: int) -> bool:
        """Reports whether the list or table that ends at a position, or is quoted up to it, has items or rows behind it."""
        place = max(0, self._place(position - 1))
        block = self._blocks[place]
        is_last = place + 1 == len(self._blocks)
        if is_last and self._goes_on and block.is_of_items:
            return True
        return self._has_items(block, position, block.end)

    def has_code_before(self, position: int) -> bool:
        """Reports whether the block of code at a position has lines before it."""
        place = max(0, self._place(position))
        block = self._blocks[place]
        if block.kind != "code":
            return False
        text_before = self._text[block.start : position]
        return _holds_code(text_before)

    def has_code_behind(self, position: int) -> bool:
        """Reports whether the block of code that ends at a position, or is quoted up to it, has lines behind it.

        One that is not closed goes on in the next passage.
        """
        place = max(0, self._place(position - 1))
        block = self._blocks[place]
        if block.kind != "code":
            return False
        text_of_block = self._text[block.start : block.end]
        kinds = [line.kind for line in read_lines(text_of_block)]
        lacks_other_fence = kinds.count("fence") == 1
        if lacks_other_fence:
            return True
        text_behind = self._text[position : block.end]
        return _holds_code(text_behind)

    @property
    def begins_in_block(self) -> bool:
        """True if the list or table with which the passage begins goes on from the one before it."""
        if not self._blocks:
            return False
        first = self._blocks[0]
        return self._begins_within(first)

    def is_in_last_block(self, position: int) -> bool:
        """Reports whether a position of the passage is in a list or table with which it ends."""
        return self.ends_in_block and position >= self._starts[-1]

    @property
    def ends_in_block(self) -> bool:
        """True if the passage ends with a list or table, which may go on in the next one."""
        if not self._blocks:
            return False
        last = self._blocks[-1]
        return last.is_of_items

    def is_cut(self, span: Span) -> bool:
        """Reports whether a list or table at either end of a span goes on in another passage."""
        start, end = span
        first = self._blocks[0]
        last = self._blocks[-1]
        if start <= first.start and self._begins_within(first):
            return True
        ends_with_passage = end >= last.end
        return ends_with_passage and self._goes_on and last.is_of_items

    def _begins_within(self, first: _Block) -> bool:
        """Reports whether the first block goes on from another passage."""
        if self._begins_in_table:
            return True
        return self._begins_in_list and first.kind == "list"

    def _has_items(self, block: _Block, start: int, end: int) -> bool:
        """Reports whether `[start, end)` of a block holds an item of a list, or a row below a table's head."""
        text = self._text[start:end]
        if block.kind == "list":
            return text.strip() != ""
        if block.kind not in ("table", "quotation"):
            return False
        kinds = [line.kind for line in read_lines(text)]
        if "rule" in kinds:
            first_row = kinds.index("rule") + 1
            kinds = kinds[first_row:]
        return "row" in kinds or "item" in kinds

    def _place(self, position: int) -> int:
        """Returns the place of the block at a position; -1 before the first."""
        return bisect_right(self._starts, position) - 1

    def _leading(self, place: int) -> int:
        """Returns the place of the paragraph that leads to a block, or of the block itself."""
        if place < 1:
            return place
        if self._blocks[place].kind not in ("list", "table", "code"):
            return place

        previous = self._blocks[place - 1]
        if previous.kind != "text":
            return place
        ends_in_colon = self._text.endswith(LEADS, previous.start, previous.end)
        if ends_in_colon:
            return place - 1
        return place


def _with_rest_of_item(blocks: list[_Block]) -> list[_Block]:
    """Returns the blocks of a passage that begins in a list, with a paragraph before its first item as a part of that list."""
    rest, *others = blocks
    if rest.kind != "text":
        return blocks
    end = rest.end
    if others and others[0].kind == "list":
        end = others.pop(0).end
    return [_Block("list", rest.start, end), *others]


def _holds_code(text: str) -> bool:
    """Reports whether a part of a block of code holds lines that are no fences."""
    return any(line.kind != "fence" and line.length > 0 for line in read_lines(text))


def _blocks(text: str) -> Iterator[_Block]:
    """Yields the blocks of a text, by the kinds of its lines."""
    block: _Block | None = None
    is_code = False
    is_apart = True
    for line in read_lines(text):
        is_blank = not text[line.start : line.end].strip()
        if is_blank:
            is_apart = not is_code
            continue

        is_fence = line.kind == "fence"
        kind = "code" if is_code or is_fence else _kind(text, line)
        if block is not None and _continues(text, block, line, kind, is_apart=is_apart):
            block = _Block(block.kind, block.start, line.end)
        else:
            if block is not None:
                yield block
            block = _Block(kind, line.start, line.end)

        if is_fence:
            # The line behind a closing fence begins another block.
            is_apart = is_code
            is_code = not is_code
        else:
            is_apart = False
    if block is not None:
        yield block


_BLOCK_KINDS = {"row": "table", "rule": "table", "item": "list"}
"""Kind of a line -> the kind of block that it begins, if the two have other names."""


def _kind(text: str, line: Line) -> str:
    """Returns the kind of block that a line outside of code begins."""
    if line.kind == "heading":
        return "heading"
    if QUOTE_MARK.match(text, line.start, line.end):
        return "quotation"
    return _BLOCK_KINDS.get(line.kind, line.kind)


def _continues(text: str, block: _Block, line: Line, kind: str, *, is_apart: bool) -> bool:
    """Reports whether a line goes on with a block; `is_apart`: blank lines lie between them."""
    if block.kind == "list":
        if kind == "list":
            return True
        if kind == "heading":
            return False
        is_lazy = kind == "text" and not is_apart
        is_indented = text[line.start] in " \t"
        return is_lazy or is_indented
    if is_apart or block.kind in ("heading", "frame"):
        return False
    return kind == block.kind
