"""Everything a tenant owns, one thing after the other, a page in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

from shared.domain import DayUsage, Feedback, Note, Template
from shared.ports import Page, Store

Exported: TypeAlias = Note | Template | Feedback | DayUsage

T = TypeVar("T")

NOTES_AT_ONCE = 20
"""Of at most 900,000 bytes each."""
ROWS_AT_ONCE = 500


def export(tenant_id: str, store: Store) -> Iterator[Exported]:
    """Notes, templates, feedback, usage, each by id. What changes meanwhile may be given as it was or as it is."""
    yield from _pages(lambda token: store.list_notes(tenant_id, limit=NOTES_AT_ONCE, token=token))
    yield from (stored.template for stored in store.templates(tenant_id))
    yield from _pages(lambda token: store.list_feedback(tenant_id, limit=ROWS_AT_ONCE, token=token))
    yield from _pages(lambda token: store.list_usage(tenant_id, limit=ROWS_AT_ONCE, token=token))


def _pages(read: Callable[[str | None], Page[T]]) -> Iterator[T]:
    token: str | None = None
    while True:
        page = read(token)
        yield from page.items
        token = page.next_token
        if token is None:
            return
