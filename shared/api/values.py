"""What every resource writes alike: values of the model as JSON, instants, spans, snippets, and errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache, partial
from typing import Any, NotRequired, TypeVar, cast, get_args, get_origin

from typing_extensions import TypedDict, get_type_hints, is_typeddict

from shared.language.lengths import Utf16Offsets
from shared.markdown.quotable import plain
from shared.model.index import IndexedChunk

J = TypeVar("J")


class SpanJson(TypedDict):
    """Half-open `[start, end)` into the note's text."""

    start: int
    end: int


_UPPER = re.compile("[A-Z]")
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
    offsets, before = Utf16Offsets(chunk.text), chunk.utf16_start
    return {"start": before + offsets.at(start - chunk.start), "end": before + offsets.at(end - chunk.start)}


def shown(kind: type[J], *sources: object, **known: object) -> J:
    """The JSON object of this TypedDict: each of its keys is read from the first source that has a field of the name.

    `known`: values by key that no source has, as they are. Names are camelCase (`createdAt` is `created_at`), datetimes
    become instants, floats are rounded to four digits, enums are their values, and what the type says is an object or a
    list of them follows from the field in turn. Raises AttributeError for a key that no source has.
    """
    made: Any = {}
    for key, name, convert in _keys(cast("Hashable", kind)):
        if key in known:
            made[key] = known[key]
            continue
        for source in sources:
            if hasattr(source, name):
                break
        value = getattr(source, name)
        made[key] = None if value is None else convert(value)
    shaped: J = made
    return shaped


@cache
def _keys(kind: Hashable) -> tuple[tuple[str, str, Callable[[Any], object]], ...]:
    hints = get_type_hints(cast("Any", kind))
    return tuple((key, _UPPER.sub(r"_\g<0>", key).lower(), _converter(hint)) for key, hint in hints.items())


def _converter(hint: Any) -> Callable[[Any], object]:  # noqa: ANN401 - a type annotation
    kinds = [each for each in get_args(hint) if each is not type(None)] if type(None) in get_args(hint) else [hint]
    (kind,) = kinds if len(kinds) == 1 else (object,)
    if is_typeddict(kind):
        return partial(shown, kind)
    if get_origin(kind) is list:
        item = _converter(get_args(kind)[0])
        return lambda values: [item(each) for each in values]
    return partial(round, ndigits=4) if kind is float else _plain


def _plain(value: Any) -> object:  # noqa: ANN401
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    return dict(value) if isinstance(value, Mapping) else value


ErrorDetailJson = TypedDict(
    "ErrorDetailJson",
    {"@type": NotRequired[str], "reason": str, "domain": str, "metadata": NotRequired[dict[str, str]]},
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
    """What went wrong. `path` leads to the field in which it did; it is absent where the document is what is wrong.
    `extensions` holds `code` and `reason` as REST has them, and the bad `field`.
    """

    message: str
    path: NotRequired[list[str | int]]
    extensions: dict[str, str]


class GraphQLJson(TypedDict):
    """What was asked for, by the names of its fields. `data` null: nothing could be had; absent: nothing was run."""

    data: NotRequired[dict[str, object] | None]
    errors: NotRequired[list[GraphQLErrorJson]]
