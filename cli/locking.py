"""A lock between processes that a killed one cannot leave behind: the system releases it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Waits until nobody else holds it. The file is made if there is none, and stays."""
    with file.open("a") as held:
        _lock(held.fileno())
        yield
