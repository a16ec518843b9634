"""A lock between processes that a killed one cannot leave behind: the system releases it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked_if_free(file: Path) -> Iterator[bool]:
    """Whether nobody else held it, so that the block does."""
    with file.open("a") as held:
        try:
            _lock(held.fileno())
        except OSError:
            yield False
            return
        yield True


def is_locked(file: Path) -> bool:
    """Whether somebody holds it."""
    if not file.exists():
        return False
    with locked_if_free(file) as free:
        return not free
