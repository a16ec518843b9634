"""JSON that all resources share: times, scores, spans, snippets, and errors."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NotRequired

from typing_extensions import TypedDict

from shared.language.lengths import Utf16Offsets
from shared.markdown.hidden import without_hidden
from shared.markdown.plain import plain
from shared.model.index import IndexedChunk


class SpanJson(TypedDict):
    """Half-open `[start, end)` into the note's text."""

    start: int
    end: int


SNIPPET_LENGTH = 160
"""Characters of a passage shown in lists."""


def instant(when: datetime) -> str:
    """Returns a time like `2026-01-15T10:30:00.000Z`."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def optional_instant(when: datetime | None) -> str | None:
    """Returns a time as `instant` does; None if there is none."""
    if when is None:
        return None
    return instant(when)


def rounded(score: float) -> float:
    """Returns a score with the precision that clients get."""
    return round(score, 4)


def snippet(text: str) -> str:
    """Returns the start of a passage as it reads, on one line, at most SNIPPET_LENGTH characters and an ellipsis."""
    line = plain(without_hidden(text)) or " ".join(text.split())
    if len(line) <= SNIPPET_LENGTH:
        return line
    whole_words = line[:SNIPPET_LENGTH].rsplit(" ", 1)[0]
    return whole_words + "…"


def span(chunk: IndexedChunk, start: int, end: int) -> SpanJson:
    """Returns code points `[start, end)` of the note, inside the chunk, as UTF-16 offsets into the note."""
    offsets = Utf16Offsets(chunk.text)
    return {
        "start": chunk.utf16_start + offsets.at(start - chunk.start),
        "end": chunk.utf16_start + offsets.at(end - chunk.start),
    }


ErrorDetailJson = TypedDict(
    "ErrorDetailJson",
    {
        "@type": NotRequired[str],
        "reason": str,
        "domain": str,
        "metadata": NotRequired[dict[str, str]],
    },
)
"""`metadata` names the `field` that was bad and what was `expected`. Callables get no `@type`."""

RetryDetailJson = TypedDict("RetryDetailJson", {"@type": NotRequired[str], "retryDelay": str})
"""Follows the first detail where a retry may help: in how many seconds, like `30s`, as in the header `Retry-After`."""


class ErrorStatusJson(TypedDict):
    """`status` is Google's canonical name of the error."""

    code: int
    status: str
    message: str
    details: list[ErrorDetailJson | RetryDetailJson]


class ErrorJson(TypedDict):
    """A Google JSON error."""

    error: ErrorStatusJson


class GraphQLErrorJson(TypedDict):
    """One error. `path` leads to the field; it is absent if the document itself is wrong.
    `extensions` holds `code` and `reason` as REST has them, and the bad `field`.
    """

    message: str
    path: NotRequired[list[str | int]]
    extensions: dict[str, str]


class GraphQLJson(TypedDict):
    """Reply by the names of the requested fields. `data` null: nothing could be read; absent: nothing was run."""

    data: NotRequired[dict[str, object] | None]
    errors: NotRequired[list[GraphQLErrorJson]]
