"""Reads Markdown line by line: kinds of lines, rows and cells of tables, and code in a line."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

QUOTED = r"[ \t>]*+"
"""Pattern of the marks of a quotation, or the indentation, before a line."""
TABLE_RULE_MARKS = r"\|?+[ \t]*+:?+-{2,}+:?+[ \t]*+(?:\|[ \t]*+:?+-*+:?+[ \t]*+)*+"
"""Pattern of the rule below the head of a table."""
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_LINE_KINDS = (
    ("fence", re.compile(rf"{QUOTED}(?:`{{3,}}|~{{3,}})")),
    ("rule", re.compile(rf"{QUOTED}{TABLE_RULE_MARKS}\s*\Z")),
    ("row", re.compile(rf"{QUOTED}\|.*\|\s*\Z")),
    ("heading", re.compile(rf"{QUOTED}#{{1,6}}(?:[ \t]|\s*\Z)")),
    ("item", re.compile(rf"{QUOTED}(?:[-*+•‣◦]|\d{{1,9}}[.)])[ \t]+\S")),
    ("frame", re.compile(rf"{QUOTED}(?:\{{%.*%\}}|:::.*|!!!.*|\[![A-Za-z]+\][-+]?.*)?\s*\Z")),
)
"""Kinds of lines, the first that fits. A frame is an empty line, a template's tag or the opening of
a callout."""
_PIPELESS_RULE = re.compile(
    rf"^{QUOTED}:?+-+:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)++\|?+[ \t]*+$",
    re.MULTILINE,
)
_QUOTE_MARK = re.compile(r"(?:[ \t]*+>)++[ \t]*+")
_BLANKS = re.compile(r"[ \t]*")
_CELL_RULE = re.compile(r"(?<!\\)\|")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_TICKS = re.compile(r"`+")


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


def _kind_of_line(line: str) -> str:
    """Returns the kind of a line outside of code."""
    for kind, pattern in _LINE_KINDS:
        if pattern.match(line):
            return kind
    return "text"


def _heads_table(text: str, line: Line, following: Line | None) -> bool:
    """Reports whether a line is the head of a table whose lines do not begin with `|`.

    following: the next line, which rules the head off in as many columns.
    """
    if following is None or following.kind != "rule":
        return False
    head = cells(text[line.start : line.end])
    columns = len(head)
    if columns < 2:
        return False
    rule = cells(text[following.start : following.end])
    return columns == len(rule)


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
            row_start = behind_quote_marks(markdown, line.start)
            begin = row_start - line.start
            marks = text[:begin]
            row = text[begin:].removesuffix("|").rstrip()
            text = f"{marks}| {row} |"
        lines.append(text)
    if not markdown.endswith("\n"):
        lines.pop()  # the empty line behind the last break, which is none here
    return "\n".join(lines)


def behind_quote_marks(text: str, start: int) -> int:
    """Returns the offset behind the marks of a quotation or the indentation at `start`."""
    marks = _QUOTE_MARK.match(text, start) or _BLANKS.match(text, start)
    if marks is None:
        return start
    return marks.end()


def cells(row: str) -> tuple[str, ...]:
    """Returns the cells of a table's row as they stand in it, empty ones too."""
    without_marks = row.lstrip("> \t")
    without_begin = without_marks.removeprefix("|")
    without_blanks = without_begin.rstrip()
    inside = without_blanks.removesuffix("|")
    parts = _CELL_RULE.split(inside)
    return tuple(map(str.strip, parts))


def prose(body: str) -> Iterator[str]:
    """Yields the lines that are no code; code within a line stays."""
    fence = ""
    for line in body.splitlines():
        match = _FENCE.match(line)
        if match is None:
            if not fence:
                yield line
            continue
        marks = match[1]
        if not fence:
            fence = marks
        elif marks.startswith(fence):
            fence = ""


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """A span of code in a line, with its backticks."""

    start: int
    end: int
    ticks: int
    """Number of backticks on either side."""


def without_code(line: str, shown: Callable[[str], str] = lambda _: "") -> str:
    """Returns a line of prose with each span of code as it is `shown`: not at all by default.

    Linear in the line.
    """
    parts = []
    end = 0
    for span in code_spans(line):
        start = span.start
        code_start = start + span.ticks
        code_end = span.end - span.ticks
        code = line[code_start:code_end]
        parts.append(line[end:start])
        parts.append(shown(code))
        end = span.end
    rest = line[end:]
    parts.append(rest)
    return "".join(parts)


def code_spans(line: str) -> Iterator[CodeSpan]:
    """Yields the spans of code of a line of prose, in order. Linear in the line."""
    runs = list(_TICKS.finditer(line))
    # Length of a run -> the places of runs of that length, the first one last.
    places_by_length: dict[int, list[int]] = defaultdict(list)
    last_first = reversed(range(len(runs)))
    for place in last_first:
        ticks = runs[place][0]
        places_by_length[len(ticks)].append(place)

    place = 0
    while place < len(runs):
        opening = runs[place]
        length = len(opening[0])
        places = places_by_length[length]
        while places and places[-1] <= place:
            places.pop()
        if places:
            place = places[-1]
            closing = runs[place]
            yield CodeSpan(
                start=opening.start(),
                end=closing.end(),
                ticks=length,
            )
        place += 1
