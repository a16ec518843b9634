"""Instants, spans and snippets: what every resource writes alike."""

from __future__ import annotations

from datetime import UTC, datetime

from typing_extensions import TypedDict

from shared.language.offsets import Utf16Offsets
from shared.markdown.plain import plain
from shared.model.index import IndexedChunk


class SpanJson(TypedDict):
    """Half-open `[start, end)` into the note's text."""

    start: int
    end: int


SNIPPET_LENGTH = 160
"""Characters of a passage shown in lists."""


def instant(when: datetime) -> str:
    """`2026-01-15T10:30:00.000Z`."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def snippet(text: str) -> str:
    """The start of a passage as it reads, on one line, at most SNIPPET_LENGTH characters and an ellipsis."""
    line = plain(text) or " ".join(text.split())
    return line if len(line) <= SNIPPET_LENGTH else line[:SNIPPET_LENGTH].rsplit(" ", 1)[0] + "…"


def span(chunk: IndexedChunk, start: int, end: int) -> SpanJson:
    """Code points `[start, end)` of the note, inside the chunk, as UTF-16 offsets into the note."""
    offsets = Utf16Offsets(chunk.text)
    first, last = (chunk.utf16_start + offsets.at(place - chunk.start) for place in (start, end))
    return {"start": first, "end": last}


def rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 4)
