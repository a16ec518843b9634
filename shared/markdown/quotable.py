"""Divides the Markdown of a passage into pieces that can be quoted: sentences, list items, rows of
tables, lines of code.

Each piece has the text that a reader is to see. Headings say what follows, and comments nothing:
neither is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from itertools import pairwise, zip_longest
from typing import TypeAlias

from shared.language.sentences import sentences
from shared.markdown.file import without_code
from shared.markdown.hidden import BLOCK_ID, with_characters, without_hidden
from shared.markdown.neutralize import neutralize, neutralize_line
from shared.values import dataclass

MAX_PLAIN = 320
"""Characters of a piece that are compared with a question."""

_QUOTED = r"[ \t>]*+"
_TABLE_RULE_MARKS = r"\|?+[ \t]*+:?+-{2,}+:?+[ \t]*+(?:\|[ \t]*+:?+-*+:?+[ \t]*+)*+"
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_LINE_KINDS = (
    ("fence", re.compile(rf"{_QUOTED}(?:`{{3,}}|~{{3,}})")),
    ("rule", re.compile(rf"{_QUOTED}{_TABLE_RULE_MARKS}\s*\Z")),
    ("row", re.compile(rf"{_QUOTED}\|.*\|\s*\Z")),
    ("heading", re.compile(rf"{_QUOTED}#{{1,6}}(?:[ \t]|\s*\Z)")),
    ("item", re.compile(rf"{_QUOTED}(?:[-*+•‣◦]|\d{{1,9}}[.)])[ \t]+\S")),
    ("frame", re.compile(rf"{_QUOTED}(?:\{{%.*%\}}|:::.*|!!!.*|\[![A-Za-z]+\][-+]?.*)?\s*\Z")),
)
"""Kinds of lines, the first that fits. A frame is an empty line, a template's tag or the opening of
a callout."""

_PIPELESS_RULE = re.compile(
    rf"^{_QUOTED}:?+-+:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)++\|?+[ \t]*+$", re.MULTILINE
)
_QUOTE_MARK = re.compile(r"(?:[ \t]*+>)++[ \t]*+")
_BLANKS = re.compile(r"[ \t]*")
_WORD = re.compile(r"[^\W_]{2}|[^\W\dxX_]")


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


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the text, without the white space at its end."""

    start: int
    end: int
    kind: str
    """`fence`, `rule`, `row`, `heading`, `item`, `frame`, `code` or `text`."""

    @property
    def length(self) -> int:
        return self.end - self.start


def quotable(text: str, columns: str = "") -> tuple[Quotable, ...]:
    """Returns the pieces of a passage in order, apart from each other; none without a letter.

    columns: the first line of the table in whose midst the text begins.
    """
    head: tuple[str, ...] = ()
    if columns:
        rule = "---|" * len(cells(columns))
        head = (columns, f"|{rule}")
    reader = _Reader(without_hidden(text), head)
    pieces = []
    for piece in reader.pieces():
        has_letter = any(character.isalpha() for character in piece.plain)
        if has_letter:
            pieces.append(piece)
    return tuple(pieces)


def are_neighbours(text: str, previous: Quotable, piece: Quotable) -> bool:
    """Reports whether consecutive pieces may share a quote: only marks lie between them."""
    kinds = {previous.kind, piece.kind}
    if len(kinds) > 1 and kinds != {PieceKind.SENTENCE, PieceKind.ITEM}:
        return False
    if previous.section != piece.section or previous.head != piece.head:
        return False
    gap = text[previous.end : piece.start]
    return _WORD.search(gap) is None


def read_lines(text: str) -> Iterator[Line]:
    """Yields the lines of the text with their kinds."""
    lines = list(_lines_as_marked(text))
    is_in_table = False
    for line, following in zip_longest(lines, lines[1:]):
        if line.kind == "text":
            is_in_table = is_in_table or _heads_table(text, line, following)
        elif line.kind != "rule":
            is_in_table = False
        if is_in_table and line.kind == "text":
            yield replace(line, kind="row")
        else:
            yield line


def _lines_as_marked(text: str) -> Iterator[Line]:
    """Yields the lines with their kinds; rows of a table are those between `|`."""
    is_code = False
    for match in _LINE.finditer(text):
        line = match[0].rstrip()
        kind = _kind_of_line(match[0])
        if kind == "fence":
            is_code = not is_code
        elif is_code:
            kind = "code" if line else "frame"
        start = match.start()
        yield Line(start, start + len(line), kind)


def _heads_table(text: str, line: Line, following: Line | None) -> bool:
    """Reports whether a line is the head of a table whose lines do not begin with `|`.

    following: the next line, which rules the head off in as many columns.
    """
    if following is None or following.kind != "rule":
        return False
    head = cells(text[line.start : line.end])
    rule = cells(text[following.start : following.end])
    return len(head) > 1 and len(head) == len(rule)


def with_pipes(markdown: str) -> str:
    """Returns Markdown in which every line of a table begins and ends with `|`."""
    if not _PIPELESS_RULE.search(markdown):
        return markdown
    lines = []
    is_in_table = False
    for line in read_lines(markdown):
        text = markdown[line.start : line.end]
        if line.kind == "row":
            is_in_table = True
        elif line.kind != "rule":
            is_in_table = False
        lacks_pipe = not text.lstrip("> \t").startswith("|")
        if is_in_table and lacks_pipe:
            begin = _behind_quote_marks(markdown, line.start) - line.start
            marks = text[:begin]
            row = text[begin:].removesuffix("|").rstrip()
            text = f"{marks}| {row} |"
        lines.append(text)
    if not markdown.endswith("\n"):
        lines.pop()  # the empty line behind the last break, which is none here
    return "\n".join(lines)


def _kind_of_line(line: str) -> str:
    for kind, pattern in _LINE_KINDS:
        if pattern.match(line):
            return kind
    return "text"


class _Reader:
    """Reads the pieces of a text, line by line."""

    def __init__(self, text: str, head: tuple[str, ...]) -> None:
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

    def pieces(self) -> Iterator[Quotable]:
        """Yields the pieces in order."""
        while self._position < len(self._lines):
            line = self._lines[self._position]
            is_first = self._position == 0
            self._position += 1
            if line.kind not in ("row", "rule") and not is_first:
                # The first line may be the rest of a row, in whose midst the text begins.
                self._head = ()
            match line.kind:
                case "heading":
                    self._section += 1
                case "row":
                    if self._next_kind() == "rule":
                        rule = self._lines[self._position]
                        self._head = (self._text_of(line), self._text_of(rule))
                    else:
                        yield self._row(line)
                case "fence":
                    self._fence = self._text_of(line).strip(" \t>")
                case "code":
                    yield self._code(line)
                case "item" | "text":
                    yield from self._prose(line)

    def _text_of(self, line: Line) -> str:
        return self._text[line.start : line.end]

    def _next_kind(self) -> str:
        """Returns the kind of the next line; empty at the end of the text."""
        if self._position == len(self._lines):
            return ""
        return self._lines[self._position].kind

    def _code(self, line: Line) -> Quotable:
        code = self._text_of(line)
        indent = len(code) - len(code.lstrip())
        return Quotable(
            start=line.start + indent,
            end=line.end,
            plain=_shortened(neutralize_line(code)),
            kind=PieceKind.CODE,
            section=self._section,
            line=line.start,
            head=(self._fence,) if self._fence else (),
        )

    def _row(self, line: Line) -> Quotable:
        names = cells(self._head[0]) if self._head else ()
        values = cells(self._text_of(line))
        described = neutralize(_described(names, values))
        head = [neutralize(head_line).strip(" \t>") for head_line in self._head]
        return Quotable(
            start=line.start,
            end=line.end,
            plain=_shortened(plain(described)),
            kind=PieceKind.ROW,
            section=self._section,
            line=line.start,
            head=tuple(head),
        )

    def _prose(self, first_line: Line) -> Iterator[Quotable]:
        """Yields the pieces of a paragraph or an item, with the lines that go on from it.

        Only a long item is cut into its sentences.
        """
        lines = [first_line]
        while self._next_kind() == "text":
            lines.append(self._lines[self._position])
            self._position += 1
        start = first_line.start
        end = lines[-1].end
        is_item = first_line.kind == "item"
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
                line_start = _behind_quote_marks(self._text, start)
            piece_text = neutralize(self._text[piece_start:piece_end])
            yield Quotable(
                start=piece_start,
                end=min(piece_end, end),
                plain=_shortened(plain(piece_text)),
                kind=PieceKind.ITEM if is_item else PieceKind.SENTENCE,
                section=self._section,
                line=line_start,
            )


def _whole_links(paragraph: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the sentences joined where one ends in the midst of a link."""
    links = []
    if "](" in paragraph:
        links = [link.span() for link in _LINK.finditer(paragraph)]
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        begins_in_link = any(first < start < last for first, last in links)
        if begins_in_link:
            previous_start, _ = joined.pop()
            joined.append((previous_start, end))
        else:
            joined.append((start, end))
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


def _behind_quote_marks(text: str, start: int) -> int:
    """Returns the offset behind the marks of a quotation or the indentation at `start`."""
    marks = _QUOTE_MARK.match(text, start) or _BLANKS.match(text, start)
    if marks is None:
        return start
    return marks.end()


def _unwrapped(text: str, lines: Sequence[Line]) -> str:
    """Returns the lines as one text of the same length, with blanks for breaks due to the width.

    At such a break the next word would not have fitted. In a chat or a poem it would have.
    """
    is_item = lines[0].kind == "item"
    width = max(line.length for line in lines)
    parts = []
    part_start = lines[0].start
    for line, following in pairwise(lines):
        following_text = text[following.start : following.end]
        is_indented = following_text[0].isspace()
        next_word = following_text.split(maxsplit=1)[0]
        is_too_wide = line.length + 1 + len(next_word) > width
        goes_on_in_item = is_indented and is_item
        if is_too_wide or goes_on_in_item:
            parts.append(text[part_start : line.end])
            parts.append(" " * (following.start - line.end))
            part_start = following.start
    parts.append(text[part_start : lines[-1].end])
    return "".join(parts)


def _shortened(text: str) -> str:
    """Returns the text, cut to MAX_PLAIN characters at a blank if there is one."""
    if len(text) <= MAX_PLAIN:
        return text
    cut = text[:MAX_PLAIN]
    whole_words, _, _ = cut.rpartition(" ")
    return f"{whole_words or cut}…"


_FENCE = re.compile(rf"^{_QUOTED}(?:`{{3,}}|~{{3,}}).*$", re.MULTILINE)
_TABLE_RULE = re.compile(rf"^{_QUOTED}{_TABLE_RULE_MARKS}$", re.MULTILINE)
_LINE_MARK = re.compile(
    r"^(?:[ \t]*(?:>|#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]))+(?:\[[ xX]\][ \t])?[ \t]*",
    re.MULTILINE,
)
_CALLOUT = re.compile(r"^[ \t]*\[![a-zA-Z]{1,20}\][-+]?", re.MULTILINE)
_TABLE_ROW = re.compile(r"^[ \t]*+\|.*$", re.MULTILINE)
_CELL_RULE = re.compile(r"(?<!\\)\|")
_TEMPLATE_TAG = re.compile(
    r"\{%[-+]?\s*+\w++([^{}\n]{0,200}?)\s*+[-+]?%\}|\{\{[^{}\n]{0,200}\}\}|\{:[^{}\n]{0,200}\}"
)
_TEMPLATER = re.compile(r"<%[^\n]{0,200}?%>")
_WORDS_OF_A_TAG = re.compile(r"\s*\"([\w -]+)\"\s*")
_LINK_START = re.compile(r"\]\(\s*\Z")
_LINK = re.compile(
    r"!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:[ \t]+\"[^\"]*\")?[ \t]*\)"
)
_LINK_BY_NAME = re.compile(r"!?\[([^\[\]]+)\]\[[^\[\]]*\]")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,40}\]:?")
_WIKI_LINK = re.compile(r"(!?)\[\[([^\[\]|\n]*?)(?:\\?\|([^\[\]|\n]+))?\]\]")
_EMBEDDED_FILE = re.compile(r"\.(?!md\b)[A-Za-z][A-Za-z0-9]{1,4}\Z")
_STRONG = re.compile(
    r"(\*\*|(?<!\w)__|~~|==)(?=\S)((?:(?!\1).)++)(?<=\S)\1(?!(?<=__)\.?\w)"
)  # but not `__init__.py`
_EMPHASIS = re.compile(
    r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])|(?<!\w)_(?=[^\s_])([^_\n]+?)(?<=\S)_(?!\w)"
)
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>|<!--(?:(?!<!--|-->).)*+-->")
_LEFT_OVER = re.compile(r"(?<!\S)\*\*(?=\S)|(?<=\S)\*\*(?!\S)")
"""Marks that open or close emphasis whose other end lies in another sentence."""

_Replacement: TypeAlias = str | Callable[[re.Match[str]], str]


def _words_of_row(row: re.Match[str]) -> str:
    values = [cell for cell in cells(row[0]) if cell]
    return ", ".join(values)


def _words_of_tag(tag: re.Match[str]) -> str:
    """Returns the word that `{% channel "travel" %}` shows; no file name, list or end of a link."""
    words = _WORDS_OF_A_TAG.fullmatch(tag[1] or "")
    if words is None:
        return ""
    before = tag.string[max(0, tag.start() - 20) : tag.start()]
    if _LINK_START.search(before):
        return ""
    return words[1]


def _words_of_wiki_link(link: re.Match[str]) -> str:
    """Returns what a link shows: `[[folder/Note#Heading]]` reads "Note > Heading".

    A block's id, and a picture that is shown, have no words.
    """
    embeds, target, alias = link.groups()
    if alias and not embeds:
        return alias
    path, _, part = target.partition("#")
    if embeds and _EMBEDDED_FILE.search(path):
        return ""
    _, _, file_name = path.rpartition("/")
    name = file_name.removesuffix(".md").strip()
    heading = ""
    if not part.startswith("^"):
        heading = part.replace("#", " > ").strip()
    if name and heading:
        return f"{name} > {heading}"
    return name or heading


def _words_of_emphasis(emphasis: re.Match[str]) -> str:
    return emphasis[1] or emphasis[2]


_MARKS_BEFORE_CODE: Sequence[tuple[re.Pattern[str], _Replacement]] = (
    (_FENCE, ""),
    (_TABLE_RULE, ""),
    (_LINE_MARK, ""),
    (_CALLOUT, ""),
    (_TABLE_ROW, _words_of_row),
    (BLOCK_ID, ""),
    (_TEMPLATE_TAG, _words_of_tag),
    (_TEMPLATER, ""),
    (_LINK, r"\1"),
    (_WIKI_LINK, _words_of_wiki_link),
    (_LINK_BY_NAME, r"\1"),
    (_FOOTNOTE, ""),
    (_TAG, " "),
    (_STRONG, r"\2"),
)
"""Marks and what stands in their place, in the order in which they are replaced."""


def plain(markdown: str) -> str:
    """Returns a few lines of Markdown without marks; cells of a table row are joined by commas.

    Empty if it shows no words of its own: rules of tables, fences of code, tags of templates. Words
    of code stay.
    """
    text = with_pipes(markdown)
    for mark, replacement in _MARKS_BEFORE_CODE:
        text = mark.sub(replacement, text)
    text = with_characters(text)
    text = without_code(text, str.strip)
    text = _EMPHASIS.sub(_words_of_emphasis, text)
    text = _LEFT_OVER.sub("", text)
    return " ".join(text.split())


def cells(row: str) -> tuple[str, ...]:
    """Returns the cells of a table's row as they stand in it, empty ones too."""
    without_begin = row.lstrip("> \t").removeprefix("|")
    inside = without_begin.rstrip().removesuffix("|")
    return tuple(cell.strip() for cell in _CELL_RULE.split(inside))
