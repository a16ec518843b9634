"""Writes what is quoted of a passage as the Markdown that a reader is to see.

The lines of a paragraph that an editor wrapped are one line, as a renderer shows them; lines that their
author ended end in a hard break. Of a longer list or table some items or rows stand below the line that
leads to it or the table's head, with "…" before, between and behind them where something is left out.
HTML that a renderer drops is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from shared.markdown.hidden import with_characters, without_hidden, without_marks
from shared.markdown.lines import Line, read_lines, with_pipes
from shared.markdown.neutralize import neutralize, neutralize_line
from shared.markdown.outline import QUOTE_MARK, Outline, Span
from shared.markdown.quotable import PieceKind, Quotable

LEFT_OUT = "…"
"""Stands where something of the note is left out."""

_FIRST_QUOTE_MARK = re.compile(rf"\A{QUOTE_MARK.pattern}")
_QUOTE_MARKS = re.compile(r"\A(?:[ \t]*+>[ \t]?)+")
_CALLOUT = re.compile(r"[ \t]*+>[ \t]?\[![\w-]{1,30}\]")
_FOLDED_CALLOUT = re.compile(r"\A((?:[ \t]*+>[ \t]?)++\[![\w-]{1,30}\])-")
_HARD_BREAK = "  "
"""Ends a line behind which a paragraph begins a new one."""
NARROWEST = 50
"""Characters of the longest line of a paragraph that an editor wrapped, at least; `web/app/markdown.js` has the same."""
_BLANKS_AND_MARKS = " \t>"
"""Stand before and behind the words of a line, that of a quotation too."""
_ENDS_OF_SENTENCE = (".", "!", "?", ":", ";", "…")
_END_OF_LINK = re.compile(r"[^\[\]]*+\]\(")
"""Begins a line in which the words of a link go on and end."""
_LINK = re.compile(r"\[[^\[\]]++\]\([^()]*+\)")
_LETTER = re.compile(r"[^\W_]")
_ITEM_MARK = re.compile(r"[ \t]*+(?:[-*+•‣◦]|\d{1,9}[.)])(?:[ \t]{1,4}(?![ \t])|[ \t])")
_LATER_ITEM = re.compile(r"[ \t]*+(?!1[.)])\d{1,9}[.)][ \t]")
"""Begins an item of a numbered list that is not its first, which cannot interrupt a paragraph."""
_CODE_INDENTATION = 4
"""Blanks before a line of code beyond those of the text in which it stands."""
_FENCE_MARK = re.compile(r"[ \t>]*+(`{3,}+|~{3,}+)")


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
    first_start, _ = parts[0]
    _, whole_end = parts[-1]
    begins_in_code = False
    if first is not None and first.kind is PieceKind.CODE:
        begins_in_code = first_start == first.line

    # 1. The parts.
    writer = _PartsWriter(
        text,
        first_start,
        _Table.of(first, len(text)),
        outline,
        longest=longest,
        is_code=begins_in_code,
    )
    for part in parts:
        writer.add(part)
    lines = writer.lines
    end = writer.end

    # 2. Signs where something before and behind them is left out.
    is_whole = end == whole_end
    if outline is not None and is_whole and outline.has_items_behind(end):
        is_table = lines[-1].startswith("|")
        lines += _left_out(is_table=is_table)
    framed = list(_framed(lines, first, begins_in_code=begins_in_code))
    if outline is not None and begins_in_code and outline.has_code_before(first_start):
        framed = [LEFT_OUT, "", *framed]
    if outline is not None and is_whole and outline.has_code_behind(end):
        framed += _left_out(is_table=False)

    # 3. Lines of one paragraph become one.
    markdown = with_pipes("\n".join(framed))
    flowing = _flowing(markdown.split("\n"))
    return first_start, end, tuple(flowing)


class _PartsWriter:
    """Writes the parts of a quotation one below the other.

    start: where the first part begins. table: the one in whose midst it begins.
    """

    def __init__(
        self,
        text: str,
        start: int,
        table: _Table,
        outline: Outline | None,
        *,
        longest: int,
        is_code: bool,
    ) -> None:
        self.lines: list[str] = []
        """Lines of the parts, and signs for what is left out between them."""
        self.end = start
        """Where the last part ends."""
        self._text = text
        self._shown_text = without_hidden(text, "\0")
        self._depth = _depth(text, start)
        self._table = table
        self._outline = outline
        self._longest = longest
        self._is_code = is_code
        self._is_in_table = False

    def add(self, part: Span) -> None:
        """Writes the next part."""
        start, _ = part
        depth = _depth(self._text, start) - self._depth
        if not _is_below(depth, self.lines):
            depth = 0
        part_lines, end = _lines_of(
            self._shown_text,
            part,
            self._longest,
            depth,
            is_code=self._is_code,
        )
        self.lines += self._lines_before(part_lines, start, depth)
        self.lines += part_lines
        self.end = end

    def _lines_before(self, part_lines: Sequence[str], start: int, depth: int) -> list[str]:
        """Returns the lines between a part that begins at `start` and the lines above it."""
        follows_items = self._outline is not None and self._outline.has_items_before(start)
        needs_head = not self._is_in_table and self._table.lacks_head(part_lines, start)
        if needs_head:
            self._is_in_table = True
            return _opening(self._table, self.lines, follows_rows=follows_items)
        if self.lines:
            follows_row = self._is_in_table or self.lines[-1].startswith("|")
            gap = self._shown_text[self.end : start].replace("\0", "")
            return _between(gap, depth, is_table=follows_row)
        if follows_items:
            return [LEFT_OUT, ""]
        return []


def _flowing(lines: Sequence[str]) -> list[str]:
    """Returns the lines with those of one paragraph as one, up to a hard break, which ends in a backslash."""
    flowing: list[str] = []
    is_open = False
    is_broken = False
    kinds = _kinds(lines)
    columns = _code_columns(lines)
    for line, kind, column in zip(lines, kinds, columns, strict=False):
        bare_line = line.rstrip()
        has_letter = _LETTER.search(line) is not None
        goes_on = is_open and kind == "text" and has_letter
        is_marked = QUOTE_MARK.match(line) is not None
        if goes_on and is_marked:
            # A mark more begins a quotation within the quotation.
            goes_on = _quotation_depth(line) <= _quotation_depth(flowing[-1])

        if not goes_on:
            flowing.append(bare_line)
        elif is_broken:
            # Blanks at the end of a line do not outlive everything that a text passes through.
            flowing[-1] = flowing[-1].removesuffix("\\") + "\\"
            flowing.append(bare_line)
        else:
            marks = "> \t" if is_marked else None
            text = bare_line.lstrip(marks)
            flowing[-1] += f" {text}"

        is_code = column > 0
        is_open = kind in ("text", "item") and has_letter and not is_code
        is_broken = line.endswith((_HARD_BREAK, "\\"))
    return flowing


def _quotation_depth(line: str) -> int:
    """Returns how many marks of quotations a line begins with."""
    marks = _QUOTE_MARKS.match(line)
    if marks is None:
        return 0
    return marks[0].count(">")


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
        bare_line = _FIRST_QUOTE_MARK.sub("", line)
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
    for line in lines:
        is_item = _ITEM_MARK.match(line) is not None
        if is_item and _indentation(line) < depth:
            return True
    return False


def _opening(table: _Table, lines: Sequence[str], *, follows_rows: bool) -> list[str]:
    """Returns the head of a table, apart from the lines above it, and a sign if rows are left out below it."""
    opening = [""] if lines else []
    opening += table.head
    if follows_rows:
        opening += _left_out(is_table=True)
    return opening


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
    if is_code:
        shown = neutralize(text[start:end])
    else:
        written = _with_breaks(text, start, end)
        shown = _shown(written)
    quoted_lines = shown.split("\n")

    # 2. The lines lose the marks of a quotation that all of them have, and the first one's indentation.
    if not is_code:
        begins, quoted_lines = _out_of_quotation(begins, quoted_lines)
    code_column = _code_column(text, start)
    lines = _without_indentation(begins, quoted_lines, code_column, depth)
    begins_item = _ITEM_MARK.match(lines[0]) is not None
    if not is_code and not begins_item and _begins_in_item(text, start):
        lines = _apart_from_next_item(lines)

    # 3. Empty lines at either end go, and a sign says if the part is cut.
    while len(lines) > 1 and not lines[-1]:
        lines.pop()
    while len(lines) > 1 and not lines[0]:
        lines.pop(0)
    if end < whole_end:
        lines[-1] = f"{lines[-1].rstrip()} {LEFT_OUT}"
    return lines, end


def _with_breaks(text: str, start: int, end: int) -> str:
    """Returns a part of the text with a hard break behind each line that its author ended."""
    written = []
    begin = start
    for line_end in _authored_breaks(text):
        if begin <= line_end < end:
            written.append(text[begin:line_end] + _HARD_BREAK)
            begin = line_end
    written.append(text[begin:end])
    return "".join(written)


def _authored_breaks(text: str) -> Iterator[int]:
    """Yields the ends of lines behind which a paragraph goes on, if no editor wrapped it.

    Whether it was wrapped is read from all of its lines, as a quotation may hold parts of some.
    """
    paragraph: list[Line] = []
    for line in read_lines(text):
        goes_on = paragraph != [] and line.kind == "text"
        if not goes_on:
            yield from _ends_unless_wrapped(text, paragraph)
            paragraph = []
        if line.kind in ("text", "item"):
            paragraph.append(line)
    yield from _ends_unless_wrapped(text, paragraph)


def _ends_unless_wrapped(text: str, paragraph: Sequence[Line]) -> Iterator[int]:
    """Yields the ends of the lines of a paragraph but its last, unless an editor wrapped it at a column.

    Whoever edits a wrapped paragraph leaves its lines uneven, so those behind which a sentence plainly goes on are left
    out, too. Jotted lines also begin in small letters; but then the first one does, or few of them are wide.
    """
    written_lines = [text[line.start : line.end].replace("\0", "") for line in paragraph]
    if len(written_lines) < 2 or _are_wrapped(written_lines):
        return
    lines_before = written_lines[:-1]
    wide_lines = [line for line in lines_before if len(line) >= NARROWEST]
    most_are_wide = len(wide_lines) > len(lines_before) / 2
    begins_small = written_lines[0].lstrip(_BLANKS_AND_MARKS)[:1].islower()
    is_prose = most_are_wide and not begins_small
    bare_links = [line for line in written_lines if _LINK.fullmatch(line.strip(_BLANKS_AND_MARKS))]
    lists_links = len(bare_links) > 1
    for line, (written, following) in zip(paragraph, pairwise(written_lines), strict=False):
        sentence_goes_on = is_prose and _goes_on_in_small_letters(written, following)
        link_goes_on = not lists_links and _goes_on_with_link(written, following)
        if not sentence_goes_on and not link_goes_on:
            yield line.end


def _are_wrapped(lines: Sequence[str]) -> bool:
    """Reports whether an editor wrapped lines at a column: none had room for the first word of the next one.

    A line of one word, like an address, was not wrapped. Of two lines the wider one tells nothing by its width alone if it
    ends a sentence.
    """
    column = max(map(len, lines), default=0)
    if column < NARROWEST:
        return False
    if len(lines) == 2 and lines[0].rstrip().endswith(_ENDS_OF_SENTENCE):
        return False
    for line, following in pairwise(lines):
        bare_line = line.strip(_BLANKS_AND_MARKS)
        is_one_word = " " not in bare_line
        next_word, _, _ = following.lstrip(_BLANKS_AND_MARKS).partition(" ")
        length_with_word = len(line) + 1 + len(next_word)
        had_room = length_with_word <= column
        if is_one_word or had_room:
            return False
    return True


def _goes_on_with_link(line: str, following: str) -> bool:
    """Reports whether a line ends within the words of a link, or in words behind which a link follows."""
    bare_line = line.strip(_BLANKS_AND_MARKS)
    next_line = following.strip(_BLANKS_AND_MARKS)
    is_within_brackets = bare_line.rfind("[") > bare_line.rfind("]")
    if is_within_brackets:
        return _END_OF_LINK.match(next_line) is not None
    return _LINK.match(next_line) is not None and bare_line[-1:].isalpha()


def _goes_on_in_small_letters(line: str, following: str) -> bool:
    """Reports whether a sentence goes on behind a line that is wide enough to have been wrapped, and is no address."""
    bare_line = line.strip(_BLANKS_AND_MARKS)
    can_be_wrapped = len(bare_line) >= NARROWEST and " " in bare_line
    if not can_be_wrapped or bare_line.endswith(_ENDS_OF_SENTENCE):
        return False
    next_line = following.lstrip(_BLANKS_AND_MARKS)
    return next_line[:1].islower() or next_line.startswith("(")


def _out_of_quotation(begins: str, lines: Sequence[str]) -> tuple[str, list[str]]:
    """Returns what stands before the first line, and the lines, without the marks of a quotation that all of them have.

    A callout keeps its marks, and is open though the note shows it closed. If the quotation ends within the lines, the
    first one is marked as the others are.
    """
    first_line, *further_lines = lines
    is_callout = _CALLOUT.match(begins + first_line) is not None
    if not is_callout and _is_quotation(begins, lines):
        begins = _FIRST_QUOTE_MARK.sub("", begins)
        unmarked_lines = [_FIRST_QUOTE_MARK.sub("", line) for line in lines]
        return begins, _opened(unmarked_lines)

    marks = _QUOTE_MARKS.match(begins)
    if marks is None:
        return begins, _opened(lines)
    marked_line = marks[0] + first_line
    return "", _opened([marked_line, *further_lines])


def _opened(lines: Iterable[str]) -> list[str]:
    """Returns lines with folded callouts open."""
    return [_FOLDED_CALLOUT.sub(r"\1", line) for line in lines]


def _begins_in_item(text: str, start: int) -> bool:
    """Reports whether `start` is within a list item: one begins before it in its line, above it in its paragraph, or above
    indented paragraphs.
    """
    written_lines = text[:start].split("\n")
    *lines_above, begin = [_QUOTE_MARKS.sub("", line) for line in written_lines]
    if _ITEM_MARK.match(begin):
        return True
    is_indented = begin[:1].isspace()
    for line in reversed(lines_above):
        if _ITEM_MARK.match(line):
            return True
        if line.strip():
            is_indented = line[0].isspace()
        elif not is_indented:
            return False
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
    line = text[line_start:line_end]
    bare_line = _FIRST_QUOTE_MARK.sub("", line)
    if _indentation(bare_line) < _CODE_INDENTATION:
        return 0
    lines_up_to_it = text[:line_end].split("\n")
    columns = _code_columns(lines_up_to_it)
    return columns[-1]


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
    shown = without_marks(neutralize(characters))
    # What went may have stood in the midst of what looks like a citation now.
    return neutralize(shown)


def _is_quotation(begins: str, lines: Sequence[str]) -> bool:
    """Reports whether every line that shows something is marked as a quotation.

    begins: the text of the first line before what is quoted of it.
    """
    first_line, *further_lines = lines
    whole_first_line = begins + first_line
    whole_lines = [whole_first_line, *further_lines]
    lines_with_text = filter(str.strip, whole_lines)
    return all(map(QUOTE_MARK.match, lines_with_text))


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
        added = list(further)
        rows = _rows(further)
        is_table = bool(rows) and bool(_rows(lines))
        if is_table:
            added = list(rows)
        omission = _left_out(is_table=is_table)
        sign = omission[-1]

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
