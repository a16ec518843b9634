"""The list of sources that some models write below their answer: clients show the citations themselves."""

from __future__ import annotations

import re

_HEADING = re.compile(
    r"[\s>#*_-]*(?:sources?|references?|citations?|footnotes?|quellen(?:angaben|verzeichnis)?|belege|fuentes|referencias"
    r"|citas|références|sources? citées?)[\s:*_]*",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"(?:[-*+•]\s+|\d{1,3}[.)]\s+)?\**[\[［【]\^?[Nn]\s*\d+[^\n]*")
_RULE = re.compile(r"([-*_])\1{2,}")
_DEFINITION = re.compile(r"[\[［【]\^?[Nn]\s*\d+[\]］】]\s*[:：][^\n]*")


def without_source_list(text: str) -> str:
    """A draft -> the same without a list at its end: entries that begin with a marker below a heading such as
    "Sources:", or Markdown's definitions (`[N1]: Title`). However often it is repeated. Never the whole draft.
    """
    lines = text.rstrip().split("\n")
    kept, adjoins = len(lines), True
    for place in range(len(lines) - 1, 0, -1):
        line = lines[place].strip()
        if _HEADING.fullmatch(line) or (adjoins and _goes(line, below=kept < len(lines))):
            kept, adjoins = place, True
        elif line and not _ENTRY.fullmatch(line):
            break
        elif line:
            adjoins = False
    if kept == len(lines):
        return text
    return "\n".join(lines[:kept]).rstrip() or text


def _goes(line: str, *, below: bool) -> bool:
    """Whether a line goes with what goes below it, if anything does: a definition in any case, a rule only then."""
    return _DEFINITION.fullmatch(line) is not None or (below and _RULE.fullmatch(line) is not None)
