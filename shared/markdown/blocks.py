"""Markdown -> sections, each with its heading path and its blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_HEADING = 200
"""Characters. A longer "heading" is a paragraph that somebody underlined: it would be repeated in every chunk."""

_TABLE = re.compile(r"^[ \t>]*+(\|[^\n]*+)\n[ \t>]*+(?=[^\n]*-)[|: \t-]++((?:\n[ \t>]*+\|[^\n]*+)++)", re.MULTILINE)
_LINE_BREAK = re.compile(r"\r\n?|\n")
_UNIT_OF_LINES = frozenset(("fence", "code_block", "table_open"))
_LISTS = frozenset(("bullet_list_open", "ordered_list_open"))


class Kind(Enum):
    """How a block may be divided."""

    PROSE = "at sentences"
    LIST = "between items, if it is too long for one chunk"
    LINES = "between lines, if it is too long for one chunk: code and tables"


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level block; offsets into the note's text."""

    kind: Kind
    start: int
    end: int
    items: tuple[int, ...] = ()
    """Where the items of a list begin."""


@dataclass(frozen=True, slots=True)
class Section:
    """The text under one heading, up to the next."""

    heading_path: str
    """`# Meetings > ## Standup`; empty above the first heading."""
    blocks: tuple[Block, ...]
    """At least one."""


_Heading: TypeAlias = tuple[int, str]
"""Level and title."""


def sections(text: str, start: int) -> tuple[Section, ...]:
    """The Markdown in `text[start:]` -> its sections, in order.

    A heading with nothing under it, not even another heading, is text of the one above it: so an outline is found,
    and is not one section a line. Headings inside quotations and lists are part of these. Linear in the text.
    """
    path: tuple[_Heading, ...] = ()
    found: list[tuple[tuple[_Heading, ...], list[Block]]] = [(path, [])]
    blocks = _top_level(text, start)
    headings = [heading for heading, _ in blocks]
    for (heading, block), following in zip(blocks, [*headings[1:], (0, "")], strict=False):
        if heading is not None:
            is_bare = following is not None and following[0] <= heading[0]
            outer = tuple([above for above in path if above[0] < heading[0]])
            path = outer if is_bare else (*outer, heading)
            if path != found[-1][0] or not is_bare:
                found.append((path, []))
            if not is_bare:
                continue
        found[-1][1].append(block)
    return tuple(
        [
            Section(" > ".join([f"{'#' * level} {title}" for level, title in above]), tuple(under))
            for above, under in found
            if under
        ]
    )


def table_heads(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, first line of its head) of the rows of each table whose lines begin with `|`, in order."""
    for table in _TABLE.finditer(text.replace("\r", " ")):
        yield table.start(2) + 1, table.end(2), table[1].rstrip()


def _top_level(text: str, start: int) -> list[tuple[_Heading | None, Block]]:
    """Every outermost block, and what it says if it is a heading."""
    lines = [start, *[found.end() for found in _LINE_BREAK.finditer(text, start)], len(text)]
    parser = _parser()
    tokens: list[Token] = []
    # Inline markup is never parsed: nothing here needs it, and it costs most of the time.
    parser.block.parse(_LINE_BREAK.sub("\n", text[start:]).replace("\0", "\ufffd"), parser, {}, tokens)
    found: list[tuple[_Heading | None, Block]] = []
    items: list[int] = []
    for position, token in enumerate(tokens):
        if token.level == 1 and token.type == "list_item_open" and token.map:
            items.append(lines[token.map[0]])
        if token.level == 0 and token.nesting < 0 and items:  # the end of their list
            found[-1] = (None, replace(found[-1][1], items=tuple(items)))
            items = []
        if token.level or token.nesting < 0 or token.map is None or token.type == "hr":
            continue
        heading = None
        if token.type == "heading_open":
            title = " ".join(tokens[position + 1].content.split())
            heading = (int(token.tag[1]), title) if 0 < len(title) <= MAX_HEADING else None
        start, end = lines[token.map[0]], lines[min(token.map[1], len(lines) - 1)]
        if text[start:end].strip():  # a form feed is a paragraph to Markdown, and a blank to us
            kind = Kind.LIST if token.type in _LISTS else Kind.LINES if token.type in _UNIT_OF_LINES else Kind.PROSE
            found.append((heading, Block(kind=kind, start=start, end=end)))
    return found


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 40 ms that only indexing needs

    # Link definitions are text to a search; they are also what makes the parser slow on a page of brackets.
    return MarkdownIt("commonmark").enable("table").disable("reference")
