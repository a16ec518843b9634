"""Addresses of the API, and its lists with all their pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

if TYPE_CHECKING:
    from functions.client import ApiClient, Json

ROWS = "100"
"""Rows in one page."""


def address(kind: Literal["notes", "sessions", "templates", "trash"], name: str) -> str:
    """Returns the path of the object with that id."""
    return f"/{kind}/{quote(name, safe='')}"


def pages(client: ApiClient, path: str, query: dict[str, str] | None = None) -> Iterator[Json]:
    """Yields every page of a list."""
    query = {"pageSize": ROWS, **(query or {})}
    while True:
        page = client.send("GET", path, query=query)
        yield page
        if page["nextPageToken"] is None:
            return
        query = {**query, "pageToken": page["nextPageToken"]}


def rows_of(
    client: ApiClient,
    path: str,
    name: str,
    query: dict[str, str] | None = None,
) -> Iterator[Json]:
    """Yields every row of a list, whose pages hold them under that name."""
    for page in pages(client, path, query):
        yield from page[name]


def last_erasure(client: ApiClient) -> str | None:
    """Returns the number of the caller's last erasure of everything; empty if there was none.

    None on a server of a version that numbers none: it takes no save that names one.
    """
    return erasure_of(client.send("GET", "/notes", query={"pageSize": "1"}))


def erasure_of(page: Json) -> str | None:
    """Returns the number of the last erasure in a page of notes, as `last_erasure` does."""
    erasure: str | None = page.get("erasure")
    return erasure


def named_erasure(erasure: str | None) -> Json:
    """Returns the field of a save's body that names the last erasure; none if erasures have no numbers."""
    if erasure is None:
        return {}
    return {"erasure": erasure}


def listed_notes(client: ApiClient) -> Iterator[Json]:
    """Yields every note, without its text."""
    return rows_of(client, "/notes", "notes")
