"""Leaves out of Markdown what a renderer does not show: comments, tags of HTML, definitions of links; entities become
the characters that they stand for.

Code is content and stays, and so does what only looks like HTML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from shared.markdown.lines import code_spans

_LIQUID = r"\{%-?\s*+"
_LIQUID_COMMENT = (
    rf"{_LIQUID}comment\b(?:(?!{_LIQUID}comment\b|\bendcomment\s*+-?%\}}).)*+endcomment\s*+-?%\}}"
    rf"|\A(?:(?!{_LIQUID}(?:end)?comment\b|```|~~~).)*+(?<!\S){_LIQUID}endcomment\s*+-?%\}}[ \t]*+$"
    rf"|(?<!\S){_LIQUID}comment\s*+-?%\}}[ \t]*+$(?:(?!{_LIQUID}(?:end)?comment\b).)*+\Z"
)
"""A comment of Liquid, or the part of one that goes on beyond either end of the text: a heading in it parts passages."""
_OBSIDIAN_COMMENT = (
    r"(?<![\w%])%%(?!%)(?:(?!%%|\n[ \t]*+$).)*+%%(?![\w%])"
    r"|^[ \t]*+%%[ \t]*+$(?:(?!%%).)*+%%[ \t]*+$"
)
"""`%%so%%` within a paragraph, or of any length between lines of two percent signs."""
_COMMENT = rf"<!--(?:(?!<!--|-->).)*+-->|{_LIQUID_COMMENT}|{_OBSIDIAN_COMMENT}"
_CODE_BLOCK = (
    r"^[ \t>]*+(?P<fence>`{3,}+|~{3,}+)"
    r"(?:(?!^[ \t>]*+(?P=fence)).)*+(?:^[ \t>]*+(?P=fence)[`~]*+)?+"
)
_SPAN_IN_LINE = r"(?<!`)(?P<ticks>`{1,3}+)[^`\n]++(?P=ticks)(?!`)"
_COMMENT_OR_CODE = re.compile(
    rf"(?P<hidden>{_COMMENT})|{_CODE_BLOCK}|{_SPAN_IN_LINE}",
    re.DOTALL | re.MULTILINE,
)
_PARAGRAPH = re.compile(r"[^\n]*(?:\n(?![ \t>]*+$)[^\n]*)*+", re.MULTILINE)
FENCED = re.compile(_CODE_BLOCK, re.DOTALL | re.MULTILINE)
"""A block of code with its fences, `fence` the opening one; one that is not closed goes up to the end."""
_ASIDE = "\ue000"
"""Stands on both sides of the number of a part that is set aside."""
_PLACEHOLDER = re.compile(f"{_ASIDE}([0-9]+){_ASIDE}")
_NO_TAG = frozenset(" \t\n0123456789=-<‹")
_NO_BREAK = re.compile(r"[^\n]")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*+\n){2,}")

_ATTRIBUTE = (
    r"\s++[A-Za-z_:][\w.:-]{0,200}+"
    r"(?:\s*+=\s*+(?:[^\s\"'=<>`]{1,2000}+|'[^'<]{0,2000}+'|\"[^\"<]{0,2000}+\"))?+"
)
_TAG = re.compile(
    r"<(?P<content>script|style)\b(?:(?!<(?:script|style)\b|</(?:script|style)).)*+"
    r"</(?:script|style)\s*+>"
    r"|<(?P<address>[A-Za-z][A-Za-z0-9+.-]{1,31}+:[^\s<>]{0,2000}+|[^\s<>@]{1,64}+@[^\s<>@]{1,255}+)>"
    rf"|<(?P<open>[A-Za-z][A-Za-z0-9-]{{0,60}}+)(?:{_ATTRIBUTE}){{0,60}}+\s*+/?+>"
    r"|</(?P<close>[A-Za-z][A-Za-z0-9-]{0,60}+)\s*+>"
    r"|<\?(?:(?!\?>)[^<]){0,2000}+\?>"
    r"|<!(?:\[CDATA\[(?:(?!\]\]>)[^<]){0,2000}+\]\]|[A-Za-z][^<>]{0,2000}+)>",
    re.DOTALL | re.IGNORECASE,
)
"""HTML as CommonMark reads it in running text, and addresses in angle brackets."""
_INLINE = frozenset(
    (
        *("a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em"),
        *("font", "i", "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strike"),
        *("strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    ),
)
"""Elements that stand inside a word; the others part what stands on both sides."""

_OF_SITE_GENERATOR = r"\(\{[{%][^{}%\n]{0,200}+[%}]\}[^\s<>()]{0,200}+\)"
"""Target of a link that a program fills in: `({% page "/tools" %}#start)`."""
_LINK = re.compile(
    r"(?<!\\)(?P<image>!?)\[(?P<text>(?:[^\[\]`<>\\]|\\[^\w\s]|\[[^\[\]`<>\\\n]{0,100}+\](?!\()){1,300}+)\]"
    rf"(?P<target>{_OF_SITE_GENERATOR}"
    r"|\([ \t]*+<?[^\s<>()]{0,2000}+(?:\([^\s<>()]{0,2000}+\)[^\s<>()]{0,2000}+)?+>?"
    r"(?:\s++(?:\"[^\"<>]{0,300}+\"|'[^'<>]{0,300}+'))?+\s*+\))",
)
_IMAGE_IN_LINK = re.compile(
    r"\[!\[(?P<text>[^\[\]`<>\\]{0,300}+)\]\([^\s<>()]{1,2000}+\)\]\([^\s<>()]{1,2000}+\)",
)
_LINK_BY_NAME = re.compile(
    r"(?<![\w\]!\\])\[(?P<text>[^\[\]`<>\\^]{1,300}+)\]\[[^\[\]\n^]{0,100}+\]",
)
DEFINITION = re.compile(
    r"^[ ]{0,3}+\[(?!\^)[^\[\]\n]{1,200}+\]:[ \t]*+\n?[ \t]*+(?:[^\s<>]{1,2000}+|<[^<>\n]{0,2000}+>)"
    r"(?:[ \t]++(?:\"[^\"\n]{0,300}+\"|'[^'\n]{0,300}+'|\([^()\n]{0,300}+\)))?+[ \t]*+$\n?",
    re.MULTILINE,
)
"""Says where links lead that name it: `[page]: https://notes.example`."""
_FOOTNOTE_MARK = r"\[\^(?!(?:\w-\w){1,20}_?\])[\w-]{1,40}+\]"
"""`[^1]`, `[^a-claim]`; but not `[^a-z]`, which belongs to a pattern."""
_FOOTNOTE = re.compile(
    rf"^(?P<marks>[ \t>]*+){_FOOTNOTE_MARK}:(?:[ \t]*+\n[ \t]++(?=\S)|[ \t]++|$)"
    r"(?P<text>[^\n]*+(?:\n(?:[ \t]*+\n)*+(?:[ ]{4}|\t)[^\n]*+)*+)",
    re.MULTILINE,
)
"""A footnote, with the indented lines and paragraphs that belong to it."""
_INDENTATION = re.compile(r"^(?:[ ]{4}|\t)", re.MULTILINE)
_BEHIND_WORD = r"(?<=[\w.,;:!?%\"'”’»)*_])"
_END_OF_WORD = r"(?=[*?][.,;:!?\"'”’»)*_]*+(?:[^\x00-\x7f]|\s|\Z))"
FOOTNOTE_REFERENCE = re.compile(
    rf"(?<!\\)(?:{_FOOTNOTE_MARK}(?![A-Za-z0-9+{{]|(?<!\d\])[*?])|{_BEHIND_WORD}{_FOOTNOTE_MARK}{_END_OF_WORD})",
)
"""A mark of a footnote where it is none of a pattern, in which a character or a quantifier follows. A question or the
end of emphasis may follow a number, or letters between a word and a space: `so[^note]?`, but `[^abc]*`."""
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ENTITY_REST = re.compile(r"(?:#[0-9]|#[xX]|[A-Za-z])[A-Za-z0-9]{0,31};")
_TAG_LIKE = re.compile(r"&lt;(?=[A-Za-z/!?])([^&<>\n]{0,200})&gt;")
_LINE_BEGIN = re.compile(r"(?:^|\n)[ \t>]*\Z")
BLOCK_ID = re.compile(r"(?:(?<=\s)|^)\^[A-Za-z0-9-]{2,}[ \t]*$", re.MULTILINE)
"""Name of a block for links to it, at the end of its line, as Obsidian writes it."""
_LINKABLE = re.compile(r"[\w \t.,;'’\"“”()*&%+/-]+")
"""Text of a link that stays a link when an answer is sanitized."""
_WEB_OR_MAIL = re.compile(r"\([ \t]*<?(?:https?://|mailto:)", re.IGNORECASE)


class Aside:
    """Parts of a text that its marks do not touch, such as code: a placeholder stands for each.

    A placeholder is no sign of Markdown.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []

    def set(self, part: str) -> str:
        """Keeps a part and returns its placeholder."""
        self._parts.append(part)
        return f"{_ASIDE}{len(self._parts) - 1}{_ASIDE}"

    def without_placeholders(self, text: str) -> str:
        """Returns a text as its author wrote it without what could be taken for a placeholder."""
        return text.replace(_ASIDE, " ")

    def put_back(self, text: str) -> str:
        """Returns a text with the parts in place of their placeholders."""
        return _PLACEHOLDER.sub(self._part_at, text)

    def _part_at(self, placeholder: re.Match[str]) -> str:
        index = int(placeholder[1])
        return self._parts[index]


def without_hidden(text: str, blank: str = " ") -> str:
    """Returns a text of the same length without what spans lines and shows nothing.

    These are comments, and tags of HTML that continue on the next line: `blank` stands for each of their characters but
    line breaks.
    """

    def hide_comment(match: re.Match[str]) -> str:
        is_code = match["hidden"] is None
        if is_code:
            return match[0]
        return _NO_BREAK.sub(blank, match[0])

    def hide_tag(tag: re.Match[str]) -> str:
        spans_lines = "\n" in tag[0]
        if spans_lines:
            return _NO_BREAK.sub(blank, tag[0])
        return tag[0]

    visible = text
    if "<!--" in text or "{%" in text or "%%" in text:
        visible = _COMMENT_OR_CODE.sub(hide_comment, text)
    if "<" not in visible:
        return visible

    parts = []
    for part, is_code in code_and_prose(visible):
        if is_code:
            parts.append(part)
        else:
            parts.append(_TAG.sub(hide_tag, part))
    return "".join(parts)


def without_marks(markdown: str) -> str:
    """Returns Markdown without what a renderer drops, for an answer.

    Tags of HTML, definitions of links, names of blocks and references to footnotes are removed. Addresses lose their
    angle brackets. A link becomes its text if its target is defined elsewhere or is neither a web page nor a mailbox,
    or if its text could be taken for an address or a citation.
    """
    parts = []
    code = Aside()
    for part, is_code in code_and_prose(markdown):
        if is_code:
            # A link may have code in its text.
            parts.append(code.set(part))
            continue
        prose = code.without_placeholders(part)
        parts.append(without_tags(prose))
    text = "".join(parts)

    if "]" in text:
        text = DEFINITION.sub("", text)
        text = _FOOTNOTE.sub(_text_of_footnote, text)
        text = FOOTNOTE_REFERENCE.sub("", text)
        text = _IMAGE_IN_LINK.sub(r"\g<text>", text)
        text = _LINK.sub(_shown_of_link, text)
        text = _LINK_BY_NAME.sub(r"\g<text>", text)
    if "^" in text:
        text = BLOCK_ID.sub("", text)
    text = _BLANK_LINES.sub("\n\n", text)
    return code.put_back(text)


def _text_of_footnote(footnote: re.Match[str]) -> str:
    """Returns a footnote without its mark and the indentation that made its lines a part of it."""
    text = _INDENTATION.sub("", footnote["text"])
    return footnote["marks"] + text


def without_tags(prose: str) -> str:
    """Returns Markdown that holds no code without its tags of HTML; addresses lose their angle brackets."""
    if "<" not in prose:
        return prose
    return _TAG.sub(_shown_of_tag, prose)


def with_characters(markdown: str) -> str:
    """Returns Markdown with the characters that its entities stand for, except in code.

    An entity stays where its character could act, alone or as part of another entity or of a citation. Angle brackets
    that could open a tag become those that cannot.
    """
    if "&" not in markdown:
        return markdown
    parts = []
    for part, is_code in code_and_prose(markdown):
        if is_code:
            parts.append(part)
            continue
        without_tags = _TAG_LIKE.sub(r"‹\1›", part)
        parts.append(_ENTITY.sub(_character, without_tags))
    return "".join(parts)


def _character(entity: re.Match[str]) -> str:
    """Returns what stands for an entity: its character, harmless; or itself."""
    written = entity[0]
    character = html.unescape(written)
    following = entity.string[entity.end() : entity.end() + 40]
    match character:
        case "<":
            opens_no_tag = following[:1] in _NO_TAG
            return "<" if opens_no_tag else "‹"
        case ">":
            begins_line = _LINE_BEGIN.search(entity.string, 0, entity.start())
            return "›" if begins_line else ">"
        case "&":
            begins_entity = _ENTITY_REST.match(following)
            return written if begins_entity else "&"
        case "[" | "]" | "\\":
            return written
        case "\xa0":
            return " "
        case '"' | "'":
            return character
    if len(character) > 1 or not character.isprintable():
        return written
    if not character.isascii():
        return character
    may_be_of_citation = character.isalnum()
    return written if may_be_of_citation else f"\\{character}"


def _shown_of_link(link: re.Match[str]) -> str:
    """Returns a picture or a link that may stay, on one line; of another link its text."""
    mark = link["image"]
    target = link["target"]
    words = link["text"].split()
    text = " ".join(words)
    is_picture = mark != ""
    if is_picture or _may_stay_link(text, target):
        return f"{mark}[{text}]{target}"
    return text


def _may_stay_link(text: str, target: str) -> bool:
    """Reports whether a link leads to a web page or a mailbox, and its text is nothing else."""
    if "\\" in target or not _WEB_OR_MAIL.match(target):
        return False
    return _LINKABLE.fullmatch(text) is not None


def _shown_of_tag(tag: re.Match[str]) -> str:
    """Returns an address without its angle brackets; of a tag a blank, or nothing within a word."""
    if tag["address"]:
        return tag["address"]
    name = tag["open"] or tag["close"] or ""
    stands_in_word = name.lower() in _INLINE
    if tag["content"] or stands_in_word:
        return ""
    return " "


def code_and_prose(markdown: str) -> Iterator[tuple[str, bool]]:
    """Yields all of the text in order, in parts that are code and parts that are not."""
    end = 0
    for start, code_end in _code(markdown):
        text_before = markdown[end:start]
        yield text_before, False
        code = markdown[start:code_end]
        yield code, True
        end = code_end
    rest = markdown[end:]
    yield rest, False


def _code(markdown: str) -> Iterator[tuple[int, int]]:
    """Yields the blocks and spans of code; a span goes on in no other paragraph."""
    if "`" not in markdown and "~~~" not in markdown:
        return
    end = 0
    for block in FENCED.finditer(markdown):
        yield from code_spans_of(markdown, end, block.start())
        yield block.span()
        end = block.end()
    yield from code_spans_of(markdown, end, len(markdown))


def code_spans_of(markdown: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the spans of code in `markdown[start:end]`, which holds no block of code.

    They are spans `[start, end)` of the whole text, with their backticks.
    """
    for paragraph in _PARAGRAPH.finditer(markdown, start, end):
        text = paragraph[0]
        if "`" not in text:
            continue
        offset = paragraph.start()
        for span in code_spans(text):
            span_start = offset + span.start
            span_end = offset + span.end
            yield span_start, span_end
