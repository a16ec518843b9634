"""Markdown of a passage -> the pieces of it that can be quoted: sentences, list items, rows of tables, lines of code,
each with what a reader is to see. Headings say what follows, and comments nothing: neither is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from shared.language.sentences import sentences
from shared.markdown.neutralize import neutralize
from shared.markdown.plain import cells, plain

LONGEST = 320
"""Characters of a piece that are shown."""

_QUOTED = r"(?:[ \t]*+>)*+[ \t]*+"
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_HIDDEN = re.compile(
    r"<!--(?:(?!<!--|-->).)*+-->"
    r"|\{%-?\s*+comment\b(?:(?!\{%-?\s*+comment\b|\bendcomment\s*+-?%\}).)*+endcomment\s*+-?%\}",
    re.DOTALL,
)
_LINE_KINDS = (
    ("fence", re.compile(rf"{_QUOTED}(?:`{{3,}}|~{{3,}})")),
    ("rule", re.compile(rf"{_QUOTED}\|?+[ \t]*+:?+-{{2,}}+:?+[ \t]*+(?:\|[ \t]*+:?+-*+:?+[ \t]*+)*+\s*\Z")),
    ("row", re.compile(rf"{_QUOTED}\|.*\|\s*\Z")),
    ("heading", re.compile(rf"{_QUOTED}#{{1,6}}(?:[ \t]|\s*\Z)")),
    ("item", re.compile(rf"{_QUOTED}(?:[-*+•‣◦]|\d{{1,9}}[.)])[ \t]+\S")),
    ("frame", re.compile(rf"{_QUOTED}(?:\{{%.*%\}}|:::.*|!!!.*|\[![A-Za-z]+\][-+]?.*)?\s*\Z")),
)
"""What a line is by how it looks, the first that fits. A frame stands around others: an empty line, the tag of a
template, the opening of a callout."""


class Kind(Enum):
    """How a piece is shown beside others."""

    SENTENCE = "in running text"
    ITEM = "as an item of a list"
    CODE = "as code"


@dataclass(frozen=True, slots=True)
class Piece:
    """`text[start:end]` in code points, without the marks around it."""

    start: int
    end: int
    shown: str
    """Plain text on one line, of a table's row with the names of its columns, where they stand above it."""
    kind: Kind
    section: int
    """How many headings stand above it."""


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    kind: str


def pieces(text: str) -> tuple[Piece, ...]:
    """In order, apart from each other; none that holds no letter."""
    seen = _HIDDEN.sub(_blanked, text)
    found = _read(seen, list(_lines(seen)))
    return tuple(piece for piece in found if any(map(str.isalpha, piece.shown)))


def quotation(chosen: Sequence[Piece]) -> list[str]:
    """Neighbouring pieces -> the lines of Markdown that show them. What is no sentence stands in a list, if it is not
    alone, and with it the sentence behind it, which would go on with the last item otherwise.
    """
    lines: list[str] = []
    for before, piece in pairwise([None, *chosen]):
        assert piece is not None  # noqa: S101 - only the first one is
        shown = f"`{piece.shown}`" if piece.kind is Kind.CODE and "`" not in piece.shown else piece.shown
        if before is not None and before.kind is piece.kind is Kind.SENTENCE:
            lines[-1] += f" {shown}"
        else:
            in_list = len(chosen) > 1 and not (before or piece).kind is piece.kind is Kind.SENTENCE
            lines.append(f"- {shown}" if in_list else shown)
    return lines


def _blanked(hidden: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", hidden[0])


def _lines(text: str) -> Iterator[_Line]:
    is_code = False
    for found in _LINE.finditer(text):
        kind = next((kind for kind, pattern in _LINE_KINDS if pattern.match(found[0])), "text")
        if kind == "fence":
            is_code, kind = not is_code, "frame"
        elif is_code:
            kind = "code" if found[0].strip() else "frame"
        yield _Line(found.start(), found.start() + len(found[0].rstrip()), kind)


def _read(text: str, lines: Sequence[_Line]) -> Iterator[Piece]:
    section = at = 0
    header: tuple[str, ...] = ()
    while at < len(lines):
        line, following = lines[at], lines[at + 1].kind if at + 1 < len(lines) else ""
        at += 1
        section += line.kind == "heading"
        if line.kind not in ("row", "rule"):
            header = ()
        if line.kind == "row" and following == "rule":
            header = cells(text[line.start : line.end])
        elif line.kind == "row":
            yield _row(text, line, header, section)
        elif line.kind == "code":
            yield _code(text, line, section)
        elif line.kind in ("item", "text"):
            first = at - 1
            while at < len(lines) and lines[at].kind == "text":
                at += 1
            yield from _prose(text, lines[first:at], section)


def _row(text: str, line: _Line, header: Sequence[str], section: int) -> Piece:
    values = cells(text[line.start : line.end])
    named = list(zip(header, values, strict=False)) if len(header) == len(values) else [("", value) for value in values]
    shown = "; ".join(f"{name}: {value}" if name else value for name, value in named if value)
    return Piece(
        start=line.start, end=line.end, shown=_shortened(plain(neutralize(shown))), kind=Kind.ITEM, section=section
    )


def _code(text: str, line: _Line, section: int) -> Piece:
    start = line.start + len(text[line.start : line.end]) - len(text[line.start : line.end].lstrip())
    return Piece(
        start=start,
        end=line.end,
        shown=_shortened(" ".join(neutralize(text[start : line.end]).split())),
        kind=Kind.CODE,
        section=section,
    )


def _prose(text: str, lines: Sequence[_Line], section: int) -> Iterator[Piece]:
    """A paragraph or an item with the lines that go on from it."""
    start, end = lines[0].start, lines[-1].end
    kind = Kind.ITEM if lines[0].kind == "item" else Kind.SENTENCE
    for first, last in sentences(_unwrapped(text, lines)):
        shown = plain(neutralize(text[start + first : start + last]))
        yield Piece(
            start=start + first, end=min(start + last, end), shown=_shortened(shown), kind=kind, section=section
        )


def _unwrapped(text: str, lines: Sequence[_Line]) -> str:
    """The lines as one text of the same length, with a blank in place of a break that is there for the width alone: the
    next word would not have fitted. In a chat or a poem it would have.
    """
    width = max(line.end - line.start for line in lines)
    unwrapped = text[lines[0].start : lines[-1].end]
    for line, following in pairwise(lines):
        word = text[following.start : following.end].split(maxsplit=1)[0]
        indented = following.end - following.start > len(text[following.start : following.end].lstrip())
        if line.end - line.start + 1 + len(word) > width or (indented and lines[0].kind == "item"):
            at, to = line.end - lines[0].start, following.start - lines[0].start
            unwrapped = unwrapped[:at] + " " * (to - at) + unwrapped[to:]
    return unwrapped


def _shortened(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    cut = text[:LONGEST]
    return f"{cut.rpartition(' ')[0] or cut}…"
