"""The line with which a writer says whether the sources answer -> what it says; readers never see it.

Models are asked to begin with `ANSWER: yes`, `ANSWER: partly` or `ANSWER: no`: a line of text streams alike from every
server, which a field of JSON does not. It is known at the start of any line, in bold or as code, in any case, also with
the answer behind it on the same line; the first one counts. A label without a verdict goes too.
"""

from __future__ import annotations

import re

_MARKS = r"[\s>*_#`~\"“]*+"
_INSIDE = r"[ \t*_`\"“”]*+"
_YES = r"(?P<yes>yes|part(?:ly|ial(?:ly)?))"
_ENDS = rf"{_INSIDE}[.!]?{_INSIDE}(?:\r?\n|\Z)"
_VERDICT = re.compile(
    rf"{_MARKS}answer{_INSIDE}[:：]{_INSIDE}(?:{_YES}(?:{_ENDS}|{_INSIDE}[.!,;:—–-])|no(?:{_ENDS}|{_INSIDE}[.!](?=\s)))",
    re.IGNORECASE,
)
_LABEL = re.compile(rf"{_MARKS}ANSWER{_INSIDE}[:：]{_INSIDE}")
_MAY_BECOME_ONE = re.compile(rf"{_MARKS}(?:a|an|ans|answ|answe|answer{_INSIDE}(?:[:：].*)?)?\Z", re.IGNORECASE)
_BROKEN_OFF = re.compile(rf"{_LABEL.pattern}(?:y|ye|n|p|pa|par|parti?|partia|partiall|partl)?{_INSIDE}", re.IGNORECASE)
_LONGEST = 80
"""Characters of a line in which a verdict is waited for."""


class VerdictReader:
    """A draft in pieces -> the same without the verdict, as soon as it is certain of a line that it is none."""

    def __init__(self) -> None:
        self.answers: bool | None = None
        """Whether the sources answer, if only in part; None: not said so far."""
        self._held: str | None = ""
        """The line so far, while it may become a verdict; None: it cannot."""

    def feed(self, text: str) -> str:
        """The next of the draft -> the next of its text."""
        return "".join(map(self._line, re.findall(r"[^\n]*\n|[^\n]+", text)))

    def finish(self) -> str:
        """What was held back until the end, where it is more than a verdict that breaks off."""
        held, self._held = self._held or "", ""
        return "" if _BROKEN_OFF.fullmatch(held) else self._read(held)

    def _line(self, part: str) -> str:
        ends = part.endswith("\n")
        if self._held is None:
            self._held = "" if ends else None
            return part
        line = self._held + part
        if not ends and len(line) < _LONGEST and _MAY_BECOME_ONE.match(line):
            self._held = line
            return ""
        self._held = "" if ends else None
        return self._read(line)

    def _read(self, line: str) -> str:
        found = _VERDICT.match(line)
        if found is None:
            return _LABEL.sub("", line, count=1) if _LABEL.match(line) else line
        if self.answers is None:
            self.answers = found["yes"] is not None
        return line[found.end() :]
