"""When files were first there, as git knows it: a copied folder has the dates of its copying."""

from __future__ import annotations

import subprocess
from datetime import datetime
from pathlib import Path

PATIENCE = 30.0
"""Seconds; a history that takes longer to read is left unread."""
_DATE = "\x01"
_LOG = ("log", "--reverse", "--diff-filter=AR", "--name-status", "--relative", "--no-ext-diff", f"--format={_DATE}%aI")
_SAFE = ("-c", "core.quotepath=off", "-c", "core.fsmonitor=false")


def first_added(root: Path) -> dict[str, datetime]:
    """POSIX path below `root` -> when it was first committed, under whatever name. Empty where there is no git."""
    try:
        told = subprocess.run(
            ("git", "-C", str(root), *_SAFE, *_LOG, "--", "."),
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=PATIENCE,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    return _dates(told)


def _dates(log: str) -> dict[str, datetime]:
    found: dict[str, datetime] = {}
    when: datetime | None = None
    for line in log.splitlines():
        kind, *names = line.split("\t")
        if line.startswith(_DATE):
            when = datetime.fromisoformat(line.removeprefix(_DATE))
        elif when is not None and names:
            found[names[-1]] = found.get(names[0], when) if kind.startswith("R") else when
    return found
