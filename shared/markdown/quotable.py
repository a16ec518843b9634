"""Divides the Markdown of a passage into pieces that can be quoted: sentences, list items, rows of
tables, lines of code.

Each piece has the text that a reader is to see. Headings say what follows, and comments nothing:
neither is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import pairwise

from shared.language.sentences import sentences
from shared.markdown.hidden import without_hidden
from shared.markdown.lines import Line, behind_quote_marks, cells, read_lines
from shared.markdown.neutralize import neutralize, neutralize_line
from shared.markdown.plain import LINK, plain

LEADS = (":", "：")
"""Ends of a paragraph that leads to the list, table or code below it."""
MIN_LABELS = 2
"""Lines with a label that a paragraph has, at least, for them to be pieces apart: prose may have one by chance."""
MAX_PLAIN = 320
"""Characters of a piece that are compared with a question."""
_WORD = re.compile(r"[^\W_]{2}|[^\W\dxX_]")
_LABEL = re.compile(
    r"[ \t>]*+[*_]{0,3}([^\W_][^\s:.!?;]{0,29}(?:[ ][^\s:.!?;]{1,30}){0,2})(?::[*_]{0,3}|[*_]{1,3}:)(?:[ \t]|\Z)",
)
"""Begins a line that says of what the rest of it speaks, in up to three words: `babysitter: Fleur`."""


class PieceKind(Enum):
    """Kinds of pieces. One quote holds pieces of one kind, or sentences with items."""

    SENTENCE = "running text"
    ITEM = "an item of a list"
    ROW = "a row of a table"
    CODE = "a line of code"


@dataclass(frozen=True, slots=True)
class Quotable:
    """A piece that can be quoted: `text[start:end]` in code points, without the marks around it."""

    start: int
    end: int
    plain: str
    """Plain text on one line, a row's with the names of its columns. Compared with a question,
    never shown."""
    kind: PieceKind
    section: int
    """Number of headings above it."""
    line: int
    """Offset at which it begins with its list's mark."""
    head: tuple[str, ...] = ()
    """The lines of its table's head, or the opening fence of its block of code."""
    lead: str = ""
    """Plain text of the sentence that leads to its list; empty if none does, and outside of lists."""


@lru_cache(maxsize=32)
def quotable(text: str, columns: str = "", lead: str = "") -> tuple[Quotable, ...]:
    """Returns the pieces of a passage in order, apart from each other; none without a letter.

    Kept for the passages of one question, which are read for definitions and for quotes.

    columns: the first line of the table in whose midst the text begins. lead: the sentence above the text that leads to
    the list with which it begins.
    """
    head: tuple[str, ...] = ()
    if columns:
        count = len(cells(columns))
        rule = "---|" * count
        head = (columns, f"|{rule}")
    shown_text = without_hidden(text)
    reader = _Reader(shown_text, head, lead)
    pieces = []
    for piece in reader.pieces():
        has_letter = any(map(str.isalpha, piece.plain))
        if has_letter:
            pieces.append(piece)
    return tuple(pieces)


def lead_behind(pieces: Sequence[Quotable]) -> str:
    """Returns the sentence that leads to a list which goes on behind some pieces; empty if none does."""
    if not pieces:
        return ""
    last = pieces[-1]
    if last.kind is PieceKind.SENTENCE and last.plain.endswith(LEADS):
        return last.plain
    return last.lead


def are_neighbours(text: str, previous: Quotable, piece: Quotable) -> bool:
    """Reports whether consecutive pieces may share a quote: only marks lie between them."""
    if previous.kind is not piece.kind:
        kinds = {previous.kind, piece.kind}
        if kinds != {PieceKind.SENTENCE, PieceKind.ITEM}:
            return False
    if previous.section != piece.section:
        return False
    if previous.head != piece.head:
        return False
    gap = text[previous.end : piece.line]
    return _WORD.search(gap) is None


class _Reader:
    """Reads the pieces of a text, line by line."""

    def __init__(self, text: str, head: tuple[str, ...], lead: str) -> None:
        self._text = text
        self._lines = list(read_lines(text))
        self._position = 0
        """Index of the next line."""
        self._section = 0
        """Headings so far."""
        self._head = head
        """The lines of the head of the table that the text is in; empty outside."""
        self._fence = ""
        """The opening of the last block of code."""
        self._lead = lead
        """The sentence that leads to the list that the text is in, or that comes next."""
        self._is_in_list = False

    def pieces(self) -> Iterator[Quotable]:
        """Yields the pieces in order."""
        while self._position < len(self._lines):
            line = self._lines[self._position]
            is_first = self._position == 0
            self._position += 1
            self._leave_blocks(line, is_first=is_first)

            match line.kind:
                case "heading":
                    self._section += 1
                case "row":
                    if self._next_kind() == "rule":
                        rule = self._lines[self._position]
                        self._head = (
                            self._text_of(line),
                            self._text_of(rule),
                        )
                    else:
                        yield self._row(line)
                case "fence":
                    self._fence = self._text_of(line).strip(" \t>")
                case "code":
                    yield self._code(line)
                case "item" | "text":
                    yield from self._prose(line)

    def _text_of(self, line: Line) -> str:
        """Returns a line's text."""
        return self._text[line.start : line.end]

    def _leave_blocks(self, line: Line, *, is_first: bool) -> None:
        """Forgets the head of a table and the lead of a list that end before a line."""
        if line.kind not in ("row", "rule") and not is_first:
            # The first line may be the rest of a row, in whose midst the text begins.
            self._head = ()
        if line.kind != "frame":
            self._is_in_list = line.kind == "item" or self._goes_on_in_item(line)
            if not self._is_in_list:
                self._lead = ""

    def _goes_on_in_item(self, line: Line) -> bool:
        """Reports whether a line behind an empty one is an indented paragraph of the list item above it."""
        return self._is_in_list and line.kind == "text" and self._text[line.start].isspace()

    def _next_kind(self) -> str:
        """Returns the kind of the next line; empty at the end of the text."""
        if self._position == len(self._lines):
            return ""
        return self._lines[self._position].kind

    def _code(self, line: Line) -> Quotable:
        """Returns a line of code as a piece, without its indentation."""
        code = self._text_of(line)
        indent = len(code) - len(code.lstrip())
        head: tuple[str, ...] = ()
        if self._fence:
            head = (self._fence,)
        return Quotable(
            start=line.start + indent,
            end=line.end,
            plain=_shortened(neutralize_line(code)),
            kind=PieceKind.CODE,
            section=self._section,
            line=line.start,
            head=head,
        )

    def _row(self, line: Line) -> Quotable:
        """Returns a row of a table as a piece."""
        names: tuple[str, ...] = ()
        if self._head:
            first_line = self._head[0]
            names = cells(first_line)
        row = self._text_of(line)
        values = cells(row)
        described = _described(names, values)
        words = plain(neutralize(described))
        head = [neutralize(head_line).strip(" \t>") for head_line in self._head]
        return Quotable(
            start=line.start,
            end=line.end,
            plain=_shortened(words),
            kind=PieceKind.ROW,
            section=self._section,
            line=line.start,
            head=tuple(head),
        )

    def _prose(self, first_line: Line) -> Iterator[Quotable]:
        """Yields the pieces of a paragraph or an item, with the lines that go on from it."""
        lines = [first_line]
        while self._next_kind() == "text":
            lines.append(self._lines[self._position])
            self._position += 1
        for group in self._apart_by_labels(lines):
            yield from self._sentences(group)

    def _apart_by_labels(self, lines: Sequence[Line]) -> list[list[Line]]:
        """Returns the lines of a paragraph in groups, each of which begins with a label, if several lines have one.

        Such lines are facts of their own, however long they are. The turns of a chat, whose labels repeat, stay together.
        """
        if lines[0].kind == "item":
            return [list(lines)]
        matches = [_LABEL.match(self._text_of(line)) for line in lines]
        labels = [match[1] for match in matches if match is not None]
        is_repeated = len(set(labels)) < len(labels)
        if is_repeated or len(labels) < MIN_LABELS:
            return [list(lines)]
        groups: list[list[Line]] = [[]]
        for line, match in zip(lines, matches, strict=True):
            if match is not None and groups[-1]:
                groups.append([])
            groups[-1].append(line)
        return groups

    def _sentences(self, lines: Sequence[Line]) -> Iterator[Quotable]:
        """Yields the sentences of some lines as pieces; an item is one unless it is long."""
        first_line = lines[0]
        start = first_line.start
        end = lines[-1].end
        is_item = first_line.kind == "item"
        kind = PieceKind.SENTENCE
        if is_item:
            kind = PieceKind.ITEM

        paragraph = _unwrapped(self._text, lines)
        spans = _whole_links(paragraph, sentences(paragraph))
        if is_item and spans and end - start <= MAX_PLAIN:
            first, _ = spans[0]
            _, last = spans[-1]
            spans = [(first, last)]

        for index, (first, last) in enumerate(spans):
            piece_start = start + first
            piece_end = start + last
            line_start = piece_start
            if is_item and index == 0:
                line_start = behind_quote_marks(self._text, start)
            written = self._text[piece_start:piece_end]
            words = plain(neutralize(written))
            yield Quotable(
                start=piece_start,
                end=min(piece_end, end),
                plain=_shortened(words),
                kind=kind,
                section=self._section,
                line=line_start,
                lead=self._lead if self._is_in_list else "",
            )
            if not self._is_in_list:
                self._lead = _shortened(words) if words.endswith(LEADS) else ""


def _whole_links(paragraph: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the sentences joined where one ends in the midst of a link."""
    if "](" not in paragraph:
        return list(spans)
    links = [link.span() for link in LINK.finditer(paragraph)]

    def is_in_link(position: int) -> bool:
        return any(first < position < last for first, last in links)

    joined: list[tuple[int, int]] = []
    for start, end in spans:
        joined_start = start
        if is_in_link(start):
            joined_start, _ = joined.pop()
        joined_span = (joined_start, end)
        joined.append(joined_span)
    return joined


def _described(names: Sequence[str], values: Sequence[str]) -> str:
    """Returns a row's values in one line, with the names of columns if there are as many."""
    if len(names) != len(values):
        names = [""] * len(values)
    described = []
    for name, value in zip(names, values, strict=True):
        if value and name:
            described.append(f"{name}: {value}")
        elif value:
            described.append(value)
    return "; ".join(described)


def _unwrapped(text: str, lines: Sequence[Line]) -> str:
    """Returns the lines as one text of the same length, with blanks for breaks due to the width.

    At such a break the next word would not have fitted. In a chat or a poem it would have.
    """
    first_line = lines[0]
    last_line = lines[-1]
    is_item = first_line.kind == "item"
    width = max(line.length for line in lines)
    parts = []
    part_start = first_line.start
    for line, following in pairwise(lines):
        following_text = text[following.start : following.end]
        is_due_to_width = line.length + 1 + _first_word_length(following_text) > width
        goes_on_in_item = is_item and following_text[0].isspace()
        if is_due_to_width or goes_on_in_item:
            part_end = line.end
            line_break = following.start - part_end
            parts.append(text[part_start:part_end])
            parts.append(" " * line_break)
            part_start = following.start
    text_end = last_line.end
    parts.append(text[part_start:text_end])
    return "".join(parts)


def _first_word_length(text: str) -> int:
    first_word, *_ = text.split(maxsplit=1)
    return len(first_word)


def _shortened(text: str) -> str:
    """Returns the text, cut to MAX_PLAIN characters at a blank if there is one."""
    if len(text) <= MAX_PLAIN:
        return text
    cut = text[:MAX_PLAIN]
    whole_words, _, _ = cut.rpartition(" ")
    shortened = whole_words or cut
    return f"{shortened}…"
