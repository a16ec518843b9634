"""All that a store is: the ports of those who need parts of it, in one."""

from __future__ import annotations

from typing import Protocol

from shared.ports.index import IndexStore, SearchStore, SweepStore
from shared.ports.notes import NoteStore, TrashStore
from shared.ports.tenants import ErasureStore, FeedbackStore, RequestStore, SessionStore, TemplateStore, UsageStore


class Store(
    NoteStore,
    TrashStore,
    IndexStore,
    SweepStore,
    SearchStore,
    TemplateStore,
    SessionStore,
    FeedbackStore,
    UsageStore,
    RequestStore,
    ErasureStore,
    Protocol,
):
    """One backend for everything; `close` releases files and connections."""

    bills_reads: bool
    """Whether each document that is read costs money, so that fewer are read."""

    def close(self) -> None: ...
