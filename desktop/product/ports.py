"""Finds free ports, and names the program that listens on one, for the message that the port is taken."""

from __future__ import annotations

import secrets
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from http.client import HTTPException
from pathlib import Path

from shared.errors import OperatorError

NEVER_GIVEN = range(20_000, 32_000)
"""Ports below those that Linux, macOS and Windows give to a program that asks for any free one."""
ANSWER_SECONDS = 5
LISTENING = "0A"
"""State of a socket in Linux's tables."""
NAME = b"Aurora Notes"
"""Stands at the beginning of our page, and of the list of routes that programs get in its place."""
TABLES = ("/proc/net/tcp", "/proc/net/tcp6")


def free_ports(count: int) -> list[int]:
    """Returns so many different ports of this machine that nothing listens on. Raises OperatorError.

    They are of NEVER_GIVEN: a program takes seconds to start, and meanwhile no other is given its port.
    """
    ports: list[int] = []
    with ExitStack() as stack:
        for port in secrets.SystemRandom().sample(NEVER_GIVEN, len(NEVER_GIVEN)):
            if len(ports) == count:
                break
            probe = stack.enter_context(socket.socket())
            with suppress(OSError):  # somebody has it
                probe.bind(("127.0.0.1", port))
                ports.append(port)
    if len(ports) < count:
        raise OperatorError(f"no free port between {NEVER_GIVEN.start} and {NEVER_GIVEN.stop}")
    return ports


def holder_of(port: int) -> str | None:
    """Returns who listens on a port of this machine, in words; None if it cannot be found out."""
    if _is_ours(port):
        return "Aurora Notes runs there already"
    for process in _processes_of(_sockets_on(port)):
        name = (process / "comm").read_text(errors="replace").strip()
        return f"{name} (process {process.name}) has it"
    return None


def _is_ours(port: int) -> bool:
    """Reports whether the product answers there."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=ANSWER_SECONDS) as reply:
            return NAME in reply.read(2000)
    except (OSError, HTTPException):
        return False


def _sockets_on(port: int) -> set[str]:
    """Returns the inodes of sockets that listen on the port; empty where the system has no such tables."""
    inodes = set()
    for table in TABLES:
        try:
            lines = Path(table).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            local_port = int(fields[1].rpartition(":")[2], 16)
            if local_port == port and fields[3] == LISTENING:
                inodes.add(fields[9])

    return inodes


def _processes_of(inodes: set[str]) -> Iterator[Path]:
    """Yields the folders in /proc of processes that have one of the sockets open, as far as we may look."""
    if not inodes:
        return
    targets = {f"socket:[{inode}]" for inode in inodes}
    for process in Path("/proc").glob("[0-9]*"):
        if targets & set(_open_files(process)):
            yield process


def _open_files(process: Path) -> Iterator[str]:
    """Yields what the process has open, as far as we may look; files are closed meanwhile."""
    try:
        files = list((process / "fd").iterdir())
    except OSError:
        return
    for file in files:
        with suppress(OSError):
            yield str(file.readlink())
