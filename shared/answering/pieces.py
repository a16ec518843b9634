"""A draft as it is written -> its pieces, each whole: a sentence, a list item, a table row, a block of code.

How a draft falls into pieces depends on its text alone, not on how the text arrives: a piece is given out once
LOOKAHEAD characters behind it are there, or the draft has ended. The pieces, one after another, are the draft without
the blanks at its end.

1. A line's start says what it is: code goes up to its closing fence, a quotation up to its markers or its last line, a
   row of a table to the line's end; anything else up to the end of its sentence (`shared.language.sentences`).
2. No piece ends inside a marker, a span of code or a link.
3. Markers behind a piece without one are its own, also alone on the next line.
4. What says nothing by itself (headings, the head of a table, rules) opens the piece that follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from shared.answering.markers import before_unfinished, grammar
from shared.language.sentences import sentence_ends
from shared.markdown.neutralize import PAD, skeleton

LOOKAHEAD = 64
"""Characters."""
MAX_PIECE = 4000
"""Characters after which a piece that does not end is cut, between words where it can be."""

_ITEM = re.compile(r"(?:[-*+•‣◦–]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)")
_FENCE = re.compile(r"`{3,}|~{3,}")
HEADING = re.compile(r"#{1,6}[ \t]")
_RULE = re.compile(r"([-*_])(?:[ \t]*\1){2,}[ \t]*(?:\n|\Z)")
_TABLE_RULE = re.compile(r"\n(?=[^\n]*-)[|: \t-]++(?=\n|\Z)")
_QUOTE_MARK = re.compile(r"(?:>[ \t]*)+(?=\S)")
_QUOTED = re.compile(r"\n[ \t]*>")
_BLANK = re.compile(r"\s")
_CLOSED = re.compile(r"(?:[^`\[!]|!(?!\[)|`++[^`\n]*`++|!?\[++[^\[\]\n]*\]++(?:\([^()\n]*\))?+)*+")
_MAX_OPEN = 300
"""Characters for which a span of code or a link is waited for."""
_MAX_MARKERS = 400
_MARK = re.compile(r"\[[Nn]?\d")
_OPENS_MARKER = frozenset(("[", "\\", PAD))
_LETTER = re.compile(r"[^\W_]")
_COMPLETE = re.compile(r"[.!?…。！？][\"'”’»)\]*_`]*(?:\s*\[[^\[\]]*\])*\Z")
_UNCLOSED = re.compile(r"\[[^\[\]]*\Z")


@dataclass(frozen=True, slots=True)
class DraftPiece:
    """One piece as it was written: `opening`, `lead` and `text` one after another."""

    opening: str
    """Headings, rules and the head of a table above it, with the blanks before them."""
    lead: str
    """Blanks, and the mark of a list's item or a quotation."""
    text: str
    """What it says, its markers included."""

    @property
    def whole(self) -> str:
        return f"{self.opening}{self.lead}{self.text}"


ELLIPSIS = DraftPiece("", " ", "…")
"""Stands behind a draft that was cut."""


class _Cut(NamedTuple):
    """Where a piece ends (at the rest's end: it is not whole yet), and what follows from it for the next one."""

    end: int
    opens: bool = False
    fence: str = ""
    in_table: bool = False


class Splitter:
    """Takes a draft part by part."""

    def __init__(self) -> None:
        self._rest = ""
        self._opening = ""
        self._any = False
        """Whether a piece was given out."""
        self._fence = ""
        """That of the block of code we are in, which was cut."""
        self._in_table = False
        self._enough = 0
        """Characters of the rest from which on another look is worth it: many small parts take no quadratic time."""

    def feed(self, text: str) -> Iterator[DraftPiece]:
        """The next of the draft -> the pieces that are whole now."""
        self._rest += text
        if len(self._rest) >= self._enough:
            yield from self._pieces(ended=False)
            self._enough = len(self._rest) + len(self._rest) // 16

    def finish(self, *, truncated: bool) -> Iterator[DraftPiece]:
        """The last pieces, without a marker that breaks off; of a `truncated` draft without its unfinished sentence."""
        end = before_unfinished(skeleton(self._rest))
        self._rest = self._rest[:end].rstrip(" \t\n\\") if end < len(self._rest) else self._rest
        given, last = self._any, None
        for piece in self._pieces(ended=True):
            if last:
                yield last
            given, last = given or last is not None, piece
        if last and truncated and not _COMPLETE.search(last.text):
            text = _UNCLOSED.sub("", last.text).rstrip()
            last = replace(last, text=text) if text and not given else None
        if last:
            yield last
        if truncated and (last or given):
            yield ELLIPSIS

    def _pieces(self, *, ended: bool) -> Iterator[DraftPiece]:
        while True:
            rest = self._rest
            start = len(rest) - len(rest.lstrip())
            if start == len(rest) or not (ended or start + LOOKAHEAD <= len(rest)):
                return
            at_line = "\n" in rest[:start] or not (self._any or self._opening)
            cut = self._block(start) if at_line or self._fence else None
            if cut is None:
                item = _ITEM.match(rest, start) if at_line else None
                start = item.end() if item else start
                cut = _Cut(self._sentence(start, ended=ended))
            if not (ended or cut.end + LOOKAHEAD <= len(rest)):
                return
            quoted = _QUOTE_MARK.match(rest, start, cut.end) if at_line and not (self._fence or cut.fence) else None
            start = quoted.end() if quoted else start
            end = start + len(rest[start : cut.end].rstrip())
            if cut.opens:
                self._opening += rest[:end]
            elif (end := self._markers(start, end, ended=ended)) > len(rest):
                return
            else:
                yield DraftPiece(self._opening, rest[:start], rest[start:end])
                self._opening, self._any = "", True
            self._rest, self._fence, self._in_table = rest[end:], cut.fence, cut.in_table

    def _block(self, start: int) -> _Cut | None:
        """None: it is running text."""
        rest = self._rest
        fence = _FENCE.match(rest, start)
        if self._fence or fence:
            mark = self._fence or (fence[0] if fence else "")
            closing = re.compile(rf"\n[ \t]*{mark[0]}{{{len(mark)},}}[ \t]*(?=\n|\Z)").search(rest, start)
            # Never cut within a line: what reads the code line by line would take a part for a whole one.
            end = closing.end() if closing else self._line_end(start + MAX_PIECE)
            return _Cut(end, fence="" if closing or end == len(rest) else mark)
        line = self._line_end(start)
        if rest[start] == ">":
            while not _MARK.search(rest, start, line) and line - start < MAX_PIECE and _QUOTED.match(rest, line):
                line = self._line_end(line + 1)
            return _Cut(line)
        if rest[start] == "|":
            rule = None if self._in_table else _TABLE_RULE.match(rest, line)
            return _Cut(rule.end() if rule else line, opens=rule is not None, in_table=True)
        if HEADING.match(rest, start):
            return _Cut(line, opens=_MARK.search(rest, start, line) is None)
        return _Cut(line, opens=True) if _RULE.match(rest, start) else None

    def _line_end(self, start: int) -> int:
        end = self._rest.find("\n", start)
        return end if end >= 0 else len(self._rest)

    def _sentence(self, start: int, *, ended: bool) -> int:
        window = self._rest[start : start + MAX_PIECE + LOOKAHEAD]
        letter = _LETTER.search(window)
        for end, is_line in sentence_ends(window) if letter else ((len(window), True),):
            if end > MAX_PIECE:
                break
            if end == len(window) or not (ended or start + end + LOOKAHEAD <= len(self._rest)):
                return len(self._rest)
            if letter and letter.start() < end and not _is_open(window[:end], is_line=is_line):
                return start + end
        blank = _BLANK.search(self._rest, start + MAX_PIECE)
        return blank.start() if blank else len(self._rest)

    def _markers(self, start: int, end: int, *, ended: bool) -> int:
        """Behind the markers that follow a piece; beyond the rest: they are not whole yet."""
        signs = skeleton(self._rest[end : end + _MAX_MARKERS])
        blanks = len(signs) - len(signs.lstrip())
        crosses = signs[:blanks].count("\n")
        if crosses > 1 or signs[blanks : blanks + 1] not in _OPENS_MARKER:
            return end
        if not crosses and grammar().run.search(skeleton(self._rest[start:end])):
            return end
        run = grammar().run.match(signs, blanks)
        goes_on = before_unfinished(signs) < len(signs) or (run is not None and run.end() + 16 > len(signs))
        if goes_on and not ended and len(signs) < _MAX_MARKERS:
            return len(self._rest) + 1
        if run is None or (crosses and signs[run.end() :].split("\n", 1)[0].strip(" \t.")):
            return end
        return end + run.end()


def _is_open(text: str, *, is_line: bool) -> bool:
    """Whether a marker goes on behind the text or, inside a line, a link or a span of code."""
    signs = skeleton(text)
    if before_unfinished(signs) < len(signs):
        return True
    line = signs.rfind("\n") + 1
    closed = _CLOSED.match(signs, line)
    return not is_line and closed is not None and 0 < len(signs) - closed.end() < _MAX_OPEN


def split(text: str) -> tuple[DraftPiece, ...]:
    """A whole text -> its pieces."""
    splitter = Splitter()
    return (*splitter.feed(text), *splitter.finish(truncated=False))
