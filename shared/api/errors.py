"""Errors, as Google's APIs write them and as GraphQL does."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

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
