"""Text of notes made unable to act: nothing invisible in it, nothing that reads as one of our citations."""

from __future__ import annotations

import re

from shared.markdown.skeleton import NOTHING, PAD, skeleton

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

_BLANK = rf"[\s{PAD}{NOTHING}]"
_EMPHASIS = r"[*_~`]"
_CITATION_LIKE = re.compile(
    rf"(?<!{PAD}){PAD}*+\[(?=[\s{PAD}{NOTHING}^\\]*+(?:{_EMPHASIS}++{_BLANK}*+)?+[Nn]{_BLANK}*+"
    rf"(?:\d|{_EMPHASIS}++\d[\d{PAD}{NOTHING}]*+{_EMPHASIS}))"
    rf"(?P<inside>(?:[^\[\]{PAD}]++|{PAD}++(?!\[))*+)(?P<close>\]?)"
)
"""In the skeleton of a text."""


def neutralize(text: str) -> str:
    """Note text -> the same without invisible characters, `[N1]` and its kin rewritten as `(N1)`.

    Covers more than the citations we parse (anything between the brackets, an unclosed one), so no citation can be
    parsed out of the result. Line breaks of every kind become newlines.
    """
    seen = _STRAY_JOINERS.sub("", _UNSEEN.sub("", _BREAKS.sub("\n", text)))
    pieces, end = [], 0
    for found in _CITATION_LIKE.finditer(skeleton(seen)):
        start, stop = found.span("inside")
        inside = seen[start : stop - _pads_at_end(found["inside"])] if found["close"] else seen[start:stop]
        pieces += [seen[end : found.start()], "(", inside, ")" if found["close"] else ""]
        end = found.end()
    return _STRAY_JOINERS.sub("", "".join([*pieces, seen[end:]])) if pieces else seen


def _pads_at_end(signs: str) -> int:
    return len(signs) - len(signs.rstrip(PAD))


def neutralize_line(text: str) -> str:
    """The same on one line, with single blanks."""
    return " ".join(neutralize(text).split())
