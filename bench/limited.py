"""Runs a module in a process of its own that cannot take more memory than it is given, as an instance cannot.

python bench/limited.py BYTES GROUP MODULE ARGUMENTS…    the child's own side of `run`

The limit is a memory cgroup where this user may make one, as a container's is: the kernel kills a process beyond it.
Elsewhere it is RLIMIT_DATA, which bounds private memory that may be written, stacks of threads included, and makes an
allocation beyond it fail. (RLIMIT_AS would also count what the C libraries reserve and never touch, several GiB.)
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
NO_GROUP = "-"


def run(module: str, *arguments: str, mebibytes: int) -> subprocess.CompletedProcess[str]:
    """Runs `python -m module arguments` within so much memory, and returns what has become of it."""
    with _group(mebibytes) as group:
        limit = str(mebibytes * 2**20)
        command = [sys.executable, __file__, limit, group, module, *arguments]
        return subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
        )


def limit_in_use() -> str:
    """Returns by what `run` limits memory here: `cgroup` or `RLIMIT_DATA`."""
    with _group(1024) as group:
        return "RLIMIT_DATA" if group == NO_GROUP else "cgroup"


@contextmanager
def _group(mebibytes: int) -> Iterator[str]:
    """Yields the folder of a memory cgroup below this process's own, NO_GROUP where none can be made."""
    group = _own_group() / f"aurora-{os.getpid()}-{mebibytes}"
    try:
        group.mkdir()
    except OSError:
        yield NO_GROUP
        return

    try:
        yield str(group) if _is_limited(group, mebibytes) else NO_GROUP
    finally:
        group.rmdir()


def _own_group() -> Path:
    """Returns the folder of the memory cgroup in which this process is."""
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8")
    except OSError:
        lines = ""  # another system than Linux

    version_1 = re.search(r"^\d+:memory:/(.*)$", lines, re.MULTILINE)
    if version_1 is not None:
        return CGROUPS / "memory" / version_1[1]
    version_2 = re.search(r"^0::/(.*)$", lines, re.MULTILINE)
    return CGROUPS / (version_2[1] if version_2 else "")


def _is_limited(group: Path, mebibytes: int) -> bool:
    """Sets the limit, swapped memory included; returns False if the group has none, as where the controller is off."""
    limit = str(mebibytes * 2**20)
    files = {"memory.limit_in_bytes": limit, "memory.memsw.limit_in_bytes": limit}
    if (group / "memory.max").exists():  # version 2
        files = {"memory.max": limit, "memory.swap.max": "0"}
    has_limit = False
    for name, value in files.items():
        file = group / name
        if file.exists():
            try:
                file.write_text(value, encoding="ascii")
            except OSError:
                return False
            has_limit = True

    return has_limit


def _enter(limit: int, group: str) -> None:
    """Puts this process under the limit."""
    if group == NO_GROUP:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    else:
        Path(group, "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")


if __name__ == "__main__":
    limit, group, *arguments = sys.argv[1:]
    _enter(int(limit), group)
    # What it took until now is its parent's; from here on all it takes counts.
    os.execv(sys.executable, [sys.executable, "-m", *arguments])  # noqa: S606 - our own arguments
