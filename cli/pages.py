"""The API's addresses, and its lists whole: page after page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

if TYPE_CHECKING:
    from functions.client import ApiClient, Json

ROWS = "100"
"""In one page."""


def address(kind: Literal["notes", "sessions", "templates", "trash"], name: str) -> str:
    """Path of the one with that id."""
    return f"/{kind}/{quote(name, safe='')}"


def pages(client: ApiClient, path: str, query: dict[str, str] | None = None) -> Iterator[Json]:
    """Every page of a list."""
    token: dict[str, str] = {}
    while True:
        page = client.send("GET", path, query={"pageSize": ROWS, **(query or {}), **token})
        yield page
        if page["nextPageToken"] is None:
            return
        token = {"pageToken": page["nextPageToken"]}


def listed_notes(client: ApiClient) -> Iterator[Json]:
    """Every note, without its text."""
    for page in pages(client, "/notes"):
        yield from page["notes"]
