"""Markdown -> plain text: marks go, links and tags leave their words, cells of a row are joined."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from shared.markdown.hidden import BLOCK_ID, FOOTNOTE_REFERENCE, with_characters
from shared.markdown.lines import QUOTED, TABLE_RULE_MARKS, cells, with_pipes, without_code

_FENCE = re.compile(rf"^{QUOTED}(?:`{{3,}}|~{{3,}}).*$", re.MULTILINE)
_TABLE_RULE = re.compile(rf"^{QUOTED}{TABLE_RULE_MARKS}$", re.MULTILINE)
_LINE_MARK = re.compile(
    r"^(?:[ \t]*(?:>|#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]))+(?:\[[ xX]\][ \t])?[ \t]*",
    re.MULTILINE,
)
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
    r"!?\[([^\[\]]*)\]\((?:\{[{%][^{}%\n]{0,200}[%}]\})?[^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:[ \t]+\"[^\"]*\")?[ \t]*\)",
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
    r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])|(?<!\w)_(?=[^\s_])([^_\n]+?)(?<=\S)_(?!\w)",
)
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>|<!--(?:(?!<!--|-->).)*+-->")
_LEFT_OVER = re.compile(r"(?<!\S)\*\*(?=\S)|(?<=\S)\*\*(?=[\s.,;:!?)]|\Z)")
"""Marks that open or close emphasis whose other end lies in another sentence or line."""

_Replacement: TypeAlias = str | Callable[[re.Match[str]], str]


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


def _words_of_row(row: re.Match[str]) -> str:
    """Returns the cells that show something, joined by commas; those of a rule in the midst of a row do not."""
    values = [cell for cell in cells(row[0]) if cell and not _CELL_OF_RULE.fullmatch(cell)]
    return ", ".join(values)


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


_MARKS_BEFORE_CODE: Sequence[tuple[re.Pattern[str], _Replacement]] = (
    (_ATTRIBUTES_OF_BLOCK, r"\1"),
    (_FENCE, ""),
    (_TABLE_RULE, ""),
    (_LINE_MARK, ""),
    (_HARD_BREAK, ""),
    (_CALLOUT, ""),
    (_TABLE_ROW, _words_of_row),
    (BLOCK_ID, ""),
    (_TEMPLATE_TAG, _words_of_tag),
    (_TEMPLATER, ""),
    (_LINK_WITH_ATTRIBUTES, r"\1"),
    (_WIKI_LINK, _words_of_wiki_link),
    (_LINK_BY_NAME, r"\1"),
    (_FOOTNOTE, ""),
    (_TAG, " "),
    (_STRONG, r"\2"),
)
"""Marks and what stands in their place, in the order in which they are replaced."""
