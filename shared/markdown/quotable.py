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
from shared.markdown.file import without_code
from shared.markdown.neutralize import neutralize

MAX_PLAIN = 320
"""Characters of a piece that are compared with a question."""

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
"""Kinds of lines, the first that fits. A frame is an empty line, a template's tag or the opening of a callout."""

_QUOTE_MARK = re.compile(r"(?:[ \t]*+>)++[ \t]*+")
_BLANKS = re.compile(r"[ \t]*")
_FENCE_MARK = re.compile(r"[`~]+")
_WORD = re.compile(r"[^\W_]{2}|[^\W\dxX_]")


class Kind(Enum):
    """What pieces stand together in one quote: those of one kind, and sentences with items."""

    SENTENCE = "running text"
    ITEM = "an item of a list"
    ROW = "a row of a table"
    CODE = "a line of code"


@dataclass(frozen=True, slots=True)
class Quotable:
    """`text[start:end]` in code points, without the marks around it."""

    start: int
    end: int
    plain: str
    """Plain text on one line, a row's with the names of its columns: what is compared with a question, never shown."""
    kind: Kind
    section: int
    """How many headings stand above it."""
    line: int
    """Where it begins with its list's mark."""
    head: tuple[str, ...] = ()
    """The lines of its table's head, or the opening fence of its block of code."""


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    kind: str


def quotable(text: str, columns: str = "") -> tuple[Quotable, ...]:
    """In order, apart from each other; none that holds no letter. `columns`: the first line of the table in whose midst
    the text begins.
    """
    seen = _HIDDEN.sub(_blanked, text)
    found = _read(seen, list(_lines(seen)), (columns, f"|{'---|' * len(cells(columns))}") if columns else ())
    return tuple(piece for piece in found if any(map(str.isalpha, piece.plain)))


def neighbours(text: str, before: Quotable, piece: Quotable) -> bool:
    """Whether two pieces, one behind the other, may stand in one quote: nothing but marks lies between them."""
    kinds = {before.kind, piece.kind}
    alike = len(kinds) == 1 or kinds == {Kind.SENTENCE, Kind.ITEM}
    between = text[before.end : piece.start]
    return alike and before.section == piece.section and before.head == piece.head and not _WORD.search(between)


def quotation(text: str, chosen: Sequence[Quotable], *, longest: int) -> tuple[int, int, tuple[str, ...]]:
    """Neighbouring pieces -> where the text is that is quoted, at most `longest` characters of it, and its lines of
    Markdown as they stand there: items with their marks, rows below the head of their table, code in its fence.
    """
    first, end = chosen[0], chosen[-1].end
    start = first.line
    if end - start > longest:
        cut = text.rfind(" ", start + longest // 2, start + longest)
        end = cut if cut > 0 else start + longest
    indent = start - (text.rfind("\n", 0, start) + 1)
    lines = [line[min(indent, len(line) - len(line.lstrip())) :] for line in neutralize(text[start:end]).split("\n")]
    lines = [line if first.kind is Kind.CODE else _QUOTE_MARK.sub("", line).rstrip() for line in lines]
    if end < chosen[-1].end:
        lines[-1] += " …"
    fence = _FENCE_MARK.match(first.head[0]) if first.kind is Kind.CODE and first.head else None
    closing = (fence[0],) if fence else ()
    return start, end, (*first.head, *lines, *closing)


def visible(text: str, *, longest: int) -> tuple[int, int, str]:
    """A passage without pieces -> where the text is that is quoted, at most `longest` characters of it, and that text
    without its comments as one line; the line is empty where nothing but comments stands there.
    """
    seen = _HIDDEN.sub(_blanked, text)
    start, last = len(seen) - len(seen.lstrip()), len(seen.rstrip())
    end = min(last, start + longest)
    line = " ".join(neutralize(seen[start:end]).split())
    return start, end, f"{line} …" if end < last else line


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


def _read(text: str, lines: Sequence[_Line], head: tuple[str, ...]) -> Iterator[Quotable]:
    section = at = 0
    fence = ""
    while at < len(lines):
        line, following = lines[at], lines[at + 1].kind if at + 1 < len(lines) else ""
        at += 1
        section += line.kind == "heading"
        if line.kind not in ("row", "rule") and at > 1:  # the text may begin in the midst of a row
            head = ()
        if line.kind == "row" and following == "rule":
            head = (text[line.start : line.end], text[lines[at].start : lines[at].end])
        elif line.kind == "row":
            yield _row(text, line, head, section)
        elif line.kind == "frame" and (opening := text[line.start : line.end].strip(" \t>"))[:3] in ("```", "~~~"):
            fence = opening
        elif line.kind == "code":
            start = line.start + len(text[line.start : line.end]) - len(text[line.start : line.end].lstrip())
            said = _shortened(" ".join(neutralize(text[start : line.end]).split()))
            yield Quotable(
                start=start,
                end=line.end,
                plain=said,
                kind=Kind.CODE,
                section=section,
                line=line.start,
                head=(fence,) if fence else (),
            )
        elif line.kind in ("item", "text"):
            first = at - 1
            while at < len(lines) and lines[at].kind == "text":
                at += 1
            yield from _prose(text, lines[first:at], section)


def _row(text: str, line: _Line, head: Sequence[str], section: int) -> Quotable:
    values = cells(text[line.start : line.end])
    names = cells(head[0]) if head else ()
    named = list(zip(names, values, strict=False)) if len(names) == len(values) else [("", value) for value in values]
    said = "; ".join(f"{name}: {value}" if name else value for name, value in named if value)
    above = tuple(neutralize(each).strip(" \t>") for each in head)
    return Quotable(
        start=line.start,
        end=line.end,
        plain=_shortened(plain(neutralize(said))),
        kind=Kind.ROW,
        section=section,
        line=line.start,
        head=above,
    )


def _prose(text: str, lines: Sequence[_Line], section: int) -> Iterator[Quotable]:
    """A paragraph or an item with the lines that go on from it. Only a long item is cut into its sentences."""
    start, end = lines[0].start, lines[-1].end
    kind = Kind.ITEM if lines[0].kind == "item" else Kind.SENTENCE
    spans = sentences(_unwrapped(text, lines))
    if kind is Kind.ITEM and end - start <= MAX_PLAIN:
        spans = spans and [(spans[0][0], spans[-1][1])]
    for number, (first, last) in enumerate(spans):
        said = _shortened(plain(neutralize(text[start + first : start + last])))
        begins = start + first
        if kind is Kind.ITEM and not number:  # behind the marks of a quotation and the indentation
            mark = _QUOTE_MARK.match(text, start) or _BLANKS.match(text, start)
            begins = mark.end() if mark else start
        yield Quotable(
            start=start + first, end=min(start + last, end), plain=said, kind=kind, section=section, line=begins
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
    if len(text) <= MAX_PLAIN:
        return text
    cut = text[:MAX_PLAIN]
    return f"{cut.rpartition(' ')[0] or cut}…"


_FENCE = re.compile(r"^[ \t>]*(?:`{3,}|~{3,}).*$", re.MULTILINE)
_TABLE_RULE = re.compile(r"^[ \t>]*+\|?+[ \t]*+:?+-{2,}+:?+[ \t]*+(?:\|[ \t]*+:?+-*+:?+[ \t]*+)*+$", re.MULTILINE)
_LINE_MARK = re.compile(
    r"^(?:[ \t]*(?:>|#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]))+(?:\[[ xX]\][ \t])?[ \t]*", re.MULTILINE
)
_CALLOUT = re.compile(r"^[ \t]*\[![a-zA-Z]{1,20}\][-+]?", re.MULTILINE)
_TABLE_ROW = re.compile(r"^[ \t]*+\|.*$", re.MULTILINE)
_CELL_RULE = re.compile(r"(?<!\\)\|")
_TEMPLATE_TAG = re.compile(r"\{%[-+]?\s*+\w++([^{}\n]{0,200}?)\s*+[-+]?%\}|\{\{[^{}\n]{0,200}\}\}|\{:[^{}\n]{0,200}\}")
_TEMPLATER = re.compile(r"<%[^\n]{0,200}?%>")
_BLOCK_ID = re.compile(r"(?:(?<=\s)|^)\^[A-Za-z0-9-]{2,}[ \t]*$", re.MULTILINE)
_WORDS_OF_A_TAG = re.compile(r"\s*\"([\w -]+)\"\s*")
_LINK_START = re.compile(r"\]\(\s*\Z")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:[ \t]+\"[^\"]*\")?[ \t]*\)")
_LINK_BY_NAME = re.compile(r"!?\[([^\[\]]+)\]\[[^\[\]]*\]")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,40}\]:?")
_WIKI_LINK = re.compile(r"(!?)\[\[([^\[\]|\n]*?)(?:\\?\|([^\[\]|\n]+))?\]\]")
_EMBEDDED_FILE = re.compile(r"\.(?!md\b)[A-Za-z][A-Za-z0-9]{1,4}\Z")
_STRONG = re.compile(r"(\*\*|(?<!\w)__|~~|==)(?=\S)((?:(?!\1).)++)(?<=\S)\1(?!(?<=__)\.?\w)")  # but not `__init__.py`
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])|(?<!\w)_(?=[^\s_])([^_\n]+?)(?<=\S)_(?!\w)")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>|<!--(?:(?!<!--|-->).)*+-->")
_LEFT_OVER = re.compile(r"(?<!\S)\*\*(?=\S)|(?<=\S)\*\*(?!\S)")
"""What opens or closes emphasis whose other end lies in another sentence."""


def plain(markdown: str) -> str:
    """Markdown of a sentence or a few lines -> the text without its marks; cells of a table row joined by commas.

    Empty for what shows no words of its own: rules of tables, fences of code, tags of templates. Words of code stay.
    """
    text = _TABLE_RULE.sub("", _FENCE.sub("", markdown))
    text = _CALLOUT.sub("", _LINE_MARK.sub("", text))
    text = _TABLE_ROW.sub(lambda row: ", ".join(filter(None, cells(row[0]))), text)
    text = _TEMPLATER.sub("", _TEMPLATE_TAG.sub(_words_of_a_tag, _BLOCK_ID.sub("", text)))
    text = _WIKI_LINK.sub(_words_of_a_link, _LINK.sub(r"\1", text))
    text = _FOOTNOTE.sub("", _LINK_BY_NAME.sub(r"\1", text))
    text = without_code(_STRONG.sub(r"\2", _TAG.sub(" ", text)), str.strip)
    text = _EMPHASIS.sub(lambda found: found[1] or found[2], text)
    return " ".join(_LEFT_OVER.sub("", text).split())


def cells(row: str) -> tuple[str, ...]:
    """A table's row -> its cells as they stand in it, empty ones too."""
    bare = row.lstrip("> \t").removeprefix("|").rstrip().removesuffix("|")
    return tuple(cell.strip() for cell in _CELL_RULE.split(bare))


def _words_of_a_link(link: re.Match[str]) -> str:
    """`[[folder/Note#Heading]]` reads "Note > Heading"; a block's id, and a picture that is shown, have no words."""
    embeds, target, alias = link[1], link[2], link[3]
    if alias and not embeds:
        return alias
    name, _, part = target.partition("#")
    if embeds and _EMBEDDED_FILE.search(name):
        return ""
    heading = "" if part.startswith("^") else part.replace("#", " > ")
    return " > ".join(filter(None, (name.rpartition("/")[2].removesuffix(".md").strip(), heading.strip())))


def _words_of_a_tag(tag: re.Match[str]) -> str:
    """`{% channel "travel" %}` shows a word; what names a file or several things does not, nor what is a link's end."""
    words = _WORDS_OF_A_TAG.fullmatch(tag[1] or "")
    return words[1] if words and not _LINK_START.search(tag.string, max(0, tag.start() - 20), tag.start()) else ""
