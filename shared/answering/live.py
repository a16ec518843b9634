"""Pieces of a draft -> what may be shown of the answer so far."""

from __future__ import annotations

from collections.abc import Sequence

from shared.answering.citation_stream import CitationStream
from shared.domain import Source


class LiveText:
    """`opening` stands before the first text. Without `with_citations` every marker goes, as at the end."""

    def __init__(self, offered: Sequence[Source], *, opening: str = "", with_citations: bool = True) -> None:
        self._checked = CitationStream(offered)
        self._bare = None if with_citations else CitationStream(())
        self._opening = opening
        self._blanks = ""
        self._begun = False

    def feed(self, draft: str) -> str:
        """The next of the draft -> the next of the answer, without blanks around the whole."""
        text = self._checked.feed(draft)
        if self._bare:
            text = self._bare.feed(text)
        text = self._blanks + text if self._begun else text.lstrip()
        shown = text.rstrip()
        self._blanks = text[len(shown) :]
        if not shown or self._begun:
            return shown
        self._begun = True
        return self._opening + shown

    def source(self, label: str) -> Source | None:
        """The one behind a label that was shown."""
        return next((source for source in self._checked.used if source.label == label), None)
