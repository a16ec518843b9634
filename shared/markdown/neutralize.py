r"""Neutralizes citation markers that others wrote: finds them by how they look, and rewrites them.

How a sign looks is what a reader, or a program that renders Markdown and HTML, makes of brackets,
digits and N. Marks can be disguised without end (`〚N9〛`, `[Ｎ❾]`, `&#91;N9&rbrack;`, `%5BN9%5D`, a
soft hyphen inside), so no list names the disguises: Unicode's own names and categories say what
looks alike, HTML's entities and the percent sign are decoded. The idea of a skeleton is that of
Unicode's UTS #39.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from html import unescape
from urllib.parse import unquote

PAD = "\ufdd0"
"""Stands for the first characters of a sign that is written with several. A noncharacter: no text
holds it."""
NOTHING = "\ufdd1"
"""Stands for a character that shows nothing of its own: joiners, controls, accents that combine."""

_ENTITY = "&(?:amp;){0,4}(?:#[0-9]{1,12};?|#[xX][0-9A-Fa-f]{1,12};?|[A-Za-z][A-Za-z0-9]{1,31};)"
_TRAILING = "%[89ABab][0-9A-Fa-f]"
_PERCENT = (
    rf"%[0-7][0-9A-Fa-f]|%[CDcd][0-9A-Fa-f]{_TRAILING}|%[Ee][0-9A-Fa-f](?:{_TRAILING}){{2}}"
    rf"|%[Ff][0-7](?:{_TRAILING}){{3}}"
)
_OTHER = re.compile(rf"{_ENTITY}|{_PERCENT}|[^\t-\r -~\u4e00-\u9fff\uac00-\ud7a3]")
"""Signs that may look other than they are written; the rest of ASCII, ideographs and Hangul never
do."""
UNFINISHED = re.compile(
    r"&(?:amp;){0,4}(?:a|am|amp|#[0-9]{0,12}|#[xX][0-9A-Fa-f]{0,12}|[A-Za-z][A-Za-z0-9]{0,31})?\Z"
    rf"|(?:%[C-Fc-f][0-9A-Fa-f](?:{_TRAILING}){{0,2}})?%[0-9A-Fa-f]{{0,2}}\Z",
)
"""Matches the end of a text that may be read otherwise once there is more of it."""

_SIDES = {"LEFT": "[", "RIGHT": "]"}
_LIKE_A_SQUARE = re.compile(r"BRACKET|CEILING|FLOOR")
_UNLIKE_A_SQUARE = re.compile(r"CURLY|ANGLE")
_LETTER_N = re.compile(
    r"(?:LATIN|SYMBOL)\b.* LETTER (?:SMALL |CAPITAL )*N\b|LATIN LETTER (?:SMALL )?CAPITAL N\b",
)
_LIKE_N = frozenset("ΝⲚꓠ𐔓ոռ")
"""Letters of other scripts that UTS #39 holds for confusable with N or n."""
_UNSEEN_CATEGORIES = frozenset(("Mn", "Me", "Cf", "Cc", "Cs", "Co", "Cn"))
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
"""Letters and a symbol that show nothing, whatever their category says."""


def skeleton(text: str) -> str:
    """Returns the text with each character as it looks, in as many characters.

    Square brackets of any kind become `[` and `]`, N of any script `N` (`n` in ASCII alone), digits
    0 to 9, dashes `-`, compatibility forms plain; other characters stay. Where several characters
    make one sign, the last stands for it and the others are `PAD`.
    """
    return _OTHER.sub(_look_of_match, text)


def _look_of_match(match: re.Match[str]) -> str:
    """Returns how a character, an entity or an encoded character looks, in as many characters."""
    written = match[0]
    if len(written) == 1:
        return _look(written)
    if written[0] == "%":
        decoded = unquote(written, errors="replace")
    else:
        decoded = unescape(re.sub("^&(?:amp;)+", "&", written))
    if len(decoded) != 1:
        return written

    look = _look(decoded)
    if look.isascii() or look == NOTHING:
        padding = PAD * (len(written) - 1)
        return padding + look
    return written


@lru_cache(maxsize=8192)
def _look(char: str) -> str:
    """Returns the one character that a character looks like."""
    category = unicodedata.category(char)
    if char.isspace():
        return _look_of_space(char, category)
    if category in _UNSEEN_CATEGORIES or char in _BLANK_LETTERS:
        return NOTHING

    name = unicodedata.name(char, "")
    if _LIKE_A_SQUARE.search(name) and not _UNLIKE_A_SQUARE.search(name):
        return _look_of_bracket(char, name)
    if _looks_like_n(char, name):
        return "N"
    digit = _look_of_number(char, category)
    if digit is not None:
        return digit
    if category == "Pd":
        return "-"

    plain = unicodedata.normalize("NFKC", char)
    if len(plain) == 1 and plain.isascii():
        return plain
    return char


def _looks_like_n(char: str, name: str) -> bool:
    """Reports whether a character beyond ASCII looks like N; `name`: its Unicode name."""
    if char in _LIKE_N:
        return True
    return not char.isascii() and _LETTER_N.search(name) is not None


def _look_of_number(char: str, category: str) -> str | None:
    """Returns the digit that a character looks like, 0 for a greater number; None for no number."""
    digit = unicodedata.digit(char, None)
    if digit is not None:
        return str(digit)
    if category != "No":
        return None
    number = unicodedata.numeric(char, 0.5)
    if number.is_integer():
        return "0"  # which no label is
    return None


def _look_of_space(char: str, category: str) -> str:
    """Returns the blank or the line break that a white space looks like."""
    if char.isascii():
        return char
    if category == "Zs":
        return " "
    return "\n"


def _look_of_bracket(char: str, name: str) -> str:
    """Returns `[` or `]` by the side that the Unicode name of a bracket names."""
    for side, bracket in _SIDES.items():
        if side in name:
            return bracket
    return char


_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")

UNSEEN = (
    "[\x00-\x08\x0e-\x1f\x7f-\x9f"  # controls but tab and newline
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, fillers, Mongolian selectors
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"  # zero width, bidi, annotations
    "\ufe00-\ufe0e\ud800-\udfff"  # variation selectors that hide bits, lone surrogates
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"  # shorthand, music, tags
)
"""Pattern of one invisible character that no word needs."""

_UNSEEN = re.compile(UNSEEN)
# Joiners and the emoji selector spell words in Persian and Hindi and build family emoji: they stay between
# visible characters beyond ASCII, and go everywhere else.
_STRAY_JOINERS = re.compile(
    "(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f\u200c\u200d\ufe0f])"
    "|(?<![^\x00-\x7f\u200c\u200d\ufe0f])\ufe0f",
)

BLANK = rf"[\s{PAD}{NOTHING}]"
EMPHASIS = r"[*_~`]"
_CITATION_LIKE = re.compile(
    rf"(?<!{PAD}){PAD}*+\[(?=[\s{PAD}{NOTHING}^\\]*+(?:{EMPHASIS}++{BLANK}*+)?+[Nn]{BLANK}*+"
    rf"(?:\d|{EMPHASIS}++\d[\d{PAD}{NOTHING}]*+{EMPHASIS}))"
    rf"(?P<inside>(?:[^\[\]{PAD}]++|{PAD}++(?!\[))*+)(?P<close>\]?)",
)
"""Matches what looks like a citation, in the skeleton of a text."""


def neutralize(text: str) -> str:
    """Returns a note's text without invisible characters, with `[N1]` and its kin made `(N1)`.

    Covers more than the citations we parse (anything between the brackets, an unclosed one), so no
    citation can be parsed out of the result. Line breaks of every kind become newlines.
    """
    text = _BREAKS.sub("\n", text)
    text = _UNSEEN.sub("", text)
    text = _STRAY_JOINERS.sub("", text)

    parts: list[str] = []
    end = 0
    for citation in _CITATION_LIKE.finditer(skeleton(text)):
        text_before = text[end : citation.start()]
        parts.append(text_before)
        in_round_brackets = _in_round_brackets(text, citation)
        parts.append(in_round_brackets)
        end = citation.end()
    if not parts:
        return text
    rest = text[end:]
    parts.append(rest)

    # Brackets of ASCII may now stand where others stood, and joiners beside them stray.
    harmless = "".join(parts)
    return _STRAY_JOINERS.sub("", harmless)


def _in_round_brackets(text: str, citation: re.Match[str]) -> str:
    """Returns the text between a match's brackets in round ones; an open bracket stays open."""
    start, end = citation.span("inside")
    if not citation["close"]:
        inside = text[start:end]
        return f"({inside}"

    # A closing bracket may be written with several characters, like `&#93;`.
    without_pads = citation["inside"].rstrip(PAD)
    inside_end = start + len(without_pads)
    inside = text[start:inside_end]
    return f"({inside})"


def neutralize_line(text: str) -> str:
    """Returns a note's text neutralized, on one line with single blanks."""
    words = neutralize(text).split()
    return " ".join(words)
