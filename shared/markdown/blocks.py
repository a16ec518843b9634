"""Markdown -> sections, each with its heading path and its blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
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
    """What stands under one heading, up to the next."""

    heading_path: str
    """`# Meetings > ## Standup`; empty above the first heading."""
    blocks: tuple[Block, ...]
    """At least one."""


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    title: str


def sections(text: str, start: int) -> tuple[Section, ...]:
    """The Markdown in `text[start:]` -> its sections, in order.

    A heading with nothing under it, not even another heading, is text of the one above it: so an outline is found,
    and is not one section a line. Headings inside quotations and lists are part of these. Linear in the text.
    """
    path: tuple[_Heading, ...] = ()
    found: list[tuple[tuple[_Heading, ...], list[Block]]] = [(path, [])]
    blocks = [*_top_level(text, start)]
    for (heading, block), (following, _) in zip(blocks, [*blocks[1:], (_END, None)], strict=False):
        if heading is not None:
            is_bare = following is not None and following.level <= heading.level
            outer = tuple(above for above in path if above.level < heading.level)
            path = outer if is_bare else (*outer, heading)
            if path != found[-1][0] or not is_bare:
                found.append((path, []))
            if not is_bare:
                continue
        found[-1][1].append(block)
    return tuple(Section(_joined(headings), tuple(under)) for headings, under in found if under)


_END = _Heading(0, "")


def _joined(path: Iterable[_Heading]) -> str:
    return " > ".join(f"{'#' * heading.level} {heading.title}" for heading in path)


def _top_level(text: str, start: int) -> Iterator[tuple[_Heading | None, Block]]:
    """Every outermost block, and what it says if it is a heading."""
    lines = _line_starts(text, start)
    tokens = _tokens(text[start:])
    for position, token in enumerate(tokens):
        if token.level or token.nesting < 0 or token.map is None or token.type == "hr":
            continue
        heading = None
        if token.type == "heading_open":
            title = " ".join(tokens[position + 1].content.split())
            heading = _Heading(int(token.tag[1]), title) if 0 < len(title) <= MAX_HEADING else None
        start, end = lines[token.map[0]], lines[min(token.map[1], len(lines) - 1)]
        if text[start:end].strip():  # a form feed is a paragraph to Markdown, and a blank to us
            yield heading, Block(kind=_kind(token), start=start, end=end, items=_items(tokens, position, lines))


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
