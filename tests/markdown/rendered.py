"""What a CommonMark renderer and a browser show of Markdown, to compare with."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from markdown_it import MarkdownIt

RENDERER = MarkdownIt("commonmark", {"html": True}).enable("table")

STRANGERS = Path(__file__).parents[2] / "examples" / "strangers" / "notes"
_COMMENT = re.compile(r"\{%-?\s*comment\b.*?endcomment\s*-?%\}", re.DOTALL)
"""Hidden by the renderer of the site from which the notes are."""


class _Text(HTMLParser):
    """Collects the text that a page shows."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self._is_hidden = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._is_hidden = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        del tag
        self._is_hidden = False

    def handle_data(self, data: str) -> None:
        if not self._is_hidden:
            self.text += data


def visible_text(markdown: str) -> str:
    """Returns the text that a CommonMark renderer shows."""
    page = _Text()
    page.feed(RENDERER.render(markdown))
    page.close()
    return page.text


def letters(text: str) -> str:
    """Returns the letters and digits of a text alone."""
    return "".join(filter(str.isalnum, text))


def without_comments(markdown: str) -> str:
    """Returns a note of strangers without what their site does not show."""
    return _COMMENT.sub("", markdown)
