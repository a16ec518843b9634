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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from shared.answering.markers import before_unfinished, grammar
from shared.language.sentences import sentence_ends
from shared.markdown.neutralize import PAD, skeleton

LOOKAHEAD = 64
"""Characters that must follow a piece before it is given out."""
MARKER_LOOKAHEAD = 16
"""Characters behind a run of markers that may still belong to the run."""
MAX_PIECE = 4000
"""Longest piece, in characters. A longer one is cut, between words if possible."""

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
"""Longest span of code or link whose end is waited for, in characters."""
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
    """Blanks, and the mark of a list item or a quotation."""
    text: str
    """The text of the piece, its markers included."""

    @property
    def whole(self) -> str:
        """The piece as it was written."""
        return f"{self.opening}{self.lead}{self.text}"


ELLIPSIS = DraftPiece("", " ", "…")
"""Stands behind a draft that was cut."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """Beginning and end of a piece, and what they mean for the next one."""

    start: int
    """Offset behind the lead."""
    end: int
    """Offset of the piece's end. The end of the rest means that the piece is not complete yet."""
    opens: bool = False
    """True if the piece says nothing by itself and opens the next one."""
    fence: str = ""
    """Fence of a block of code that continues after the cut."""
    in_table: bool = False


class Splitter:
    """Splits a draft that arrives in parts."""

    def __init__(self) -> None:
        self._rest = ""
        self._opening = ""
        self._has_given = False
        """True once a piece has been given out."""
        self._fence = ""
        """Fence of the block of code that was cut and continues."""
        self._in_table = False
        self._next_look = 0
        """Length of the rest at which it is looked at again. It grows, so that many small parts do not take quadratic
        time.
        """

    def feed(self, text: str) -> Iterator[DraftPiece]:
        """Takes the next part of the draft and yields the pieces that are complete now."""
        self._rest += text
        if len(self._rest) < self._next_look:
            return
        yield from self._pieces(ended=False)
        length = len(self._rest)
        self._next_look = length + length // 16

    def finish(self, *, truncated: bool) -> Iterator[DraftPiece]:
        """Yields the last pieces, without an unclosed marker. A `truncated` draft loses its unfinished sentence."""
        # 1. An unclosed marker.
        signs = skeleton(self._rest)
        marker_start = before_unfinished(signs)
        if marker_start < len(signs):
            self._rest = self._rest[:marker_start].rstrip(" \t\n\\")

        # 2. All pieces but the last.
        has_given = self._has_given
        last: DraftPiece | None = None
        for piece in self._pieces(ended=True):
            if last is not None:
                yield last
                has_given = True
            last = piece

        # 3. The last one, of which nothing stands if it broke off and is not the only one.
        if last is not None and truncated:
            last = _if_it_stands(last, is_only_one=not has_given)
        if last is not None:
            yield last
            has_given = True
        if truncated and has_given:
            yield ELLIPSIS

    def _pieces(self, *, ended: bool) -> Iterator[DraftPiece]:
        """Yields the complete pieces of the rest; all pieces if the draft has ended."""
        while True:
            # 1. Blanks before the piece.
            rest = self._rest
            start = len(rest) - len(rest.lstrip())
            if start == len(rest) or not self._is_read_up_to(start, ended=ended):
                return

            # 2. Where it ends.
            cut = self._next_cut(start, ended=ended)
            if not self._is_read_up_to(cut.end, ended=ended):
                return
            start = cut.start
            text = rest[start : cut.end].rstrip()
            end = start + len(text)

            # 3. What says nothing by itself waits for the next piece.
            if cut.opens:
                self._opening += rest[:end]
            else:
                end = self._markers_end(start, end, ended=ended)
                if end > len(rest):
                    return
                yield DraftPiece(self._opening, rest[:start], rest[start:end])
                self._opening = ""
                self._has_given = True
            self._rest = rest[end:]
            self._fence = cut.fence
            self._in_table = cut.in_table

    def _is_read_up_to(self, end: int, *, ended: bool) -> bool:
        """Reports whether LOOKAHEAD characters have arrived after a place, or the draft has ended."""
        if ended:
            return True
        return end + LOOKAHEAD <= len(self._rest)

    def _next_cut(self, start: int, *, ended: bool) -> _Cut:
        """Cuts the piece that begins at `start`, after the blanks: a block by its kind, running text by its sentence."""
        rest = self._rest
        is_first = not self._has_given and not self._opening
        starts_line = is_first or "\n" in rest[:start]
        if self._fence:
            return self._code(start, self._fence)
        if not starts_line:
            end = self._sentence_end(start, ended=ended)
            return _Cut(start, end)
        block = self._block(start)
        if block is None:
            text_start = _behind(_ITEM, rest, start, len(rest))
            end = self._sentence_end(text_start, ended=ended)
            block = _Cut(text_start, end)
        if block.fence:
            return block
        # Marks of a quotation belong to its lead.
        text_start = _behind(_QUOTE_MARK, rest, block.start, block.end)
        return replace(block, start=text_start)

    def _block(self, start: int) -> _Cut | None:
        """Cuts a block of code, a quotation, a row of a table, a heading or a rule; None for running text."""
        rest = self._rest
        fence = _FENCE.match(rest, start)
        if fence is not None:
            return self._code(start, fence[0])
        line_end = self._line_end(start)
        first_sign = rest[start]
        if first_sign == ">":
            quotation_end = self._quotation_end(start, line_end)
            return _Cut(start, quotation_end)
        if first_sign == "|":
            return self._row(start, line_end)
        if HEADING.match(rest, start):
            marker = _MARK.search(rest, start, line_end)
            return _Cut(start, line_end, opens=marker is None)
        if _RULE.match(rest, start):
            return _Cut(start, line_end, opens=True)
        return None

    def _row(self, start: int, line_end: int) -> _Cut:
        """Cuts a row of a table. The head row and the rule below it open the next piece."""
        if not self._in_table:
            rule = _TABLE_RULE.match(self._rest, line_end)
            if rule is not None:
                return _Cut(start, rule.end(), opens=True, in_table=True)
        return _Cut(start, line_end, in_table=True)

    def _code(self, start: int, fence: str) -> _Cut:
        """Cuts a block of code after its closing fence, or after the line in which it grows too long."""
        sign = fence[0]
        length = len(fence)
        closing_fence = re.compile(rf"\n[ \t]*{sign}{{{length},}}[ \t]*(?=\n|\Z)")
        closing = closing_fence.search(self._rest, start)
        if closing is not None:
            return _Cut(start, closing.end())
        # Never cut within a line: what reads the code line by line would take a part for a whole one.
        end = self._line_end(start + MAX_PIECE)
        if end == len(self._rest):
            return _Cut(start, end)
        return _Cut(start, end, fence=fence)

    def _quotation_end(self, start: int, line_end: int) -> int:
        """Returns the end of a quotation: the end of the line with its markers, or of its last line."""
        rest = self._rest
        while _QUOTED.match(rest, line_end):
            has_markers = _MARK.search(rest, start, line_end) is not None
            is_too_long = line_end - start >= MAX_PIECE
            if has_markers or is_too_long:
                break
            line_end = self._line_end(line_end + 1)
        return line_end

    def _line_end(self, start: int) -> int:
        end = self._rest.find("\n", start)
        if end < 0:
            return len(self._rest)
        return end

    def _sentence_end(self, start: int, *, ended: bool) -> int:
        """Returns the end of running text: the end of its sentence, or a place between words if that is too long."""
        rest = self._rest
        window = rest[start : start + MAX_PIECE + LOOKAHEAD]
        letter = _LETTER.search(window)
        ends: Iterable[tuple[int, bool]] = ()
        if letter is not None:
            ends = sentence_ends(window)
        elif len(window) <= MAX_PIECE:
            return len(rest)

        for length, ends_line in ends:
            if length > MAX_PIECE:
                break
            end = start + length
            is_whole_window = length == len(window)
            if is_whole_window or not self._is_read_up_to(end, ended=ended):
                return len(rest)
            sentence = window[:length]
            has_letter = letter is not None and letter.start() < length
            if has_letter and not _is_open(sentence, is_line=ends_line):
                return end
        blank = _BLANK.search(rest, start + MAX_PIECE)
        if blank is None:
            return len(rest)
        return blank.start()

    def _markers_end(self, start: int, end: int, *, ended: bool) -> int:
        """Returns the end of the markers behind a piece; a place beyond the rest if they are not complete yet."""
        # 1. A bracket on the same line or at the start of the next one.
        markers = grammar().run
        signs = skeleton(self._rest[end : end + _MAX_MARKERS])
        from_bracket = signs.lstrip()
        blank_count = len(signs) - len(from_bracket)
        lines_crossed = signs.count("\n", 0, blank_count)
        opens_marker = from_bracket[:1] in _OPENS_MARKER
        if lines_crossed > 1 or not opens_marker:
            return end

        # 2. Markers on the line of a piece that has some are the next one's.
        if lines_crossed == 0:
            signs_of_piece = skeleton(self._rest[start:end])
            if markers.search(signs_of_piece) is not None:
                return end

        # 3. The markers, which may still go on; on the next line they stand alone.
        run = markers.match(signs, blank_count)
        if not ended and _may_go_on(run, signs):
            return len(self._rest) + 1
        if run is None:
            return end
        if lines_crossed > 0:
            signs_behind = signs[run.end() :]
            rest_of_line, _, _ = signs_behind.partition("\n")
            if rest_of_line.strip(" \t."):
                return end
        return end + run.end()


def _may_go_on(run: re.Match[str] | None, signs: str) -> bool:
    """Reports whether a run of markers may continue in a part of the draft that has not arrived yet."""
    length = len(signs)
    if length >= _MAX_MARKERS:
        return False
    if before_unfinished(signs) < length:
        return True
    if run is None:
        return False
    return run.end() + MARKER_LOOKAHEAD > length


def _behind(mark: re.Pattern[str], text: str, start: int, end: int) -> int:
    """Returns the end of a mark that begins at `start`; `start` if there is no mark."""
    match = mark.match(text, start, end)
    if match is None:
        return start
    return match.end()


def _if_it_stands(piece: DraftPiece, *, is_only_one: bool) -> DraftPiece | None:
    """Returns the last piece of a draft that broke off, if it is complete; of an unfinished one only what there is, if it
    is the only one.
    """
    if _COMPLETE.search(piece.text):
        return piece
    if is_only_one:
        return _without_open_bracket(piece)
    return None


def _without_open_bracket(piece: DraftPiece) -> DraftPiece | None:
    """Returns an unfinished piece without an unclosed bracket at its end; None if nothing is left."""
    text = _UNCLOSED.sub("", piece.text).rstrip()
    if not text:
        return None
    return replace(piece, text=text)


def _is_open(text: str, *, is_line: bool) -> bool:
    """Reports whether a marker, a link or a span of code is not closed at the end of the text."""
    signs = skeleton(text)
    if before_unfinished(signs) < len(signs):
        return True
    if is_line:
        return False
    line_start = signs.rfind("\n") + 1
    closed = _CLOSED.match(signs, line_start)
    if closed is None:
        return False
    open_length = len(signs) - closed.end()
    return 0 < open_length < _MAX_OPEN


def split(text: str) -> tuple[DraftPiece, ...]:
    """Splits a whole text into its pieces."""
    splitter = Splitter()
    pieces = list(splitter.feed(text))
    pieces += splitter.finish(truncated=False)
    return tuple(pieces)
