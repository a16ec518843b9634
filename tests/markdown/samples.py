"""Markdown of every kind, put together at random, and the texts whose addresses may stay."""

from __future__ import annotations

from hypothesis import strategies as st

KNOWN = "https://notes.example/a?b=1"
MAILBOX = "who@notes.example"
TEXTS = (f"See [the page]({KNOWN}), javascript:alert(1) and data:text/html,x. Write to {MAILBOX}.",)

_MARKUP = [
    "![",
    "[",
    "]",
    "(",
    ")",
    "](",
    "]:",
    "<",
    ">",
    "</",
    "<!--",
    "`",
    "``",
    "```",
    "~~~",
    "\\",
    "!",
    "|",
    "\n",
]
_PLACES = [
    "\n\n",
    "\n- ",
    "\n> ",
    "    ",
    "  ",
    " ",
    "\t",
    "1. ",
    "# ",
    "- ",
    "```\n",
    "~~~html\n",
    "> ```\n> ",
    "\n> ```\n",
    "    ```\n",
    "\r",
    "\r\n",
    "\u2028",
    "\u00a0",
    "\u001f",
    "\u0085",
]
_PAYLOADS = [
    "<img src=x onerror=alert(1)>",
    "<b>",
    "http://evil.example/?q=1",
    KNOWN,
    "www.evil.example",
    "javascript:x",
    "//evil.example/1",
    "ftp://evil.example/2",
    "mailto:who@evil.example",
    "who@evil.example ",
    MAILBOX,
]
_WHOLE = [
    "![x](http://evil.example/1)",
    f"[page]({KNOWN})",
    "[a]: http://evil.example/2",
    f"![a]({KNOWN})",
    "![[plan.png]]",
    "![[",
    "`<b>`",
    "[a]",
]
_WORDS = [
    "a",
    "x",
    "N",
    "1",
    "[N1]",
    "[N2]",
    "ht",
    "tp://",
    '"',
    "'",
    ":",
    ".",
    "é",
    "😀",
    "&lt;",
    "*",
    "_",
    "word ",
]
_WORDS += ["。", "~", "^", "{", "|a|b|\n|-|-|\n", "evil.example/x"]
FRAGMENTS = [*_MARKUP, *_PLACES, *_PAYLOADS, *_WHOLE, *_WORDS]
MARKDOWN = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join) | st.text(
    alphabet="[]()<>!`~\\:\n ab/-|htp1N", max_size=40
)
