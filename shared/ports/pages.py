"""Pages of a listing, and the tokens of their next pages, which have a check sum so that no other text is accepted."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from shared.errors import InvalidArgument
from shared.model.documents import UnreadableDocument

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a listing."""

    items: tuple[T, ...]
    next_token: str | None
    """Token of the next page; None if this is the last."""
    unreadable: tuple[UnreadableDocument, ...] = ()
    """Documents among the items, or behind the last, that cannot be read; the next page may name them again."""


def items_of_pages(read: Callable[[str | None], Page[T]]) -> Iterator[T]:
    """Yields the items of all pages, with one page in memory at a time."""
    token: str | None = None
    while True:
        page = read(token)
        yield from page.items
        token = page.next_token
        if token is None:
            return


_SEAL = 6
"""Bytes of the check sum, which detects mistakes: a forged token shows no more than the listing itself shows."""


def make_token(listing: str, *place: str) -> str:
    """Makes the token of the page after an item; it stays valid while data changes.

    listing: name of everything that the pages have in common; it is no part of the token.
    place: key of the page's last item.
    """
    content = json.dumps(place).encode()
    sealed = json.dumps(listing).encode() + content
    seal = hashlib.sha256(sealed).digest()[:_SEAL]
    return base64.urlsafe_b64encode(seal + content).decode().rstrip("=")


def read_token(token: str, listing: str, *, parts: int = 1, field: str = "pageToken") -> list[str]:
    """Returns the place in a token, `parts` texts.

    Raises InvalidArgument(field) for a token that `make_token` did not make for this listing.
    """
    try:
        padding = "=" * (-len(token) % 4)
        raw = base64.b64decode(token + padding, altchars=b"-_", validate=True)
        place = json.loads(raw[_SEAL:])
    except (ValueError, RecursionError):  # not base64, not JSON, or not even ASCII
        place = None
    is_place = (
        isinstance(place, list)
        and len(place) == parts
        and all(isinstance(part, str) for part in place)
    )
    if not is_place or make_token(listing, *place) != token:
        raise InvalidArgument(field, "a token that the page before gave for the same listing")
    return list(place)
