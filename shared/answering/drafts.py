"""Prompt -> the pieces of a draft while it is being written. Nothing fails because a model is away: that is a result.

Models are asked to begin with `ANSWER: yes`, `ANSWER: partly` or `ANSWER: no`: a line of text streams alike from every
server, which a field of JSON does not. It is known at the start of any line, in bold or as code, in any case, also with
the answer behind it on the same line; the first one counts. A label without a verdict goes too. Some models write a
list of sources below their answer; clients show the citations themselves, so it is held back and goes at the end.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import closing
from functools import cache

from shared.answering.pieces import DraftPiece, Splitter
from shared.errors import ModelRefused, ModelUnavailable
from shared.language.vocabulary import vocabularies
from shared.markdown.neutralize import UNSEEN
from shared.model.answers import Prompt, Usage
from shared.ports.models import Writer

MAX_DRAFT = 100_000
"""Characters; a writer that goes on is stopped there, as at a limit of its own."""

_NOT_TEXT = re.compile(rf"{UNSEEN}|[\x0b\x0c\r]")


class DraftStream:
    """What a writer makes of a prompt. The attributes are final once the pieces have ended."""

    def __init__(self, prompt: Prompt, writer: Writer | None) -> None:
        self._prompt, self._writer = prompt, writer
        self._room = MAX_DRAFT
        self.model = "none" if writer is None else writer.model
        self.usage = Usage()
        """What it has cost, also where nothing of it counts."""
        self.answers: bool | None = None
        """Whether the writer says that the sources answer, if only in part; None: it does not say."""
        self.truncated = False
        """Whether it stopped at a limit or broke off."""
        self.problem = ""
        """Why the writer did not write, or not to the end; empty: it did."""
        self.said = ""
        """What the error of the writer says, for people; empty: there was none."""

    @property
    def failed(self) -> bool:
        """Whether the writer is away, refuses, broke off or wrote nothing, or there is none."""
        return bool(self.problem) or self._writer is None

    def pieces(self) -> Generator[DraftPiece]:
        """The pieces as they become whole; none of what follows the verdict that the sources do not answer.

        A draft that stopped at a limit, or broke off, loses its unfinished last sentence and ends in an ellipsis.
        Control and invisible characters, a marker that breaks off at the end, and a list of sources there (entries that
        begin with a marker below a heading such as "Sources:", definitions such as `[N1]: Title`) are no part of any
        draft, unless it holds nothing else. Closing the iterator ends the model call.
        """
        if self._writer is None:
            return
        held, wrote = list[DraftPiece](), False
        for piece in self._split(self._writer):
            held.append(piece)
            if not _lists_sources(piece, below=len(held) > 1):
                yield from held
                held, wrote = [], True
        if not wrote:
            yield from held
        if not (self.failed or wrote or held or self.answers is False):
            self.problem = "wrote nothing"

    def _split(self, writer: Writer) -> Iterator[DraftPiece]:
        splitter, thoughts, truncated = Splitter(), ThoughtReader(), False
        verdict = VerdictReader() if self._prompt.sources else None
        try:
            with closing(writer.stream(self._prompt)) as deltas:
                for delta in deltas:
                    self.usage = delta.usage or self.usage
                    text = _NOT_TEXT.sub("", delta.text)[: self._room]
                    self._room -= len(text)
                    text = thoughts.feed(text)
                    if verdict:
                        text, self.answers = verdict.feed(text), verdict.answers
                    yield from splitter.feed("" if self.answers is False else text)
                    truncated = truncated or delta.truncated or not self._room
                    if not self._room:
                        break
        except (ModelUnavailable, ModelRefused) as error:
            truncated, self.said = True, error.message
            self.problem = f"{'broke off' if self._room < MAX_DRAFT else 'did not write'} ({type(error).__name__})"
        self.truncated, text = truncated, thoughts.finish()
        if verdict:
            text, self.answers = verdict.feed(text) + verdict.finish(), verdict.answers
        yield from splitter.feed("" if self.answers is False else text)
        yield from splitter.finish(truncated=truncated)


# -- what a model thinks aloud

_OPENS, _CLOSES = "<think>", "</think>"


class ThoughtReader:
    """A draft part by part -> the same without the block `<think>…</think>` with which some models begin."""

    def __init__(self) -> None:
        self._held: str | None = ""
        """What was not passed on yet; None: the draft itself has begun."""

    def feed(self, text: str) -> str:
        """The next of the draft -> the next of what it says."""
        if self._held is None:
            return text
        self._held += text
        begins = self._held.lstrip()
        if begins.startswith(_OPENS):
            # What is held grows no further than the block's last characters, in which its end may begin.
            _, closing, said = begins.partition(_CLOSES)
            self._held = None if closing else _OPENS + begins[len(_OPENS) :][1 - len(_CLOSES) :]
            return said
        if _OPENS.startswith(begins):
            return ""
        said, self._held = self._held, None
        return said

    def finish(self) -> str:
        """What was held back until the end, unless it is a thought that has no end."""
        held, self._held = self._held or "", None
        return "" if held.lstrip().startswith(_OPENS) else held


# -- the verdict

_MARKS = r"[\s>*_#`~\"“]*+"
_INSIDE = r"[ \t*_`\"“”]*+"
_YES = r"(?P<yes>yes|part(?:ly|ial(?:ly)?))"
_ENDS = rf"{_INSIDE}[.!]?{_INSIDE}(?:\r?\n|\Z)"
_VERDICT = re.compile(
    rf"{_MARKS}answer{_INSIDE}[:：]{_INSIDE}"
    rf"(?:{_YES}(?:{_ENDS}|{_INSIDE}[.!,;:—–-]|(?=[ \t]))|no(?:{_ENDS}|{_INSIDE}[.!](?=\s)))",
    re.IGNORECASE,
)
_LABEL = re.compile(rf"{_MARKS}ANSWER{_INSIDE}[:：]{_INSIDE}")
_MAY_BECOME_ONE = re.compile(rf"{_MARKS}(?:a|an|ans|answ|answe|answer{_INSIDE}(?:[:：].*)?)?\Z", re.IGNORECASE)
_BROKEN_OFF = re.compile(rf"{_LABEL.pattern}(?:y|ye|n|p|pa|par|parti?|partia|partiall|partl)?{_INSIDE}", re.IGNORECASE)
_MAX_VERDICT = 80
"""Characters of a line in which a verdict is waited for."""


class VerdictReader:
    """A draft part by part -> the same without the verdict, as soon as it is certain of a line that it is none."""

    def __init__(self) -> None:
        self.answers: bool | None = None
        """Whether the sources answer, if only in part; None: not said so far."""
        self._held: str | None = ""
        """The line so far, while it may become a verdict; None: it cannot."""

    def feed(self, text: str) -> str:
        """The next of the draft -> the next of its text."""
        read: list[str] = []
        for part in re.findall(r"[^\n]*\n|[^\n]+", text):
            line, ends = None if self._held is None else self._held + part, part.endswith("\n")
            if line and not ends and len(line) < _MAX_VERDICT and _MAY_BECOME_ONE.match(line):
                self._held = line
            else:
                self._held = "" if ends else None
                read.append(part if line is None else self._read(line))
        return "".join(read)

    def finish(self) -> str:
        """What was held back until the end, where it is more than a verdict that breaks off."""
        held, self._held = self._held or "", ""
        return "" if _BROKEN_OFF.fullmatch(held) else self._read(held)

    def _read(self, line: str) -> str:
        found = _VERDICT.match(line)
        if found is None:
            return _LABEL.sub("", line, count=1) if _LABEL.match(line) else line
        if self.answers is None:
            self.answers = found["yes"] is not None
        return line[found.end() :]


# -- a list of sources at the end

_ENTRY = re.compile(r"(?:[-*+•]\s+|\d{1,3}[.)]\s+)?\**[\[［【]\^?[Nn]\s*\d+[^\n]*")
_RULE = re.compile(r"([-*_])\1{2,}")
_DEFINITION = re.compile(r"[\[［【]\^?[Nn]\s*\d+[\]］】]\s*[:：][^\n]*")


@cache
def _heading() -> re.Pattern[str]:
    """In every language: a model may write it in another one than the question's."""
    words = "|".join(each.answers.sources for each in vocabularies() if each.answers)
    return re.compile(rf"[\s>#*_-]*(?:{words})[\s:*_]*", re.IGNORECASE)


def _lists_sources(piece: DraftPiece, *, below: bool) -> bool:
    """Whether a piece belongs to a list of sources. `below`: it stands behind a piece that does."""
    if below and "\n" not in f"{piece.opening}{piece.lead}":
        return True  # another sentence of an entry
    begins = below
    for line in filter(None, map(str.strip, piece.whole.split("\n"))):
        opens = _heading().fullmatch(line) or _DEFINITION.fullmatch(line)
        if not (opens or _ENTRY.fullmatch(line) or _RULE.fullmatch(line)):
            return False
        begins = begins or opens is not None
    return begins
