"""Markdown -> plain text: marks go, links and tags leave their words, cells of a row are joined."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from typing import TypeAlias

from shared.markdown.hidden import (
    BLOCK_ID,
    DEFINITION,
    FENCED,
    FOOTNOTE_REFERENCE,
    Aside,
    code_and_prose,
    code_spans_of,
    with_characters,
    without_tags,
)
from shared.markdown.lines import QUOTED, TABLE_RULE_MARKS, cells, with_pipes

_TABLE_RULE = re.compile(rf"^{QUOTED}{TABLE_RULE_MARKS}$", re.MULTILINE)
_RULE = re.compile(
    rf"^{QUOTED}(?:(?:\*[ \t]*+){{3,}}+|(?:_[ \t]*+){{3,}}+|(?:-[ \t]*+){{3,}}+)$"
    r"|(?<=[^\n]\n)[ \t>]*+=++[ \t]*+$",
    re.MULTILINE,
)
"""A line between two sections, or the one below a heading."""
_BLOCK_MARKS = r"(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))"
_HEADING_MARK = r"[ \t]*#{1,6}[ \t]"
_LINE_MARK = re.compile(
    rf"^(?:{_BLOCK_MARKS}++(?:{_HEADING_MARK})?|{_HEADING_MARK})(?:\[[ xX]\][ \t])?[ \t]*",
    re.MULTILINE,
)
"""Marks before the text of a line. Behind that of a heading none follows: `## 1. Keys` has a number."""
_HARD_BREAK = re.compile(r"(?<!\\)\\(?=\n)")
_CALLOUT = re.compile(r"^[ \t]*\[![a-zA-Z]{1,20}\][-+]?", re.MULTILINE)
_TABLE_ROW = re.compile(r"^[ \t]*+\|.*$", re.MULTILINE)
_CELL_OF_RULE = re.compile(r":?-{2,}:?|:-:?|-:")
_TEMPLATE_TAG = re.compile(
    r"\{%[-+]?\s*+\w++([^{}\n]{0,200}?)\s*+[-+]?%\}|\{\{[^{}\n]{0,200}\}\}|\{:[^{}\n]{0,200}\}",
)
_TEMPLATER = re.compile(r"<%[^\n]{0,200}?%>")
_WORDS_OF_A_TAG = re.compile(r"\s*\"([\w -]+)\"\s*")
_LINK_START = re.compile(r"\]\(\s*\Z")
LINK = re.compile(
    r"!?\[([^\[\]]*)\]\("
    r"(?:<[^<>\n]{0,2000}+>|(?:\{[{%][^{}%\n]{0,200}[%}]\})?[^()\s]*(?:\([^()\s]*\)[^()\s]*)?)"
    r"(?:[ \t]+(?:\"[^\"]*\"|'[^'\n]{0,300}'))?[ \t]*\)",
)
_CLASS_OR_ID = r"[.#][A-Za-z][\w-]{0,60}+"
_KEY_AND_VALUE = r"[A-Za-z][\w-]{0,60}+=(?:\"[^\"{}\n]{0,200}+\"|[^\s\"{}]{1,200}+)"
_ATTRIBUTE = rf"(?:{_CLASS_OR_ID}|{_KEY_AND_VALUE})"
_MORE_ATTRIBUTES = rf"(?:[ \t]++{_ATTRIBUTE}){{0,20}}+[ \t]*+\}}"
_LINK_WITH_ATTRIBUTES = re.compile(
    rf"{LINK.pattern}(?:\{{[ \t]*+{_ATTRIBUTE}{_MORE_ATTRIBUTES})?",
)
"""A link, and what Pandoc and site generators read behind it: `![Sea](a.png){.left width=300}`."""
_ATTRIBUTES_OF_BLOCK = re.compile(
    rf"^([ \t]*+(?:#{{1,6}}[ \t][^{{\n]*+)?)\{{[ \t]*+{_CLASS_OR_ID}{_MORE_ATTRIBUTES}[ \t]*+$",
    re.MULTILINE,
)
"""A class or id at the end of a heading or on its own line; `{x=1}` there is what the author says."""
_LINK_BY_NAME = re.compile(r"!?\[([^\[\]]+)\]\[[^\[\]]*\]")
_FOOTNOTE = re.compile(rf"{FOOTNOTE_REFERENCE.pattern}:?")
_WIKI_LINK = re.compile(r"(!?)\[\[([^\[\]|\n]*?)(?:\\?\|([^\[\]|\n]+))?\]\]")
_EMBEDDED_FILE = re.compile(r"\.(?!md\b)[A-Za-z][A-Za-z0-9]{1,4}\Z")
_STRONG = re.compile(
    r"(\*\*|(?<!\w)__|~~|==)(?=\S)((?:(?!\1).)++)(?<=\S)\1(?!(?<=__)\.?\w)",
)  # but not `__init__.py`
_EMPHASIS = re.compile(
    r"(?<![\w*])\*(?=[^\s*])((?:[^*\n]|\n(?![ \t]*\n))+?)(?<=\S)\*(?![\w*])"
    r"|(?<!\w)_(?=[^\s_])((?:[^_\n]|\n(?![ \t]*\n))+?)(?<=\S)_(?!\w)",
)
_COMMENT = re.compile(r"<!--(?:(?!<!--|-->).)*+-->")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_SIGN_AS_NO_MARK = 0x10FF00
"""Added to the code of a sign that is no mark: the result is a character for private use at the end of Unicode."""
_SIGNS = {_SIGN_AS_NO_MARK + ord(sign): sign for sign in string.punctuation}
_LEFT_OVER = re.compile(r"(?<!\S)\*\*(?=\S)|(?<=\S)\*\*(?=[\s.,;:!?)]|\Z)")
"""Marks that open or close emphasis whose other end lies in another sentence or line."""

_Replacement: TypeAlias = str | Callable[[re.Match[str]], str]


def plain(markdown: str) -> str:
    """Returns a few lines of Markdown as they read, without marks; cells of a table row are joined by commas.

    Empty if it shows no words of its own: rules of tables, fences of code, tags of templates. Code stays as it is
    written.
    """
    aside = Aside()
    text = with_pipes(aside.without_placeholders(markdown))
    text = FENCED.sub(lambda block: _block_set_aside(block, aside), text)
    text = _replaced(text, _MARKS_OF_LINES)
    return _without_marks_in_lines(text, aside)


def plain_title(title: str) -> str:
    """Returns a title or a heading without marks; what would begin a list or a quotation is a part of it."""
    aside = Aside()
    text = aside.without_placeholders(title)
    return _without_marks_in_lines(text, aside)


def with_words_of_wiki_links(markdown: str) -> str:
    """Returns Markdown with the words of each wiki link in its place, or the name of the file that it embeds; not in code."""
    if "[[" not in markdown:
        return markdown
    parts = []
    for part, is_code in code_and_prose(markdown):
        if is_code:
            parts.append(part)
        else:
            parts.append(_WIKI_LINK.sub(_words_or_target, part))
    return "".join(parts)


def _words_or_target(link: re.Match[str]) -> str:
    """Returns what a link shows; what it points to if that is nothing."""
    return _words_of_wiki_link(link) or link[2]


def _without_marks_in_lines(text: str, aside: Aside) -> str:
    """Returns a text on one line without the marks within its lines; aside: what was set aside of it."""
    # 1. Code is no Markdown.
    text = _without_spans(text, aside)

    # 2. An escaped sign is no mark, nor is one that an entity stands for.
    text = _WIKI_LINK.sub(_words_of_wiki_link, text)
    text = _ESCAPED.sub(_as_no_mark, text)
    text = _replaced(text, _MARKS_IN_LINES)
    text = without_tags(text)
    text = _STRONG.sub(r"\2", text)
    text = with_characters(text)
    text = _ESCAPED.sub(_as_no_mark, text)
    text = _EMPHASIS.sub(_words_of_emphasis, text)
    text = _LEFT_OVER.sub("", text)

    # 3. Signs and code stand in their place again.
    text = text.translate(_SIGNS)
    text = aside.put_back(text)
    return " ".join(text.split())


def _replaced(text: str, marks: Sequence[tuple[re.Pattern[str], _Replacement]]) -> str:
    """Returns the text with what stands in place of the marks, in their order."""
    for mark, replacement in marks:
        text = mark.sub(replacement, text)
    return text


def _block_set_aside(block: re.Match[str], aside: Aside) -> str:
    """Returns the placeholder of a block of code without its fences, and without the marks of a quotation around it.

    A bare fence that nothing closes may itself close code that began above an excerpt: it goes, and what follows is no code.
    """
    fence = block["fence"]
    opening, *lines = block[0].split("\n")
    before_fence, _, info = opening.partition(fence)
    is_closed = lines != [] and lines[-1].lstrip(" \t>").startswith(fence)
    if not is_closed and not info.strip():
        return "\n".join(["", *lines])
    if is_closed:
        lines.pop()
    is_quoted = ">" in before_fence
    if is_quoted:
        lines = [line.lstrip(" \t>") for line in lines]
    return aside.set("\n".join(["", *lines]))


def _without_spans(text: str, aside: Aside) -> str:
    """Returns the text with each span of code set aside, without its backticks."""
    if "`" not in text:
        return text
    parts = []
    end = 0
    for start, span_end in code_spans_of(text, 0, len(text)):
        text_before = text[end:start]
        parts.append(text_before)
        code = text[start:span_end].strip("`").strip()
        parts.append(aside.set(code))
        end = span_end
    rest = text[end:]
    parts.append(rest)
    return "".join(parts)


def _as_no_mark(escaped: re.Match[str]) -> str:
    """Returns a character that stands for a sign which a backslash escapes, until all marks have gone."""
    sign = escaped[1]
    return chr(_SIGN_AS_NO_MARK + ord(sign))


def _words_of_row(row: re.Match[str]) -> str:
    """Returns the cells that show something, joined by commas; those of a rule in the midst of a row do not."""
    values = [cell for cell in cells(row[0]) if cell and not _CELL_OF_RULE.fullmatch(cell)]
    words = ", ".join(values)
    return words.replace("\\|", "|")


def _words_of_tag(tag: re.Match[str]) -> str:
    """Returns the word that `{% channel "travel" %}` shows; no file name, list or end of a link."""
    words = _WORDS_OF_A_TAG.fullmatch(tag[1] or "")
    if words is None:
        return ""

    tag_start = tag.start()
    first = max(0, tag_start - 20)
    before = tag.string[first:tag_start]
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
    is_block_id = part.startswith("^")
    if not is_block_id:
        heading = part.replace("#", " > ").strip()
    if name and heading:
        return f"{name} > {heading}"
    return name or heading


def _words_of_emphasis(emphasis: re.Match[str]) -> str:
    """Returns the words between the marks, which are stars or underscores."""
    return emphasis[1] or emphasis[2]


_MARKS_OF_LINES: Sequence[tuple[re.Pattern[str], _Replacement]] = (
    (DEFINITION, ""),
    (_ATTRIBUTES_OF_BLOCK, r"\1"),
    (_TABLE_RULE, ""),
    (_RULE, ""),
    (_LINE_MARK, ""),
    (_HARD_BREAK, ""),
    (_CALLOUT, ""),
    (_TABLE_ROW, _words_of_row),
    (BLOCK_ID, ""),
)
"""Marks that begin or end a line, and what stands in their place, in the order in which they are replaced."""
_MARKS_IN_LINES: Sequence[tuple[re.Pattern[str], _Replacement]] = (
    (_TEMPLATE_TAG, _words_of_tag),
    (_TEMPLATER, ""),
    (_LINK_WITH_ATTRIBUTES, r"\1"),
    (_LINK_BY_NAME, r"\1"),
    (_FOOTNOTE, ""),
    (_COMMENT, " "),
)
"""Marks within a line, and what stands in their place, in the order in which they are replaced."""
