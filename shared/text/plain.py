"""A sentence of Markdown -> what a reader sees of it, on one line."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^[ \t>]*(?:`{3,}|~{3,}).*$", re.MULTILINE)
_TABLE_RULE = re.compile(r"^[ \t>]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$", re.MULTILINE)
_LINE_MARK = re.compile(
    r"^(?:[ \t]*(?:>|#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]))+(?:\[[ xX]\][ \t])?[ \t]*", re.MULTILINE
)
_TABLE_ROW = re.compile(r"^[ \t]*\|(.*?)\|?[ \t]*$", re.MULTILINE)
_CELL_RULE = re.compile(r"[ \t]*(?<!\\)\|[ \t]*")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:[ \t]+\"[^\"]*\")?\)")
_WIKI_LINK = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]+)\]\]")
_STRONG = re.compile(r"(\*\*|(?<!\w)__|~~|==)(?=\S)(.+?)(?<=\S)\1(?!(?<=__)\.?\w)")  # but not `__init__.py`
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])|(?<!\w)_(?=[^\s_])([^_\n]+?)(?<=\S)_(?!\w)")
_CODE = re.compile(r"(`+)[ ]?(.+?)[ ]?\1")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>|<!--.*?-->")


def plain(markdown: str) -> str:
    """Markdown of a sentence or a few lines -> the text without its marks; cells of a table row joined by commas.

    Empty for what shows no words of its own: rules of tables, fences of code. The words of code stay.
    """
    text = _TABLE_RULE.sub("", _FENCE.sub("", markdown))
    text = _LINE_MARK.sub("", text)
    text = _TABLE_ROW.sub(_cells, text)
    text = _WIKI_LINK.sub(r"\1", _LINK.sub(r"\1", text))
    text = _CODE.sub(r"\2", _STRONG.sub(r"\2", _TAG.sub(" ", text)))
    text = _EMPHASIS.sub(lambda found: found[1] or found[2], text)
    return " ".join(text.split())


def _cells(row: re.Match[str]) -> str:
    return ", ".join(cell for cell in _CELL_RULE.split(row[1].strip()) if cell)
