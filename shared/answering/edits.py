"""A checked answer -> the same, its citations of notes that read differently by now marked as stale.

The index follows a saved note after a moment, a long one after seconds; until then answers quote what it said before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from shared.domain import Answer
from shared.errors import Unavailable

log = logging.getLogger(__name__)


def mark_stale(answer: Answer, revisions_of: Callable[[Sequence[str]], Mapping[str, str]]) -> Answer:
    """`revisions_of`: note ids -> the revision each has now. A store that is away leaves the answer as it is."""
    cited = list(dict.fromkeys(citation.passage.chunk.note_id for citation in answer.citations))
    try:
        now = revisions_of(cited) if cited else {}
    except Unavailable as problem:
        log.warning("an answer was given whose notes could not be looked at again (%s)", type(problem).__name__)
        return answer
    chunks = [citation.passage.chunk for citation in answer.citations]
    stale = [now[chunk.note_id] != chunk.note_revision for chunk in chunks]
    marked = (replace(each, stale=edited) for each, edited in zip(answer.citations, stale, strict=True))
    return replace(answer, citations=tuple(marked))
