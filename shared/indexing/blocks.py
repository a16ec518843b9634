"""Markdown -> sections, each with its heading path and its blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_HEADING = 200
"""Characters. A longer "heading" is a paragraph that somebody underlined: it would be repeated in every chunk."""

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
    """A heading's line and what follows it up to the next heading."""

    heading_path: str
    """`# Meetings > ## Standup`; empty above the first heading."""
    start: int
    """Where its heading begins (its text, above the first heading)."""
    blocks: tuple[Block, ...]
    heading_end: int
    """Equal to `start` where there is no heading."""


def sections(text: str, start: int) -> tuple[Section, ...]:
    """The Markdown in `text[start:]` -> its sections in order, those without any block of their own included.

    Headings inside quotations and lists are part of these. Linear in the text for all practical purposes.
    """
    lines = _line_starts(text, start)
    found: list[Section] = []
    path: list[tuple[int, str]] = []
    opened, heading_end, blocks = start, start, list[Block]()
    for token, title, block in _top_level(text, start, lines):
        if title is None:
            blocks.append(block)
            continue
        found.append(Section(_joined(path), opened, tuple(blocks), heading_end))
        level = int(token.tag[1])
        path = [*(outer for outer in path if outer[0] < level), (level, title)]
        opened, heading_end, blocks = block.start, block.end, []
    found.append(Section(_joined(path), opened, tuple(blocks), heading_end))
    return tuple(found)


def _joined(path: list[tuple[int, str]]) -> str:
    return " > ".join(f"{'#' * level} {title}" for level, title in path)


def _top_level(text: str, start: int, lines: list[int]) -> Iterator[tuple[Token, str | None, Block]]:
    """Every outermost block with its first token, and with its title if it is a heading."""
    tokens = _tokens(text[start:])
    for position, token in enumerate(tokens):
        if token.level or token.nesting < 0 or token.map is None or token.type == "hr":
            continue
        first, after = token.map
        block_start, block_end = lines[first], lines[min(after, len(lines) - 1)]
        title = None
        if token.type == "heading_open":
            title = " ".join(tokens[position + 1].content.split())
            title = title if 0 < len(title) <= MAX_HEADING else None
        yield token, title, Block(_kind(token), block_start, block_end, _items(tokens, position, lines))


def _kind(token: Token) -> Kind:
    if token.type in _LISTS:
        return Kind.LIST
    return Kind.LINES if token.type in _UNIT_OF_LINES else Kind.PROSE


def _items(tokens: list[Token], position: int, lines: list[int]) -> tuple[int, ...]:
    if tokens[position].type not in _LISTS:
        return ()
    starts = []
    for token in tokens[position + 1 :]:
        if token.level == 0:
            break
        if token.level == 1 and token.type == "list_item_open" and token.map:
            starts.append(lines[token.map[0]])
    return tuple(starts)


def _tokens(body: str) -> list[Token]:
    """Block tokens only. Inline markup is never parsed: nothing here needs it, and it costs most of the time."""
    parser = _parser()
    tokens: list[Token] = []
    parser.block.parse(_LINE_BREAK.sub("\n", body).replace("\0", "\ufffd"), parser, {}, tokens)
    return tokens


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 40 ms that only indexing needs

    # Link definitions are text to a search; they are also what makes the parser slow on a page of brackets.
    return MarkdownIt("commonmark").enable("table").disable("reference")


def _line_starts(text: str, start: int) -> list[int]:
    """Offsets of all lines of `text[start:]` as Markdown counts them, and the end of the text."""
    starts = [start, *(found.end() for found in _LINE_BREAK.finditer(text, start))]
    return starts if starts[-1] == len(text) else [*starts, len(text)]
