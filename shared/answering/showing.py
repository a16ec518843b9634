"""What a reader of a growing answer sees: tokens, citations at their first marker, and what is withdrawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from shared.language.offsets import Utf16Offsets
from shared.model.answers import Answer, AnswerEvent, Citation, Cited, Retracted, RetractReason, Token

_MARKER = re.compile(r"\[(N\d+)\]")
_PART_OF_ONE = re.compile(r"\[N?\d*\Z")


class Shown:
    """The text that is shown, and which source each of its labels was shown for."""

    def __init__(self) -> None:
        self.text = ""
        self._labels: dict[str, tuple[int, Citation | None]] = {}
        """Label -> where its first marker stands, and the citation shown with it."""

    def go_on(self, text: str, citation_of: Callable[[str], Citation | None]) -> Iterator[AnswerEvent]:
        """Show the text so far, mostly what is shown and more; a citation right after the first marker of each."""
        kept = self._alike(text)
        yield from self.withdraw(kept, RetractReason.REVISED)
        yield from self._add(text[kept:], citation_of)

    def become(self, answer: Answer) -> Iterator[AnswerEvent]:
        """Show exactly the answer: what differs is withdrawn, labels of other sources too; what is missing follows."""
        final = {citation.label: citation for citation in answer.citations}
        kept = self._alike(answer.text)
        for label, (place, citation) in self._labels.items():
            if citation and (label not in final or final[label].passage != citation.passage):
                kept = min(kept, place)
        yield from self.withdraw(kept, RetractReason.REFUSED if answer.refusal else RetractReason.REVISED)
        yield from self._add(answer.text[kept:], final.get)

    def withdraw(self, start: int, reason: RetractReason) -> Iterator[AnswerEvent]:
        """Show nothing from `start` on; no event if nothing stands there."""
        if start < len(self.text):
            utf16_start = Utf16Offsets(self.text).at(start)
            self.text = self.text[:start]
            self._labels = {label: shown for label, shown in self._labels.items() if shown[0] < start}
            yield Retracted(start, utf16_start, reason)

    def _alike(self, text: str) -> int:
        """How much of what is shown the text begins with, and no part of a marker."""
        kept = _length_alike(self.text, text)
        part = _PART_OF_ONE.search(self.text, max(0, kept - 12), kept)
        if part and (_MARKER.match(self.text, part.start()) or _MARKER.match(text, part.start())):
            return part.start()
        return kept

    def _add(self, text: str, citation_of: Callable[[str], Citation | None]) -> Iterator[AnswerEvent]:
        start = 0
        for found in _MARKER.finditer(text):
            if found[1] not in self._labels:
                place = len(self.text) + found.start() - start
                yield self._token(text[start : found.end()])
                start = found.end()
                citation = citation_of(found[1])
                self._labels[found[1]] = (place, citation)
                if citation:
                    yield Cited(citation)
        if start < len(text):
            yield self._token(text[start:])

    def _token(self, text: str) -> Token:
        self.text += text
        return Token(text)


def _length_alike(left: str, right: str) -> int:
    if right.startswith(left):
        return len(left)
    return next((at for at, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]), len(right))
