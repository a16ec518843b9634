"""Links and addresses in Markdown: how they are written, and whether an address stands in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from shared.language.vocabulary import conjunctions
from shared.markdown.skeleton import NOTHING, PAD, skeleton

_SCHEMES = ("http://", "https://", "ftp://", "www.", "mailto:", "xmpp:")
"""What Markdown clients turn into links without being asked (GitHub's extended autolinks)."""

_HOST_FOLLOWS = r"(?=[^\s/<>]{1,253}\.\w)"
LINK_START = "|".join((*map(re.escape, _SCHEMES), f"(?<![:/])//{_HOST_FOLLOWS}"))
LONGEST = 2048
"""Characters; what is longer is no address that anybody wrote down."""
ADDRESS = re.compile(rf"(?:{LINK_START})[!#-&(-;=?-Z_a-z~']{{0,{LONGEST}}}", re.IGNORECASE)

_TEXT = r"\[(?P<text>[^\[\]\n`<>\\]{0,300})\]"
_ADDRESS_IN_LINK = rf"(?P<address>(?:[^\s<>\[\]()`\\|]|\([^\s<>\[\]()`\\|]*\)){{0,{LONGEST}}}+)"
_TARGET = rf"\([ \t]*+<?{_ADDRESS_IN_LINK}>?(?:[ \t]++[\"'(][^\[\]`\\<>\n]{{0,300}}[\"')])?[ \t]*+\)"
LINK = re.compile(_TEXT + _TARGET)
TARGET = re.compile(_TARGET)
POINTS_SOMEWHERE = re.compile(r"[:/#]|\.[A-Za-z]{2}|\A\Z")
PLAIN_TEXT = re.compile(r"[\w \t.,;'’\"“”()*&%+/-]+")

_SAFE = re.compile(r"(?:https?://|mailto:)[^\s/]", re.IGNORECASE)
_AFTER = ".,;:!?'*_~)&"
_MOST_AFTER = 4
"""So many of them are tried without: `(see "https://…".)` has three."""
_GOES_ON = r"(?![A-Za-z0-9/\-%=&?#~+@])"


def stands_in(address: str, texts: Iterable[str]) -> bool:
    """Whether the address stands in one of the texts, whole: not as the start or the middle of a longer one."""
    whole = rf"(?<![A-Za-z0-9]){re.escape(address)}{_GOES_ON}"
    return any(address in text and re.search(whole, text) for text in texts)


def like_a_label(text: str) -> bool:
    """Whether it could be a part of a citation's marker."""
    return _label().fullmatch(skeleton(text)) is not None


@cache
def _label() -> re.Pattern[str]:
    letters = "".join(sorted(set("".join(conjunctions()))))
    return re.compile(rf"[\s{PAD}{NOTHING}^Nn\d,;&/、*_~`{letters}-]*")


def may_be_followed(address: str) -> bool:
    """Whether it leads to a web page or a mailbox, and nowhere else."""
    return _SAFE.match(address) is not None


def whole_addresses(text: str) -> Iterable[str]:
    """What the address that a run of characters begins with may be, longest first: a sentence's end is no part of it
    unless it stands so in the texts.
    """
    yield text
    for _ in range(_MOST_AFTER):
        if text[-1] not in _AFTER:
            return
        text = text[:-1]
        yield text


def bare_address(text: str) -> str:
    """A run of characters without the punctuation that a sentence adds at its end."""
    return text.rstrip(_AFTER)
