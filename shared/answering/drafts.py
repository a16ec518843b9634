"""Prompt -> draft, as it is being written. That no model wrote is a result: nothing fails because one is away."""

from __future__ import annotations

import logging
import re
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field, replace

from shared.answering.citing.markers import before_unfinished
from shared.answering.citing.source_lists import without_source_list
from shared.answering.verdict import VerdictReader
from shared.errors import ModelRefused, ModelUnavailable
from shared.language.sentences import sentences
from shared.markdown.neutralize import UNSEEN
from shared.markdown.skeleton import skeleton
from shared.model.answers import Draft, Prompt, Usage
from shared.ports.models import Writer

log = logging.getLogger(__name__)

LONGEST_DRAFT = 100_000
"""Characters; a writer that goes on is stopped there, as at a limit of its own."""

_COMPLETE = re.compile(r"[.!?…。！？][\"'”’»)\]*_`]*(?:\s*\[[^\[\]]*\])*\Z")
_UNCLOSED = re.compile(r"\[[^\[\]]*\Z")
_CUT = " …"
_NOT_TEXT = re.compile(rf"{UNSEEN}|[\x0b\x0c\r]")


@dataclass(frozen=True, slots=True)
class NotWritten:
    """The writer is away, refuses, broke off or wrote nothing, or there is none. What it wrote counts no more."""

    usage: Usage = field(default_factory=Usage)
    """What it has cost all the same."""


def write_draft(prompt: Prompt, writer: Writer | None) -> Generator[str | Draft | NotWritten]:
    """The text as it comes (empty: nothing new), and at last the finished draft, or that there is none.

    What the writer says of the sources (`shared.answering.verdict`) is no text, nor is anything after it has said that
    they do not answer. A draft that stopped at a limit loses its unfinished last sentence and ends in an ellipsis.
    Control and invisible characters, a marker that breaks off at the end, and a list of sources there are no part of
    any draft.
    """
    if writer is None:
        yield NotWritten()
        return
    attempt = _Attempt(asks_for_verdict=bool(prompt.sources))
    problem = ""
    try:
        with closing(writer.stream(prompt)) as pieces:
            for piece in pieces:
                attempt.usage = piece.usage or attempt.usage
                yield attempt.read(piece.text)
                if piece.truncated or not attempt.room:
                    attempt.truncated = True
                if not attempt.room:
                    break
        if rest := attempt.end():
            yield rest
    except (ModelUnavailable, ModelRefused) as error:
        problem = f"{'broke off' if any(attempt.texts) else 'did not write'} ({type(error).__name__})"
    draft = attempt.draft(writer.model)
    if not problem and not draft.text.strip() and draft.answers is not False:
        problem = "wrote nothing"
    if problem:
        log.warning("%s %s; the notes are quoted instead", writer.model, problem)
    yield NotWritten(attempt.usage) if problem else _finished(draft)


class _Attempt:
    """What has been written so far."""

    def __init__(self, *, asks_for_verdict: bool) -> None:
        self.texts: list[str] = []
        self.usage, self.truncated, self.room = Usage(), False, LONGEST_DRAFT
        self._verdict = VerdictReader() if asks_for_verdict else None

    def read(self, piece: str) -> str:
        """The next piece -> the next of the text."""
        text = _NOT_TEXT.sub("", piece)[: self.room]
        self.room -= len(text)
        return self._kept(text if self._verdict is None else self._verdict.feed(text))

    def end(self) -> str:
        """The last of the text."""
        return self._kept("" if self._verdict is None else self._verdict.finish())

    def draft(self, model: str) -> Draft:
        answers = None if self._verdict is None else self._verdict.answers
        return Draft(text="".join(self.texts), model=model, usage=self.usage, truncated=self.truncated, answers=answers)

    def _kept(self, text: str) -> str:
        if self._verdict is not None and self._verdict.answers is False:
            return ""
        self.texts.append(text)
        return text


def _finished(draft: Draft) -> Draft:
    end = before_unfinished(skeleton(draft.text))
    text = draft.text[:end].rstrip(" \t\n\\") if end < len(draft.text) else draft.text
    return replace(draft, text=without_source_list(_without_last_piece(text) if draft.truncated else text))


def _without_last_piece(text: str) -> str:
    complete = text.rstrip()
    if _COMPLETE.search(complete):
        return complete + _CUT
    spans = sentences(complete)
    kept = complete[: spans[-1][0]].rstrip() if spans else ""
    return (kept or _UNCLOSED.sub("", complete).rstrip()) + _CUT
