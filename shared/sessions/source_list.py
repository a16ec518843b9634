r"""The list of sources at the end of a stored answer, as text that a client can parse or leave.

    We chose Firestore [N1].

    Sources:
    - [N1] API meeting (2026-01-15) note:abc123#abc123_001

One line a source: the label, the note's title on one line, the day it was written (UTC), and ids of note and chunk,
percent-encoded, so that the line ends in an address without blanks. `LINE` reads it. A title is shown as Markdown
here, so it is sanitized (`shared.markdown.sanitize`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from shared.markdown.neutralize import neutralize_line
from shared.markdown.sanitize import sanitize

HEADING = "Sources:"
UNTITLED = "untitled"
DELETED = "deleted note"

LINE = re.compile(r"- \[(?P<label>N\d+)\] (?P<title>.*) \((?P<day>\d{4}-\d\d-\d\d)\) note:(?P<note>\S+)#(?P<chunk>\S+)")

_LIST = re.compile(rf"\n\n{HEADING}\n(?:- \[N\d+\] [^\n]*\n?)*\Z")


def with_sources(answer: str, citations: Iterable[Mapping[str, Any]]) -> str:
    """Answer and the citations' JSON objects -> the text that is stored. Without citations: the answer itself."""
    lines = [_line(each) for each in citations]
    return "\n".join([f"{answer}\n", HEADING, *lines]) if lines else answer


def without_sources(text: str) -> str:
    """The answer alone."""
    return _LIST.sub("", text)


def _line(citation: Mapping[str, Any]) -> str:
    title = sanitize(neutralize_line(str(citation.get("title") or UNTITLED)))
    note, chunk = (quote(str(citation[name]), safe="") for name in ("noteId", "chunkId"))
    return f"- [{citation['cid']}] {title} ({str(citation['createdAt'])[:10]}) note:{note}#{chunk}"
