"""Finds what a client would run, fetch or link to when it shows a Markdown text: read by a real parser that passes HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSERS = (
    MarkdownIt("commonmark", {"html": True}),
    MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough"),
)
_ADDRESS = re.compile(r"(?<![A-Za-z0-9])(?:https?://|www\.)\w[^\s<]*", re.IGNORECASE)
_SENTENCE_END = ".,;:!?'*_~)&"


def active(markdown: str, texts: Sequence[str]) -> list[str]:
    """Every HTML tag, image, and link (also one that a client makes of a bare address) that no text holds."""
    return [
        finding
        for parser in _PARSERS
        for token in _flat(parser.parse(markdown))
        for finding in _active_in(token, texts)
    ]


def _active_in(token: Token, texts: Sequence[str]) -> Iterator[str]:
    if token.type in ("html_block", "html_inline", "image"):
        yield f"{token.type} {token.content}"
    addresses = [str(token.attrGet("href"))] if token.type == "link_open" else []
    if token.type == "text":
        addresses = [address.rstrip(_SENTENCE_END) for address in _ADDRESS.findall(token.content)]
    yield from (
        f"link {address}" for address in addresses if not any(address in text for text in texts)
    )


def _flat(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or [])
