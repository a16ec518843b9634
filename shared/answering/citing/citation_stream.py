"""`check_citations` for a text that is still being written: whatever the pieces, together they give the same text."""

from __future__ import annotations

from collections.abc import Sequence

from shared.answering.citing.markers import (
    close_gap,
    decided_length,
    gap_is_open,
    grammar,
    labels_of,
    may_continue,
    numbers_in,
)
from shared.markdown.skeleton import UNFINISHED, skeleton
from shared.model.answers import Source

_ALWAYS_READ = 1000
"""Characters of undecided text up to which every new one is looked at; beyond, a sixteenth of it must have come, so
that a writer who opens a bracket and never closes it costs no quadratic time."""


class CitationStream:
    """Draft text in, checked text out, as soon as nothing that follows can change it.

    What is held back: an opened bracket that may become a marker; blanks and brackets before it; and after a run of
    markers that goes, what its gap depends on.
    """

    def __init__(self, offered: Sequence[Source]) -> None:
        self._sources = {int(source.label[1:]): source for source in offered}
        self._renumbered: dict[int, int] = {}
        self._undecided = ""
        self._signs = ""
        """Its skeleton."""
        self._unread: list[str] = []
        self._sent = ""
        """The last character sent since the last run."""
        self._ahead = ""
        """The last one sent before that."""
        self._held: str | None = None
        """Inside a run: the text before it that its gap may change. None: outside."""
        self._keeps = False
        """Whether the run has kept a marker."""
        self._at_start = True

    @property
    def used(self) -> tuple[Source, ...]:
        """As `Cited.used`, of what has been sent so far."""
        found = self._renumbered.items()
        return tuple(Source(f"N{position}", self._sources[number].passage) for number, position in found)

    def feed(self, text: str) -> str:
        """The next of the draft -> the next of the checked text, often empty."""
        self._unread.append(text)
        waiting = len(self._undecided)
        if waiting > _ALWAYS_READ and sum(map(len, self._unread)) * 16 < waiting:
            return ""
        return self._read(final=False)

    def finish(self) -> str:
        """The draft is complete: the rest of the checked text."""
        return self._read(final=True)

    def _read(self, *, final: bool) -> str:
        text = "".join((self._undecided, *self._unread))
        self._unread.clear()
        later = None if final else UNFINISHED.search(text)
        self._undecided = text[: later.start()] if later else text
        self._signs = skeleton(self._undecided)
        sent: list[str] = []
        while self._read_text(sent, final=final) if self._held is None else self._read_run(sent, final=final):
            pass
        if later:
            self._undecided += later[0]
        return "".join(sent)

    def _go_on(self, behind: int) -> None:
        self._undecided, self._signs = self._undecided[behind:], self._signs[behind:]

    def _read_text(self, sent: list[str], *, final: bool) -> bool:
        """Up to the next marker. Whether there is one."""
        found = grammar().marker.search(self._signs)
        before = self._undecided[: found.start()] if found else self._undecided
        decided = len(before) if final and not found else decided_length(before, self._signs[: len(before)])
        sent.append(before[:decided])
        self._sent = before[:decided][-1:] or self._sent
        if found:
            self._held, self._keeps = before[decided:], False
        self._go_on(len(before) if found else decided)
        return found is not None

    def _read_run(self, sent: list[str], *, final: bool) -> bool:
        """The run's next marker, or its end. Whether either was there."""
        assert self._held is not None  # noqa: S101 - the type's proof
        if part := grammar().part.match(self._signs):
            labels = self._labels(part["marker"])
            if labels:
                separator = self._undecided[: part.end("separator")]
                sent.extend((separator if self._keeps else self._held, labels))
                self._keeps, self._sent = True, labels[-1]
            self._go_on(part.end())
            return True
        if not final and (may_continue(self._signs) or (not self._keeps and gap_is_open(self._undecided))):
            return False
        if not self._keeps:
            before, end = close_gap(
                self._sent + self._held, self._undecided, 0, ahead=self._ahead, at_start=self._at_start
            )
            sent.append(before[len(self._sent) :])
            self._sent = before[-1:]
            self._go_on(end)
        self._ahead = self._sent or self._ahead
        self._held, self._sent, self._at_start = None, "", False
        return True

    def _labels(self, marker: str) -> str:
        for number in numbers_in(marker, self._sources):
            if number in self._sources:
                self._renumbered.setdefault(number, len(self._renumbered) + 1)
        return labels_of(marker, self._renumbered)
