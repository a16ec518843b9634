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
    kept = len(lines)
    for place in range(len(lines) - 1, 0, -1):
        line = lines[place].strip()
        adjoins = not any(below.strip() for below in lines[place + 1 : kept])
        if _HEADING.fullmatch(line) or (
            adjoins and (_DEFINITION.fullmatch(line) or (kept < len(lines) and _RULE.fullmatch(line)))
        ):
            kept = place
        elif line and not _ENTRY.fullmatch(line):
            break
    if kept == len(lines):
        return text
    return "\n".join(lines[:kept]).rstrip() or text
