"""Prompt -> the pieces of a draft while it is being written. An unavailable model is a result and no error.

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
"""Most characters of a draft. A longer one is cut there, as if the writer had reached a limit of its own."""

_NOT_TEXT = re.compile(rf"{UNSEEN}|[\x0b\x0c\r]")


class DraftStream:
    """A writer's draft of a prompt. The attributes are final once the pieces have ended."""

    def __init__(self, prompt: Prompt, writer: Writer | None) -> None:
        self._prompt = prompt
        self._writer = writer
        self._room = MAX_DRAFT
        self.model = "none" if writer is None else writer.model
        self.usage = Usage()
        """Cost of the draft, even if none of it is used."""
        self.answers: bool | None = None
        """True if the writer says that the sources answer, if only in part. None if it does not say."""
        self.truncated = False
        """True if it stopped at a limit or broke off."""
        self.problem = ""
        """Why the writer did not write, or did not finish; empty if it finished."""
        self.error_message = ""
        """Message of the writer's error, for people; empty if there was none."""

    @property
    def failed(self) -> bool:
        """True if there is no writer, or if it is unavailable, refuses, broke off or wrote nothing."""
        return bool(self.problem) or self._writer is None

    def pieces(self) -> Generator[DraftPiece]:
        """Yields each piece as soon as it is complete, and nothing after the verdict that the sources do not answer.

        A draft that stopped at a limit, or broke off, loses its unfinished last sentence and ends in an ellipsis.
        Control and invisible characters, a marker that breaks off at the end, and a list of sources there (entries that
        begin with a marker below a heading such as "Sources:", definitions such as `[N1]: Title`) are no part of any
        draft, unless it holds nothing else. Closing the iterator ends the model call.
        """
        if self._writer is None:
            return
        held_back: list[DraftPiece] = []
        has_text = False
        for piece in self._split(self._writer):
            held_back.append(piece)
            if not _lists_sources(piece, is_below_entry=len(held_back) > 1):
                yield from held_back
                held_back = []
                has_text = True
        if not has_text:
            yield from held_back
        is_empty = not has_text and not held_back
        if is_empty and not self.failed and self.answers is not False:
            self.problem = "wrote nothing"

    def _split(self, writer: Writer) -> Iterator[DraftPiece]:
        """Yields the pieces of what the writer streams, without thoughts and verdict."""
        splitter = Splitter()
        thoughts = ThoughtReader()
        verdict = VerdictReader() if self._prompt.sources else None
        truncated = False
        try:
            with closing(writer.stream(self._prompt)) as deltas:
                for delta in deltas:
                    self.usage = delta.usage or self.usage
                    text = _NOT_TEXT.sub("", delta.text)[: self._room]
                    self._room -= len(text)
                    text = thoughts.feed(text)
                    yield from splitter.feed(self._without_verdict(verdict, text))
                    if delta.truncated:
                        truncated = True
                    if self._room == 0:
                        truncated = True
                        break
        except (ModelUnavailable, ModelRefused) as error:
            truncated = True
            self.error_message = error.message
            broke_off = self._room < MAX_DRAFT
            outcome = "broke off" if broke_off else "did not write"
            self.problem = f"{outcome} ({type(error).__name__})"
        self.truncated = truncated
        text = self._without_verdict(verdict, thoughts.finish(), is_last=True)
        yield from splitter.feed(text)
        yield from splitter.finish(truncated=truncated)

    def _without_verdict(
        self,
        verdict: VerdictReader | None,
        text: str,
        *,
        is_last: bool = False,
    ) -> str:
        """Reads the verdict in the next part of the draft. Returns the part without it; empty after the verdict `no`."""
        if verdict is None:
            return text
        text = verdict.feed(text)
        if is_last:
            text += verdict.finish()
        self.answers = verdict.answers
        return "" if self.answers is False else text


# -- what a model thinks aloud

_THOUGHT_OPENS = "<think>"
_THOUGHT_CLOSES = "</think>"


class ThoughtReader:
    """Takes a draft part by part and leaves out the block `<think>…</think>` with which some models begin."""

    def __init__(self) -> None:
        self._held_back: str | None = ""
        """Text that was not passed on yet; None once the draft itself has begun."""

    def feed(self, text: str) -> str:
        """Takes the next of the draft and returns the next of its text."""
        if self._held_back is None:
            return text
        self._held_back += text
        beginning = self._held_back.lstrip()
        if beginning.startswith(_THOUGHT_OPENS):
            thought, closing_tag, draft = beginning.partition(_THOUGHT_CLOSES)
            if closing_tag:
                self._held_back = None
                return draft
            # Only the last characters are held back, in which the block's end may begin.
            text = thought.removeprefix(_THOUGHT_OPENS)
            longest_beginning = len(_THOUGHT_CLOSES) - 1
            self._held_back = _THOUGHT_OPENS + text[-longest_beginning:]
            return ""
        if _THOUGHT_OPENS.startswith(beginning):
            return ""
        draft = self._held_back
        self._held_back = None
        return draft

    def finish(self) -> str:
        """Returns what was held back until the end, unless it is a thought that has no end."""
        held_back = self._held_back or ""
        self._held_back = None
        if held_back.lstrip().startswith(_THOUGHT_OPENS):
            return ""
        return held_back


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
_MAY_BECOME_ONE = re.compile(
    rf"{_MARKS}(?:a|an|ans|answ|answe|answer{_INSIDE}(?:[:：].*)?)?\Z",
    re.IGNORECASE,
)
_BROKEN_OFF = re.compile(
    rf"{_LABEL.pattern}(?:y|ye|n|p|pa|par|parti?|partia|partiall|partl)?{_INSIDE}",
    re.IGNORECASE,
)
_MAX_VERDICT = 80
"""Longest beginning of a line, in characters, that may still become a verdict."""


class VerdictReader:
    """Takes a draft part by part and leaves out the verdict. A line is passed on as soon as it cannot become one."""

    def __init__(self) -> None:
        self.answers: bool | None = None
        """True if the sources answer, if only in part. None as long as the draft has not said."""
        self._line: str | None = ""
        """The line so far, while it may become a verdict. None once it cannot."""

    def feed(self, text: str) -> str:
        """Takes the next of the draft and returns the next of its text."""
        passed_on: list[str] = []
        for part in re.findall(r"[^\n]*\n|[^\n]+", text):
            ends_line = part.endswith("\n")
            if self._line is None:
                passed_on.append(part)
            else:
                line = self._line + part
                if not ends_line and _may_become_verdict(line):
                    self._line = line
                    continue
                passed_on.append(self._read(line))
            self._line = "" if ends_line else None
        return "".join(passed_on)

    def finish(self) -> str:
        """Returns what was held back until the end, unless it is a verdict that breaks off."""
        line = self._line or ""
        self._line = ""
        if _BROKEN_OFF.fullmatch(line):
            return ""
        return self._read(line)

    def _read(self, line: str) -> str:
        """Reads the verdict of a line and returns the line without it; the first verdict counts."""
        verdict = _VERDICT.match(line)
        if verdict is None:
            if _LABEL.match(line):
                return _LABEL.sub("", line, count=1)
            return line
        if self.answers is None:
            self.answers = verdict["yes"] is not None
        return line[verdict.end() :]


def _may_become_verdict(line: str) -> bool:
    """Reports whether the beginning of a line may still become a verdict."""
    is_short = len(line) < _MAX_VERDICT
    return is_short and _MAY_BECOME_ONE.match(line) is not None


# -- a list of sources at the end

_ENTRY = re.compile(r"(?:[-*+•]\s+|\d{1,3}[.)]\s+)?\**[\[［【]\^?[Nn]\s*\d+[^\n]*")
_RULE = re.compile(r"([-*_])\1{2,}")
_DEFINITION = re.compile(r"[\[［【]\^?[Nn]\s*\d+[\]］】]\s*[:：][^\n]*")


@cache
def _heading() -> re.Pattern[str]:
    """Compiles headings of lists of sources in every language: a model may write it in another one than the question's."""
    words_of_languages = []
    for language in vocabularies():
        if language.answers:
            words_of_languages.append(language.answers.sources)
    words = "|".join(words_of_languages)
    return re.compile(rf"[\s>#*_-]*(?:{words})[\s:*_]*", re.IGNORECASE)


def _lists_sources(piece: DraftPiece, *, is_below_entry: bool) -> bool:
    """Reports whether a piece belongs to a list of sources.

    is_below_entry: True if the piece before it belongs to one.
    """
    continues_line = "\n" not in piece.opening + piece.lead
    if is_below_entry and continues_line:
        return True  # another sentence of an entry
    is_in_list = is_below_entry
    for line in map(str.strip, piece.whole.split("\n")):
        if not line:
            continue
        if _heading().fullmatch(line) or _DEFINITION.fullmatch(line):
            is_in_list = True
        elif not _ENTRY.fullmatch(line) and not _RULE.fullmatch(line):
            return False
    return is_in_list
