"""Divides Markdown into sections, each with its heading path and its blocks."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_HEADING = 200
"""Most characters of a heading. A longer one is a paragraph that somebody underlined, and would be repeated in every chunk."""

_TABLE = re.compile(
    r"^[ \t>]*+(\|[^\n]*+)\n[ \t>]*+(?=[^\n]*-)[|: \t-]++((?:\n[ \t>]*+\|[^\n]*+)++)",
    re.MULTILINE,
)
_LINE_BREAK = re.compile(r"\r\n?|\n")


class BlockKind(Enum):
    """Kinds of blocks, by how a block may be divided."""

    PROSE = "at sentences"
    LIST = "between items, if it is too long for one chunk"
    LINES = "between lines, if it is too long for one chunk: code and tables"


_KINDS = {
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.LIST,
    "fence": BlockKind.LINES,
    "code_block": BlockKind.LINES,
    "table_open": BlockKind.LINES,
}
"""The parser's type of a block -> how it may be divided; all others are prose."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of at most MAX_HEADING characters."""

    level: int
    """1 to 6."""
    title: str


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level block; offsets into the note's text."""

    kind: BlockKind
    start: int
    end: int
    items: Sequence[int] = ()
    """Offsets at which the items of a list begin."""
    heading: Heading | None = None
    """Level and title of a heading; None if the block is not a heading."""


@dataclass(frozen=True, slots=True)
class Section:
    """The text under one heading, up to the next."""

    heading_path: str
    """`# Meetings > ## Standup`; empty above the first heading."""
    blocks: tuple[Block, ...]
    """At least one."""


def sections(text: str, start: int) -> Iterator[Section]:
    """Yields the sections of the Markdown in `text[start:]`, in order.

    A heading with nothing under it, not even another heading, is text of the one above it: so an
    outline is found, and is not one section a line. Headings inside quotations and lists are part
    of these. Linear in the text.
    """
    path: tuple[Heading, ...] = ()
    section_blocks: list[Block] = []
    blocks = _top_level(text, start)
    for block, following in zip_longest(blocks, islice(blocks, 1, None)):
        heading = block.heading
        if heading is None:
            section_blocks.append(block)
            continue

        next_path = tuple([outer for outer in path if outer.level < heading.level])
        is_bare = _is_bare(heading, following)
        if not is_bare:
            next_path = (*next_path, heading)

        begins_section = next_path != path or not is_bare
        if begins_section:
            if section_blocks:
                yield Section(_written(path), tuple(section_blocks))
            path = next_path
            section_blocks = []
        if is_bare:
            section_blocks.append(block)
    if section_blocks:
        yield Section(_written(path), tuple(section_blocks))


def _is_bare(heading: Heading, following: Block | None) -> bool:
    """Reports whether nothing stands under a heading; `following`: the block behind it."""
    if following is None:
        return True
    if following.heading is None:
        return False
    return following.heading.level <= heading.level


def _written(path: Iterable[Heading]) -> str:
    """Writes headings inside each other as `# Meetings > ## Standup`."""
    headings = []
    for heading in path:
        marks = "#" * heading.level
        headings.append(f"{marks} {heading.title}")
    return " > ".join(headings)


def table_heads(text: str) -> Iterator[tuple[int, int, str]]:
    """Yields start and end of each table's rows and the first line of its head.

    Finds tables whose lines begin with `|`.
    """
    without_returns = text.replace("\r", " ")
    for table in _TABLE.finditer(without_returns):
        first_line = table[1]
        head = first_line.rstrip()
        line_break, end = table.span(2)
        start = line_break + 1
        yield start, end, head


def _top_level(text: str, start: int) -> list[Block]:
    """Returns every outermost block of the Markdown in `text[start:]`."""
    if start >= len(text):
        return []
    line_starts = array("i", [start])
    for line_break in _LINE_BREAK.finditer(text, start):
        line_starts.append(line_break.end())
    line_starts.append(len(text))

    source = _LINE_BREAK.sub("\n", text[start:])
    source = source.replace("\0", "\ufffd")
    parser = _parser()
    outermost = _OutermostBlocks(text, line_starts)
    # Inline markup is never parsed: nothing here needs it, and it costs most of the time.
    parser.block.parse(source, parser, {}, outermost)
    return outermost.finished()


class _OutermostBlocks(list["Token"]):
    """The parser's list of tokens. It keeps none: blocks are made of the outermost as they come.

    A note of 900 KB can be a million tokens of 400 bytes. The parser's rules look into the list for
    nothing that is used here (whether paragraphs of a list are tight).
    """

    def __init__(self, text: str, line_starts: array[int]) -> None:
        super().__init__()
        self._text = text
        self._line_starts = line_starts
        self._blocks: list[Block] = []
        self._opened: Token | None = None
        """The outermost token that came last. The parser says where its block ends only after the
        block's other tokens."""
        self._title: Token | None = None
        """The inline token of the heading `_opened`."""
        self._item: Token | None = None
        """The list item that was opened just now: the parser says where it is after appending
        it."""
        self._items = array("i")
        """Offsets at which the items of the list `_opened` begin."""

    def append(self, token: Token) -> None:
        """Takes a token, and makes a block of the outermost one before it."""
        self._place_item()
        is_outermost = token.level == 0 and token.nesting >= 0
        if is_outermost:
            self._finish_block()
            self._opened = token
        elif token.level == 1 and token.type == "list_item_open":
            self._item = token
        elif token.level == 1 and token.type == "inline":
            self._title = token

    def finished(self) -> list[Block]:
        """Returns all blocks, when the parser has come to the end."""
        self._place_item()
        self._finish_block()
        return self._blocks

    def _place_item(self) -> None:
        """Notes where the list item begins that was opened before the token that comes now."""
        item = self._item
        if item is not None and item.map:
            first_line, _ = item.map
            self._items.append(self._line_starts[first_line])
        self._item = None

    def _finish_block(self) -> None:
        """Makes a block of the outermost token, now that all of it has come."""
        token = self._opened
        items = self._items
        self._items = array("i")
        if token is None or token.map is None or token.type == "hr":
            return

        first_line, line_after = token.map
        last_start = len(self._line_starts) - 1
        start = self._line_starts[first_line]
        end = self._line_starts[min(line_after, last_start)]
        is_blank = not self._text[start:end].strip()
        if is_blank:  # a form feed is a paragraph to Markdown, and a blank to us
            return

        block = Block(
            kind=_KINDS.get(token.type, BlockKind.PROSE),
            start=start,
            end=end,
            items=items,
            heading=self._heading(token),
        )
        self._blocks.append(block)

    def _heading(self, token: Token) -> Heading | None:
        """Returns the level and title of a heading; None for any other block, and for a heading that is too long."""
        if token.type != "heading_open" or self._title is None:
            return None
        words = self._title.content.split()
        title = " ".join(words)
        if not 0 < len(title) <= MAX_HEADING:
            return None
        level = int(token.tag[1])  # of `h2`
        return Heading(level, title)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 40 ms that only indexing needs

    # Link definitions are text to a search; they are also what makes the parser slow on a page of brackets.
    return MarkdownIt("commonmark").enable("table").disable("reference")
