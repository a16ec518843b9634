r"""Text as it looks, sign by sign: what a reader, or what renders Markdown and HTML, makes of brackets, digits and N.

Marks can be disguised without end (`〚N9〛`, `[Ｎ❾]`, `&#91;N9&rbrack;`, `%5BN9%5D`, a soft hyphen inside), so no list
names the disguises: Unicode's own names and categories say what looks alike, HTML's entities and the percent sign are
decoded. The idea of a skeleton is that of Unicode's UTS #39.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from html import unescape
from urllib.parse import unquote

PAD = "\ufdd0"
"""Stands for the first characters of a sign that is written with several. A noncharacter: no text holds it."""
NOTHING = "\ufdd1"
"""Stands for a character that shows nothing of its own: joiners, controls, accents that combine."""

_ENTITY = "&(?:amp;){0,4}(?:#[0-9]{1,12};?|#[xX][0-9A-Fa-f]{1,12};?|[A-Za-z][A-Za-z0-9]{1,31};)"
_TRAILING = "%[89ABab][0-9A-Fa-f]"
_PERCENT = (
    rf"%[0-7][0-9A-Fa-f]|%[CDcd][0-9A-Fa-f]{_TRAILING}|%[Ee][0-9A-Fa-f](?:{_TRAILING}){{2}}"
    rf"|%[Ff][0-7](?:{_TRAILING}){{3}}"
)
_OTHER = re.compile(rf"{_ENTITY}|{_PERCENT}|[^\t-\r -~\u4e00-\u9fff\uac00-\ud7a3]")
"""What may look other than it is written; the rest of ASCII, ideographs and Hangul never do."""
UNFINISHED = re.compile(
    r"&(?:amp;){0,4}(?:a|am|amp|#[0-9]{0,12}|#[xX][0-9A-Fa-f]{0,12}|[A-Za-z][A-Za-z0-9]{0,31})?\Z"
    rf"|(?:%[C-Fc-f][0-9A-Fa-f](?:{_TRAILING}){{0,2}})?%[0-9A-Fa-f]{{0,2}}\Z"
)
"""The end of a text that may be read otherwise once there is more of it."""

_SIDES = {"LEFT": "[", "RIGHT": "]"}
_LIKE_A_SQUARE = re.compile(r"BRACKET|CEILING|FLOOR")
_UNLIKE_A_SQUARE = re.compile(r"CURLY|ANGLE")
_LETTER_N = re.compile(r"(?:LATIN|SYMBOL)\b.* LETTER (?:SMALL |CAPITAL )*N\b|LATIN LETTER (?:SMALL )?CAPITAL N\b")
_LIKE_N = frozenset("ΝⲚꓠ𐔓ոռ")
"""Letters of other scripts that UTS #39 holds for confusable with N or n."""
_UNSEEN_CATEGORIES = frozenset(("Mn", "Me", "Cf", "Cc", "Cs", "Co", "Cn"))
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
"""Letters and a symbol that show nothing, whatever their category says."""


def skeleton(text: str) -> str:
    """Text -> as many characters, each as it looks: square brackets of any kind `[` and `]`, N of any script `N` (`n`
    in ASCII alone), digits 0 to 9, dashes `-`, compatibility forms plain. Other characters are themselves. Where
    several characters make one sign, the last stands for it and the others are `PAD`.
    """
    return _OTHER.sub(_looks, text)


def _looks(found: re.Match[str]) -> str:
    written = found[0]
    if len(written) == 1:
        return _look(written)
    char = unquote(written, errors="replace") if written[0] == "%" else unescape(re.sub("^&(?:amp;)+", "&", written))
    look = _look(char) if len(char) == 1 else written
    return PAD * (len(written) - 1) + look if len(look) == 1 and (look.isascii() or look == NOTHING) else written


@lru_cache(maxsize=8192)
def _look(char: str) -> str:
    """One character -> one."""
    if char.isspace():
        return char if char.isascii() else " " if unicodedata.category(char) == "Zs" else "\n"
    category = unicodedata.category(char)
    if category in _UNSEEN_CATEGORIES or char in _BLANK_LETTERS:
        return NOTHING
    name = unicodedata.name(char, "")
    if _LIKE_A_SQUARE.search(name) and not _UNLIKE_A_SQUARE.search(name):
        return next((bracket for side, bracket in _SIDES.items() if side in name), char)
    if char in _LIKE_N or (not char.isascii() and _LETTER_N.search(name)):
        return "N"
    digit = unicodedata.digit(char, None)
    if digit is not None or (category == "No" and unicodedata.numeric(char, 0.5).is_integer()):
        return str(digit or 0)  # 0 also for a sign that is a greater number, which no label is
    plain = "-" if category == "Pd" else unicodedata.normalize("NFKC", char)
    return plain if len(plain) == 1 and plain.isascii() else char


_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")

UNSEEN = (
    "[\x00-\x08\x0e-\x1f\x7f-\x9f"  # controls but tab and newline
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, fillers, Mongolian selectors
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"  # zero width, bidi, annotations
    "\ufe00-\ufe0e\ud800-\udfff"  # variation selectors that hide bits, lone surrogates
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"  # shorthand, music, tags
)
"""A pattern of one invisible character that no word needs."""

_UNSEEN = re.compile(UNSEEN)
# Joiners and the emoji selector spell words in Persian and Hindi and build family emoji: they stay between
# visible characters beyond ASCII, and go everywhere else.
_STRAY_JOINERS = re.compile(
    "(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f\u200c\u200d\ufe0f])"
    "|(?<![^\x00-\x7f\u200c\u200d\ufe0f])\ufe0f"
)

BLANK = rf"[\s{PAD}{NOTHING}]"
EMPHASIS = r"[*_~`]"
_CITATION_LIKE = re.compile(
    rf"(?<!{PAD}){PAD}*+\[(?=[\s{PAD}{NOTHING}^\\]*+(?:{EMPHASIS}++{BLANK}*+)?+[Nn]{BLANK}*+"
    rf"(?:\d|{EMPHASIS}++\d[\d{PAD}{NOTHING}]*+{EMPHASIS}))"
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
        start = found.start("inside")
        signs = found["inside"].rstrip(PAD) if found["close"] else found["inside"]
        inside = seen[start : start + len(signs)]
        pieces += [seen[end : found.start()], "(", inside, ")" if found["close"] else ""]
        end = found.end()
    return _STRAY_JOINERS.sub("", "".join([*pieces, seen[end:]])) if pieces else seen


def neutralize_line(text: str) -> str:
    """Note text -> neutralized text on one line, with single blanks."""
    return " ".join(neutralize(text).split())
