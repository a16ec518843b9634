"""The list of sources that some models write below their answer: clients show the citations themselves."""

from __future__ import annotations

import re
from functools import cache

from shared.language.vocabulary import vocabularies

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
        if _heading().fullmatch(line) or (adjoins and _goes(line, below=kept < len(lines))):
            kept, adjoins = place, True
        elif line and not _ENTRY.fullmatch(line):
            break
        elif line:
            adjoins = False
    if kept == len(lines):
        return text
    return "\n".join(lines[:kept]).rstrip() or text


@cache
def _heading() -> re.Pattern[str]:
    """In every language: a model may write it in another one than the question's."""
    words = "|".join(each.answers.sources for each in vocabularies() if each.answers)
    return re.compile(rf"[\s>#*_-]*(?:{words})[\s:*_]*", re.IGNORECASE)


def _goes(line: str, *, below: bool) -> bool:
    """Whether a line goes with what goes below it, if anything does: a definition in any case, a rule only then."""
    return _DEFINITION.fullmatch(line) is not None or (below and _RULE.fullmatch(line) is not None)
