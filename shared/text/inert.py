"""Text of notes made unable to act: nothing invisible in it, nothing that reads as one of our citations."""

from __future__ import annotations

import re

_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")

UNSEEN = (
    "[\x00-\x08\x0e-\x1f\x7f-\x9f"  # controls but tab and newline
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, fillers, Mongolian selectors
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"  # zero width, bidi, annotations
    "\ufe00-\ufe0e\ud800-\udfff"  # variation selectors that hide bits, lone surrogates
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"  # shorthand, music, tags
)
"""A pattern of one character that nobody sees and no word needs."""

_UNSEEN = re.compile(UNSEEN)
# Joiners and the emoji selector spell words in Persian and Hindi and build family emoji: they stay between
# visible characters beyond ASCII, and go everywhere else.
_STRAY_JOINERS = re.compile(
    "(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f\u200c\u200d\ufe0f])"
    "|(?<![^\x00-\x7f\u200c\u200d\ufe0f])\ufe0f"
)

_OPEN = r"\[［【〔〖〘⟦"
_BLANK = "[\\s\u200c\u200d\ufe0f]"
_CLOSE = r"\]］】〕〗〙⟧"
_CITATION_LIKE = re.compile(
    rf"[{_OPEN}](?={_BLANK}*[\^\\]?{_BLANK}*[NnＮｎΝ]{_BLANK}*\d)([^{_OPEN}{_CLOSE}]*)([{_CLOSE}]?)"
)


def inert(text: str) -> str:
    """Note text -> the same without invisible characters, `[N1]` and its kin rewritten as `(N1)`.

    Covers more than the citations we parse (blanks, tortoise-shell brackets, an unclosed bracket), so
    no citation can be parsed out of the result. Line breaks of every kind become newlines.
    """
    seen = _STRAY_JOINERS.sub("", _UNSEEN.sub("", _BREAKS.sub("\n", text)))
    return _CITATION_LIKE.sub(lambda found: f"({found[1]}{')' if found[2] else ''}", seen)


def inert_line(text: str) -> str:
    """The same on one line, with single blanks."""
    return " ".join(inert(text).split())
