"""Folders and files that their owner alone may read."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

OTHERS = 0o077
"""Permission bits of the group and of everybody."""


def make_private_folder(folder: Path) -> None:
    """Makes a folder, and those above it that are missing, for their owner alone.

    A folder that exists keeps its mode: it may be one of the person's own. Raises OSError.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(exist_ok=True)  # raises where there is a file of that name


def make_private_file(file: Path) -> None:
    """Makes a file for its owner alone, or takes from others the permissions that an earlier version gave them.

    A file of another user, or on a disk that cannot be written, keeps its mode.

    An existing file is never opened: closing it again would drop the locks that SQLite holds on it in this process
    (POSIX locks belong to a process and a file, not to a descriptor), and two processes would write at once. So a new
    file is made under another name, closed, and then linked to its own.
    """
    if not file.exists():
        with suppress(OSError):
            descriptor, draft = tempfile.mkstemp(prefix=".new-", dir=file.parent)
            os.close(descriptor)
            try:
                os.link(draft, file)  # fails where another process was faster
            finally:
                Path(draft).unlink()
    write_ahead_log = file.with_name(f"{file.name}-wal")
    log_index = file.with_name(f"{file.name}-shm")
    for path in (file, write_ahead_log, log_index):
        with suppress(OSError):
            mode = path.stat().st_mode
            if mode & OTHERS:
                path.chmod(mode & ~OTHERS & 0o7777)
