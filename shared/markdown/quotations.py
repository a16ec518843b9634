"""Chooses how much of a passage is quoted, and writes it as the Markdown that a reader is to see.

What fits is quoted whole: the passage, a list with the line that leads to it, a table, a callout, a
block of code, a paragraph. The lines of a paragraph are one line, as a renderer shows them. Of a
longer list or table some items or rows stand below that line or the table's head, with "…" before,
between and behind them where something is left out. HTML that a renderer drops is dropped.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from shared.markdown.hidden import with_characters, without_hidden, without_marks
from shared.markdown.lines import Line, read_lines, with_pipes
from shared.markdown.neutralize import neutralize, neutralize_line
from shared.markdown.quotable import LEADS, PieceKind, Quotable

Span: TypeAlias = tuple[int, int]
"""`[start, end)` of a passage's text, in code points."""

LEFT_OUT = "…"
"""Stands where something of the note is left out."""

_QUOTE_MARK = re.compile(r"[ \t]*+>[ \t]?")
_QUOTE_MARKS = re.compile(r"(?:[ \t]*+>[ \t]?)+")
_CALLOUT = re.compile(r"[ \t]*+>[ \t]?\[![\w-]{1,30}\]")
_FOLDED_CALLOUT = re.compile(r"((?:[ \t]*+>[ \t]?)++\[![\w-]{1,30}\])-")
_HARD_BREAK = "  "
"""Ends a line behind which a paragraph begins a new one."""
_LETTER = re.compile(r"[^\W_]")
_ITEM_MARK = re.compile(r"[ \t]*+(?:[-*+•‣◦]|\d{1,9}[.)])(?:[ \t]{1,4}(?![ \t])|[ \t])")
_LATER_ITEM = re.compile(r"[ \t]*+(?!1[.)])\d{1,9}[.)][ \t]")
"""Begins an item of a numbered list that is not its first, which cannot interrupt a paragraph."""
_CODE_INDENTATION = 4
"""Blanks before a line of code beyond those of the text in which it stands."""
_FENCE_MARK = re.compile(r"[ \t>]*+(`{3,}+|~{3,}+)")


@dataclass(frozen=True, slots=True)
class _Block:
    """A block of a passage; `[start, end)` are whole lines, without the break behind the last."""

    kind: str
    """`heading`, `table`, `list`, `quotation`, `code`, `frame` or `text`."""
    start: int
    end: int


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
        is_led_to = self._leading(following) != following
        if not is_led_to:
            return 0
        return self._blocks[following].end

    def block(self, position: int) -> Span:
        """Returns the span of the block at a position, or of the first one before that."""
        place = max(0, self._place(position))
        block = self._blocks[place]
        return block.start, block.end

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
        if is_last and self._goes_on and block.kind in ("list", "table"):
            return True
        return self._has_items(block, position, block.end)

    def is_cut(self, span: Span) -> bool:
        """Reports whether a list or table at either end of a span goes on in another passage."""
        start, end = span
        first = self._blocks[0]
        last = self._blocks[-1]
        ends_within = self._goes_on and last.kind in ("list", "table")
        begins_before = start <= first.start and self._begins_within(first)
        return begins_before or (ends_within and end >= last.end)

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
    if _QUOTE_MARK.match(text, line.start, line.end):
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


def quotation(
    text: str,
    parts: Sequence[Span],
    *,
    first: Quotable | None = None,
    longest: int,
    outline: Outline | None = None,
) -> tuple[int, int, tuple[str, ...]]:
    """Returns start and end of the text that the parts quote, and their lines of Markdown.

    parts: at least one, in order, apart from each other. first: the first piece in them, which knows
    the head of a table or the fence of a block of code that begins above it. longest: characters of
    a part that are quoted at most. outline: the text's; with it, items and rows that are left out
    before and behind the parts are marked.
    The lines are as they stand there: items with their marks, rows below the head of their table,
    code in its fence.
    """
    shown_text = without_hidden(text, "\0")
    first_start, _ = parts[0]
    begins_in_code = False
    if first is not None and first.kind is PieceKind.CODE:
        begins_in_code = first_start == first.line
    table = _Table.of(first, len(text))

    lines: list[str] = []
    end = first_start
    is_in_table = False
    for part in parts:
        start, _ = part
        depth = _depth(text, start) - _depth(text, first_start)
        if not _is_below(depth, lines):
            depth = 0
        part_lines, part_end = _lines_of(shown_text, part, longest, depth, is_code=begins_in_code)
        follows_items = outline is not None and outline.has_items_before(start)
        needs_head = not is_in_table and table.lacks_head(part_lines, start)
        if needs_head:
            is_in_table = True
            if lines:
                lines.append("")
            lines += table.head
            if follows_items:
                lines += _left_out(is_table=True)
        elif follows_items and not lines:
            lines += [LEFT_OUT, ""]
        elif lines:
            follows_row = is_in_table or lines[-1].startswith("|")
            lines += _between(text[end:start], depth, is_table=follows_row)
        lines += part_lines
        end = part_end

    _, whole_end = parts[-1]
    is_whole = end == whole_end
    if outline is not None and is_whole and outline.has_items_behind(end):
        lines += _left_out(is_table=lines[-1].startswith("|"))

    framed = _framed(lines, first, begins_in_code=begins_in_code)
    markdown = "\n".join(framed)
    markdown = with_pipes(markdown)
    flowing = _flowing(markdown.split("\n"))
    return first_start, end, tuple(flowing)


def _flowing(lines: Sequence[str]) -> list[str]:
    """Returns the lines with those of one paragraph as one, up to a hard break, which ends in a backslash."""
    flowing: list[str] = []
    is_open = False
    is_broken = False
    for line, kind, column in zip(lines, _kinds(lines), _code_columns(lines), strict=False):
        bare_line = line.rstrip()
        has_letter = _LETTER.search(line) is not None
        goes_on = is_open and kind == "text" and has_letter
        is_marked = _QUOTE_MARK.match(line) is not None
        if goes_on and is_marked:
            goes_on = _QUOTE_MARK.match(flowing[-1]) is not None

        if goes_on and is_broken:
            # Blanks at the end of a line do not outlive everything that a text passes through.
            flowing[-1] = flowing[-1].removesuffix("\\") + "\\"
            flowing.append(bare_line)
        elif goes_on and is_marked:
            text = bare_line.lstrip("> \t")
            flowing[-1] += f" {text}"
        elif goes_on:
            flowing[-1] += f" {bare_line.lstrip()}"
        else:
            flowing.append(bare_line)

        is_code = column > 0
        is_open = kind in ("text", "item") and has_letter and not is_code
        is_broken = line.endswith((_HARD_BREAK, "\\"))
    return flowing


def _code_columns(lines: Sequence[str]) -> list[int]:
    """Returns the column at which the indented code of each line begins, 0 for other lines.

    Such code stands four columns behind the text of its list item, or behind the margin, and cannot
    interrupt a paragraph.
    """
    columns = []
    text_column = 0
    is_open = False
    is_code = False
    for line, kind in zip(lines, _kinds(lines), strict=False):
        bare_line = _QUOTE_MARK.sub("", line, count=1)
        if not bare_line.strip():
            columns.append(0)
            is_open = False
            continue

        code_column = text_column + _CODE_INDENTATION
        indentation = _indentation(bare_line)
        is_deep = indentation >= code_column and not is_open
        is_code = is_deep and (kind == "text" or is_code)
        columns.append(code_column if is_code else 0)
        if kind == "item" and not is_code:
            text_column = _text_column(bare_line)
        elif kind != "code" and not is_open:
            text_column = min(text_column, indentation)
        is_open = kind in ("text", "item") and not is_code
    return columns


def _text_column(line: str) -> int:
    """Returns the column at which the text of a line begins: behind the mark, if it is a list item."""
    mark = _ITEM_MARK.match(line)
    if mark is None:
        return _indentation(line)
    return len(mark[0].expandtabs(_CODE_INDENTATION))


@dataclass(frozen=True, slots=True)
class _Table:
    """The table in whose midst a quotation begins."""

    head: Sequence[str]
    """Lines of its head; none if the quotation begins in no table."""
    first_row: int
    """Offset of the first row that is quoted; the text's length if there is none."""

    @classmethod
    def of(cls, first: Quotable | None, text_length: int) -> _Table:
        """Returns the table of which the first piece is a row."""
        if first is None or first.kind is not PieceKind.ROW:
            return cls((), text_length)
        head = []
        for line in first.head:
            characters = with_characters(line)
            head.append(without_marks(characters))
        return cls(head, first.line)

    def lacks_head(self, lines: Sequence[str], start: int) -> bool:
        """Reports whether a part that begins at `start` is rows of the table without its head."""
        if not self.head:
            return False
        if any(head_line in lines for head_line in self.head):
            return False
        if start >= self.first_row:
            return True
        # A row that a rule follows is the head of a table.
        kinds = _kinds(lines)
        return kinds[0] == "row" and kinds[1] != "rule"


def _kinds(lines: Sequence[str]) -> list[str]:
    """Returns the kinds of lines, and that of the empty one behind the last."""
    text = "\n".join(lines)
    return [line.kind for line in read_lines(text)]


def _depth(text: str, start: int) -> int:
    """Returns the number of columns before `start` if nothing but blanks stands there, else 0."""
    line_start = text.rfind("\n", 0, start) + 1
    before = text[line_start:start]
    if before.strip():
        return 0
    return _indentation(before)


def _is_below(depth: int, lines: Sequence[str]) -> bool:
    """Reports whether an item at this depth belongs to one of the lines above it: the last one that is less deep."""
    if depth <= 0:
        return False
    return any(_ITEM_MARK.match(line) and _indentation(line) < depth for line in lines)


def _between(gap: str, depth: int, *, is_table: bool) -> list[str]:
    """Returns the lines that stand for what lies between two parts.

    depth: columns by which the second one is indented.
    """
    leaves_something_out = gap.strip() != ""
    if leaves_something_out and is_table:
        return _left_out(is_table=True)
    if leaves_something_out:
        sign = " " * depth + LEFT_OUT
        return ["", sign, ""]
    has_blank_line = "\n\n" in gap
    if has_blank_line and not is_table:
        return [""]
    return []


def _left_out(*, is_table: bool) -> list[str]:
    """Returns the lines that stand, behind others, for items or rows that are left out."""
    if is_table:
        return [f"| {LEFT_OUT} |"]
    return ["", LEFT_OUT]


def _lines_of(
    text: str,
    part: Span,
    longest: int,
    depth: int,
    *,
    is_code: bool,
) -> tuple[list[str], int]:
    """Returns the lines of Markdown of a part, and where it ends if it is too long.

    depth: columns of its indentation that it keeps.
    """
    start, whole_end = part
    end = _quoted_end(text, start, whole_end, longest)
    line_start = text.rfind("\n", 0, start) + 1
    begins = text[line_start:start]

    # 1. What shows nothing goes: comments, and HTML outside of code.
    written = text[start:end]
    if is_code:
        shown = neutralize(written)
    else:
        shown = _shown(written)
    quoted_lines = shown.split("\n")

    # 2. The lines lose the marks of a quotation that all of them have, and the first one's indentation.
    if not is_code:
        begins, quoted_lines = _out_of_quotation(begins, quoted_lines)
    code_column = _code_column(text, start)
    lines = _without_indentation(begins, quoted_lines, code_column, depth)
    if not is_code and _begins_in_item(text, start):
        lines = _apart_from_next_item(lines)

    # 3. Empty lines at either end go, and a sign says if the part is cut.
    while len(lines) > 1 and not lines[-1]:
        lines.pop()
    while len(lines) > 1 and not lines[0]:
        lines.pop(0)
    if end < whole_end:
        lines[-1] = f"{lines[-1].rstrip()} {LEFT_OUT}"
    return lines, end


def _out_of_quotation(begins: str, lines: Sequence[str]) -> tuple[str, list[str]]:
    """Returns what stands before the first line, and the lines, without the marks of a quotation that all of them have.

    A callout keeps its marks, and is open though the note shows it closed. If the quotation ends within the lines, the
    first one is marked as the others are.
    """
    is_callout = _CALLOUT.match(begins + lines[0]) is not None
    quoted_lines = list(lines)
    if not is_callout and _is_quotation(begins, quoted_lines):
        quoted_lines = [_QUOTE_MARK.sub("", line, count=1) for line in quoted_lines]
        begins = _QUOTE_MARK.sub("", begins, count=1)
    else:
        marks = _QUOTE_MARKS.match(begins)
        if marks is not None:
            quoted_lines[0] = marks[0] + quoted_lines[0]
            begins = ""
    opened_lines = [_FOLDED_CALLOUT.sub(r"\1", line, count=1) for line in quoted_lines]
    return begins, opened_lines


def _begins_in_item(text: str, start: int) -> bool:
    """Reports whether a list item begins above `start` in its paragraph, or before it in its line."""
    paragraph_start = text.rfind("\n\n", 0, start) + 1
    lines_before = text[paragraph_start:start].split("\n")
    for line in lines_before:
        if _ITEM_MARK.match(_QUOTE_MARKS.sub("", line, count=1)):
            return True
    return False


def _apart_from_next_item(lines: Sequence[str]) -> list[str]:
    """Returns lines that begin in a list item with an empty one before the next item, if that would not begin a list.

    The second item of a numbered list goes on with a paragraph above it that is no item.
    """
    for index, line in enumerate(lines):
        if index == 0:
            continue
        if _LATER_ITEM.match(line):
            return [*lines[:index], "", *lines[index:]]
        if not line or _ITEM_MARK.match(line):
            break
    return list(lines)


def _code_column(text: str, start: int) -> int:
    """Returns the column at which the indented code at `start` begins, 0 if no such code stands there."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    if line_end < 0:
        line_end = len(text)
    line = _QUOTE_MARK.sub("", text[line_start:line_end], count=1)
    if _indentation(line) < _CODE_INDENTATION:
        return 0
    lines = text[:line_end].split("\n")
    return _code_columns(lines)[-1]


def _without_indentation(
    begins: str,
    lines: Sequence[str],
    code_column: int,
    depth: int,
) -> list[str]:
    """Returns the lines without the indentation of the first one; a hard break stays behind its line.

    begins: the text of the first line before what is quoted of it. code_column: where its code
    begins, if it is indented code, which keeps the indentation that makes it code. depth: columns of the indentation
    that stay.
    """
    first_line, *further_lines = lines
    whole_first_line = begins + first_line
    bare_line = first_line.lstrip()
    if code_column:
        dropped = code_column - _CODE_INDENTATION
        blanks = len(whole_first_line) - len(whole_first_line.lstrip())
        bare_line = _dedented(whole_first_line[:blanks] + bare_line, dropped)
    elif begins.strip():
        dropped = _text_column(whole_first_line)
    else:
        dropped = _indentation(whole_first_line) - depth
        bare_line = " " * depth + bare_line
    bare_lines = [_without_end(bare_line)]
    for line in further_lines:
        bare_line = _dedented(line, dropped)
        bare_lines.append(_without_end(bare_line))
    return bare_lines


def _dedented(line: str, columns: int) -> str:
    """Returns a line without so many of the columns of blanks with which it begins."""
    if columns == 0:
        return line
    kept = " " * (_indentation(line) - columns)
    return kept + line.lstrip()


def _without_end(line: str) -> str:
    """Returns a line without the blanks at its end, but those of a hard break."""
    bare_line = line.rstrip()
    is_row = bare_line.endswith("|")
    if bare_line and not is_row and line.endswith(_HARD_BREAK):
        return bare_line + _HARD_BREAK
    return bare_line


def _indentation(line: str) -> int:
    """Returns the number of columns of blanks with which a line begins."""
    bare_line = line.lstrip()
    length = len(line) - len(bare_line)
    return len(line[:length].expandtabs(_CODE_INDENTATION))


def _shown(markdown: str) -> str:
    """Returns Markdown with its characters, without citations of others and without what shows nothing."""
    characters = with_characters(markdown)
    return without_marks(neutralize(characters))


def _is_quotation(begins: str, lines: Sequence[str]) -> bool:
    """Reports whether every line that shows something is marked as a quotation.

    begins: the text of the first line before what is quoted of it.
    """
    first_line, *further_lines = lines
    whole_first_line = begins + first_line
    whole_lines = [whole_first_line, *further_lines]
    lines_with_text = filter(str.strip, whole_lines)
    return all(map(_QUOTE_MARK.match, lines_with_text))


def _framed(lines: Sequence[str], first: Quotable | None, *, begins_in_code: bool) -> Iterator[str]:
    """Yields the lines below the fence of their code, which is closed."""
    kinds = _kinds(lines)
    fence = ""
    lacks_fence = begins_in_code and kinds[0] != "fence"
    if first is not None and lacks_fence:
        yield from first.head
        fence = "".join(first.head)

    for line, kind in zip(lines, kinds, strict=False):
        yield line
        if kind == "fence":
            closes_code = fence != ""
            fence = line
            if closes_code:
                fence = ""

    mark = _FENCE_MARK.match(fence)
    if mark is not None:
        yield mark[1]


def joined_lines(quotes: Sequence[Sequence[str]], touching: Sequence[bool]) -> tuple[str, ...]:
    """Returns the lines of quotes from one table or list as one, with the table's head once.

    touching: for each quote, whether it goes on where the one before it ends, so that nothing is left out.
    """
    first, *others = quotes
    lines = list(first)
    for further, touches in zip(others, touching[1:], strict=True):
        rows = _rows(further)
        is_table = bool(rows) and bool(_rows(lines))
        omission = _left_out(is_table=is_table)
        sign = omission[-1]
        added = list(rows if is_table else further)

        # Both quotes may have a sign where they meet.
        if lines[-1] == sign:
            del lines[-len(omission) :]
        if added[0] == sign:
            del added[: len(omission)]
        if not touches:
            lines += omission
            if not is_table:
                lines.append("")
        lines += added
    return tuple(lines)


def _rows(lines: Sequence[str]) -> Sequence[str]:
    """Returns the rows below the head of the table with which the lines end; none if they end otherwise."""
    kinds = _kinds(lines)
    last_kind = kinds[len(lines) - 1]
    if "rule" not in kinds or last_kind != "row":
        return ()
    first_row = kinds.index("rule") + 1
    return lines[first_row:]


def _quoted_end(text: str, start: int, end: int, longest: int) -> int:
    """Returns `end`, or where to cut the text to `longest` characters, at a blank if possible."""
    if end - start <= longest:
        return end
    last = start + longest
    half_way = start + longest // 2
    cut = text.rfind(" ", half_way, last)
    if cut > 0:
        return cut
    return last


def one_line(text: str, start: int, end: int) -> str:
    """Returns a part of a passage as one line, without comments and HTML."""
    shown_text = without_hidden(text, "\0")
    part = _shown(shown_text[start:end])
    words = part.split()
    return " ".join(words)


def visible(text: str, *, longest: int) -> tuple[int, int, str]:
    """Returns start and end of what is quoted of a passage without pieces, and that as one line.

    longest: characters of the text that are quoted at most. The line is without comments; empty if
    nothing but comments stands there.
    """
    visible_text = without_hidden(text)
    start = _indentation(visible_text)
    end_of_text = len(visible_text.rstrip())
    longest_end = start + longest
    end = min(end_of_text, longest_end)

    quoted = with_characters(visible_text[start:end])
    without_markup = without_marks(quoted)
    line = neutralize_line(without_markup)
    if end < end_of_text:
        line = f"{line} {LEFT_OUT}"
    return start, end, line
