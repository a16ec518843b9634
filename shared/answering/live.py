"""Pieces of a draft -> what may be shown of the answer so far."""

from __future__ import annotations

from collections.abc import Sequence

from shared.answering.citing.citation_stream import CitationStream
from shared.markdown.passive import PassiveStream
from shared.model.answers import Source


class LiveText:
    """`opening` stands before the first text; `texts` hold the addresses to which it may link.

    Without `with_citations` every marker goes, as at the end.
    """

    def __init__(
        self, offered: Sequence[Source], texts: Sequence[str], *, opening: str = "", with_citations: bool = True
    ) -> None:
        self._checked = CitationStream(offered)
        self._bare = None if with_citations else CitationStream(())
        self._passive = PassiveStream(texts)
        self._opening = opening
        self._blanks = ""
        self._begun = False

    def feed(self, draft: str) -> str:
        """The next of the draft -> the next of the answer, without blanks around the whole."""
        text = self._checked.feed(draft)
        if self._bare:
            text = self._bare.feed(text)
        if not self._begun:
            text = text.lstrip()
            self._begun = bool(text)
            text = self._opening + text if text else ""
        text = self._blanks + self._passive.feed(text)
        shown = text.rstrip()
        self._blanks = text[len(shown) :]
        return shown

    def source(self, label: str) -> Source | None:
        """The one behind a label that was shown."""
        return next((source for source in self._checked.used if source.label == label), None)
