"""Addresses in text: what clients turn into links, and whether one stands in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SCHEMES = ("http://", "https://", "ftp://", "www.", "mailto:", "xmpp:")
"""What Markdown clients turn into links without being asked (GitHub's extended autolinks)."""
_PREFIXES = sorted({scheme[:length] for scheme in _SCHEMES for length in range(1, len(scheme))}, key=len, reverse=True)

LINK_START = "|".join(map(re.escape, _SCHEMES))
MAY_START = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, _PREFIXES))})\Z", re.IGNORECASE)
"""The end of a text with which an address may begin, once there is more of it."""
LONGEST = 2048
"""Characters; what is longer is no address that anybody wrote down."""
ADDRESS = re.compile(rf"(?:{LINK_START})[!#-&(-;=?-Z_a-z~']{{0,{LONGEST}}}", re.IGNORECASE)

_SAFE = re.compile(r"(?:https?://|mailto:)[^\s/]", re.IGNORECASE)
_AFTER = ".,;:!?'*_~)&"
_GOES_ON = r"(?![A-Za-z0-9/\-%=&?#~+@])"


def stands_in(address: str, texts: Iterable[str]) -> bool:
    """Whether the address stands in one of the texts, whole: not as the start or the middle of a longer one."""
    found = re.compile(rf"(?<![A-Za-z0-9]){re.escape(address)}{_GOES_ON}")
    return any(address in text and found.search(text) for text in texts)


def may_be_followed(address: str) -> bool:
    """Whether it leads to a web page or a mailbox, and nowhere else."""
    return _SAFE.match(address) is not None


def whole_addresses(text: str) -> Iterable[str]:
    """What the address that a run of characters begins with may be, longest first: a sentence's end is no part of it
    unless it stands so in the texts.
    """
    yield text
    while text and text[-1] in _AFTER:
        text = text[:-1]
        yield text


def bare_address(text: str) -> str:
    """A run of characters without the punctuation that a sentence adds at its end."""
    return text.rstrip(_AFTER)
