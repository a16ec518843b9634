"""A sentence of Markdown -> what a reader sees of it, on one line."""

from __future__ import annotations

import re

from shared.markdown.file import without_code

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
    """Of a table's row, as they stand in it; empty ones too."""
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
