"""Figures of a function's processes, as the kernel counts them."""

from __future__ import annotations

import os
import re
from pathlib import Path


def processor_seconds(master: int) -> float:
    """Returns the processor time of gunicorn's master and its workers."""
    ticks = 0
    for pid in _family(master):
        # The fields after the command's name in parentheses; 11 and 12 are user and system time.
        _, _, fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
        stat = fields.split()
        ticks += int(stat[11]) + int(stat[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def peak_megabytes(master: int) -> float:
    """Returns the greatest memory that gunicorn's master and its workers have held."""
    kilobytes = 0
    for pid in _family(master):
        status = Path(f"/proc/{pid}/status").read_text()
        peak = re.search(r"VmHWM:\s+(\d+) kB", status)
        if peak is not None:  # none of a process that has ended
            kilobytes += int(peak[1])
    return kilobytes / 1024


def _family(master: int) -> list[str]:
    """Returns the process ids of gunicorn's master and its workers."""
    return [str(master), *Path(f"/proc/{master}/task/{master}/children").read_text().split()]
