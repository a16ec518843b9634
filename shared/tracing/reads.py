"""How many documents a request has read, whichever of its threads did."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")


class Tally:
    """Counts while several threads read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.documents = 0

    def add(self, documents: int) -> None:
        with self._lock:
            self.documents += documents


_tally: ContextVar[Tally | None] = ContextVar("reads", default=None)


@contextmanager
def counted(tally: Tally) -> Iterator[None]:
    """What is read inside is added to `tally`."""
    token = _tally.set(tally)
    try:
        yield
    finally:
        _tally.reset(token)


def counting(items: Iterator[T], tally: Tally) -> Iterator[T]:
    """The same; what is read to make each is added to `tally`. What is read between two of them is somebody else's."""
    while True:
        with counted(tally):
            try:
                item = next(items)
            except StopIteration:
                return
        yield item


def add(documents: int) -> None:
    """A store has read that many, by its own rules of what is billed."""
    if tally := _tally.get():
        tally.add(documents)


def so_far() -> int | None:
    """What the request has read until now; None: nobody counts."""
    tally = _tally.get()
    return None if tally is None else tally.documents
