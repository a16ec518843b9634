"""Pieces of a draft -> what may be shown of the answer so far: checked as the whole is, as far as it is certain."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence

from shared.answering.citing.citations import check_citations
from shared.answering.citing.markers import before_unfinished
from shared.markdown.sanitize import sanitize
from shared.markdown.skeleton import NOTHING, PAD, skeleton
from shared.model.answers import Source

_ALWAYS_READ, _STEPS = 500, 16
"""Characters up to which a draft is read again with each piece; beyond, when one in so many is new: a long one takes no
quadratic time."""
_WORD = f"{string.ascii_letters}{string.digits}{string.punctuation}{PAD}{NOTHING}"
"""What markers, entities and addresses are made of: a run of these goes on, maybe."""
_WHATEVER_FOLLOWS = re.compile(r"(?:[\w,;?'\"()*-]|\[N\d+\])*\.?")
"""A run that begins none of them, or no more of them."""
_CLOSED = re.compile(r"(?:[^`\[!]|!(?!\[)|`++[^`\n]*`++|!?\[++[^\[\]\n]*\]++(?:\([^()\n]*\))?+)*+")
_LONGEST_OPEN = 300
"""Characters of a line for which a link or a span of code is waited for."""


class LiveText:
    """`opening` stands before the first text; `texts` hold the addresses to which it may link.

    Without `with_citations` every marker goes, as at the end.
    """

    def __init__(
        self, offered: Sequence[Source], texts: Sequence[str], *, opening: str = "", with_citations: bool = True
    ) -> None:
        self._offered, self._texts = offered, texts
        self._opening, self._with_citations = opening, with_citations
        self._draft = ""
        self._read = self._certain = 0
        """How much of it was read already, and how much of that is certain."""
        self._shown = ""
        self._used: tuple[Source, ...] = ()

    def feed(self, draft: str, *, ended: bool = False) -> str:
        """The next of the draft -> the answer so far, without blanks around it. Only rarely does it not go on from what
        it was before: where a list of labels that go is still being written, say.
        """
        self._draft += draft
        if ended or (len(self._draft) - self._read) * _STEPS > self._read - _ALWAYS_READ:
            self._read = len(self._draft)
            self._certain = max(self._certain, _certain(self._draft))
            cited = check_citations(self._draft[: self._certain], self._offered)
            text = (cited.text if self._with_citations else check_citations(cited.text, ()).text).strip()
            self._used = cited.used
            self._shown = sanitize(self._opening + text, self._texts) if text else ""
        return self._shown

    def source(self, label: str) -> Source | None:
        """The one behind a label that was shown."""
        return next((source for source in self._used if source.label == label), None)


def _certain(draft: str) -> int:
    """Up to where it lies outside of any marker, entity, address, link and span of code that is still being written."""
    signs = skeleton(draft)
    words = signs[: len(draft.rstrip(_WORD))].rstrip(_WORD)
    if not _WHATEVER_FOLLOWS.fullmatch(signs, len(words)):
        signs = words
    closed = _CLOSED.match(signs, signs.rfind("\n") + 1)
    if closed and len(signs) - closed.end() < _LONGEST_OPEN:
        signs = signs[: closed.end()]
    return before_unfinished(signs)
